import { bufferOf } from '../json/bufferOf';
import type { TextData } from '../types';

/** Decodes the text. A very large one takes memory and time: 10 ms for 32 MiB. */
export function textOf(text: TextData): string {
  return typeof text === 'string' ? text : bufferOf(text).toString('utf8');
}

/** Returns at most `maxChars` characters, without reading the rest. */
export function beginningOf(text: TextData, maxChars: number): string {
  if (typeof text === 'string') return text.slice(0, maxChars);
  // A character takes at most four bytes. One that is cut may decode to another character.
  const head = bufferOf(text.subarray(0, 4 * maxChars)).toString('utf8');
  return head.slice(0, maxChars);
}
