import { backslash, closingBracket, openingBrace, openingBracket, quote } from './jsonCodes';
import { maxLevels, TooMuchJson } from './jsonLimits';
import { isObject } from './shapes';

/** `[` and `{` are one bit apart, and so are `]` and `}`. */
const caseBit = 0x20;

/**
 * Checks that a text that will be parsed is not nested deeper than {@link maxLevels}. Returns its number
 * of levels; `undefined` for a text that is too short to have too many, which costs nothing.
 * @throws {TooMuchJson}
 */
export function checkLevels(text: string): number | undefined {
  const { length } = text;
  if (length <= 2 * maxLevels) return undefined;
  let level = 0;
  let most = 0;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code < openingBracket) continue;
    else if ((code | caseBit) === openingBrace) {
      level += 1;
      if (level <= most) continue;
      most = level;
      if (level > maxLevels) throw new TooMuchJson('levels', maxLevels);
    } else if ((code & ~caseBit) === closingBracket) level -= 1;
  }
  return most;
}

/** How many levels there were in the texts of messages, by the results in them. */
const levelsOfResults = new WeakMap<object, number>();

/** Remembers for the result of a message that its text had so many levels. */
export function noteLevels(message: unknown, levels: number | undefined): void {
  if (levels === undefined || !isObject(message) || !isObject(message.result)) return;
  levelsOfResults.set(message.result, levels);
}

/** How many levels a result has at most, where that was found out when its message was read. */
export function levelsOfResult(result: object): number | undefined {
  return levelsOfResults.get(result);
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
