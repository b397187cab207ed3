import {
  backslash,
  closingBracket,
  colon,
  comma,
  isSpace,
  openingBrace,
  openingBracket,
  quote,
  maxLevels,
  newNameCost,
  TooMuchJson,
} from './jsonLimits';

/** Extra time of the engine for an escape, in equivalent bytes; numbered escapes take longer. */
const escapeCosts = { plain: 2, numbered: 8 };
const letterU = 0x75;
/** Length of `structuredContent` with each letter as an escape. */
const longestKnownName = 17 * 6;

/**
 * Number of bits of the hash that identifies a name; the second of two names with the same hash
 * costs nothing.
 */
const nameBits = 20;

/** `[` and `{` are one bit apart, and so are `]` and `}`. */
const caseBit = 0x20;

/**
 * Tracks JSON text that arrives in parts, without parsing it: its depth, open strings, the cost of
 * its values, and the position of an answer's structured content. The results for text that is not
 * JSON are meaningless.
 */
export class JsonFollower {
  /** 1 for an object, 0 for an array, by level. */
  readonly #kinds = new Uint8Array(maxLevels + 1);
  /** Bit set of the hashes of names so far. */
  readonly #names = new Int32Array(2 ** (nameBits - 5));
  readonly #salt = Math.floor(Math.random() * 2 ** 31);
  #level = 0;
  #maxLevel = 0;
  /** Level of an answer; one more in a batch. */
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
  /** True if the last name was that of structured content. */
  #isExpecting = false;
  #contentLevel = -1;

  /**
   * Number of values and names that `JSON.parse` will have to create; a new name counts as two
   * more.
   */
  get cost(): number {
    return this.#cost;
  }

  /** Extra time for escapes, in equivalent bytes. */
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

  /** True if the text so far ends within the structured content of an answer. */
  get isInContent(): boolean {
    return this.#contentLevel !== -1;
  }

  /**
   * Number of bytes of the unfinished string at the end of the text, if it is the value of a
   * member.
   */
  get openValueBytes(): number {
    const isValue = this.#isInString && !this.#isName && this.#kinds[this.#level] === 1;
    return isValue ? this.#stringBytes : 0;
  }

  /** Ends the open string; another reader has consumed its content. */
  endString(): void {
    this.#isInString = false;
    this.#isEscaped = false;
  }

  /** Ends the structured content, which will not be parsed and so costs nothing. */
  skipContent(costBefore: number): void {
    if (this.#contentLevel !== -1) this.#level = this.#contentLevel;
    this.#contentLevel = -1;
    this.#isInString = false;
    this.#isBeforeName = false;
    this.#cost = costBefore + 1;
  }

  /**
   * Follows `bytes` from `start` up to the first byte of structured content or after its last one,
   * else to the end. It is a single loop, because every message over 256 KiB goes through it.
   * @throws {TooMuchJson} levels
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

  /** Skips to the end of a string that is a value, or of the bytes. */
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

  /** Skips to the end of a name, which is hashed. */
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

  /** Returns the index to continue at when the previous bytes ended within an escape. */
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

  /**
   * Skips from the name to the first byte of the content, or to a byte that shows that it is not
   * large.
   */
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

/** Returns the cost of a complete text. @throws {TooMuchJson} levels */
export function costOf(bytes: Buffer): number {
  const follower = new JsonFollower();
  for (let at = 0; at < bytes.length;) at = follower.follow(bytes, at);
  return follower.cost;
}

/** Decodes a name; undefined if it is not JSON. */
function withoutEscapes(written: string): unknown {
  try {
    return JSON.parse(`"${written}"`);
  } catch {
    return undefined;
  }
}

/**
 * Values that are longer or arrive in more parts are followed from the start: catching up later
 * would cause a noticeable delay.
 */
const maxUnfollowedParts = 1_024;
const maxUnfollowedBytes = 4 * 1024 * 1024;

/** The name of structured content in an answer. */
const contentName = Buffer.from('structuredContent');
/** Possible beginnings of an escaped letter in a name: `\\u0053`. */
const letterEscapes = ['4', '5', '6', '7'].map((digit) => Buffer.from(`\\u00${digit}`));

/** True if following a value of that size could catch up without a delay. */
export function isSoonFollowed(bytes: number, parts: number): boolean {
  return bytes <= maxUnfollowedBytes && parts <= maxUnfollowedParts;
}

/**
 * True if the part may belong to a large string, or names structured content, together with the end
 * of `before`.
 */
export function mayBeLarge(part: Buffer, before: Buffer | undefined): boolean {
  if (!hasQuote(part) || mayName(part)) return true;
  if (before === undefined) return false;
  const seam = [before.subarray(-contentName.length), part.subarray(0, contentName.length)];
  return mayName(Buffer.concat(seam));
}

/** True if a string certainly begins or ends in it. */
function hasQuote(part: Buffer): boolean {
  let at = part.indexOf(quote);
  while (at > 0 && part[at - 1] === backslash) at = part.indexOf(quote, at + 1);
  return at !== -1;
}

function mayName(bytes: Buffer): boolean {
  if (bytes.includes(contentName)) return true;
  if (!bytes.includes(backslash)) return false;
  return letterEscapes.some((escape) => bytes.includes(escape));
}
