import { toStep } from '../json/jsonPointer';
import type { JsonObject } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import type { FileCallTarget } from './callFile';
import type { Report } from './callFileParts';

/** The kinds of targets; a call names exactly one. */
export const targetKeys = ['tool', 'resource', 'prompt'] as const;

/** Keys of a call and of its `expect` that apply to tools only. */
const keysOfTools = ['send', 'answers'];
const expectedOfTools = ['isError', 'schemaViolations', 'schema', 'annotations'];

/** Parses the target of a call and reports keys that do not apply to it. */
export function parseTarget(call: JsonObject, pointer: string, report: Report): FileCallTarget {
  const [kind = 'tool', ...others] = targetKeys.filter((key) => Object.hasOwn(call, key));
  for (const key of others) report('severalTargets', pointer + toStep(key), key);
  const name = Object.hasOwn(call, kind) ? call[kind] : undefined;
  if (name === undefined) report('missingKey', pointer, kind);
  else if (typeof name !== 'string') report('notAText', pointer + toStep(kind), kind);
  if (kind !== 'tool') reportOfTools(call, kind, pointer, report);
  return { kind, name: typeof name === 'string' ? name : '' };
}

function reportOfTools(
  call: JsonObject,
  kind: 'resource' | 'prompt',
  pointer: string,
  report: Report,
): void {
  const { expect, arguments: given } = call;
  const own = kind === 'resource' ? [...keysOfTools, 'arguments'] : keysOfTools;
  for (const key of own) {
    if (Object.hasOwn(call, key)) report('onlyForTools', pointer + toStep(key), key);
  }
  for (const key of isJsonObject(expect) ? expectedOfTools : []) {
    const isThere = isJsonObject(expect) && Object.hasOwn(expect, key);
    if (isThere) report('onlyForTools', `${pointer}/expect${toStep(key)}`, key);
  }
  if (kind === 'resource' || !isJsonObject(given)) return;
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') report('notAText', `${pointer}/arguments${toStep(name)}`, name);
  }
}
