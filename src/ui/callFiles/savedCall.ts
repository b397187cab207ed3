import { escapeVariables } from '../../core/callFiles/callFileVariables';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CopiedCall } from '../../host/callFiles/callCopies';
import { replaceMarkers } from '../../host/history/storedArguments';
import type { PastCall } from '../../host/history/pastCall';

/**
 * Converts a past call so that a call file reproduces it: text that looks like a variable is
 * escaped, and each secret becomes an input.
 */
export function toWrittenCall(call: PastCall): CopiedCall {
  const { server, tool, arguments: given, hasSecrets } = call;
  if (given === undefined) return { server, tool };
  const escaped = escapeVariables(given);
  if (hasSecrets !== true) return { server, tool, arguments: escaped };
  const inputs: Record<string, JsonObject> = {};
  const written = replaceMarkers(escaped, (key) => {
    const name = /^[\w-]+$/.test(key) ? key : 'secret';
    inputs[name] = { password: true };
    return `\${input:${name}}`;
  });
  return { server, tool, arguments: written, inputs };
}
