import type { SchemaProblem } from './schemaCheck';
import { compileSchema, type CompiledSchema } from './schemaCompiler';
import { runWithin } from './schemaTimeLimit';
import { toViolations } from './schemaViolations';
import type { JsonObject, SchemaViolation } from './types';

export type Validation =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly violations: readonly SchemaViolation[] }
  | { readonly kind: 'unusable'; readonly reason: SchemaProblem };

export interface SchemaTimeLimits {
  /** A schema of 20,000 values compiles in less; it is paid once per schema. */
  readonly compileMs: number;
  /** A valid 64 MiB answer needs about a tenth of it. */
  readonly validateMs: number;
}

const defaultTimeLimits: SchemaTimeLimits = { compileMs: 3_000, validateMs: 1_000 };

/** More values than this and only the first violation is looked for: each costs memory. */
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

  validate(schema: JsonObject | boolean, value: unknown): Validation {
    if (schema === true) return { kind: 'valid' };
    if (schema === false) return { kind: 'invalid', violations: [nothingIsAllowed] };
    const compiled = this.#compile(schema);
    if ('code' in compiled) return { kind: 'unusable', reason: compiled };
    return this.#run(compiled, value);
  }

  #compile(schema: JsonObject): CompiledSchema | SchemaProblem {
    let compiled = this.#compiled.get(schema);
    if (compiled === undefined) {
      compiled = compileSchema(schema, this.#limits.compileMs);
      this.#compiled.set(schema, compiled);
    }
    return compiled;
  }

  #run(compiled: CompiledSchema, value: unknown): Validation {
    const run = <T>(work: () => T) =>
      compiled.isLinear ? { value: work() } : runWithin(this.#limits.validateMs, work);
    try {
      const isValid = run(() => compiled.first(value));
      if (isValid === undefined) return unusable('tooSlow', `${this.#limits.validateMs} ms`);
      if (isValid.value) return { kind: 'valid' };
      const first = compiled.first.errors ?? [];
      if (hasMoreValues(value, maxValuesForAllViolations)) return invalid(first);

      const all = run(() => {
        const validate = compiled.all();
        return validate(value) ? [] : (validate.errors ?? []);
      });
      // Out of time on the way to the details: what is known already is enough to refuse.
      return invalid(all === undefined || all.value.length === 0 ? first : all.value);
    } catch (error) {
      // A recursive schema recurses as deep as the value does.
      if (error instanceof RangeError) return unusable('tooDeep', error.message);
      return unusable('doesNotCompile', String(error));
    } finally {
      // Errors quote the value; it must not live as long as the schema.
      compiled.first.errors = null;
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

function invalid(errors: Parameters<typeof toViolations>[0]): Validation {
  return { kind: 'invalid', violations: toViolations(errors) };
}

function hasMoreValues(value: unknown, limit: number): boolean {
  const waiting: unknown[] = [value];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const children = Object.values(next);
    count += children.length;
    if (count > limit) return true;
    for (const child of children) waiting.push(child);
  }
  return false;
}
