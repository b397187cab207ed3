import type { JsonObject } from '../types';

/** Why a schema cannot be validated by; nothing is known about the value then. */
export interface SchemaProblem {
  readonly code:
    /** `$schema` names a dialect that we do not have; `detail` is its name. */
    | 'dialect'
    /** A `$ref` leads out of the document; it is never fetched. */
    | 'externalRef'
    /** The schema is not a valid one; `detail` is the first thing wrong with it. */
    | 'doesNotCompile'
    /** More than 10,000 values in the schema. */
    | 'tooLarge'
    /** Schema or value nested deeper than we follow. */
    | 'tooDeep'
    /** Compiling or validating took longer than its limit, say by a runaway `pattern`. */
    | 'tooSlow';
  /** Quotes the server's schema: untrusted. */
  readonly detail: string;
}

/** Several times the largest tool schemas in use; compiling this much takes most of a second. */
const maxValues = 10_000;
/** Each level of a schema is two levels of JSON; forms that people fill in have fewer than ten. */
const maxDepth = 200;

/** What a look at the whole schema, before anything is compiled, says about it. */
export interface SchemaTraits {
  /**
   * Whether validating takes time in proportion to the value: no references (they can branch
   * without end), no patterns, no comparing of all items with all others, no composition.
   */
  readonly isLinear: boolean;
  /** Has keywords that mean something to Ajv and nothing in JSON Schema. */
  readonly hasForeignKeywords: boolean;
}

const costlyKeywords = new Set(
  (
    '$ref $dynamicRef $recursiveRef pattern patternProperties uniqueItems contains ' +
    'allOf anyOf oneOf not if dependentSchemas dependencies'
  ).split(' '),
);

/**
 * Walks `schema` once, bounded in size and depth. Traits are judged by key alone: a
 * property that happens to be called `pattern` only makes validating it slower by 0.2 ms.
 */
export function inspectSchema(schema: object): SchemaTraits | SchemaProblem {
  let isLinear = true;
  let hasForeignKeywords = false;
  let count = 0;
  const waiting: { readonly value: object; readonly depth: number }[] = [
    { value: schema, depth: 1 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.depth > maxDepth) return { code: 'tooDeep', detail: `${maxDepth} levels` };
    for (const [key, child] of Object.entries(next.value)) {
      count += 1;
      if (count > maxValues) return { code: 'tooLarge', detail: `${maxValues} values` };
      if (costlyKeywords.has(key)) isLinear = false;
      if (isForeign(key, child)) hasForeignKeywords = true;
      if (typeof child === 'object' && child !== null) {
        waiting.push({ value: child, depth: next.depth + 1 });
      }
    }
  }
  return { isLinear, hasForeignKeywords };
}

/**
 * `$async` would make Ajv answer with a promise, and so call everything valid; `nullable` (of
 * OpenAPI) would make it refuse schemas without `type`. Both are unknown keywords.
 */
function isForeign(key: string, value: unknown): boolean {
  return (key === '$async' || key === 'nullable') && typeof value === 'boolean';
}

/** A copy without the keywords that mean something to Ajv only. */
export function withoutForeignKeywords(schema: JsonObject): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(schema, dropForeign));
  return copy;
}

function dropForeign(key: string, value: unknown): unknown {
  return isForeign(key, value) ? undefined : value;
}

const oneSchema = (
  'additionalItems additionalProperties unevaluatedItems unevaluatedProperties ' +
  'items contains propertyNames not if then else'
).split(' ');
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const schemaMaps = 'properties patternProperties $defs definitions dependentSchemas'.split(' ');

/**
 * The place of the first subschema that is neither an object nor a boolean, such as
 * `{"properties": {"name": "string"}}`, if there is one. Ajv would take it for "anything goes";
 * its own check against the metaschema costs 80 ms.
 */
export function findMisplacedValue(schema: unknown, place = '#'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return place;
  for (const [key, value] of Object.entries(schema)) {
    const found = findInKeyword(key, value, `${place}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInKeyword(key: string, value: unknown, place: string): string | undefined {
  if (Array.isArray(value)) {
    return schemaLists.includes(key) ? findInEach(value, place) : undefined;
  }
  if (schemaMaps.includes(key)) return isObject(value) ? findInEach(value, place) : place;
  return oneSchema.includes(key) ? findMisplacedValue(value, place) : undefined;
}

function findInEach(schemas: object, place: string): string | undefined {
  for (const [key, schema] of Object.entries(schemas)) {
    const found = findMisplacedValue(schema, `${place}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
