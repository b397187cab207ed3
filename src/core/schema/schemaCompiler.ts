import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019';
import { Ajv2020 } from 'ajv/dist/2020';
import { isCostlyPattern } from '../bounds/patternCost';
import { runWithin } from '../bounds/runWithin';
import { ErrorBudget, withErrorBudget } from './errorBudget';
import { withoutForeignKeywords } from './foreignKeywords';
import { findMisplacedValue, inspectSchema, type SchemaProblem } from './schemaCheck';
import type { JsonObject } from '../json/jsonValue';

/**
 * The errors of a value, `undefined` for a valid one.
 * @throws {TooManyErrors}
 * @throws {RangeError} when the value is too deep
 */
export type Validate = (value: unknown) => readonly ErrorObject[] | undefined;

export interface CompiledSchema {
  /** Collects every error. */
  readonly all: Validate;
  /**
   * Stops at the first error, for values of which too much is wrong to collect it.
   * Compiled when it is first asked for: it costs more, the more properties a schema has.
   */
  readonly first: (limitMs: number) => Validate | SchemaProblem;
  /** How large the schema is, in values of JSON. */
  readonly values: number;
  /** Whether no value is looked at more than once for each of these. */
  readonly isProportional: boolean;
}

type Dialect = keyof typeof classes;

const dialects: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  // What draft-07 added to draft-06 are keywords, so it reads draft-06 as it was meant.
  ['json-schema.org/draft-06/schema', 'draft-07'],
]);

const classes = { '2020-12': Ajv2020, '2019-09': Ajv2019, 'draft-07': Ajv } as const;

/**
 * Compiles `schema` by its dialect, in bounded time. Each gets an Ajv of its own: Ajv never
 * forgets a schema, and two tools may use the same `$id` for different ones.
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

  const plain = traits.hasForeignKeywords ? withoutForeignKeywords(schema) : schema;
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
    const compiled = runWithin(limitMs, compile);
    return compiled?.value ?? { code: 'tooSlow', detail: `${limitMs} ms` };
  } catch (error) {
    return problemOf(error, schema);
  }
}

function newValidate(dialect: Dialect, schema: JsonObject, allErrors: boolean): Validate {
  const errorBudget = new ErrorBudget();
  const validate = Object.assign(newAjv(dialect, schema, allErrors), { errorBudget }).compile(
    schema,
  );
  return (value) => {
    errorBudget.begin();
    const isValid: unknown = validate(value);
    const errors = validate.errors ?? [];
    // They quote the value, which must not live as long as the schema.
    validate.errors = null;
    // Whatever else it may be, such as a promise, is no yes.
    return isValid === true ? undefined : errors;
  };
}

/** Written with `#` at the end or without, by http or https. */
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
    // Half of the cost of an Ajv, and only data for the few schemas that refer to them.
    meta: refersToMetaschema(schema),
    validateSchema: false,
    logger: false,
    // `constructor` and the like are names as any other.
    ownProperties: true,
    // A reference is a call, not a copy: copies of copies grow without bound.
    inlineRefs: false,
    // 19.99 is a multiple of 0.01.
    multipleOfPrecision: 9,
    code: { regExp: lenientRegExp, process: boundedCode },
  };
  const ajv = new classes[dialect](options);
  // Ajv refuses schemas with the `id` of draft-04; since then it is an unknown keyword.
  ajv.removeKeyword('id');
  return ajv;
}

/** A schema of the largest size makes half of it. */
const maxCodeChars = 8_000_000;

function boundedCode(code: string): string {
  if (code.length > maxCodeChars) throw new CodeTooLarge();
  return withErrorBudget(code);
}

class CodeTooLarge extends Error {}

function refersToMetaschema(schema: object): boolean {
  return /"\$ref":"https?:\/\/json-schema\.org\//.test(JSON.stringify(schema));
}

/** Patterns are Unicode ones by the specification, but many are written for plain JavaScript. */
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
  const ownUri = typeof id === 'string' ? id.replace(/#.*$/, '') : '';
  const isOwn = error.missingSchema === '' || error.missingSchema === ownUri;
  return { code: isOwn ? 'doesNotCompile' : 'externalRef', detail: error.missingRef };
}
