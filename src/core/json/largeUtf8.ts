/// <reference lib="es2024.string" />
import { isAscii } from 'node:buffer';
import { GrowingBytes } from './growingBytes';
import { StringBatches } from './stringBatches';

/** Maximum number of UTF-8 bytes for one unit of a string. */
const maxBytesPerUnit = 3;

/**
 * The text of one JSON string whose inside arrives in parts, split anywhere, as UTF-8: text that is
 * later written to a file or an editor is held once, and never as one string. A text that UTF-8
 * cannot hold, because of half a surrogate pair, becomes a string after all.
 */
export class LargeUtf8 {
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
