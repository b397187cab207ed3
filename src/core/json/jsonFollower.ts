import {
  backslash,
  closingBracket,
  colon,
  comma,
  isSpace,
  openingBrace,
  openingBracket,
  quote,
} from './jsonCodes';
import { maxLevels, TooMuchJson } from './jsonLimits';

/** What a name counts that was not in the text before: the engine makes room for each. */
const newNameCost = 4;
/** Names are told apart by so many bits of a sum; of those that share one, the second costs nothing. */
const nameBits = 20;
/** An escape takes the engine as long as so many bytes more, and one by number longer. */
const escapeCosts = { plain: 2, numbered: 8 };
const letterU = 0x75;
/** `structuredContent`, each letter an escape */
const longestKnownName = 17 * 6;

/** `[` and `{` are one bit apart, and so are `]` and `}`. */
const caseBit = 0x20;

/**
 * Follows JSON text that comes in parts, without parsing it: how deep it is, whether it is inside a
 * string, how much work its values will be, and where the structured content of an answer is. What
 * it says of text that is no JSON means nothing.
 */
export class JsonFollower {
  /** 1 for an object, 0 for an array, by level. */
  readonly #kinds = new Uint8Array(maxLevels + 1);
  /** Which sums of names there were. */
  readonly #names = new Int32Array(2 ** (nameBits - 5));
  readonly #salt = Math.floor(Math.random() * 2 ** 31);
  #level = 0;
  #maxLevel = 0;
  /** Of an answer: one more in a batch. */
  #messageLevel = 1;
  #cost = 0;
  #isBeforeName = false;
  #isInString = false;
  #isName = false;
  #isEscaped = false;
  #escapeCost = 0;
  #nameHasEscapes = false;
  #stringBytes = 0;
  #sum = 0;
  #nameSoFar = '';
  #isInResult = false;
  /** The name of structured content was the last that came. */
  #isExpecting = false;
  #contentLevel = -1;

  /** Values and names that {@link JSON.parse} will have to make; a new name counts as four more. */
  get cost(): number {
    return this.#cost;
  }

  /** What escapes take longer than other text, counted as if it were bytes. */
  get escapeCost(): number {
    return this.#escapeCost;
  }

  get level(): number {
    return this.#level;
  }

  /** The deepest level so far. */
  get maxLevel(): number {
    return this.#maxLevel;
  }

  /** Whether the text so far ends within the structured content of an answer. */
  get isInContent(): boolean {
    return this.#contentLevel !== -1;
  }

  /** Of the inside of the string that the text so far ends in, if it is the value of a member. */
  get openValueBytes(): number {
    const isValue = this.#isInString && !this.#isName && this.#kinds[this.#level] === 1;
    return isValue ? this.#stringBytes : 0;
  }

  /** The string that the text ended in is over; its inside was looked at by somebody else. */
  endString(): void {
    this.#isInString = false;
    this.#isEscaped = false;
  }

  /** The structured content is over and will not be parsed: it costs nothing any more. */
  skipContent(costBefore: number): void {
    if (this.#contentLevel !== -1) this.#level = this.#contentLevel;
    this.#contentLevel = -1;
    this.#isInString = false;
    this.#isBeforeName = false;
    this.#cost = costBefore + 1;
  }

  /**
   * Looks at `bytes` from `start` on, up to where structured content begins or ends, if it does:
   * at its first byte, or after its last one. One loop, because every message over 256 KiB goes
   * through it. @throws {TooMuchJson} levels
   */
  follow(bytes: Buffer, start: number): number {
    const { length } = bytes;
    const kinds = this.#kinds;
    let at = start;
    if (this.#isInString) at = this.#isName ? this.#passName(bytes, at) : this.#pass(bytes, at);
    if (this.#isExpecting) {
      at = this.#findContent(bytes, at);
      if (this.#contentLevel !== -1) return at;
    }
    let level = this.#level;
    let cost = this.#cost;
    let isBeforeName = this.#isBeforeName;
    for (; at < length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === comma) {
        cost += 1;
        isBeforeName = kinds[level] === 1;
      } else if (byte === quote) {
        this.#isInString = true;
        this.#stringBytes = 0;
        if (!isBeforeName) {
          this.#isName = false;
          at = this.#pass(bytes, at + 1) - 1;
          continue;
        }
        isBeforeName = false;
        this.#level = level;
        this.#cost = cost;
        this.#isName = true;
        this.#sum = this.#salt;
        this.#nameSoFar = '';
        this.#nameHasEscapes = false;
        at = this.#passName(bytes, at + 1);
        cost = this.#cost;
        if (this.#isExpecting) {
          at = this.#findContent(bytes, at);
          if (this.#contentLevel !== -1) break;
        }
        at -= 1;
      } else if (byte < openingBracket) continue;
      else if ((byte | caseBit) === openingBrace) {
        cost += 1;
        if (level === 0) this.#messageLevel = byte === openingBracket ? 2 : 1;
        level += 1;
        if (level > this.#maxLevel) this.#deepen(level);
        isBeforeName = byte === openingBrace;
        kinds[level] = isBeforeName ? 1 : 0;
      } else if ((byte & ~caseBit) === closingBracket) {
        if (level > 0) level -= 1;
        isBeforeName = false;
        if (level < this.#messageLevel) this.#isInResult = false;
        if (level !== this.#contentLevel) continue;
        this.#contentLevel = -1;
        at += 1;
        break;
      }
    }
    this.#level = level;
    this.#cost = cost;
    this.#isBeforeName = isBeforeName;
    return at;
  }

  #deepen(level: number): void {
    if (level > maxLevels) throw new TooMuchJson('levels', maxLevels);
    this.#maxLevel = level;
  }

  /** Up to after the end of a string that is a value, or of the bytes. */
  #pass(bytes: Buffer, start: number): number {
    let at = this.#afterEscape(bytes, start);
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === quote) {
        this.#isInString = false;
        return at + 1;
      }
      if (byte !== backslash) continue;
      at += 1;
      this.#escapeCost += bytes[at] === letterU ? escapeCosts.numbered : escapeCosts.plain;
    }
    return this.#goOn(bytes, start, at);
  }

  /** The same for a name, which is looked at. */
  #passName(bytes: Buffer, start: number): number {
    let sum = this.#sum;
    let at = this.#afterEscape(bytes, start);
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) {
        this.#isInString = false;
        this.#endName(sum, bytes, start, at);
        return at + 1;
      }
      if (byte === backslash) {
        at += 1;
        this.#escapeCost += escapeCosts.numbered;
        this.#nameHasEscapes = true;
      }
      sum = Math.imul(sum ^ byte, 0x01000193);
    }
    this.#sum = sum;
    this.#nameSoFar += bytes.toString('latin1', start, start + longestKnownName + 1);
    return this.#goOn(bytes, start, at);
  }

  /** Where to go on when the bytes before ended within an escape. */
  #afterEscape(bytes: Buffer, start: number): number {
    if (!this.#isEscaped || start >= bytes.length) return start;
    this.#isEscaped = false;
    return start + 1;
  }

  #goOn(bytes: Buffer, start: number, at: number): number {
    this.#isEscaped ||= at > bytes.length;
    this.#stringBytes += bytes.length - start;
    return bytes.length;
  }

  #endName(sum: number, bytes: Buffer, start: number, end: number): void {
    const slot = (sum ^ (sum >>> 15)) & (2 ** nameBits - 1);
    const word = this.#names[slot >>> 5] ?? 0;
    const bit = 1 << (slot & 31);
    if ((word & bit) === 0) {
      this.#names[slot >>> 5] = word | bit;
      this.#cost += newNameCost;
    }
    const isOfMessage = this.#level === this.#messageLevel;
    if (isOfMessage) this.#isInResult = false;
    else if (!this.#isInResult || this.#level !== this.#messageLevel + 1) return;
    const known = isOfMessage ? 'result' : 'structuredContent';
    const length = this.#nameSoFar.length + end - start;
    const isLong = this.#nameHasEscapes ? length > longestKnownName : length > known.length;
    if (isLong || length < known.length) return;
    const written = this.#nameSoFar + bytes.toString('latin1', start, end);
    if ((this.#nameHasEscapes ? withoutEscapes(written) : written) !== known) return;
    if (isOfMessage) this.#isInResult = true;
    else this.#isExpecting = true;
  }

  /** After its name: up to its first byte, or to what shows that it is nothing large. */
  #findContent(bytes: Buffer, start: number): number {
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === colon || isSpace(byte)) continue;
      this.#isExpecting = false;
      if ((byte | caseBit) === openingBrace) this.#contentLevel = this.#level;
      return at;
    }
    return bytes.length;
  }
}

/** What a name is; nothing where it is no JSON. */
function withoutEscapes(written: string): unknown {
  try {
    return JSON.parse(`"${written}"`);
  } catch {
    return undefined;
  }
}
