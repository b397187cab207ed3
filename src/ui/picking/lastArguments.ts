import { withSecretsAs } from '../../core/arguments/argumentSecrets';
import { planFields } from '../../core/arguments/inputFields';
import { checkArguments } from '../../core/arguments/checkArguments';
import type { JsonObject } from '../../core/json/jsonValue';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import { isFromUser } from '../../host/consent/facts/callOrigin';
import type { PickableTool } from './pickableTools';

/**
 * Returns the arguments of the user's last call of the tool if they are fully known: no secret was
 * omitted, and no other program called the tool or wrote them. Returns `undefined` if the tool
 * takes no arguments.
 */
export function lastArguments({ entry, lastCall }: PickableTool): JsonObject | undefined {
  if (lastCall === undefined || lastCall.hasSecrets === true) return undefined;
  if (!isFromUser(lastCall.origin) || lastCall.isForeign === true) return undefined;
  return planFields(entry.tool.inputSchema).kind === 'none' ? undefined : lastCall.arguments;
}

/** The question waits for it. The gate uses longer limits. */
const limits: SchemaTimeLimits = { compileMs: 1_000, validateMs: 100 };

/**
 * True if the schema, which may have changed, accepts the arguments and marks none of them as a
 * secret.
 */
export function isStillValid(
  validator: Pick<SchemaValidator, 'validate'>,
  schema: JsonObject,
  value: JsonObject,
): boolean {
  if (withSecretsAs(undefined, schema, value).hasSecrets) return false;
  return checkArguments(validator, schema, value, limits).verdict.kind === 'valid';
}
