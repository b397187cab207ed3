import { bufferOf } from '../json/bufferOf';
import type { TextData } from '../types';

/** The text itself, as a string. For a very large one this takes memory and time, 10 ms for 32 MiB. */
export function textOf(text: TextData): string {
  return typeof text === 'string' ? text : bufferOf(text).toString('utf8');
}

/** The first characters, at most so many; whatever the size of the rest, it is not looked at. */
export function beginningOf(text: TextData, maxChars: number): string {
  if (typeof text === 'string') return text.slice(0, maxChars);
  // No character takes more than four bytes, and what is cut within one may show as another.
  const head = bufferOf(text.subarray(0, 4 * maxChars)).toString('utf8');
  return head.slice(0, maxChars);
}
