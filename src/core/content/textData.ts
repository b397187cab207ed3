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

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** In bytes. For shorter lines, searching takes longer than checking every byte. */
const minSearchedLine = 16;
/** The average length is checked after this many lines. */
const judgedLines = 256;

/**
 * Counts the lines of UTF-8 text that arrives in pieces, like the editor does: LF, CR LF and CR end
 * a line.
 */
export class LineCount {
  #ends = 0;
  #isAfterReturn = false;

  add(piece: Uint8Array): void {
    const ends = this.#isAfterReturn ? undefined : searchedEnds(piece);
    if (ends === undefined) this.#look(piece);
    else this.#ends += ends;
  }

  #look(piece: Uint8Array): void {
    let ends = 0;
    let isAfterReturn = this.#isAfterReturn;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === lineFeed ? !isAfterReturn : byte === carriageReturn) ends += 1;
      isAfterReturn = byte === carriageReturn;
    }
    this.#ends += ends;
    this.#isAfterReturn = isAfterReturn;
  }

  /** The lines so far. Text that ends with a line break has an empty last line. */
  get lines(): number {
    return this.#ends + 1;
  }
}

/**
 * Searching is five times as fast for ordinary text, even before the engine has optimized the loop.
 */
function searchedEnds(piece: Uint8Array): number | undefined {
  const bytes = bufferOf(piece);
  if (bytes.includes(carriageReturn)) return undefined;
  let ends = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    ends += 1;
    if (ends % judgedLines === 0 && at < ends * minSearchedLine) return undefined;
  }
  return ends;
}

/** An editor shows this much without delay. */
const maxBytes = 1024 * 1024;
const maxLines = 10_000;

interface TextBeginning {
  /** A copy, so that the whole text can be freed. */
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/**
 * Returns the beginning of a large UTF-8 text: at most 10,000 lines and 1 MiB, in whole lines
 * unless they are too long, and never part of a character.
 */
export function textBeginning(text: Uint8Array): TextBeginning {
  // Also copied because reading growable memory is ten times slower.
  const first = Buffer.from(text.subarray(0, maxBytes + 1));
  const bytes = first.subarray(0, endOf(first));
  const count = new LineCount();
  count.add(bytes);
  return { bytes, lines: count.lines };
}

function endOf(text: Uint8Array): number {
  let lastLineEnd = 0;
  let lines = 0;
  for (let at = text.indexOf(lineFeed); at !== -1; at = text.indexOf(lineFeed, at + 1)) {
    if (at >= maxBytes) break;
    lastLineEnd = at;
    lines += 1;
    if (lines === maxLines) return at;
  }
  if (text.length <= maxBytes) return text.length;
  return lastLineEnd > maxBytes / 2 ? lastLineEnd : beforeCharacter(text, maxBytes);
}

/** Returns the start of the character that contains the byte at `at`. */
function beforeCharacter(text: Uint8Array, at: number): number {
  let start = at;
  while (start > at - 3 && ((text[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
