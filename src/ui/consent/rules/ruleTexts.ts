import { isObject, isSameJson } from '../../../core/json/shapes';
import * as jsonc from 'jsonc-parser';
import { compactJson } from '../../../core/arguments/argumentsText';
import { nextToken } from '../../../host/adding/configurationAdditions';
import { jsonTree } from '../../../host/configuration/jsonTree';
import type { JsonObject } from '../../../core/json/jsonValue';
import { settings } from '../../../ids';

const key = `${settings.section}.${settings.rules}`;
/** The maximum of `parseRules`. */
const maxRules = 1_000;

/**
 * Returns the text of user settings with the rule added at the end; comments are kept. Returns
 * `undefined` if the text is not JSON, its rules are not a list, or the list is full.
 */
export function withRule(text: string, rule: JsonObject): string | undefined {
  const before = rulesIn(text);
  if (before === undefined || before.length >= maxRules) return undefined;
  const after = withLast(text, rule) ?? changed(text, [key], [rule]);
  // If a name occurs twice, the last one counts, and the edit may have changed the first.
  return isSameJson(rulesIn(after), [...before, rule]) ? after : undefined;
}

/** A change of the rules in user settings. */
export interface RuleChange {
  /** Takes the place of the first replaced rule, or is added at the end. */
  readonly rule?: JsonObject | undefined;
  /** Returns true for rules to remove. */
  readonly replaces: (rule: unknown) => boolean;
}

/** Returns the rules after a change. */
export function changedRules(
  before: readonly unknown[],
  { rule, replaces }: RuleChange,
): readonly unknown[] {
  const first = before.findIndex(replaces);
  const after = before.flatMap((each, index) => {
    if (index === first && rule !== undefined) return [rule];
    return replaces(each) ? [] : [each];
  });
  return first === -1 && rule !== undefined ? [...after, rule] : after;
}

/**
 * Returns the text of user settings with changed rules, or `undefined` as {@link withRule} does.
 */
export function withRuleChange(text: string, change: RuleChange): string | undefined {
  const { rule, replaces } = change;
  const before = rulesIn(text);
  if (before === undefined) return undefined;
  const gone = [...before.entries()].flatMap(([at, each]) => (replaces(each) ? [at] : []));
  const [first] = gone;
  if (first === undefined) return rule === undefined ? text : withRule(text, rule);
  let after = text;
  // Removes from the last to the first, so that the indexes of the others stay valid.
  for (const at of gone.toReversed()) {
    after = at === first && rule !== undefined ? replaced(after, at, rule) : without(after, at);
  }
  return isSameJson(rulesIn(after), changedRules(before, change)) ? after : undefined;
}

/** True if the list of rules contains comments, which VS Code would not write. */
export function hasCommentsInRules(text: string): boolean {
  const list = listIn(text);
  if (list === undefined) return false;
  const own = text.slice(list.offset, list.offset + list.length);
  return jsonc.stripComments(own) !== own;
}

function listIn(text: string): jsonc.Node | undefined {
  const { root } = jsonTree(text);
  return root && jsonc.findNodeAtLocation(root, [key]);
}

/**
 * Reads the rules as VS Code does. Returns an empty list if the setting is missing, and `undefined`
 * if it is not a list.
 */
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

function replaced(text: string, at: number, rule: JsonObject): string {
  const before = listIn(text)?.children?.[at];
  if (before === undefined) return text;
  const { offset, length } = before;
  return text.slice(0, offset) + written(text, offset, rule) + text.slice(offset + length);
}

/** Formats the rule for insertion at `offset`. */
function written(text: string, offset: number, rule: JsonObject): string {
  const compact = compactJson(JSON.stringify(rule));
  return compact.replaceAll('\n', `\n${indentationOf(text, offset)}`);
}

function indentationOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineOf(text, offset)))?.[0] ?? '';
}

/** Removes one rule and its comma; the text around it, including comments, stays. */
function without(text: string, at: number): string {
  const rules = listIn(text)?.children ?? [];
  const rule = rules[at];
  if (rule === undefined) return text;
  const ruleEnd = rule.offset + rule.length;
  const comma = nextToken(text, ruleEnd);
  const hasComma = text.charAt(comma) === ',';
  const end = hasComma ? comma + 1 : ruleEnd;
  // If no rule follows, the comma before it is removed.
  const before = rules[at - 1];
  const last = before === undefined ? -1 : nextToken(text, before.offset + before.length);
  const start = lineOf(text, rule.offset);
  const isAlone =
    text.slice(start, rule.offset).trim() === '' && /^[ \t]*\r?\n/.test(text.slice(end));
  const from = isAlone ? start : rule.offset;
  const to = isAlone ? text.indexOf('\n', end) + 1 : end;
  const kept =
    hasComma || last === -1
      ? text.slice(0, from)
      : text.slice(0, last) + text.slice(last + 1, from);
  return kept + text.slice(to);
}

/** Inserts directly before the end of the list, so that comments stay beside their rules. */
function withLast(text: string, rule: JsonObject): string | undefined {
  const list = listIn(text);
  const last = list?.children?.at(-1);
  if (list === undefined || last === undefined) return undefined;
  const lastEnd = last.offset + last.length;
  const comma = text.charAt(nextToken(text, lastEnd)) === ',' ? '' : ',';
  const listEnd = list.offset + list.length - 1;
  const lineStart = text.lastIndexOf('\n', listEnd) + 1;
  const isAlone = text.slice(lineStart, listEnd).trim() === '';
  const line = written(text, last.offset, rule);
  const inserted = isAlone ? `${indentationOf(text, last.offset)}${line}\n` : ` ${line}`;
  const at = isAlone ? lineStart : listEnd;
  return [text.slice(0, lastEnd), comma, text.slice(lastEnd, at), inserted, text.slice(at)].join(
    '',
  );
}

function lineOf(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset) + 1;
}
