import { isObject } from '../json/shapes';

/** Why a schema cannot be used. It says nothing about the value. */
export interface SchemaProblem {
  readonly code:
    /** `$schema` names an unsupported dialect, given in `detail`. */
    | 'dialect'
    /** A `$ref` points outside the document. It is never fetched. */
    | 'externalRef'
    /** The schema is invalid; `detail` is the first error. */
    | 'doesNotCompile'
    /**
     * Too many values, too much text or too much code; `detail` says which limit was exceeded
     * (R-332).
     */
    | 'tooLarge'
    /** Schema or value is nested too deeply. */
    | 'tooDeep'
    /**
     * Compiling or validating exceeded its time limit, for example by a runaway `pattern`.
     */
    | 'tooSlow'
    /**
     * Validating stopped early because there were too many violations at once, for example in
     * alternatives.
     */
    | 'tooManyViolations';
  /** Untrusted: quotes the server's schema. */
  readonly detail: string;
}

/** Several times the largest tool schemas in use. Compiling this many takes most of a second. */
const maxValues = 10_000;
/** Names, constants and patterns become code, names several times. Descriptions count too. */
const maxChars = 4_000_000;
/** Compiling a regular expression cannot be interrupted. */
const maxPatternChars = 20_000;
/** Limits the dependencies of one property, all of which each error lists in Ajv's code. */
const maxDependencies = 1_000;
/** In levels of JSON; a level of schema is two of them. Real forms have fewer than ten. */
const maxDepth = 200;

/** Properties of a schema that are known before it is compiled. */
export interface SchemaTraits {
  /** The number of JSON values in the schema. */
  readonly values: number;
  /**
   * True if validation takes time proportional to schema and value. This excludes references (which
   * can branch endlessly), patterns, and comparing all items with each other.
   */
  readonly isProportional: boolean;
  /** True if it has keywords that Ajv knows and JSON Schema does not. */
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
 * property that happens to be named `pattern` only makes validation slower by 0.2 ms.
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

/** Keywords with one subschema. */
export const oneSchema: readonly string[] = (
  'additionalItems additionalProperties unevaluatedItems unevaluatedProperties ' +
  'items contains propertyNames not if then else'
).split(' ');
/** Keywords with a list of subschemas. */
export const schemaLists: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
/** Keywords that map names to subschemas. */
export const schemaMaps: readonly string[] =
  'properties patternProperties $defs definitions dependentSchemas'.split(' ');

/**
 * Returns the place of the first subschema that is neither an object nor a boolean, such as in
 * `{"properties": {"name": "string"}}`. Ajv would accept it as "anything", and its own check
 * against the metaschema takes 80 ms.
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
