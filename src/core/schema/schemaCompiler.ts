import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019';
import { Ajv2020 } from 'ajv/dist/2020';
import { isCostlyPattern } from '../bounds/patterns';
import { runWithTimeLimit } from '../bounds/runWithTimeLimit';
import { ErrorBudget } from './errorBudget';
import {
  findMisplacedValue,
  inspectSchema,
  type SchemaProblem,
  oneSchema,
  schemaLists,
  schemaMaps,
} from './schemaCheck';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import { withNearestNumbers } from './nearestNumbers';

/**
 * Returns the errors of a value, or `undefined` if it is valid.
 * @throws {TooManyErrors}
 * @throws {RangeError} if the value is nested too deeply
 */
export interface Validate {
  (value: unknown): readonly ErrorObject[] | undefined;
  /** Errors quote the value. Called if the validation was interrupted. */
  readonly forgetErrors: () => void;
}

export interface CompiledSchema {
  /** Collects all errors. */
  readonly all: Validate;
  /**
   * Stops at the first error, for values with too many errors to collect. Compiled on first use,
   * which takes longer the more properties the schema has.
   */
  readonly first: (limitMs: number) => Validate | SchemaProblem;
  /** The size of the schema, in JSON values. */
  readonly values: number;
  /** See {@link SchemaTraits}. */
  readonly isProportional: boolean;
}

type Dialect = keyof typeof classes;

const dialects: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  // draft-07 only added keywords to draft-06.
  ['json-schema.org/draft-06/schema', 'draft-07'],
]);

const classes = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv } as const;

/**
 * Compiles `schema` by its dialect, in bounded time. Each schema has its own Ajv instance, because
 * Ajv never forgets a schema and two tools may use the same `$id` for different ones.
 */
export function compileSchema(schema: JsonObject, limitMs: number): CompiledSchema | SchemaProblem {
  const dialect = dialectOf(schema);
  if (typeof dialect !== 'string') return dialect;
  const traits = inspectSchema(schema);
  if ('code' in traits) return traits;
  const misplaced = findMisplacedValue(schema);
  if (misplaced !== undefined) {
    return { code: 'doesNotCompile', detail: `${misplaced} is neither an object nor a boolean` };
  }

  // Ajv refuses a bound such as `1.0` that is kept as written.
  const nearest = withNearestNumbers(schema);
  const usable = isJsonObject(nearest) ? nearest : schema;
  const plain = traits.hasForeignKeywords ? withoutForeignKeywords(usable) : usable;
  const compile = (allErrors: boolean, maxMs: number) =>
    compileWithin(maxMs, () => newValidate(dialect, plain, allErrors), schema);
  const all = compile(true, limitMs);
  if (typeof all !== 'function') return all;
  let first: Validate | undefined;
  return {
    ...traits,
    all,
    first: (maxMs) => {
      const compiled = first ?? compile(false, maxMs);
      if (typeof compiled === 'function') first = compiled;
      return compiled;
    },
  };
}

function compileWithin(
  limitMs: number,
  compile: () => Validate,
  schema: JsonObject,
): Validate | SchemaProblem {
  try {
    const compiled = runWithTimeLimit(limitMs, compile);
    return compiled?.value ?? { code: 'tooSlow', detail: `${limitMs} ms` };
  } catch (error) {
    return problemOf(error, schema);
  }
}

function newValidate(dialect: Dialect, schema: JsonObject, allErrors: boolean): Validate {
  const budget = new ErrorBudget();
  const ajv = newAjv(dialect, schema, allErrors);
  budget.limit(ajv);
  const validate = ajv.compile(schema);
  const errorsOf = (value: unknown) => {
    budget.begin();
    try {
      const isValid: unknown = validate(value);
      // Any other result, such as a promise, does not count as valid.
      return isValid === true ? undefined : (validate.errors ?? []);
    } finally {
      budget.forgetErrors();
    }
  };
  return Object.assign(errorsOf, { forgetErrors: () => budget.forgetErrors() });
}

/** Accepts `http` and `https`, with or without a `#` at the end. */
function dialectOf(schema: JsonObject): Dialect | SchemaProblem {
  const declared = schema['$schema'];
  if (declared === undefined) return '2020-12';
  const name = typeof declared === 'string' ? declared : JSON.stringify(declared);
  const known = dialects.get(name.replace(/^https?:\/\//, '').replace(/#$/, ''));
  return known ?? { code: 'dialect', detail: name.slice(0, 200) };
}

function newAjv(dialect: Dialect, schema: object, allErrors: boolean): Ajv {
  const options: Options = {
    allErrors,
    strict: false,
    validateFormats: false,
    // Metaschemas are half of the cost of an instance, and only schemas that refer to them need
    // them.
    meta: refersToMetaschema(schema),
    validateSchema: false,
    logger: false,
    // `constructor` and similar names are ordinary properties.
    ownProperties: true,
    // A reference becomes a call, because copies of copies grow without bound.
    inlineRefs: false,
    // Makes 19.99 a multiple of 0.01.
    multipleOfPrecision: 9,
    code: { regExp: lenientRegExp, process: checkCodeSize },
  };
  const ajv = new classes[dialect](options);
  // Ajv refuses schemas with the `id` of draft-04, which newer drafts do not know.
  ajv.removeKeyword('id');
  return ajv;
}

/** Twice the code of the largest allowed schema. */
const maxCodeChars = 8_000_000;

function checkCodeSize(code: string): string {
  if (code.length > maxCodeChars) throw new CodeTooLarge();
  return code;
}

class CodeTooLarge extends Error {}

function refersToMetaschema(schema: object): boolean {
  return /"\$ref":"https?:\/\/json-schema\.org\//.test(JSON.stringify(schema));
}

/** The specification asks for Unicode patterns, but many are written for plain JavaScript. */
const lenientRegExp = Object.assign(
  (pattern: string, flags: string): RegExp => {
    const compiled = unicodeRegExp(pattern, flags);
    if (isCostlyPattern(pattern)) throw new PatternTooCostly();
    return compiled;
  },
  { code: 'new RegExp' },
);

function unicodeRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

class PatternTooCostly extends Error {}

function problemOf(error: unknown, schema: JsonObject): SchemaProblem {
  if (error instanceof RangeError) return { code: 'tooDeep', detail: error.message };
  if (error instanceof PatternTooCostly) return { code: 'tooSlow', detail: 'a pattern' };
  if (error instanceof CodeTooLarge) {
    return { code: 'tooLarge', detail: `${maxCodeChars} characters of code` };
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Ajv.MissingRefError)) return { code: 'doesNotCompile', detail };
  const id = schema['$id'];
  const [ownUri = ''] = typeof id === 'string' ? id.split('#', 1) : [];
  const isOwn = error.missingSchema === '' || error.missingSchema === ownUri;
  return { code: isOwn ? 'doesNotCompile' : 'externalRef', detail: error.missingRef };
}

/** Keywords with arbitrary values, in which nothing is a keyword. */
const data = ['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'];

/**
 * Copies a schema without the keywords that only Ajv knows. `$async`, with any value, would make
 * Ajv return a promise, which passes for valid; `nullable` (of OpenAPI) would make it refuse
 * schemas without `type`. Both are unknown keywords in JSON Schema, and may be ordinary
 * names or values elsewhere. The depth of the schema has to be bounded.
 */
function withoutForeignKeywords(schema: JsonObject): JsonObject {
  // Defines own members, so that `__proto__` is an ordinary one.
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== '$async' && key !== 'nullable')
      .map(([key, value]) => [key, inKeyword(key, value)]),
  );
}

function inKeyword(key: string, value: JsonValue): JsonValue {
  if (data.includes(key)) return value;
  if (Array.isArray(value)) return schemaLists.includes(key) ? value.map(inSchema) : value;
  if (!isJsonObject(value)) return value;
  if (oneSchema.includes(key)) return inSchema(value);
  if (schemaMaps.includes(key) || key === 'dependencies') return inEach(value);
  // References can point into unknown keywords.
  return inUnknown(value);
}

function inSchema(schema: JsonValue): JsonValue {
  return isJsonObject(schema) ? withoutForeignKeywords(schema) : schema;
}

function inEach(schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, inSchema(schema)]),
  );
}

/**
 * The value of an unknown keyword may be a schema, or a map from names to schemas. A keyword such
 * as `nullable` has a boolean; a name has a schema.
 */
function inUnknown(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => (key !== '$async' && key !== 'nullable') || typeof each === 'object')
      .map(([key, each]) => [key, inKeyword(key, each)]),
  );
}
