import {
  backslash,
  closingBracket,
  colon,
  comma,
  openingBrace,
  openingBracket,
  quote,
  maxLevels,
  nameBits,
  newNameCost,
  TooMuchJson,
} from './jsonLimits';
import { isObject } from './shapes';

/** `[` and `{` are one bit apart, and so are `]` and `}`. */
const caseBit = 0x20;

/**
 * Maximum number of values in one character of JSON: a member with a new name takes eight characters
 * and costs six (`"ab":{},`). Shorter names are few: {@link fewNames}.
 */
const valuesPerChar = 0.75;
const fewNames = 256;

/**
 * Checks that a text to be parsed is not nested deeper than {@link maxLevels} and does not cost more
 * than `maxValues`, as `JsonFollower` counts: unlike that, it can skip strings with code of the
 * engine, which is faster for a text that is complete. Returns the number of levels; `undefined` for
 * a text that is too short to have too many, which is not scanned.
 * @throws {TooMuchJson}
 */
export function checkCosts(text: string, maxValues = Infinity): number | undefined {
  const { length } = text;
  if (length <= 2 * maxLevels) return undefined;
  const names = length * valuesPerChar + fewNames > maxValues ? new NewNames() : undefined;
  let level = 0;
  let most = 0;
  let cost = 0;
  let start = 0;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      start = at;
      at = endOfString(text, at);
    } else if (code === comma) cost += 1;
    else if (code === colon) {
      if (names?.isNew(text, start, at) === true) cost += newNameCost;
    } else if (code < openingBracket) continue;
    else if ((code | caseBit) === openingBrace) {
      cost += 1;
      level += 1;
      if (level <= most) continue;
      most = level;
      if (level > maxLevels) throw new TooMuchJson('levels', maxLevels);
    } else if ((code & ~caseBit) === closingBracket) level -= 1;
  }
  if (names !== undefined && cost > maxValues) throw new TooMuchJson('values', maxValues);
  return most;
}

/** The names of members so far, as bits by their hashes. */
class NewNames {
  readonly #seen = new Int32Array(2 ** (nameBits - 5));
  readonly #salt = Math.floor(Math.random() * 2 ** 31);

  isNew(text: string, start: number, end: number): boolean {
    let sum = this.#salt;
    for (let at = start; at < end; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
    const slot = (sum ^ (sum >>> 15)) & (2 ** nameBits - 1);
    const word = this.#seen[slot >>> 5] ?? 0;
    this.#seen[slot >>> 5] = word | (1 << (slot & 31));
    return (word & (1 << (slot & 31))) === 0;
  }
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
