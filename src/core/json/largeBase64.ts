import { GrowingBytes } from './growingBytes';
import { LargeText } from './largeText';

const minus = 0x2d;
const underscore = 0x5f;
const backslash = 0x5c;

/** Below this, a part may be all needed to fill up a group and to be kept as the last one. */
const minPlainBytes = 16;

/**
 * The bytes of one base64 text that comes in parts, decoded on the way. Takes what `decodeBase64`
 * takes and is stricter at the end: the bytes encode to exactly the text that came.
 */
export class LargeBase64 {
  readonly #bytes: GrowingBytes;
  /** The last up to seven characters: only the last four of all may hold padding. */
  #rest = '';

  /** @throws {RangeError} when the system has no room for an address range of that size */
  constructor(maxBytes: number) {
    this.#bytes = new GrowingBytes(maxBytes);
  }

  /**
   * Whether the text is still base64, as the inside of a JSON string: slashes may be escaped. When
   * it is not, nothing has changed.
   */
  push(part: Buffer): boolean {
    if (part.includes(minus) || part.includes(underscore)) return false;
    if (part.includes(backslash) || this.#rest.endsWith('\\')) return this.#pushEscaped(part);
    return this.#pushPlain(this.#rest, part);
  }

  #pushEscaped(part: Buffer): boolean {
    const text = (this.#rest + part.toString('latin1')).replaceAll('\\/', '/');
    const stray = text.indexOf('\\');
    // The last one may belong to a slash that is still to come.
    if (stray !== -1 && stray < text.length - 1) return false;
    return this.#pushPlain('', Buffer.from(text, 'latin1'));
  }

  /** Decodes all groups of four but the last one or two, with as few copies as can be. */
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

  /** The bytes, or undefined when the text ended as no base64. */
  finish(): Uint8Array | undefined {
    const last = Buffer.from(this.#rest, 'base64');
    if (this.#rest.length !== 4 || last.toString('base64') !== this.#rest) return undefined;
    if (!this.#decode(this.#rest, 3 - last.length)) return undefined;
    return this.#bytes.finish();
  }

  /** The text so far, to go on with when it turned out to be no base64. */
  toLargeText(): LargeText {
    const text = new LargeText(this.#bytes.toString('base64'));
    text.push(Buffer.from(this.#rest, 'latin1'));
    return text;
  }

  /** Whether so many bytes came out as there should: Node leaves out what is no base64. */
  #decode(groups: string, padding = 0): boolean {
    const expected = (groups.length / 4) * 3 - padding;
    const room = this.#bytes.withRoom(expected);
    if (room === undefined) return false;
    if (room.write(groups, this.#bytes.length, expected, 'base64') !== expected) return false;
    this.#bytes.length += expected;
    return true;
  }
}
