import * as l10n from '@vscode/l10n';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { isJsonObject } from '../../core/json/shapes';
import { visibleText } from '../../core/visibleText';
import { secretMarker } from '../../host/secrets/redactSecrets';

/** Explains a schema that names no arguments but allows any. */
export function unnamedSentence(): string {
  return l10n.t('The schema of this tool has no parameters.');
}

const maxTextChars = 40;
const maxNameChars = 40;
/** Maximum number of members of an object or array. */
const maxMembers = 12;
const maxDepth = 2;

/**
 * Returns arguments on one line of at most `maxChars`, for example `path: "a.txt", lines: 3`, or an
 * empty string.
 */
export function briefArguments(value: JsonObject | undefined, maxChars = 120): string {
  return visibleText(membersOf(value ?? {}, 0).join(', '), maxChars);
}

function membersOf(value: JsonObject, depth: number): string[] {
  const names = Object.keys(value);
  const shown = names.slice(0, maxMembers).map((name) => {
    return `${visibleText(name, maxNameChars)}: ${brief(value[name], depth + 1)}`;
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
