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
 * than `maxValues`, as `JsonFollower` counts. Takes it whole or as it arrives, while the other side
 * prepares the rest.
 */
export class CostCheck {
  #level = 0;
  #most = 0;
  /** The cost if all names were new. */
  #highestCost = 0;
  #isInString = false;
  #isEscaped = false;

  /** Takes the next bytes. @throws {TooMuchJson} levels */
  take(bytes: Buffer): void {
    const { length } = bytes;
    let level = this.#level;
    let cost = this.#highestCost;
    let at = this.#isInString ? this.#pass(bytes, 0) : 0;
    for (; at < length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) at = this.#pass(bytes, at + 1) - 1;
      else if (byte === comma) cost += 1;
      else if (byte === colon) cost += newNameCost;
      else if (byte < openingBracket) continue;
      else if ((byte | caseBit) === openingBrace) {
        cost += 1;
        level += 1;
        if (level <= this.#most) continue;
        this.#most = level;
        if (level > maxLevels) throw new TooMuchJson('levels', maxLevels);
      } else if ((byte & ~caseBit) === closingBracket) level -= 1;
    }
    this.#level = level;
    this.#highestCost = cost;
  }

  /** Returns the index after the string that is open at `start`, or the end of the bytes. */
  #pass(bytes: Buffer, start: number): number {
    const { length } = bytes;
    let at = this.#isEscaped ? start + 1 : start;
    for (; at < length && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
    this.#isInString = at >= length;
    this.#isEscaped = at > length;
    return at + 1;
  }

  /**
   * Returns the number of levels of `bytes`, which is all that was taken. Counts the cost exactly
   * only if it could be too much, which is rare. @throws {TooMuchJson} values
   */
  levelsOf(bytes: Buffer, maxValues: number): number {
    if (this.#highestCost > maxValues && costOf(bytes) > maxValues) {
      throw new TooMuchJson('values', maxValues);
    }
    return this.#most;
  }
}

/**
 * Returns the number of levels, as {@link CostCheck}; `undefined` for JSON that is too short to have
 * too many, which is not scanned. @throws {TooMuchJson}
 */
export function checkCosts(json: string | Buffer, maxValues = Infinity): number | undefined {
  if (json.length <= 2 * maxLevels) return undefined;
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  const check = new CostCheck();
  check.take(bytes);
  return check.levelsOf(bytes, maxValues);
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
