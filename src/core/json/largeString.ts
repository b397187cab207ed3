/// <reference lib="es2024.string" />
import { LargeBase64 } from './largeBase64';
import { LargeText } from './largeText';
import { isAscii } from 'node:buffer';
import { GrowingBytes } from './growingBytes';
import { StringBatches } from './stringBatches';

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
