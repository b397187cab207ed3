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
  TooMuchJson,
  literalEnd,
} from './jsonLimits';
import { withWrittenBytes } from './writtenBytes';
import { stringifyExactly } from './writtenNumber';

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

/** Larger texts are shown unformatted: formatting them would block the editor for a moment. */
const maxFormattedChars = 1024 * 1024;
/** Deeper texts too, because indentation alone would make them grow without bound. */
const maxFormattedDepth = 64;

/**
 * Formats valid JSON over several lines and keeps every literal as written, so that no number
 * changes. Text that is very long, very deep, or already has several lines is returned unchanged.
 */
export function formatJson(text: string): string {
  if (text.length > maxFormattedChars || text.trim().includes('\n')) return text;
  let out = '';
  let depth = 0;
  let isAfterOpening = false;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      at += 1;
      continue;
    }
    const isClosing = code === closingBrace || code === closingBracket;
    const isOpening = code === openingBrace || code === openingBracket;
    if (isClosing) depth -= 1;
    if (isOpening && depth === maxFormattedDepth) return text;
    if (isClosing ? !isAfterOpening : isAfterOpening) out += lineBreaks[depth] ?? '\n';
    if (isOpening) depth += 1;
    isAfterOpening = isOpening;
    if (code === comma) out += `,${lineBreaks[depth] ?? '\n'}`;
    else if (code === colon) out += ': ';
    else {
      const end = isOpening || isClosing ? at + 1 : literalEnd(text, at);
      out += text.slice(at, end);
      at = end;
      continue;
    }
    at += 1;
  }
  return `${out}\n`;
}

const lineBreaks = Array.from({ length: maxFormattedDepth + 1 }, (_, n) => `\n${'  '.repeat(n)}`);

/**
 * Formats a parsed value as JSON text, with numbers as written; `undefined` for a value that has no
 * JSON, or is nested too deeply to be written.
 */
export function jsonTextOf(value: unknown): string | undefined {
  try {
    const compact = exactJson(value);
    return compact === undefined ? undefined : formatJson(compact);
  } catch {
    // Nested deeper than the stack allows, or not a value that came from JSON.
    return undefined;
  }
}

/**
 * Writes a parsed value like `JSON.stringify`, with numbers as written, and bytes as the received
 * text. @throws {Error} when it is nested deeper than the stack allows
 */
export function exactJson(value: unknown, indent?: number): string | undefined {
  return stringifyExactly(withWrittenBytes(value), indent);
}
