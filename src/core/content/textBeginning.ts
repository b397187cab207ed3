import { LineCount } from './lineCount';

/** As much as an editor shows at once without a thought. */
const maxBytes = 1024 * 1024;
const maxLines = 10_000;
const lineFeed = 0x0a;

export interface TextBeginning {
  /** A copy: the text that they are from may go. */
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/**
 * What is shown first of a large text in UTF-8: at most 10,000 lines and 1 MiB, whole lines where
 * they are not endless, and never a piece of a character.
 */
export function textBeginning(text: Uint8Array): TextBeginning {
  // A copy also because memory that can grow is ten times slower to look at.
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

/** The beginning of the character that the byte at `at` belongs to. */
function beforeCharacter(text: Uint8Array, at: number): number {
  let start = at;
  while (start > at - 3 && ((text[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
