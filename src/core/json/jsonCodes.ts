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
