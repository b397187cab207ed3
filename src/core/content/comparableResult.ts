import type { TextData, ToolResult } from '../types';
import { isObject, type UnknownObject } from '../json/shapes';
import {
  bytesFacts,
  comparedBeginning,
  DeferredText,
  ignoredValue,
  maxComparedChars,
  orderedJson,
  type VolatileFields,
} from './orderedJson';
import { beginningOf, isJsonDocument, maxParsedChars } from './textKind';
import { ownMeta } from './contentParts';
import { wireResult } from './wireResult';

/**
 * Formats a result as JSON that can be compared line by line: members sorted by name, multi-line
 * texts as lists of lines, texts that are JSON as values, and bytes by size and hash. What is left
 * out of a very large result is represented by its size and hash.
 *
 * The values of `volatile` fields are replaced, for every member of that name or at a pointer from
 * the top (`content`, `structuredContent`, `isError`, `_meta`). `dropped` fields are removed.
 */
export function comparableText(
  result: ToolResult,
  volatile: VolatileFields = [],
  dropped: VolatileFields = [],
): string {
  const wire = wireResult(result, { text: (data) => new DeferredText(data), data: bytesFacts });
  return orderedJson(wire, volatile, dropped);
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
    ...(typeof text === 'string' ? { text: new DeferredText(text) } : {}),
    ...(typeof data === 'string' && data !== ignoredValue ? { data: bytesFacts(data) } : {}),
    ...(typeof blob === 'string' && blob !== ignoredValue ? { blob: bytesFacts(blob) } : {}),
    ...(isObject(resource) ? { resource: comparableBlock(resource) } : {}),
  };
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
  let room = maxComparedChars;
  const content = result.content.map((block, index) => {
    if (block.type !== 'text' || !isPlain(block.text)) return block;
    const pointer = `/content/${index}`;
    const isIgnored = [pointer, `${pointer}/text`, 'text'].some((each) => volatile.includes(each));
    const text = isIgnored ? ignoredValue : comparedBeginning(block.text, room);
    room = Math.max(0, room - text.length);
    texts.push(text);
    return { ...block, text: `↑ ${texts.length}` };
  });
  const isAll =
    texts.length === content.length && content.every((block) => !block.annotations && !block.rest);
  const { structuredContent, isError, rest } = result;
  const isPlainAnswer = structuredContent === undefined && !isError && !ownMeta(result) && !rest;
  const others = isAll && isPlainAnswer ? [] : [comparableText({ ...result, content }, volatile)];
  return [...texts, ...others].map((text) => text.replace(/\n?$/, '\n')).join(`${line}\n`);
}

function isPlain(text: TextData): boolean {
  return !isJsonDocument(beginningOf(text, maxParsedChars + 1));
}
