import { AbstractMessageReader } from 'vscode-jsonrpc/node';
import type { DataCallback, Disposable, Message, MessageReader } from 'vscode-jsonrpc/node';
import type { Readable } from 'node:stream';
import { McpError, toMcpError } from '../errors';
import { JsonAssembler } from '../json/jsonAssembler';
import { NotJson, parseJson } from '../json/parseJson';

const newline = 0x0a;

export interface NdjsonReaderOptions {
  /** A longer line ends the connection with `messageTooLarge`; in bytes, without its newline. */
  readonly maxMessageBytes: number;
  /** A line that is no JSON, cut to 4,096 characters; untrusted. */
  readonly onGarbage: (line: string) => void;
}

/**
 * Reads one JSON value per line, and hands out each before the next chunk is looked at. Chunks are
 * searched for the newline byte; those of a line that has not ended are the assembler's, so that a
 * chunk never costs more than itself. CR before LF, empty lines and a byte order mark are let pass
 * (R-115).
 *
 * Spec: 2025-11-25 basic/transports#stdio
 */
export class NdjsonReader extends AbstractMessageReader implements MessageReader {
  readonly #stream: Readable;
  readonly #options: NdjsonReaderOptions;
  #callback: DataCallback | undefined;
  /** The line that has no end yet. */
  readonly #line: JsonAssembler;
  #hasEnded = false;

  constructor(stream: Readable, options: NdjsonReaderOptions) {
    super();
    this.#stream = stream;
    this.#options = options;
    this.#line = new JsonAssembler(options.maxMessageBytes);
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
    this.#line.reset();
    // The stream flows on, to nowhere: a full pipe would keep the other side from leaving in order.
    this.#stream.off('data', this.#onData);
  }

  readonly #onData = (chunk: Buffer): void => {
    let start = 0;
    let end = chunk.indexOf(newline);
    while (end !== -1 && this.#callback !== undefined) {
      if (this.#line.byteLength === 0) this.#takeWholeLine(chunk, start, end);
      else this.#takeSplitLine(chunk.subarray(0, end));
      start = end + 1;
      end = chunk.indexOf(newline, start);
    }
    if (this.#callback !== undefined && start < chunk.length) this.#keep(chunk.subarray(start));
  };

  #keep(part: Buffer): void {
    if (this.#line.byteLength + part.length > this.#options.maxMessageBytes) this.#failTooLarge();
    else this.#line.push(part);
  }

  #takeSplitLine(last: Buffer): void {
    this.#keep(last);
    if (this.#callback !== undefined) this.#deliver(() => this.#line.end());
  }

  #takeWholeLine(chunk: Buffer, start: number, end: number): void {
    if (end === start) return;
    if (end - start > this.#options.maxMessageBytes) this.#failTooLarge();
    else this.#deliver(() => parseJson(chunk.toString('utf8', start, end)));
  }

  #deliver(parse: () => unknown): void {
    try {
      const value = parse();
      if (isClaimedMessage(value)) this.#callback?.(value);
    } catch (error) {
      // Nothing that a server sends may make us throw into the stream's event: that would be an
      // uncaught exception of the whole extension host.
      if (!(error instanceof NotJson)) this.fireError(toMcpError(error));
      else if (error.excerpt !== '') this.#options.onGarbage(error.excerpt);
    }
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
    if (this.#callback !== undefined && this.#line.byteLength > 0) {
      this.#takeSplitLine(Buffer.alloc(0));
    }
    this.#stopListening();
    this.fireClose();
  };
}

/** The type of the callback claims more than is known: whoever listens takes it as unknown. */
function isClaimedMessage(value: unknown): value is Message {
  return value !== undefined;
}
