import { AbstractMessageReader } from 'vscode-jsonrpc/node';
import type { DataCallback, Disposable, Message, MessageReader } from 'vscode-jsonrpc/node';
import type { Readable } from 'node:stream';
import { McpError, toMcpError } from './errors';

const newline = 0x0a;
const maxGarbageChars = 4096;

/** Says that a line held no value; it has been reported already. */
const notJson = new Error('not JSON');

export interface NdjsonReaderOptions {
  /** A longer line ends the connection with `messageTooLarge`; in bytes, without its newline. */
  readonly maxMessageBytes: number;
  /** A line that is no JSON, cut to 4,096 characters; untrusted. */
  readonly onGarbage: (line: string) => void;
}

/**
 * Reads one JSON value per line, and hands out each before the next chunk is looked at. Chunks are
 * searched for the newline byte and kept as they are until their line is complete, so that a chunk
 * never costs more than itself, and UTF-8 is only ever decoded whole. CR before LF, empty lines and
 * a byte order mark are let pass.
 *
 * Spec: 2025-11-25 basic/transports#stdio
 */
export class NdjsonReader extends AbstractMessageReader implements MessageReader {
  readonly #stream: Readable;
  readonly #options: NdjsonReaderOptions;
  #callback: DataCallback | undefined;
  /** Chunks of the line that has no end yet. */
  #parts: Buffer[] = [];
  #partsBytes = 0;
  #hasEnded = false;

  constructor(stream: Readable, options: NdjsonReaderOptions) {
    super();
    this.#stream = stream;
    this.#options = options;
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    this.#stream.on('data', this.#onData);
    this.#stream.once('end', this.#onEnd);
    this.#stream.once('close', this.#onEnd);
    this.#stream.on('error', this.#onError);
    return { dispose: () => this.#stopListening() };
  }

  override dispose(): void {
    this.#stopListening();
    super.dispose();
  }

  #stopListening(): void {
    if (this.#callback === undefined) return;
    this.#callback = undefined;
    this.#parts = [];
    // The stream flows on, to nowhere: a full pipe would keep the other side from leaving in order.
    this.#stream.off('data', this.#onData);
  }

  readonly #onData = (chunk: Buffer): void => {
    let start = 0;
    let end = chunk.indexOf(newline);
    while (end !== -1 && this.#callback !== undefined) {
      if (this.#parts.length === 0) this.#takeLine(chunk, start, end);
      else this.#takeSplitLine(chunk, end);
      start = end + 1;
      end = chunk.indexOf(newline, start);
    }
    if (this.#callback !== undefined && start < chunk.length) this.#keep(chunk.subarray(start));
  };

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#partsBytes += part.length;
    if (this.#partsBytes > this.#options.maxMessageBytes) this.#failTooLarge();
  }

  #takeSplitLine(chunk: Buffer, end: number): void {
    this.#keep(chunk.subarray(0, end));
    if (this.#callback === undefined) return;
    const line = Buffer.concat(this.#parts, this.#partsBytes);
    this.#parts = [];
    this.#partsBytes = 0;
    this.#takeLine(line, 0, line.length);
  }

  #takeLine(bytes: Buffer, start: number, end: number): void {
    if (end - start > this.#options.maxMessageBytes) {
      this.#failTooLarge();
      return;
    }
    if (end === start) return;
    const line = bytes.toString('utf8', start, end);
    try {
      this.#callback?.(this.#parse(line));
    } catch (error) {
      // Nothing that a server sends may make us throw into the stream's event: that would be an
      // uncaught exception of the whole extension host.
      if (error !== notJson) this.fireError(toMcpError(error));
    }
  }

  /** The type claims more than is known: whoever listens takes it as unknown. */
  #parse(line: string): Message {
    try {
      return JSON.parse(line);
    } catch {
      return this.#parseOddLine(line);
    }
  }

  #parseOddLine(line: string): Message {
    const text = line.replace(/^\uFEFF/, '').trim();
    if (text === '') throw notJson;
    if (text.length < line.length) {
      try {
        return JSON.parse(text);
      } catch {
        // No byte order mark was the trouble: it is garbage all the same.
      }
    }
    this.#options.onGarbage(text.slice(0, maxGarbageChars));
    throw notJson;
  }

  #failTooLarge(): void {
    const limit = this.#options.maxMessageBytes;
    this.#stopListening();
    this.fireError(new McpError('messageTooLarge', { limit }));
    this.#onEnd();
  }

  readonly #onError = (error: Error): void => {
    this.fireError(new McpError('connectionClosed', { detail: error.message, cause: error }));
    this.#onEnd();
  };

  readonly #onEnd = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // A last line without its newline is complete as far as it will ever be.
    if (this.#callback !== undefined && this.#parts.length > 0) {
      this.#takeSplitLine(Buffer.alloc(0), 0);
    }
    this.#stopListening();
    this.fireClose();
  };
}
