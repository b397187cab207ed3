import { backslash, closingBracket, openingBrace, openingBracket, quote } from './jsonCodes';
import { maxLevels, TooMuchJson } from './jsonLimits';

/** `[` and `{` are one bit apart, and so are `]` and `}`. */
const caseBit = 0x20;

/**
 * Looks whether a text that will be parsed is nested deeper than {@link maxLevels}; most are too
 * short for it, and cost nothing. @throws {TooMuchJson}
 */
export function checkLevels(text: string): void {
  const { length } = text;
  if (length <= 2 * maxLevels) return;
  let level = 0;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code < openingBracket) continue;
    else if ((code | caseBit) === openingBrace) {
      level += 1;
      if (level > maxLevels) throw new TooMuchJson('levels', maxLevels);
    } else if ((code & ~caseBit) === closingBracket) level -= 1;
  }
}

/** Where the string that begins at `start` has its closing quote. */
export function endOfString(text: string, start: number): number {
  for (let end = start + 1; ; end += 1) {
    end = text.indexOf('"', end);
    if (end === -1) return text.length;
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
}
