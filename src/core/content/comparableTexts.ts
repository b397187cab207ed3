import type { TextData, ToolResult } from '../types';
import { comparableText, ignoredValue, type VolatileFields } from './comparableResult';
import { beginningOf } from './textData';
import { isJsonDocument } from './textKind';

/** Longer texts are cut, because comparing them would block an editor. */
const maxTextChars = 2 * 1024 * 1024;
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
