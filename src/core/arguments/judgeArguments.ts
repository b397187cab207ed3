import { fillDefaults, type ServerDefault } from '../schema/schemaDefaults';
import type { SchemaTimeLimits, SchemaValidator, Validation } from '../schema/schema';
import type { JsonObject } from '../json/jsonValue';

export interface JudgedArguments {
  readonly verdict: Validation;
  /**
   * What makes them valid though it is left out: the server takes its default. Nothing of it is
   * sent. Empty where they are valid as they are, and where they are not valid.
   */
  readonly defaults: readonly ServerDefault[];
}

const none: readonly ServerDefault[] = [];

/**
 * Whether a server accepts these arguments by the schema of its tool. Schemas are often made
 * from types in which what has a default is always there, so they require it; whoever leaves it out
 * is not refused: for the judgement a missing property counts as its default. The time limits hold
 * for each of up to three looks.
 */
export function judgeArguments(
  validator: Pick<SchemaValidator, 'validate'>,
  schema: JsonObject,
  value: JsonObject,
  limits?: SchemaTimeLimits,
): JudgedArguments {
  const asGiven = validator.validate(schema, value, limits);
  if (asGiven.kind !== 'invalid') return { verdict: asGiven, defaults: none };
  let verdict: Validation | undefined;
  // Those that nothing requires can break what is right without them.
  for (const which of ['required', 'all'] as const) {
    const filled = fillDefaults(schema, value, which);
    if (filled === undefined || filled.defaults.length === 0) continue;
    const { defaults } = filled;
    const judged = withoutOwn(validator.validate(schema, filled.value, limits), defaults);
    if (judged.kind === 'valid') return { verdict: judged, defaults };
    if (judged.kind === 'invalid') verdict ??= judged;
  }
  return { verdict: verdict ?? asGiven, defaults: none };
}

/** A default that breaks its own schema is the server's mistake, and nothing that anybody gave. */
function withoutOwn(verdict: Validation, defaults: readonly ServerDefault[]): Validation {
  if (verdict.kind !== 'invalid') return verdict;
  const violations = verdict.violations.filter(
    ({ pointer: at }) =>
      !defaults.some(({ pointer }) => at === pointer || at.startsWith(`${pointer}/`)),
  );
  return violations.length === 0 ? { kind: 'valid' } : { kind: 'invalid', violations };
}
