import { runWithin } from '../bounds/runWithin';
import { TooManyErrors } from './errorBudget';
import { judgedValue } from './judgedValue';
import type { SchemaProblem } from './schemaCheck';
import { compileSchema, type CompiledSchema, type Validate } from './schemaCompiler';
import { toViolations } from './schemaViolations';
import { weightUpTo } from './valueWeight';
import type { SchemaViolation } from '../types';
import type { JsonObject } from '../json/jsonValue';

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
      return run(compiled, judgedValue(value), limits);
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
  const startedAt = performance.now();
  const maxWeight = maxUnwatched / values;
  const isSmall = isProportional && weightUpTo(maxWeight, value) <= maxWeight;
  try {
    if (isSmall) return verdict(all, value);
    return watched(all, value, limits.validateMs, limits);
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
  }
  const first = compiled.first(limits.compileMs);
  if ('code' in first) return { kind: 'unusable', reason: first };
  const leftMs = limits.validateMs - (performance.now() - startedAt);
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
  const found = runWithin(limitMs, () => verdict(validate, value));
  return found?.value ?? unusable('tooSlow', `${validateMs} ms`);
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
