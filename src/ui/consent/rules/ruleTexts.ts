import { isObject } from '../../../core/json/shapes';
import * as jsonc from 'jsonc-parser';
import { compactJson } from '../../../core/arguments/argumentsText';
import { nextToken } from '../../../host/adding/configurationAdditions';
import { jsonTree } from '../../../host/configuration/jsonTree';
import { isSameJson } from '../../../core/json/sameJson';
import type { JsonObject } from '../../../core/json/jsonValue';
import { settings } from '../../../ids';

const key = `${settings.section}.${settings.rules}`;
/** As many as are read; see `parseRules`. */
const maxRules = 1_000;

/**
 * The text of user settings with one rule more, behind those that are there; comments stay. Nothing
 * where the text is no JSON, its rules are no list, or there is no room for one more.
 */
export function withRule(text: string, rule: JsonObject): string | undefined {
  const before = rulesIn(text);
  if (before === undefined || before.length >= maxRules) return undefined;
  const after = withLast(text, rule) ?? changed(text, [key], [rule]);
  // Where a name stands twice, the last counts, and the change may have hit the first.
  return isSameJson(rulesIn(after), [...before, rule]) ? after : undefined;
}

/** Whether there is more in the list of rules than VS Code would write. */
export function hasCommentsInRules(text: string): boolean {
  const list = listIn(text);
  if (list === undefined) return false;
  const written = text.slice(list.offset, list.offset + list.length);
  return jsonc.stripComments(written) !== written;
}

function listIn(text: string): jsonc.Node | undefined {
  const { root } = jsonTree(text);
  return root && jsonc.findNodeAtLocation(root, [key]);
}

/** As VS Code reads them; none where the setting is not there, nothing where it is no list. */
function rulesIn(text: string): readonly unknown[] | undefined {
  const { root, error } = jsonTree(text);
  if (error !== undefined) return undefined;
  const whole: unknown = root === undefined ? {} : jsonc.getNodeValue(root);
  if (!isObject(whole)) return undefined;
  const found: unknown = Object.getOwnPropertyDescriptor(whole, key)?.value ?? [];
  return Array.isArray(found) ? found : undefined;
}

function changed(text: string, path: jsonc.JSONPath, value: unknown): string {
  const tabSize = /^(?: {2})(?! )/m.test(text) ? 2 : 4;
  const insertSpaces = !/^\t/m.test(text);
  const formattingOptions = { tabSize, insertSpaces };
  return jsonc.applyEdits(text, jsonc.modify(text, path, value, { formattingOptions }));
}

/** Right before the end of the list that is there, so that comments stay beside what they are about. */
function withLast(text: string, rule: JsonObject): string | undefined {
  const list = listIn(text);
  const last = list?.children?.at(-1);
  if (list === undefined || last === undefined) return undefined;
  const lastEnd = last.offset + last.length;
  const comma = text.charAt(nextToken(text, lastEnd)) === ',' ? '' : ',';
  const listEnd = list.offset + list.length - 1;
  const lineStart = text.lastIndexOf('\n', listEnd) + 1;
  const isAlone = text.slice(lineStart, listEnd).trim() === '';
  const [indentation = ''] = /^[ \t]*/.exec(text.slice(lineOf(text, last.offset))) ?? [];
  const written = compactJson(JSON.stringify(rule)).replaceAll('\n', `\n${indentation}`);
  const inserted = isAlone ? `${indentation}${written}\n` : ` ${written}`;
  const at = isAlone ? lineStart : listEnd;
  return [text.slice(0, lastEnd), comma, text.slice(lastEnd, at), inserted, text.slice(at)].join(
    '',
  );
}

function lineOf(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset) + 1;
}
