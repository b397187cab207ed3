import { backslash, closingBracket, openingBrace, openingBracket, quote } from './jsonCodes';
import { maxLevels, TooMuchJson } from './jsonLimits';
import { isObject } from './shapes';

/** `[` and `{` are one bit apart, and so are `]` and `}`. */
const caseBit = 0x20;

/**
 * Checks that a text to be parsed is not nested deeper than {@link maxLevels}. Returns its number
 * of levels; `undefined` for a text that is too short to have too many, which is not scanned.
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

/** Number of levels in the texts of messages, by their results. */
const levelsOfResults = new WeakMap<object, number>();

/** Records the number of levels of a message's text for its result. */
export function noteLevels(message: unknown, levels: number | undefined): void {
  if (levels === undefined || !isObject(message) || !isObject(message.result)) return;
  levelsOfResults.set(message.result, levels);
}

/**
 * Returns the maximum number of levels of a result, if it was counted when its message was read.
 */
export function levelsOfResult(result: object): number | undefined {
  return levelsOfResults.get(result);
}

/** Returns the index of the closing quote of the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = start + 1; ; end += 1) {
    end = text.indexOf('"', end);
    if (end === -1) return text.length;
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
}
