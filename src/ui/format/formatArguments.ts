import * as l10n from '@vscode/l10n';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { isJsonObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import { secretMarker } from '../../host/secrets/redactSecrets';

const maxNameChars = 40;
const maxValueChars = 60;

/** Returns arguments in one short line, for example `name: Sage, tall: 12`, or an empty string. */
export function formatBriefArguments(value: JsonObject | undefined, maxChars = 120): string {
  if (value === undefined) return '';
  let text = '';
  for (const [name, member] of Object.entries(value)) {
    const part = `${visibleText(name, maxNameChars)}: ${briefValue(member)}`;
    text = text === '' ? part : `${text}, ${part}`;
    if (text.length > maxChars) break;
  }
  return visibleText(text, maxChars);
}

function briefValue(value: JsonValue): string {
  const text = typeof value === 'string' ? value : stringifyExactly(beginningOf(value));
  return visibleText(text, maxValueChars);
}

/** The rest of a list or object is left out, however long it is. */
function beginningOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.slice(0, maxValueChars);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).slice(0, maxValueChars));
}

/** Explains a schema that names no arguments but allows any. */
export function unnamedSentence(): string {
  return l10n.t('The schema of this tool has no parameters.');
}

const maxTextChars = 40;
const maxBriefNameChars = 40;
/** Maximum number of members of an object or array. */
const maxMembers = 12;
const maxDepth = 2;

/**
 * Returns stored arguments on one line of at most `maxChars`, for example `path: "a.txt", lines:
 * 3`. It is plain text without secrets.
 */
export function briefArguments(value: JsonObject, maxChars: number): string {
  return visibleText(membersOf(value, 0).join(', '), maxChars);
}

function membersOf(value: JsonObject, depth: number): string[] {
  const names = Object.keys(value);
  const shown = names.slice(0, maxMembers).map((name) => {
    return `${visibleText(name, maxBriefNameChars)}: ${brief(value[name], depth + 1)}`;
  });
  return names.length > shown.length ? [...shown, '…'] : shown;
}

const isArray = (value: JsonValue | undefined): value is readonly JsonValue[] =>
  Array.isArray(value);

function brief(value: JsonValue | undefined, depth: number): string {
  if (value === secretMarker) return secretMarker;
  if (typeof value === 'string') return `"${visibleText(value, maxTextChars)}"`;
  if (isArray(value)) {
    if (depth > maxDepth) return value.length === 0 ? '[]' : '[…]';
    const shown = value.slice(0, maxMembers).map((item) => brief(item, depth + 1));
    return `[${[...shown, ...(value.length > shown.length ? ['…'] : [])].join(', ')}]`;
  }
  if (isJsonObject(value)) {
    if (depth > maxDepth) return Object.keys(value).length === 0 ? '{}' : '{…}';
    return `{${membersOf(value, depth).join(', ')}}`;
  }
  return String(value);
}
