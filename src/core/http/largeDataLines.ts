import { randomUUID } from 'node:crypto';
import { JsonAssembler } from '../json/jsonAssembler';
import { NotJson } from '../json/parseJson';
import type { MessageLimits } from '../rpc/messageLimits';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Minimum length of a line that is extracted. */
export const minLineBytes = 256 * 1024;
/** Maximum distance to the beginning of the event. */
const maxFieldChars = 4_096;

/** The data of an event: a JSON value, or the beginning of data that is not JSON. */
export type LargeData =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'garbage'; readonly excerpt: string };

/**
 * Extracts very long data lines from a stream of server-sent events while they arrive, so that they
 * are never one string; a mark that no server can guess replaces each. An event may have several
 * lines; only its first data line is extracted.
 */
export class LargeDataLines {
  readonly #limits: MessageLimits;
  readonly #mark = randomUUID();
  readonly #data: JsonAssembler;
  /** The unfinished line, unless it is being extracted. */
  #line: Buffer[] = [];
  #lineBytes = 0;
  #isOpen = false;
  /** True if a line was extracted from an event that has not ended. */
  #isPending = false;
  /** The end of the text passed to the parser; a stream begins as if after an event. */
  #before = '\n\n';

  constructor(limits: MessageLimits) {
    this.#limits = limits;
    this.#data = assemblerFor(limits);
  }

  /** True if the unfinished line is too long. */
  get isTooLarge(): boolean {
    return Math.max(this.#lineBytes, this.#data.byteLength) > this.#limits.maxMessageBytes;
  }

  /** Returns the whole lines for the parser, with the long ones replaced. @throws {TooMuchJson} */
  from(chunk: Buffer): Buffer {
    const out: Buffer[] = [];
    let rest = chunk;
    if (this.#isOpen) {
      const end = firstLineEnd(chunk);
      this.#data.push(end === -1 ? chunk : chunk.subarray(0, end));
      if (end === -1) return Buffer.alloc(0);
      this.#isOpen = false;
      this.#isPending = true;
      out.push(Buffer.from(`data:${this.#mark}`));
      rest = chunk.subarray(end);
    }
    const end = Math.max(rest.lastIndexOf(lineFeed), rest.lastIndexOf(carriageReturn)) + 1;
    if (end > 0) {
      out.push(...this.#line, rest.subarray(0, end));
      this.#line = [];
      this.#lineBytes = 0;
    }
    if (end < rest.length) this.#hold(rest.subarray(end));
    const whole = out.length === 1 && out[0] !== undefined ? out[0] : Buffer.concat(out);
    this.#before = (
      this.#before + whole.toString('latin1', Math.max(0, whole.length - 4_096))
    ).slice(-maxFieldChars);
    if (this.#lineBytes > minLineBytes) this.#takeOut();
    return whole;
  }

  /**
   * Returns the extracted value of the event with this data; `undefined` if nothing was extracted.
   * @throws {TooMuchJson}
   */
  take(data: string): LargeData | undefined {
    if (!this.#isPending || !data.startsWith(this.#mark)) return undefined;
    this.#isPending = false;
    // A line end between its lines is white space in JSON, or an error.
    if (data.length > this.#mark.length)
      this.#data.push(Buffer.from(data.slice(this.#mark.length)));
    return endOf(this.#data);
  }

  #hold(part: Buffer): void {
    this.#line.push(part);
    this.#lineBytes += part.length;
  }

  #takeOut(): void {
    const line = Buffer.concat(this.#line.slice(0, 6)).subarray(0, 6).toString('latin1');
    if (this.#isPending || !line.startsWith('data:') || this.#hasData()) return;
    let prefix = line.startsWith('data: ') ? 6 : 5;
    for (const part of this.#line) {
      this.#data.push(part.subarray(prefix));
      prefix = Math.max(0, prefix - part.length);
    }
    this.#line = [];
    this.#lineBytes = 0;
    this.#isOpen = true;
  }

  /** True if the event may have data before this line. */
  #hasData(): boolean {
    const lines = this.#before.split(/\r\n|\r|\n/);
    // The last item is the empty text behind the last line end.
    const begin = lines.lastIndexOf('', -2);
    return begin === -1 || lines.slice(begin).some((line) => line.startsWith('data'));
  }
}

/**
 * Reads data that arrived as text; it may be longer than an extracted line. @throws {TooMuchJson}
 */
export function readData(data: string, limits: MessageLimits): LargeData {
  const assembler = assemblerFor(limits);
  assembler.push(Buffer.from(data));
  return endOf(assembler);
}

function assemblerFor({ maxMessageBytes, maxMessageValues }: MessageLimits): JsonAssembler {
  return new JsonAssembler({ maxBytes: maxMessageBytes, maxValues: maxMessageValues });
}

function endOf(assembler: JsonAssembler): LargeData {
  try {
    return { kind: 'value', value: assembler.end() };
  } catch (error) {
    if (error instanceof NotJson) return { kind: 'garbage', excerpt: error.excerpt };
    throw error;
  }
}

function firstLineEnd(bytes: Buffer): number {
  const feed = bytes.indexOf(lineFeed);
  const until = feed === -1 ? bytes : bytes.subarray(0, feed);
  const carriage = until.indexOf(carriageReturn);
  return carriage === -1 ? feed : carriage;
}
