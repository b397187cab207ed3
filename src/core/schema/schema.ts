import type { ValidateFunction } from 'ajv';
import type { SchemaProblem } from './schemaCheck';
import { compileSchema, type CompiledSchema } from './schemaCompiler';
import { runWithin } from './schemaTimeLimit';
import { toViolations } from './schemaViolations';
import type { JsonObject, SchemaViolation } from '../types';

export type Validation =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly violations: readonly SchemaViolation[] }
  | { readonly kind: 'unusable'; readonly reason: SchemaProblem };

export interface SchemaTimeLimits {
  /** Several times what the largest allowed schema needs; it is paid once per schema. */
  readonly compileMs: number;
  /** A valid 64 MiB answer needs about a tenth of it. */
  readonly validateMs: number;
}

const defaultTimeLimits: SchemaTimeLimits = { compileMs: 3_000, validateMs: 1_000 };

/** With more, only the first violation is looked for: each costs memory. */
const maxValuesForAllViolations = 20_000;

/**
 * Validates values by JSON Schema 2020-12, and by 2019-09, draft-07 and draft-06 where the schema
 * declares them. A schema is compiled when it is first used and kept as long as
 * the schema object lives; the schema and the value are never changed and nothing is fetched.
 * `format` and unknown keywords are annotations. Never throws.
 */
export class SchemaValidator {
  readonly #compiled = new WeakMap<object, CompiledSchema | SchemaProblem>();
  readonly #limits: SchemaTimeLimits;

  constructor(limits: SchemaTimeLimits = defaultTimeLimits) {
    this.#limits = limits;
  }

  /** `limits` for this once, such as for a look at what somebody is just typing. */
  validate(
    schema: JsonObject | boolean,
    value: unknown,
    limits: SchemaTimeLimits = this.#limits,
  ): Validation {
    if (schema === true) return { kind: 'valid' };
    if (schema === false) return { kind: 'invalid', violations: [nothingIsAllowed] };
    const compiled = this.#compile(schema, limits.compileMs);
    if ('code' in compiled) return { kind: 'unusable', reason: compiled };
    return this.#run(compiled, value, limits.validateMs);
  }

  #compile(schema: JsonObject, limitMs: number): CompiledSchema | SchemaProblem {
    let compiled = this.#compiled.get(schema);
    if (compiled === undefined) {
      compiled = compileSchema(schema, limitMs);
      // Too slow may have been the machine just now; everything else stays as it is.
      if (!('code' in compiled && compiled.code === 'tooSlow'))
        this.#compiled.set(schema, compiled);
    }
    return compiled;
  }

  #run({ all, first, isLinear }: CompiledSchema, value: unknown, limitMs: number): Validation {
    const isLarge = hasMoreValues(value, maxValuesForAllViolations);
    try {
      if (isLinear && !isLarge) return verdict(all, value);
      const watched = runWithin(limitMs, () => verdict(isLarge ? first() : all, value));
      return watched?.value ?? unusable('tooSlow', `${limitMs} ms`);
    } catch (error) {
      // A recursive schema recurses as deep as the value does.
      if (error instanceof RangeError) return unusable('tooDeep', error.message);
      return unusable('doesNotCompile', String(error));
    }
  }
}

const nothingIsAllowed: SchemaViolation = {
  pointer: '',
  message: 'the schema allows no value at all',
  keyword: 'false schema',
};

function unusable(code: SchemaProblem['code'], detail: string): Validation {
  return { kind: 'unusable', reason: { code, detail } };
}

function verdict(validate: ValidateFunction, value: unknown): Validation {
  if (validate(value)) return { kind: 'valid' };
  const violations = toViolations(validate.errors ?? []);
  // They quote the value, which must not live as long as the schema.
  validate.errors = null;
  return { kind: 'invalid', violations };
}

/** Looks at no more than `limit` values. */
function hasMoreValues(value: unknown, limit: number): boolean {
  const waiting = [value];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const children: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += children.length;
    if (count > limit) return true;
    for (const child of children) if (typeof child === 'object') waiting.push(child);
  }
  return false;
}
