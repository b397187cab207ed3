import { LineCount } from './lineCount';

/** An editor shows this much without delay. */
const maxBytes = 1024 * 1024;
const maxLines = 10_000;
const lineFeed = 0x0a;

export interface TextBeginning {
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
