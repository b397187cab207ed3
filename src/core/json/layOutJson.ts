import { WorkTurns } from '../bounds/workTurns';
import { GrowingBytes } from './growingBytes';
import { JsonCheck } from './jsonCheck';
import {
  backslash,
  closingBrace,
  closingBracket,
  colon,
  comma,
  isSpace,
  openingBrace,
  openingBracket,
  quote,
} from './jsonCodes';
import { TooMuchJson } from './jsonLimits';

/** VS Code neither folds nor colors larger texts (`editor.largeFileOptimizations`). */
const maxBytes = 20 * 1024 * 1024;
/** Deeper texts would grow without bound by their indentation. */
const maxDepth = 64;
/** Takes well below a millisecond. */
const sliceBytes = 8 * 1024;
/** A byte becomes at most a line break with its indentation, and itself. */
const maxGrowth = 2 * maxDepth + 4;
const lineFeed = 0x0a;
const space = 0x20;

/**
 * Formats one JSON array or object on one line over several lines and keeps every literal as
 * written, like `formatJson` for smaller texts. Returns `undefined` if it is no such JSON, is nested
 * too deeply, or would be longer than 20 MiB. Yields to other work meanwhile.
 */
export async function layOutJson(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length > maxBytes) return undefined;
  const turns = new WorkTurns();
  const check = new JsonCheck(0);
  const layout = new Layout();
  let end = -1;
  try {
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      const slice = bytes.subarray(at, at + sliceBytes);
      const length = end < 0 ? check.push(slice) : 0;
      const part = length < 0 ? slice : slice.subarray(0, length);
      if (!layout.take(part) || !slice.subarray(part.length).every(isSpace)) return undefined;
      if (length > 0) end = at + length;
      if (turns.isOver) await turns.giveWay();
    }
  } catch (error) {
    // A malformed or excessively nested text stays as it is.
    if (error instanceof SyntaxError || error instanceof TooMuchJson) return undefined;
    throw error;
  }
  return end < 0 ? undefined : layout.finish();
}

/** Adds line breaks to checked JSON that arrives in parts. */
class Layout {
  readonly #out = new GrowingBytes(maxBytes);
  /** The layout of one part; writing to it is much faster than to memory that grows. */
  readonly #part = Buffer.allocUnsafe(sliceBytes * maxGrowth);
  #length = 0;
  #depth = 0;
  #isAfterOpening = false;
  #isInString = false;
  #isEscaped = false;

  /** Returns false if the text has several lines already, is too deep or gets too long. */
  take(bytes: Uint8Array): boolean {
    this.#length = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#isInString) this.#putInString(byte);
      else if (!this.#put(byte)) return false;
    }
    return this.#keep();
  }

  finish(): Uint8Array | undefined {
    this.#length = 0;
    this.#write(lineFeed);
    return this.#keep() ? this.#out.finish() : undefined;
  }

  #keep(): boolean {
    const room = this.#out.withRoom(this.#length);
    if (room === undefined) return false;
    this.#out.length += this.#part.copy(room, this.#out.length, 0, this.#length);
    return true;
  }

  #put(byte: number): boolean {
    if (isSpace(byte)) return byte !== lineFeed || this.#depth === 0;
    const isClosing = byte === closingBrace || byte === closingBracket;
    const isOpening = byte === openingBrace || byte === openingBracket;
    if (isClosing) this.#depth -= 1;
    if (isOpening && this.#depth === maxDepth) return false;
    if (isClosing ? !this.#isAfterOpening : this.#isAfterOpening) this.#breakLine();
    if (isOpening) this.#depth += 1;
    this.#isAfterOpening = isOpening;
    this.#write(byte);
    if (byte === comma) this.#breakLine();
    else if (byte === colon) this.#write(space);
    this.#isInString = byte === quote;
    return true;
  }

  #putInString(byte: number): void {
    this.#write(byte);
    this.#isInString = this.#isEscaped || byte !== quote;
    this.#isEscaped = !this.#isEscaped && byte === backslash;
  }

  #breakLine(): void {
    this.#write(lineFeed);
    for (let left = 2 * this.#depth; left > 0; left -= 1) this.#write(space);
  }

  #write(byte: number): void {
    this.#part[this.#length] = byte;
    this.#length += 1;
  }
}
