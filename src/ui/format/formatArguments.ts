import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { isJsonObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import * as l10n from '@vscode/l10n';

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
