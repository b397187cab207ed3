import { startProcessorClock } from '../bounds/processorClock';
import { runWithTimeLimit } from '../bounds/runWithTimeLimit';
import { TooManyErrors } from './errorBudget';
import { weightUpTo } from '../json/valueWeight';
import type { SchemaProblem } from './schemaCheck';
import { compileSchema, type CompiledSchema, type Validate } from './schemaCompiler';
import type { SchemaViolation } from '../types';
import type { JsonObject } from '../json/jsonValue';
import { withNearestNumbers } from './nearestNumbers';
import type { ErrorObject } from 'ajv';
import { toPointerStep } from '../json/jsonPointer';

export type Validation =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly violations: readonly SchemaViolation[] }
  | { readonly kind: 'unusable'; readonly reason: SchemaProblem };

export interface SchemaTimeLimits {
  /** Several times what the largest allowed schema needs. Applies once per schema. */
  readonly compileMs: number;
  /** A valid answer of 64 MiB needs about a tenth of this. */
  readonly validateMs: number;
}

const defaultTimeLimits: SchemaTimeLimits = { compileMs: 3_000, validateMs: 1_000 };

/**
 * Up to this weight of schema and value together, validating takes less than a millisecond and
 * needs no time limit.
 */
const maxUnwatched = 50_000;
/**
 * Limits the total size of the schemas that stay compiled, in JSON values; each takes some KiB of
 * code. Real servers need a third.
 */
const maxKeptValues = 100_000;

/**
 * Validates values by JSON Schema 2020-12, or by 2019-09, draft-07 or draft-06 if the schema
 * declares it. A schema is compiled on first use and kept while the schema object
 * lives, up to a total size. Schema and value are never changed, and nothing is fetched. Time,
 * memory and the number of violations are bounded for any schema. `format` and unknown
 * keywords are annotations. Never throws.
 */
export class SchemaValidator {
  #compiled = new WeakMap<object, CompiledSchema | SchemaProblem>();
  #keptValues = 0;
  readonly #limits: SchemaTimeLimits;

  constructor(limits: SchemaTimeLimits = defaultTimeLimits) {
    this.#limits = limits;
  }

  /** @param limits Limits for this validation only, such as while the user is typing. */
  validate(
    schema: JsonObject | boolean,
    value: unknown,
    limits: SchemaTimeLimits = this.#limits,
  ): Validation {
    if (schema === true) return { kind: 'valid' };
    if (schema === false) return { kind: 'invalid', violations: [nothingIsAllowed] };
    const compiled = this.#compile(schema, limits.compileMs);
    if ('code' in compiled) return { kind: 'unusable', reason: compiled };
    try {
      return run(compiled, withNearestNumbers(value), limits);
    } catch (error) {
      // A recursive schema recurses as deep as the value.
      if (error instanceof RangeError) return unusable('tooDeep', error.message);
      return unusable('doesNotCompile', String(error));
    }
  }

  #compile(schema: JsonObject, limitMs: number): CompiledSchema | SchemaProblem {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const compiled = compileSchema(schema, limitMs);
    // The machine may just have been slow, so this result is not kept.
    if ('code' in compiled && compiled.code === 'tooSlow') return compiled;
    this.#keptValues += 'code' in compiled ? 1 : compiled.values;
    if (this.#keptValues > maxKeptValues) {
      this.#compiled = new WeakMap();
      this.#keptValues = 0;
    }
    this.#compiled.set(schema, compiled);
    return compiled;
  }
}

function run(compiled: CompiledSchema, value: unknown, limits: SchemaTimeLimits): Validation {
  const { all, values, isProportional } = compiled;
  const maxWeight = maxUnwatched / values;
  const isSmall = isProportional && weightUpTo(maxWeight, value) <= maxWeight;
  // Reading the clock takes longer than a small value.
  const usedMs = isSmall ? () => 0 : startProcessorClock();
  try {
    if (isSmall) return verdict(all, value);
    return watched(all, value, limits.validateMs, limits);
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
  }
  const first = compiled.first(limits.compileMs);
  if ('code' in first) return { kind: 'unusable', reason: first };
  const leftMs = limits.validateMs - usedMs();
  try {
    return watched(first, value, Math.max(1, Math.ceil(leftMs)), limits);
  } catch (error) {
    if (error instanceof TooManyErrors) return unusable('tooManyViolations', error.message);
    throw error;
  }
}

function watched(
  validate: Validate,
  value: unknown,
  limitMs: number,
  { validateMs }: SchemaTimeLimits,
): Validation {
  const found = runWithTimeLimit(limitMs, () => verdict(validate, value));
  if (found !== undefined) return found.value;
  validate.forgetErrors();
  return unusable('tooSlow', `${validateMs} ms`);
}

const nothingIsAllowed: SchemaViolation = {
  pointer: '',
  message: 'the schema allows no value at all',
  keyword: 'false schema',
};

function unusable(code: SchemaProblem['code'], detail: string): Validation {
  return { kind: 'unusable', reason: { code, detail } };
}

function verdict(validate: Validate, value: unknown): Validation {
  const errors = validate(value);
  return errors === undefined
    ? { kind: 'valid' }
    : { kind: 'invalid', violations: toViolations(errors) };
}

/** Longer lists are not useful, and each violation quotes the schema. */
export const maxViolations = 50;
const maxQuoteChars = 80;
const maxListedValues = 12;

/**
 * Converts Ajv's errors into at most 50 violations, each with its place and a sentence that names
 * what is missing, unexpected or allowed. The sentences quote schema and value, so they are
 * untrusted.
 */
function toViolations(errors: readonly ErrorObject[]): readonly SchemaViolation[] {
  const violations = new Map<string, SchemaViolation>();
  for (const error of errors) {
    if (violations.size >= maxViolations) break;
    const violation = toViolation(error);
    violations.set(`${violation.pointer}\n${violation.message}`, violation);
  }
  return [...violations.values()];
}

function toViolation(error: ErrorObject): SchemaViolation {
  const { keyword, instancePath } = error;
  const params: Record<string, unknown> = error.params;
  const extra = params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof extra === 'string') {
    const message = `the property ${quote(extra)} is not allowed here`;
    return { pointer: instancePath + toPointerStep(extra), message, keyword };
  }
  return { pointer: instancePath, message: sentence(error, params), keyword };
}

function sentence({ keyword, message }: ErrorObject, params: Record<string, unknown>): string {
  switch (keyword) {
    case 'required':
      return `must have the property ${quote(params['missingProperty'])}`;
    case 'dependentRequired':
    case 'dependencies':
      if (typeof params['missingProperty'] !== 'string') break;
      return `must have the property ${quote(params['missingProperty'])} because ${quote(params['property'])} is there`;
    case 'enum':
      return `must be one of ${listed(params['allowedValues'])}`;
    case 'const':
      return `must be ${quote(params['allowedValue'])}`;
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}`;
    case 'propertyNames':
      return `the property name ${quote(params['propertyName'])} is not allowed`;
    case 'minimum':
      return `must be at least ${quote(params['limit'])}`;
    case 'maximum':
      return `must be at most ${quote(params['limit'])}`;
    case 'exclusiveMinimum':
      return `must be more than ${quote(params['limit'])}`;
    case 'exclusiveMaximum':
      return `must be less than ${quote(params['limit'])}`;
    case 'minLength':
      return `must have at least ${counted(params['limit'], 'character')}`;
    case 'maxLength':
      return `must have at most ${counted(params['limit'], 'character')}`;
    case 'minItems':
      return `must have at least ${counted(params['limit'], 'item')}`;
    case 'maxItems':
    case 'items':
    case 'additionalItems':
      if (typeof params['limit'] !== 'number') break;
      return `must have at most ${counted(params['limit'], 'item')}`;
    case 'minProperties':
      return `must have at least ${counted(params['limit'], 'property', 'properties')}`;
    case 'maxProperties':
      return `must have at most ${counted(params['limit'], 'property', 'properties')}`;
    case 'pattern':
      return `must match the pattern ${quote(params['pattern'])}`;
    case 'anyOf':
      return 'must match at least one of the alternatives (anyOf)';
    case 'oneOf':
      return 'must match exactly one of the alternatives (oneOf)';
    case 'not':
      return 'must not match what the schema excludes (not)';
    case 'false schema':
      return 'the schema allows no value here';
  }
  return message ?? `does not fit ${quote(keyword)}`;
}

/** Formats a value as shortened JSON, without formatting more of a large value than is shown. */
function quote(value: unknown): string {
  let left = maxQuoteChars;
  const json =
    JSON.stringify(value, (key, item: unknown) => {
      left -= 1 + key.length;
      // Members left out here are behind the cut.
      if (left < 0) return undefined;
      if (Array.isArray(item)) return item.slice(0, maxQuoteChars);
      return typeof item === 'string' ? item.slice(0, maxQuoteChars + 1) : item;
    }) ?? String(value);
  return json.length <= maxQuoteChars + 2 ? json : `${json.slice(0, maxQuoteChars)}…`;
}

function counted(count: unknown, one: string, several = `${one}s`): string {
  return `${quote(count)} ${count === 1 ? one : several}`;
}

function listed(values: unknown): string {
  if (!Array.isArray(values)) return quote(values);
  const shown = values.slice(0, maxListedValues).map(quote);
  const rest = values.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` or ${rest} more` : '');
}
