import { fillDefaults, type ServerDefault } from '../schema/schemaDefaults';
import {
  maxViolations,
  type SchemaTimeLimits,
  type SchemaValidator,
  type Validation,
} from '../schema/schema';
import type { JsonObject } from '../json/jsonValue';

export interface CheckedArguments {
  readonly verdict: Validation;
  /**
   * Defaults that the server uses for missing properties, because of which the arguments are valid.
   * They are not sent. Empty if the arguments are invalid, or valid without them.
   */
  readonly defaults: readonly ServerDefault[];
}

const none: readonly ServerDefault[] = [];

/**
 * Validates arguments by a tool's schema as its server would. Generated schemas often
 * require properties that have a default, but servers do not insist on them, so a missing property
 * counts as its default. The time limits apply to each of at most three validations.
 */
export function checkArguments(
  validator: Pick<SchemaValidator, 'validate'>,
  schema: JsonObject,
  value: JsonObject,
  limits?: SchemaTimeLimits,
): CheckedArguments {
  const asGiven = validator.validate(schema, value, limits);
  if (asGiven.kind !== 'invalid') return { verdict: asGiven, defaults: none };
  let verdict: Validation | undefined;
  // Defaults of optional properties are tried last, because they can make valid arguments invalid.
  for (const which of ['required', 'all'] as const) {
    const filled = fillDefaults(schema, value, which);
    if (filled === undefined || filled.defaults.length === 0) continue;
    const { defaults } = filled;
    const judged = withoutOwn(validator.validate(schema, filled.value, limits), defaults);
    if (judged === undefined) continue;
    if (judged.kind === 'valid') return { verdict: judged, defaults };
    if (judged.kind === 'invalid') verdict ??= judged;
  }
  return { verdict: verdict ?? asGiven, defaults: none };
}

/**
 * A default that violates its own schema is the server's mistake, so its violations are ignored.
 * Returns `undefined` if they fill the list, because it may omit violations of the arguments.
 */
function withoutOwn(
  verdict: Validation,
  defaults: readonly ServerDefault[],
): Validation | undefined {
  if (verdict.kind !== 'invalid') return verdict;
  const violations = verdict.violations.filter(
    ({ pointer: at }) =>
      !defaults.some(({ pointer }) => at === pointer || at.startsWith(`${pointer}/`)),
  );
  if (violations.length > 0) return { kind: 'invalid', violations };
  return verdict.violations.length < maxViolations ? { kind: 'valid' } : undefined;
}
