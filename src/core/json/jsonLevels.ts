import {
  backslash,
  closingBracket,
  colon,
  comma,
  openingBrace,
  openingBracket,
  quote,
  maxLevels,
  newNameCost,
  TooMuchJson,
} from './jsonLimits';
import { costOf } from './jsonFollower';
import { isObject } from './shapes';

/** `[` and `{` are one bit apart, and so are `]` and `}`. */
const caseBit = 0x20;

/**
 * Checks that JSON to be parsed is not nested deeper than {@link maxLevels} and does not cost more
 * than `maxValues`, as `JsonFollower` counts: it counts the cost exactly if all names being new
 * would be too much, which is rare. Returns the number of levels; `undefined` for JSON that is too
 * short to have too many, which is not scanned.
 * @throws {TooMuchJson}
 */
export function checkCosts(json: string | Buffer, maxValues = Infinity): number | undefined {
  if (json.length <= 2 * maxLevels) return undefined;
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  const { length } = bytes;
  let level = 0;
  let most = 0;
  let highestCost = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      for (at += 1; at < length && bytes[at] !== quote; at += 1) {
        if (bytes[at] === backslash) at += 1;
      }
    } else if (byte === comma) highestCost += 1;
    else if (byte === colon) highestCost += newNameCost;
    else if (byte < openingBracket) continue;
    else if ((byte | caseBit) === openingBrace) {
      highestCost += 1;
      level += 1;
      if (level <= most) continue;
      most = level;
      if (level > maxLevels) throw new TooMuchJson('levels', maxLevels);
    } else if ((byte & ~caseBit) === closingBracket) level -= 1;
  }
  if (highestCost > maxValues && costOf(bytes) > maxValues) {
    throw new TooMuchJson('values', maxValues);
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
