import { createHash } from 'node:crypto';
import type { BinaryData, TextData, ToolResult } from '../types';
import type { JsonValue } from '../json/jsonValue';
import { exactJson } from '../json/layOutJson';
import { bytesOf, isContainer, isObject, type UnknownObject } from '../json/shapes';
import { RawJson } from '../json/rawJson';
import { parseFollowedJson } from '../json/parseJson';
import { toPointerStep } from '../json/jsonPointer';
import { beginningOf, isJsonDocument } from './textKind';
import { wireResult } from './wireResult';

/** Fields to ignore because they differ on every call: member names or JSON pointers. */
type VolatileFields = readonly string[];

/** Longer texts are cut, because comparing them would block an editor. */
const maxTextChars = 2 * 1024 * 1024;
const maxChars = 8 * 1024 * 1024;
/** Replaces an ignored value. */
export const ignoredValue = '…';

/**
 * Formats a result as JSON that can be compared line by line: members sorted by name, multi-line
 * texts as lists of lines, texts that are JSON as values, and bytes by size and hash.
 *
 * The values of `volatile` fields are replaced, for every member of that name or at a pointer from
 * the top (`content`, `structuredContent`, `isError`, `_meta`). `dropped` fields are removed.
 */
export function comparableText(
  result: ToolResult,
  volatile: VolatileFields = [],
  dropped: VolatileFields = [],
): string {
  const { structuredContent } = result;
  const shown =
    structuredContent instanceof RawJson
      ? { ...result, structuredContent: factsOf(structuredContent) }
      : result;
  return orderedJson(wireResult(shown, { text: textValue, data: bytesValue }), volatile, dropped);
}

/** Does the same for the output of {@link comparableText}, or for a result as received. */
export function comparableJson(
  written: UnknownObject,
  volatile: VolatileFields,
  dropped: VolatileFields = [],
): string {
  const { content } = written;
  const isList = Array.isArray(content);
  const read = isList ? { ...written, content: content.map(comparableBlock) } : written;
  return orderedJson(read, volatile, dropped);
}

/** Only texts and bytes of a received block are converted; in earlier output they already are. */
function comparableBlock(block: unknown): unknown {
  if (!isObject(block)) return block;
  const { text, data, blob, resource } = block;
  return {
    ...block,
    ...(typeof text === 'string' ? { text: textValue(text) } : {}),
    ...(typeof data === 'string' && data !== ignoredValue ? { data: bytesValue(data) } : {}),
    ...(typeof blob === 'string' && blob !== ignoredValue ? { blob: bytesValue(blob) } : {}),
    ...(isObject(resource) ? { resource: comparableBlock(resource) } : {}),
  };
}

function orderedJson(written: unknown, volatile: VolatileFields, dropped: VolatileFields): string {
  const fields = { volatile: new Fields(volatile), dropped: new Fields(dropped) };
  try {
    const text = exactJson(comparable(written, '', fields), 2) ?? '';
    return text.length > maxChars ? `${text.slice(0, maxChars)}\n${ignoredValue}\n` : `${text}\n`;
  } catch {
    // The value is nested too deeply for the stack.
    return `${ignoredValue}\n`;
  }
}

/** Member names, which apply anywhere, and pointers from the top. */
class Fields {
  readonly #names: ReadonlySet<string>;
  readonly #pointers: ReadonlySet<string>;

  constructor(fields: VolatileFields) {
    this.#names = new Set(fields.filter((field) => !field.startsWith('/')));
    this.#pointers = new Set(fields.filter((field) => field.startsWith('/')));
  }

  /** @param name Absent for items of lists. */
  has(pointer: string, name?: string): boolean {
    return this.#pointers.has(pointer) || (name !== undefined && this.#names.has(name));
  }
}

interface LeftOut {
  readonly volatile: Fields;
  readonly dropped: Fields;
}

function comparable(value: unknown, pointer: string, leftOut: LeftOut): unknown {
  const { volatile, dropped } = leftOut;
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const place = `${pointer}/${index}`;
      if (dropped.has(place)) return [];
      return [volatile.has(place) ? ignoredValue : comparable(item, place, leftOut)];
    });
  }
  const bytes = bytesOf(value);
  if (bytes !== undefined) return bytesValue(bytes);
  if (!isContainer(value)) return value;
  const members = Object.entries(value)
    .filter(
      ([name, member]) => member !== undefined && !dropped.has(pointer + toPointerStep(name), name),
    )
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  // Defines own properties, so that `__proto__` is an ordinary one.
  return Object.fromEntries(
    members.map(([name, member]: [string, unknown]) => {
      const place = pointer + toPointerStep(name);
      return [name, volatile.has(place, name) ? ignoredValue : comparable(member, place, leftOut)];
    }),
  );
}

function textValue(data: TextData): object | JsonValue {
  // Reads one character more than is shown, to find out whether there are more.
  const text = beginningOf(data, maxTextChars + 1);
  if (isJsonDocument(text)) return jsonOf(text);
  const shown = text.length > maxTextChars ? `${text.slice(0, maxTextChars)}${ignoredValue}` : text;
  return shown.includes('\n') ? shown.split(/\r?\n/) : shown;
}

function jsonOf(text: string): object | JsonValue {
  const value = parseFollowedJson(text);
  return typeof value === 'object' && value !== null ? value : text;
}

/** Describes a value that is too large to compare. */
function factsOf({ byteLength, values, segments }: RawJson): JsonValue {
  const hash = createHash('sha256');
  for (const segment of segments) hash.update(segment);
  return { bytes: byteLength, values, sha256: hash.digest('hex') };
}

function bytesValue(data: BinaryData): object {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : data;
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Separates texts, and precedes the JSON of everything else. */
const line = '─'.repeat(40);

/** True if the result has a text that is no JSON, which reads better as text than within JSON. */
export function hasPlainText({ content }: ToolResult): boolean {
  return content.some((block) => block.type === 'text' && isPlain(block.text));
}

/**
 * Formats a result as texts that can be compared: its texts unchanged, then everything else as
 * {@link comparableText} formats it, with a line in place of each of these texts. `volatile` fields
 * are those of that JSON.
 */
export function comparableTexts(result: ToolResult, volatile: VolatileFields = []): string {
  const texts: string[] = [];
  const content = result.content.map((block, index) => {
    if (block.type !== 'text' || !isPlain(block.text)) return block;
    const pointer = `/content/${index}`;
    const isIgnored = [pointer, `${pointer}/text`, 'text'].some((each) => volatile.includes(each));
    texts.push(isIgnored ? ignoredValue : beginning(block.text));
    return { ...block, text: `↑ ${texts.length}` };
  });
  const isAll =
    texts.length === content.length && content.every((block) => !block.annotations && !block.rest);
  const { structuredContent, isError, meta, rest } = result;
  const isPlainAnswer = structuredContent === undefined && !isError && !meta && !rest;
  const others = isAll && isPlainAnswer ? [] : [comparableText({ ...result, content }, volatile)];
  return [...texts, ...others].map((text) => text.replace(/\n?$/, '\n')).join(`${line}\n`);
}

function isPlain(text: TextData): boolean {
  return !isJsonDocument(beginningOf(text, maxTextChars + 1));
}

function beginning(data: TextData): string {
  const text = beginningOf(data, maxTextChars + 1).replaceAll('\r\n', '\n');
  return text.length > maxTextChars ? `${text.slice(0, maxTextChars)}${ignoredValue}` : text;
}
