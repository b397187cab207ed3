import { AbstractMessageReader } from 'vscode-jsonrpc/node';
import type { DataCallback, Disposable, Message, MessageReader } from 'vscode-jsonrpc/node';
import type { Readable } from 'node:stream';
import { McpError, toMcpError } from '../errors';
import { JsonAssembler } from '../json/jsonAssembler';
import { TooMuchJson } from '../json/jsonLimits';
import { NotJson, parseJson } from '../json/parseJson';
import { tooLarge } from '../rpc/messageLimits';
import type { MessageLimits } from '../rpc/messageLimits';
import { ReadingTurns } from '../rpc/readingTurns';

const newline = 0x0a;
const noBytes = Buffer.alloc(0);
/** Number of lines that are handled between checks of the clock. */
const linesBetweenLooks = 16;
const maxUnfinishedBytes = 300;
/** A longer line is checked before it is parsed. */
const maxUnseenChars = 256 * 1024;

/** A line over the limits ends the connection with `messageTooLarge`; its newline does not count. */
export interface NdjsonReaderOptions extends MessageLimits {
  /** Called with a line that is not JSON, cut to 4,096 characters; untrusted. */
  readonly onGarbage: (line: string) => void;
}

/**
 * Reads one JSON value per line, and delivers each before the next chunk is examined. Chunks are
 * searched for the newline byte; those of an unfinished line go to the assembler, so that no chunk
 * is processed twice. CR before LF, empty lines and a byte order mark are ignored.
 *
 * Spec: 2025-11-25 basic/transports#stdio
 */
export class NdjsonReader extends AbstractMessageReader implements MessageReader {
  readonly #stream: Readable;
  readonly #options: NdjsonReaderOptions;
  #callback: DataCallback | undefined;
  /** The unfinished line. */
  readonly #line: JsonAssembler;
  readonly #turns: ReadingTurns;
  /**
   * Whole lines of the last chunk, the number of their characters already handled, and the bytes
   * after them.
   */
  #lines = '';
  #linesTaken = 0;
  #rest: Buffer = noBytes;
  #hasEnded = false;

  constructor(stream: Readable, options: NdjsonReaderOptions) {
    super();
    this.#stream = stream;
    this.#options = options;
    this.#line = new JsonAssembler({
      maxBytes: options.maxMessageBytes,
      maxValues: options.maxMessageValues,
    });
    this.#turns = new ReadingTurns(stream);
  }

  /** Returns the beginning of the unfinished line, such as a prompt on stdout. Untrusted. */
  unfinished(): string {
    return this.#line.beginning(maxUnfinishedBytes).trim();
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
    this.#lines = '';
    this.#rest = noBytes;
    this.#line.reset();
    // The stream keeps flowing into nothing: a full pipe would keep the server from exiting
    // properly.
    this.#stream.off('data', this.#onData);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#turns.begin();
    const end = chunk.lastIndexOf(newline) + 1;
    let start = 0;
    if (end > 0 && this.#line.byteLength > 0) {
      start = chunk.indexOf(newline) + 1;
      this.#takeSplitLine(chunk.subarray(0, start - 1));
    }
    // Decoded once for all lines, which is cheaper than decoding each.
    this.#lines = start < end ? chunk.toString('utf8', start, end) : '';
    this.#linesTaken = 0;
    this.#rest = chunk.subarray(end);
    this.#takeLines(chunk);
  };

  /** Handles received lines, as far as this turn allows. */
  #takeLines(chunk: Buffer | undefined): void {
    const isDone = this.#takeWholeLines(true);
    if (isDone) this.#takeRest();
    this.#turns.took(chunk, isDone ? undefined : this.#onNextTurn);
  }

  readonly #onNextTurn = (): void => {
    if (this.#callback === undefined || this.#hasEnded) return;
    this.#turns.begin();
    this.#takeLines(undefined);
  };

  #takeRest(): void {
    this.#lines = '';
    if (this.#callback !== undefined && this.#rest.length > 0) this.#keep(this.#rest);
    this.#rest = noBytes;
  }

  #keep(part: Buffer): void {
    const limit = this.#options.maxMessageBytes;
    if (this.#line.byteLength + part.length > limit) {
      this.#fail(new McpError('messageTooLarge', { limit }));
      return;
    }
    try {
      this.#line.push(part);
    } catch (error) {
      this.#fail(tooLarge('messageTooLarge', error));
    }
  }

  #takeSplitLine(last: Buffer): void {
    this.#keep(last);
    if (this.#callback !== undefined) this.#deliver();
  }

  /**
   * Returns true if no line is left; with `isBounded`, stops when other work should have its turn.
   */
  #takeWholeLines(isBounded: boolean): boolean {
    const lines = this.#lines;
    let start = this.#linesTaken;
    let end = lines.indexOf('\n', start);
    for (let count = 1; end !== -1 && this.#callback !== undefined; count += 1) {
      if (end > start) this.#takeWholeLine(lines.slice(start, end));
      start = end + 1;
      this.#linesTaken = start;
      end = lines.indexOf('\n', start);
      const isLook = isBounded && count % linesBetweenLooks === 0;
      if (isLook && end !== -1 && this.#turns.isOver) return false;
    }
    return true;
  }

  #takeWholeLine(line: string): void {
    const limit = this.#options.maxMessageBytes;
    if (isLongerThan(line, limit)) this.#fail(new McpError('messageTooLarge', { limit }));
    else if (line.length <= maxUnseenChars) this.#deliver(line);
    else this.#takeSplitLine(Buffer.from(line));
  }

  /** Delivers `line`, or the line in the assembler. */
  #deliver(line?: string): void {
    try {
      const value = line === undefined ? this.#line.end() : parseJson(line);
      if (isClaimedMessage(value)) this.#callback?.(value);
    } catch (error) {
      // Data from a server must never throw into the stream's event: that would be an uncaught
      // exception of the whole extension host.
      if (error instanceof TooMuchJson) this.#fail(tooLarge('messageTooLarge', error));
      else if (!(error instanceof NotJson)) this.fireError(toMcpError(error));
      else if (error.excerpt !== '') this.#options.onGarbage(error.excerpt);
    }
  }

  #fail(error: McpError): void {
    this.#stopListening();
    this.fireError(error);
    this.#onEnd();
  }

  readonly #onError = (error: Error): void => {
    this.fireError(new McpError('connectionClosed', { detail: error.message, cause: error }));
    this.#onEnd();
  };

  readonly #onEnd = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // The other side has closed while some of its data waited for its turn.
    this.#takeWholeLines(false);
    this.#takeRest();
    // A last line without its newline will not get any longer, so it is complete.
    if (this.#callback !== undefined && this.#line.byteLength > 0) {
      this.#takeSplitLine(noBytes);
    }
    this.#stopListening();
    this.fireClose();
  };
}

/** The callback's type promises more than is known: listeners treat the value as unknown. */
function isClaimedMessage(value: unknown): value is Message {
  return value !== undefined;
}

/** Measured in UTF-8, where no character of a string takes more than three bytes. */
function isLongerThan(line: string, maxBytes: number): boolean {
  return line.length * 3 > maxBytes && Buffer.byteLength(line) > maxBytes;
}
