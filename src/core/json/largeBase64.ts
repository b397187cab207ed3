import { GrowingBytes } from './growingBytes';
import { LargeText } from './largeText';

const minus = 0x2d;
const underscore = 0x5f;
const backslash = 0x5c;

/** A shorter part may be used up by filling a group and by the kept rest. */
const minPlainBytes = 16;

/**
 * Decodes one base64 text that arrives in parts. Accepts what `decodeBase64` accepts and is
 * stricter at the end: the bytes must encode to exactly the received text.
 */
export class LargeBase64 {
  readonly #bytes: GrowingBytes;
  /** The last characters, up to seven: only the last four of the text may hold padding. */
  #rest = '';

  /** @throws {RangeError} when the system cannot reserve an address range of that size */
  constructor(maxBytes: number) {
    this.#bytes = new GrowingBytes(maxBytes);
  }

  /**
   * Returns true if the text is still base64, as the inside of a JSON string: slashes may be
   * escaped. If false, nothing has changed.
   */
  push(part: Buffer): boolean {
    if (part.includes(minus) || part.includes(underscore)) return false;
    if (part.includes(backslash) || this.#rest.endsWith('\\')) return this.#pushEscaped(part);
    return this.#pushPlain(this.#rest, part);
  }

  #pushEscaped(part: Buffer): boolean {
    const text = (this.#rest + part.toString('latin1')).replaceAll('\\/', '/');
    const stray = text.indexOf('\\');
    // The last backslash may belong to a slash that follows.
    if (stray !== -1 && stray < text.length - 1) return false;
    return this.#pushPlain('', Buffer.from(text, 'latin1'));
  }

  /** Decodes all groups of four except the last one or two, with as few copies as possible. */
  #pushPlain(before: string, part: Buffer): boolean {
    const chars = Math.max(before.length + part.length - 4, 0) & ~3;
    const isSmall = part.length < minPlainBytes;
    const split = isSmall ? part.length : -before.length & 3;
    const joined = before + part.toString('latin1', 0, split);
    const first = isSmall ? joined.slice(0, chars) : joined;
    const end = isSmall ? split : chars - before.length;

    const { length } = this.#bytes;
    if (this.#decode(first) && this.#decode(part.toString('latin1', split, end))) {
      this.#rest = joined.slice(first.length) + part.toString('latin1', end);
      return true;
    }
    this.#bytes.length = length;
    return false;
  }

  /** Returns the bytes, or undefined if the text is not base64. */
  finish(): Uint8Array | undefined {
    const last = Buffer.from(this.#rest, 'base64');
    if (this.#rest.length !== 4 || last.toString('base64') !== this.#rest) return undefined;
    if (!this.#decode(this.#rest, 3 - last.length)) return undefined;
    return this.#bytes.finish();
  }

  /** Returns the text so far, to continue with when it is not base64. */
  toLargeText(): LargeText {
    const text = new LargeText(this.#bytes.toString('base64'));
    text.push(Buffer.from(this.#rest, 'latin1'));
    return text;
  }

  /**
   * Returns true if the expected number of bytes came out: Node skips characters that are not
   * base64.
   */
  #decode(groups: string, padding = 0): boolean {
    const expected = (groups.length / 4) * 3 - padding;
    const room = this.#bytes.withRoom(expected);
    if (room === undefined) return false;
    if (room.write(groups, this.#bytes.length, expected, 'base64') !== expected) return false;
    this.#bytes.length += expected;
    return true;
  }
}
