import { RawJson } from '../json/rawJson';
import { parseJson } from '../json/parseJson';
import { isSameJson } from '../json/sameJson';
import { haveSameTokens } from '../json/sameTokens';
import { isContainer } from '../json/leaves';
import { beginningOf, textOf } from './textData';
import { isJsonDocument, maxParsedChars } from './textKind';
import type { TextData } from '../types';
import type { JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';

/** How the texts of an answer and its structured content fit together. */
export type Agreement =
  /** There is nothing that could be held against each other: prose, or one of them is missing. */
  | 'unknown'
  /** The only text is the structured content, or what its only member holds. */
  | 'same'
  /** Each text is one item of the list that the structured content is or holds. */
  | 'items'
  /** The only text is JSON, and says something else. */
  | 'different';

/** @param texts those that are not just the serialised `structured` */
export function agreementOf(
  texts: readonly TextData[],
  structured: JsonValue | RawJson,
): Agreement {
  if (structured instanceof RawJson) {
    const [text] = texts;
    const isSame = text !== undefined && texts.length === 1 && isSerialised(text, structured);
    return isSame ? 'same' : 'unknown';
  }
  const inner = onlyMember(structured);
  const [only] = texts;
  if (only !== undefined && texts.length === 1) {
    if (isSaid(only, structured) || (inner !== undefined && says(only, inner))) return 'same';
    if (isJson(only) && !isItems(texts, inner ?? structured)) return 'different';
  }
  return isItems(texts, inner ?? structured) ? 'items' : 'unknown';
}

/**
 * Whether `data` is JSON that says just what `value` does, in whatever order and layout; not found
 * out of texts above 1 MiB.
 */
export function isSerialised(data: TextData, value: JsonValue | RawJson): boolean {
  if (data.length > maxParsedChars) return false;
  if (value instanceof RawJson) return isWritten(data, value);
  const text = textOf(data);
  // Cheaper than to parse what cannot be it.
  if (isContainer(value) && !/^\s*[[{]/.test(text)) return false;
  try {
    return isSameJson(parseJson(text), value);
  } catch {
    // Not JSON, or nested beyond the stack: both are shown.
    return false;
  }
}

/**
 * The same for what is kept as text, by its words: to find out whether others mean the same, values
 * would have to be made of them.
 */
function isWritten(data: TextData, { segments, byteLength }: RawJson): boolean {
  const [only] = segments;
  if (segments.length !== 1 || !(only instanceof Uint8Array)) return false;
  if (byteLength > maxKeptBytes) return false;
  return haveSameTokens(typeof data === 'string' ? Buffer.from(data) : data, only);
}

/** Of text that is laid out elsewhere and not here, or the other way round, most is white space. */
const maxKeptBytes = 4 * maxParsedChars;

/** Whether `value` is this very text. */
function isSaid(data: TextData, value: JsonValue): boolean {
  if (typeof value !== 'string') return false;
  if (data.length <= maxParsedChars || typeof data === 'string') return textOf(data) === value;
  // All of it would be decoded to be compared, and only which document opens first depends on it.
  return (
    Buffer.byteLength(value) === data.length &&
    value.startsWith(beginningOf(data, maxComparedChars).slice(0, -1))
  );
}

const maxComparedChars = 16 * 1024;

function says(data: TextData, value: JsonValue): boolean {
  return isSaid(data, value) || isSerialised(data, value);
}

function isJson(data: TextData): boolean {
  return data.length <= maxParsedChars && isJsonDocument(textOf(data));
}

function isItems(texts: readonly TextData[], value: JsonValue): boolean {
  if (!isList(value) || value.length !== texts.length || texts.length === 0) return false;
  return texts.every((text, index) => {
    const item = value[index];
    return item !== undefined && says(text, item);
  });
}

/** Servers that only have a text or a list to tell wrap it, because it must be an object. */
function onlyMember(value: JsonValue): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const members = Object.values(value);
  return members.length === 1 ? members[0] : undefined;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
