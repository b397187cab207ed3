import { applyEdits, findNodeAtLocation, format, parseTree } from 'jsonc-parser';
import { readArgumentsText } from '../arguments/argumentsJson';
import type { JsonObject } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import { isTooLarge } from './callFileLimits';
import { callSections, maxCalls } from './parseCallFile';
import { edited, formattingOf } from './writeExpectation';

/** A call to append to a call file. */
export interface AddedCall {
  /** Has to be unused in the file; see {@link namesOf}. */
  readonly name: string;
  readonly call: JsonObject;
  /** Inputs that the call uses and the file does not have yet. */
  readonly inputs?: JsonObject;
}

/** The names that a call file uses. */
export interface UsedNames {
  readonly calls: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
}

/** Text of a call file without calls. */
export const noCalls = '{\n  "calls": {}\n}\n';

/** Returns `undefined` for a text that no call can be added to, such as malformed JSON. */
export function namesOf(text: string): UsedNames | undefined {
  const file = text.trim() === '' ? {} : fileOf(text);
  if (file === undefined) return undefined;
  const sections = callSections.map((section) => file[section]).filter(isJsonObject);
  const calls = new Set(sections.flatMap((section) => Object.keys(section)));
  const only = file['tool'] ?? file['resource'] ?? file['prompt'];
  if (!isJsonObject(file['calls']) && typeof only === 'string') calls.add(only);
  return {
    calls,
    inputs: new Set(isJsonObject(file['inputs']) ? Object.keys(file['inputs']) : []),
  };
}

/**
 * Appends calls to the text of a call file and keeps its comments. The only call of a file without
 * names gets the name of its tool. Returns `undefined` for a text that no call can be
 * added to.
 */
export function addCalls(text: string, added: readonly AddedCall[]): string | undefined {
  const used = namesOf(text);
  if (used === undefined || used.calls.size + added.length > maxCalls) return undefined;
  const many = text.trim() === '' ? noCalls : withNames(text, [...used.calls][0]);
  const changed = added.reduce((now, { name, call, inputs = {} }) => {
    const withCall = edited(now, ['calls', name], call);
    return Object.entries(inputs).reduce(
      (then, [input, value]) => edited(then, ['inputs', input], value),
      withCall,
    );
  }, many);
  return isTooLarge(changed) ? undefined : changed;
}

/** Moves the only call of a file into `calls`, with its comments. */
function withNames(text: string, name: string | undefined): string {
  const file = fileOf(text) ?? {};
  if (Object.hasOwn(file, 'calls')) return text;
  if (name === undefined) return edited(text, ['calls'], {});
  const { inputs } = file;
  const call = inputs === undefined ? text : withoutInputs(text);
  const { offset = 0, length = 0 } = parseTree(call, [], { allowTrailingComma: true }) ?? {};
  const end = offset + length;
  const members = `{"calls":{${JSON.stringify(name)}:${call.slice(offset, end)}}}`;
  const many = call.slice(0, offset) + members + call.slice(end);
  const whole = inputs === undefined ? many : edited(many, ['inputs'], inputs);
  return applyEdits(whole, format(whole, undefined, formattingOf(text)));
}

/** Unlike an edit of jsonc-parser, keeps the comments around the member. */
function withoutInputs(text: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const { offset = 0, length = 0 } = (root && findNodeAtLocation(root, ['inputs']))?.parent ?? {};
  const before = text.slice(0, offset);
  const after = text.slice(offset + length);
  const next = after.replace(/^\s*,/, '');
  return next === after ? before.replace(/,\s*$/, '') + after : before + next;
}

function fileOf(text: string): JsonObject | undefined {
  if (isTooLarge(text)) return undefined;
  const { value } = readArgumentsText(text);
  if (value === undefined) return undefined;
  return Object.hasOwn(value, 'calls') && !isJsonObject(value['calls']) ? undefined : value;
}
