import { createHash } from 'node:crypto';
import type { BinaryData, TextData, ToolResult } from '../types';
import type { JsonValue } from '../json/jsonValue';
import { exactJson } from '../json/jsonText';
import { bytesOf, isContainer } from '../json/leaves';
import { isObject, type UnknownObject } from '../json/shapes';
import { KeptJson } from '../json/keptJson';
import { parseFollowedJson } from '../json/parseJson';
import { toStep } from '../json/jsonPointer';
import { beginningOf } from './textData';
import { isJsonDocument } from './textKind';
import { wireResult } from './wireResult';

/** What is different each time and says nothing: names of members, and JSON pointers. */
export type VolatileFields = readonly string[];

/** Longer texts are cut: an editor that compares more stands still. */
const maxTextChars = 2 * 1024 * 1024;
const maxChars = 8 * 1024 * 1024;
/** Stands for what was left out. */
export const ignored = '…';

/**
 * A result as JSON that can be compared line by line: members in the order of their names, texts of
 * several lines as lists of lines, texts that are JSON as what they are, bytes by their size and
 * hash. The values of `volatile` fields are left out, wherever a name stands, or where a pointer
 * from the top (`content`, `structuredContent`, `isError`, `_meta`) leads.
 */
export function comparableText(result: ToolResult, volatile: VolatileFields = []): string {
  const { structuredContent } = result;
  const shown =
    structuredContent instanceof KeptJson
      ? { ...result, structuredContent: factsOf(structuredContent) }
      : result;
  return orderedJson(wireResult(shown, { text: textValue, data: bytesValue }), volatile);
}

/**
 * The same for what {@link comparableText} has written once, or for a result as it came, with these
 * fields left out.
 */
export function comparableJson(written: UnknownObject, volatile: VolatileFields): string {
  const { content } = written;
  const isList = Array.isArray(content);
  const read = isList ? { ...written, content: content.map(comparableBlock) } : written;
  return orderedJson(read, volatile);
}

/** Texts and bytes that stand in a block as they came; others were laid out already. */
function comparableBlock(block: unknown): unknown {
  if (!isObject(block)) return block;
  const { text, data, blob, resource } = block;
  return {
    ...block,
    ...(typeof text === 'string' ? { text: textValue(text) } : {}),
    ...(typeof data === 'string' && data !== ignored ? { data: bytesValue(data) } : {}),
    ...(typeof blob === 'string' && blob !== ignored ? { blob: bytesValue(blob) } : {}),
    ...(isObject(resource) ? { resource: comparableBlock(resource) } : {}),
  };
}

function orderedJson(written: unknown, volatile: VolatileFields): string {
  const names = new Set(volatile.filter((field) => !field.startsWith('/')));
  const pointers = new Set(volatile.filter((field) => field.startsWith('/')));
  try {
    const text = exactJson(comparable(written, '', { names, pointers }), 2) ?? '';
    return text.length > maxChars ? `${text.slice(0, maxChars)}\n${ignored}\n` : `${text}\n`;
  } catch {
    // Nested beyond the stack: nobody could read it either.
    return `${ignored}\n`;
  }
}

interface Ignoring {
  readonly names: ReadonlySet<string>;
  readonly pointers: ReadonlySet<string>;
}

function comparable(value: unknown, pointer: string, ignoring: Ignoring): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      ignoring.pointers.has(`${pointer}/${index}`)
        ? ignored
        : comparable(item, `${pointer}/${index}`, ignoring),
    );
  }
  const bytes = bytesOf(value);
  if (bytes !== undefined) return bytesValue(bytes);
  if (!isContainer(value)) return value;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  // Defines own properties, so a key `__proto__` is data like any other.
  return Object.fromEntries(
    members.map(([name, member]: [string, unknown]) => {
      const place = pointer + toStep(name);
      const isIgnored = ignoring.names.has(name) || ignoring.pointers.has(place);
      return [name, isIgnored ? ignored : comparable(member, place, ignoring)];
    }),
  );
}

function textValue(data: TextData): object | JsonValue {
  // One more than is shown, so that it is known whether there is more.
  const text = beginningOf(data, maxTextChars + 1);
  if (isJsonDocument(text)) return jsonOf(text);
  const shown = text.length > maxTextChars ? `${text.slice(0, maxTextChars)}${ignored}` : text;
  return shown.includes('\n') ? shown.split(/\r?\n/) : shown;
}

function jsonOf(text: string): object | JsonValue {
  const value = parseFollowedJson(text);
  return typeof value === 'object' && value !== null ? value : text;
}

/** Of more than anybody could compare. */
function factsOf({ byteLength, values, segments }: KeptJson): JsonValue {
  const hash = createHash('sha256');
  for (const segment of segments) hash.update(segment);
  return { bytes: byteLength, values, sha256: hash.digest('hex') };
}

function bytesValue(data: BinaryData): object {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : data;
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
