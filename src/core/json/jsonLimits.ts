export const quote = 0x22;
export const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openingBrace = 0x7b;
export const closingBrace = 0x7d;
export const openingBracket = 0x5b;
export const closingBracket = 0x5d;

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0d || code === 0x0a || code === 0x09;
}

/** Returns the end of the string, number or word of valid JSON that begins at `start`. */
export function literalEnd(text: string, start: number): number {
  let end = start + 1;
  if (text.charCodeAt(start) === quote) {
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end);
      if (code === quote) return end + 1;
      if (code === backslash) end += 1;
    }
    return end;
  }
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    const isEnd = code === comma || code === closingBrace || code === closingBracket;
    if (isEnd || isSpace(code)) return end;
  }
  return end;
}

/** Deeper values are refused: no server intends them, and all code that walks a value recurses. */
export const maxLevels = 1_000;

/**
 * Extra cost of a name that is new in the text: the engine allocates memory for each. With it, a
 * message of new names takes as much time and memory as one of empty objects of the same cost.
 */
export const newNameCost = 2;
/** Structured content with more values stays text: fewer take about ten milliseconds. */
export const maxContentValues = 100_000;
/**
 * Longer structured content stays text too: the engine reads that many bytes in about twenty
 * milliseconds.
 */
export const maxContentBytes = 12 * 1024 * 1024;

/** JSON within its size limit that would still block the process: it is not parsed. */
export class TooMuchJson extends Error {
  constructor(
    readonly measure: 'values' | 'levels',
    readonly limit: number,
  ) {
    super(`more than ${limit} ${measure}`);
    this.name = 'TooMuchJson';
  }
}

/** Wraps the same bytes in a Buffer without copying them. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
