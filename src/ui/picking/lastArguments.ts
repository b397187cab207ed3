import { withSecretsAs } from '../../core/arguments/argumentSecrets';
import { planFields } from '../../core/arguments/inputFields';
import { judgeArguments } from '../../core/arguments/judgeArguments';
import type { JsonObject } from '../../core/json/jsonValue';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import { isByHand } from '../../host/consent/facts/callOrigin';
import type { PickableTool } from './pickableTools';

/**
 * What the person called the tool with the last time, where that is known in full: no part of it was
 * left out as a secret, and no other program called it or wrote them. Nothing where the tool takes no
 * arguments.
 */
export function lastArguments({ entry, lastCall }: PickableTool): JsonObject | undefined {
  if (lastCall === undefined || lastCall.hasSecrets === true) return undefined;
  if (!isByHand(lastCall.origin) || lastCall.isOfOthers === true) return undefined;
  return planFields(entry.tool.inputSchema).kind === 'none' ? undefined : lastCall.arguments;
}

/** Waited for before the question; the gate judges with more time. */
const limits: SchemaTimeLimits = { compileMs: 1_000, validateMs: 100 };

/** Whether a schema, which may be another by now, takes them as they are and calls none a secret. */
export function isFitStill(
  validator: Pick<SchemaValidator, 'validate'>,
  schema: JsonObject,
  value: JsonObject,
): boolean {
  if (withSecretsAs(undefined, schema, value).hasSecrets) return false;
  return judgeArguments(validator, schema, value, limits).verdict.kind === 'valid';
}
