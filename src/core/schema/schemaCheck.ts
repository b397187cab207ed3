import { isObject } from '../json/shapes';

/** Why a schema cannot be validated by; nothing is known about the value then. */
export interface SchemaProblem {
  readonly code:
    /** `$schema` names a dialect that we do not have; `detail` is its name. */
    | 'dialect'
    /** A `$ref` leads out of the document; it is never fetched. */
    | 'externalRef'
    /** The schema is not a valid one; `detail` is the first thing wrong with it. */
    | 'doesNotCompile'
    /** More values, text or code than we compile; `detail` says of what and how many. */
    | 'tooLarge'
    /** Schema or value nested deeper than we follow. */
    | 'tooDeep'
    /** Compiling or validating took longer than its limit, say by a runaway `pattern`. */
    | 'tooSlow'
    /** So much was found wrong at once, such as in alternatives, that it was not looked at to the end. */
    | 'tooManyViolations';
  /** Quotes the server's schema: untrusted. */
  readonly detail: string;
}

/** Several times the largest tool schemas in use; compiling this much takes most of a second. */
const maxValues = 10_000;
/** Names, constants and patterns become code, names several times. Descriptions count too. */
const maxChars = 4_000_000;
/** Nothing interrupts the regular expression engine while it compiles a pattern. */
const maxPatternChars = 20_000;
/** Of those that one property asks for, each error of Ajv's code lists all. */
const maxDependencies = 1_000;
/** Each level of a schema is two levels of JSON; forms that people fill in have fewer than ten. */
const maxDepth = 200;

/** What a look at the whole schema, before anything is compiled, says about it. */
export interface SchemaTraits {
  /** How many values of JSON it is. */
  readonly values: number;
  /**
   * Whether no value is looked at more often than there are values in the schema: no references
   * (they can branch without end), no patterns, no comparing of all items with all others.
   */
  readonly isProportional: boolean;
  /** Has keywords that mean something to Ajv and nothing in JSON Schema. */
  readonly hasForeignKeywords: boolean;
}

const costlyKeywords = new Set(
  (
    '$ref $dynamicRef $recursiveRef pattern patternProperties uniqueItems ' +
    'unevaluatedItems unevaluatedProperties'
  ).split(' '),
);

/**
 * Walks `schema` once, bounded in size, text and depth. Traits are judged by key alone: a
 * property that happens to be called `pattern` only makes validating it slower by 0.2 ms.
 */
export function inspectSchema(schema: object): SchemaTraits | SchemaProblem {
  let isProportional = true;
  let hasForeignKeywords = false;
  let values = 0;
  let chars = 0;
  const waiting: { readonly value: object; readonly depth: number }[] = [
    { value: schema, depth: 1 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.depth > maxDepth) return { code: 'tooDeep', detail: `${maxDepth} levels` };
    for (const [key, child] of Object.entries(next.value)) {
      values += 1;
      if (values > maxValues) return tooLarge(maxValues, 'values');
      chars += key.length + (typeof child === 'string' ? child.length : 0);
      if (chars > maxChars) return tooLarge(maxChars, 'characters');
      const problem = findLargeKeyword(key, child);
      if (problem !== undefined) return problem;
      if (costlyKeywords.has(key)) isProportional = false;
      if (key === '$async' || key === 'nullable') hasForeignKeywords = true;
      if (typeof child === 'object' && child !== null) {
        waiting.push({ value: child, depth: next.depth + 1 });
      }
    }
  }
  return { values, isProportional, hasForeignKeywords };
}

function findLargeKeyword(key: string, value: unknown): SchemaProblem | undefined {
  switch (key) {
    case 'pattern':
      return isLong(value) ? tooLarge(maxPatternChars, 'characters of a pattern') : undefined;
    case 'patternProperties':
      if (!isObject(value) || !Object.keys(value).some(isLong)) return undefined;
      return tooLarge(maxPatternChars, 'characters of a pattern');
    case 'dependentRequired':
    case 'dependencies':
      if (!isObject(value) || !Object.values(value).some(isManyNames)) return undefined;
      return tooLarge(maxDependencies, `names in ${key}`);
    default:
      return undefined;
  }
}

function isLong(pattern: unknown): boolean {
  return typeof pattern === 'string' && pattern.length > maxPatternChars;
}

function isManyNames(names: unknown): boolean {
  return Array.isArray(names) && names.length > maxDependencies;
}

function tooLarge(limit: number, unit: string): SchemaProblem {
  return { code: 'tooLarge', detail: `${limit} ${unit}` };
}

/** Keywords with one schema. */
export const oneSchema: readonly string[] = (
  'additionalItems additionalProperties unevaluatedItems unevaluatedProperties ' +
  'items contains propertyNames not if then else'
).split(' ');
/** Keywords with a list of schemas. */
export const schemaLists: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
/** Keywords with schemas by names. */
export const schemaMaps: readonly string[] =
  'properties patternProperties $defs definitions dependentSchemas'.split(' ');

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
