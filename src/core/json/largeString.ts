/// <reference lib="es2024.string" />
import { isAscii } from 'node:buffer';
import { GrowingBytes } from './growingBytes';

const quote = 0x22;
const backslash = 0x5c;

/** Form in which a large string may be held: as bytes, or only as text. */
export type LargeForm = 'base64' | 'utf8' | 'text';

/** The inside of one JSON string that arrives in parts, from after its opening quote. */
export class LargeString {
  readonly form: LargeForm;
  #content: LargeText | LargeUtf8 | LargeBase64;
  /** True if the next byte belongs to an escape. */
  #isEscaped = false;

  /** A string that does not have that form, or decodes to more than `maxBytes`, is held as text. */
  constructor(form: LargeForm, maxBytes: number) {
    this.form = form;
    this.#content = makeContent(form, maxBytes);
  }

  /**
   * Takes the bytes of `part` that belong to the string. Returns the index of the closing quote, or
   * -1.
   * @throws {SyntaxError}
   */
  push(part: Buffer): number {
    const end = this.#indexOfEnd(part);
    const own = end === -1 ? part : part.subarray(0, end);
    if (!(this.#content instanceof LargeBase64)) this.#content.push(own);
    else if (!this.#content.push(own)) {
      this.#content = this.#content.toLargeText();
      this.#content.push(own);
    }
    return end;
  }

  /**
   * Returns bytes only if they encode to the very same text, in either form. @throws {SyntaxError}
   */
  finish(): string | Uint8Array {
    const content = this.#content;
    if (!(content instanceof LargeBase64)) return content.finish();
    return content.finish() ?? content.toLargeText().finish();
  }

  #indexOfEnd(part: Buffer): number {
    let at = this.#isEscaped ? 1 : 0;
    const end = part.indexOf(quote, at);
    const escape = part.indexOf(backslash, at);
    if (escape === -1 || (end !== -1 && end < escape)) {
      this.#isEscaped &&= part.length === 0;
      return end;
    }
    for (at = escape; at < part.length; at += 1) {
      const byte = part[at];
      if (byte === quote) return at;
      if (byte === backslash) at += 1;
    }
    this.#isEscaped = at > part.length;
    return -1;
  }
}

function makeContent(form: LargeForm, maxBytes: number): LargeText | LargeUtf8 | LargeBase64 {
  if (form === 'text') return new LargeText();
  try {
    return form === 'utf8' ? new LargeUtf8(maxBytes) : new LargeBase64((maxBytes / 4) * 3);
  } catch {
    // No address range of that size is available; text needs none.
    return new LargeText();
  }
}

/** Maximum number of UTF-8 bytes for one unit of a string. */
const maxBytesPerUnit = 3;

/**
 * The text of one JSON string whose inside arrives in parts, split anywhere, as UTF-8: text that is
 * later written to a file or an editor is held once, and never as one string. A text that UTF-8
 * cannot hold, because of half a surrogate pair, becomes a string after all.
 */
class LargeUtf8 {
  readonly #bytes: GrowingBytes;
  readonly #batches = new StringBatches((piece, asWritten) => this.#take(piece, asWritten));
  /** The first half of a surrogate pair, from the end of the last piece. */
  #half = '';
  #text: string | undefined;

  /** @throws {RangeError} when the system cannot reserve an address range of that size */
  constructor(maxBytes: number) {
    this.#bytes = new GrowingBytes(maxBytes);
  }

  /** @throws {SyntaxError} when the parts so far cannot be the inside of a JSON string */
  push(part: Buffer): void {
    this.#batches.push(part);
  }

  /** @throws {SyntaxError} */
  finish(): string | Uint8Array {
    this.#batches.finish();
    if (this.#half !== '') this.#toText(this.#half);
    return this.#text ?? this.#bytes.finish();
  }

  #take(piece: string, asWritten: Buffer): void {
    if (this.#text !== undefined) {
      this.#text += piece;
      return;
    }
    const whole = this.#half + piece;
    // Only the last unit can be the first half of a pair that the next piece completes.
    const end = isFirstHalf(whole.charCodeAt(whole.length - 1)) ? whole.length - 1 : whole.length;
    const text = whole.slice(0, end);
    // Only ASCII and as many units as bytes: it has no escapes.
    const isPlain = text.length === asWritten.length && this.#half === '' && isAscii(asWritten);
    const isWritten = isPlain ? this.#copy(asWritten) : text.isWellFormed() && this.#write(text);
    if (isWritten) this.#half = whole.slice(end);
    else this.#toText(whole);
  }

  #copy(bytes: Buffer): boolean {
    const room = this.#bytes.withRoom(bytes.length);
    if (room !== undefined) this.#bytes.length += bytes.copy(room, this.#bytes.length);
    return room !== undefined;
  }

  #write(text: string): boolean {
    const room = this.#bytes.withRoom(text.length * maxBytesPerUnit);
    if (room !== undefined) this.#bytes.length += room.write(text, this.#bytes.length, 'utf8');
    return room !== undefined;
  }

  #toText(rest: string): void {
    this.#text = this.#bytes.toString('utf8') + rest;
    this.#half = '';
  }
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/**
 * Large enough that its text is not copied while young garbage is collected. From 1,031,913 bytes
 * Node keeps the text outside of the heap, where garbage stays until it reaches about 32 MiB.
 */
const batchBytes = 1_000 * 1024;

/** `\u1234` is the longest escape. */
const longestEscape = 6;

/** @param asWritten the bytes between the quotes, valid until the call returns */
export type TakePiece = (piece: string, asWritten: Buffer) => void;

/**
 * Decodes one JSON string whose inside arrives in parts, split anywhere, in pieces of about 1 MB.
 * Each batch is passed to `JSON.parse`, so that escapes, control characters and broken UTF-8 are
 * handled the same way. A piece may end between the halves of a surrogate pair.
 */
class StringBatches {
  readonly #take: TakePiece;
  readonly #batch = Buffer.allocUnsafeSlow(batchBytes);
  /** End of the data in the batch; its first byte is the opening quote. */
  #end = 1;

  constructor(take: TakePiece) {
    this.#take = take;
    this.#batch[0] = quote;
  }

  /** @throws {SyntaxError} when the parts so far cannot be the inside of a JSON string */
  push(part: Buffer): void {
    let from = 0;
    while (from < part.length) {
      // One byte is reserved for the closing quote.
      const to = Math.min(part.length, from + batchBytes - 1 - this.#end);
      this.#end += part.copy(this.#batch, this.#end, from, to);
      from = to;
      if (this.#end === batchBytes - 1) this.#decodeUpTo(safeCut(this.#batch, this.#end));
    }
  }

  /** Passes on the rest. @throws {SyntaxError} */
  finish(): void {
    this.#decodeUpTo(this.#end);
  }

  #decodeUpTo(cut: number): void {
    const rest = Buffer.from(this.#batch.subarray(cut, this.#end));
    this.#batch[cut] = quote;
    const literal = this.#batch.subarray(0, cut + 1);
    const piece: unknown = JSON.parse(literal.toString(isAscii(literal) ? 'latin1' : 'utf8'));
    this.#take(String(piece), this.#batch.subarray(1, cut));
    this.#end = 1 + rest.copy(this.#batch, 1);
  }
}

/**
 * Returns the last position at or before `end` that is neither inside a character nor inside an
 * escape.
 */
function safeCut(bytes: Buffer, end: number): number {
  return cutOutsideEscape(bytes, cutOutsideCharacter(bytes, end));
}

function cutOutsideCharacter(bytes: Buffer, end: number): number {
  // If none of the last three bytes begins a character, the last one is complete or was broken.
  for (let at = end - 1; at >= end - 3; at -= 1) {
    if ((bytes[at] ?? 0) >= 0xc0) return at;
  }
  return end;
}

function cutOutsideEscape(bytes: Buffer, end: number): number {
  const last = bytes.lastIndexOf(backslash, end - 1);
  if (last < 1 || last <= end - longestEscape) return end;
  let first = last;
  while (bytes[first - 1] === backslash) first -= 1;
  // An even number of backslashes are escaped backslashes.
  return (last - first) % 2 === 0 ? last : end;
}

/**
 * The text of one JSON string whose inside arrives in parts, split anywhere; its pieces are joined
 * when the string is read.
 */
class LargeText {
  #text: string;
  readonly #batches = new StringBatches((piece) => (this.#text += piece));

  /** @param beginning text before the first part */
  constructor(beginning = '') {
    this.#text = beginning;
  }

  /** @throws {SyntaxError} when the parts so far cannot be the inside of a JSON string */
  push(part: Buffer): void {
    this.#batches.push(part);
  }

  /** @throws {SyntaxError} */
  finish(): string {
    this.#batches.finish();
    return this.#text;
  }
}

const minus = 0x2d;
const underscore = 0x5f;

/** A shorter part may be used up by filling a group and by the kept rest. */
const minPlainBytes = 16;

/**
 * Decodes one base64 text that arrives in parts. Accepts what `decodeBase64` accepts and is
 * stricter at the end: the bytes must encode to exactly the received text.
 */
class LargeBase64 {
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
