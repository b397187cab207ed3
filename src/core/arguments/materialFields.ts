import { isJsonObject } from '../json/shapes';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { fileNameWords, textWords, uriWords, wordsOfName } from './nameWords';

/** What an editor can provide: its text, or the location of its file. */
export type MaterialKind = 'text' | 'path' | 'uri';

/** An argument, and what an editor can fill in for it. */
export interface MaterialField {
  readonly name: string;
  readonly takes: MaterialKind;
}

/**
 * Guesses, by `format` and by name, which arguments of a tool take a text or a file: at most one
 * for each kind of material. The user sees the filled-in value and can change it.
 */
export function materialFields(schema: JsonObject): readonly MaterialField[] {
  const { properties } = schema;
  if (!isJsonObject(properties)) return [];
  const found = Object.entries(properties).flatMap(([name, property]) => judge(name, property));
  return (['uri', 'path', 'text'] as const).flatMap((kind) => {
    const [best] = found.filter(({ takes }) => takes === kind).toSorted((a, b) => a.rank - b.rank);
    return best === undefined ? [] : [{ name: best.name, takes: kind }];
  });
}

interface Judged extends MaterialField {
  readonly rank: number;
}

function judge(name: string, schema: JsonValue): readonly Judged[] {
  if (!isJsonObject(schema) || !isFreeText(schema)) return [];
  const { format } = schema;
  if (format === 'uri' || format === 'uri-reference') return [{ name, takes: 'uri', rank: 0 }];
  // Any other format means a special text, such as a date.
  if (format !== undefined) return [];
  const last = lastWordOf(name);
  const rank = textWords.indexOf(last);
  if (rank >= 0) return [{ name, takes: 'text', rank }];
  if (uriWords.includes(last)) return [{ name, takes: 'uri', rank: 1 }];
  return fileNameWords.includes(last)
    ? [{ name, takes: 'path', rank: fileNameWords.indexOf(last) }]
    : [];
}

function isFreeText({ type, enum: listed, const: only }: JsonObject): boolean {
  const types = Array.isArray(type) ? type : [type];
  return types.includes('string') && listed === undefined && only === undefined;
}

/** `fileName` counts as one word. */
function lastWordOf(name: string): string {
  const words = wordsOfName(name);
  return words.slice(-2).join('') === 'filename' ? 'filename' : (words.at(-1) ?? '');
}
