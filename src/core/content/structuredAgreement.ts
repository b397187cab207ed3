import { RawJson } from '../json/rawJson';
import { parseJson } from '../json/parseJson';
import { isSameJson, isJsonObject, haveSameTokens, isContainer, isJsonArray } from '../json/shapes';
import { beginningOf, textOf, isJsonDocument, maxParsedChars } from './textKind';
import type { TextData, ToolResult } from '../types';
import type { JsonValue } from '../json/jsonValue';
import { parseRawJson, type ReadNumber } from '../json/parseRawJson';

/** How the texts of an answer relate to its structured content. */
export type TextAgreement =
  /** They cannot be compared: the text is prose, or one of them is missing. */
  | 'unknown'
  /** The only text equals the structured content, or the value of its only member. */
  | 'same'
  /** Each text equals one item of the list that the structured content is or holds. */
  | 'items'
  /** The only text is JSON that differs. */
  | 'different';

/** @param texts Those that do not just repeat `structured`. */
export function agreementOf(
  texts: readonly TextData[],
  structured: JsonValue | RawJson,
): TextAgreement {
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
 * True if `data` is JSON that equals `value`, in any order and layout. Texts above 1 MiB are not
 * compared.
 */
export function isSerialised(data: TextData, value: JsonValue | RawJson): boolean {
  if (data.length > maxParsedChars) return false;
  if (value instanceof RawJson) return isWritten(data, value);
  const text = textOf(data);
  // Cheaper than parsing.
  if (isContainer(value) && !/^\s*[[{]/.test(text)) return false;
  try {
    return isSameJson(parseJson(text), value);
  } catch {
    // The text is not JSON, or nested too deeply: both parts are shown.
    return false;
  }
}

/**
 * Compares with a value that is kept as text by its tokens. Comparing other spellings would require
 * parsing both.
 */
function isWritten(data: TextData, { segments, byteLength }: RawJson): boolean {
  const [only] = segments;
  if (segments.length !== 1 || !(only instanceof Uint8Array)) return false;
  if (byteLength > maxKeptBytes) return false;
  return haveSameTokens(typeof data === 'string' ? Buffer.from(data) : data, only);
}

/** Allows for indentation, which may be most of a text. */
const maxKeptBytes = 4 * maxParsedChars;

/** True if `value` is exactly this text. */
function isSaid(data: TextData, value: JsonValue): boolean {
  if (typeof value !== 'string') return false;
  if (data.length <= maxParsedChars || typeof data === 'string') return textOf(data) === value;
  // Comparing decodes the whole text, and decides only which document opens first.
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
  if (!isJsonArray(value) || value.length !== texts.length || texts.length === 0) return false;
  return texts.every((text, index) => {
    const item = value[index];
    return item !== undefined && says(text, item);
  });
}

/** Servers that return a text or a list wrap it, because structured content has to be an object. */
function onlyMember(value: JsonValue): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const members = Object.values(value);
  return members.length === 1 ? members[0] : undefined;
}

/** Returns `result` with structured content parsed, if it is kept as text and can be parsed. */
export async function withValue(result: ToolResult, toNumber?: ReadNumber): Promise<ToolResult> {
  const { structuredContent } = result;
  if (!(structuredContent instanceof RawJson)) return result;
  const value = await parseRawJson(structuredContent, toNumber);
  return value === undefined ? result : { ...result, structuredContent: value };
}
