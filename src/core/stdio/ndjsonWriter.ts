import { AbstractMessageWriter } from 'vscode-jsonrpc/node';
import type { Message, MessageWriter } from 'vscode-jsonrpc/node';
import type { Writable } from 'node:stream';
import { McpError } from '../errors';
import { stringifyExactly } from '../json/writtenNumber';
import { alreadyQueued } from '../rpc/transport';

/**
 * After this many messages a write does not wait for the end of the turn. A write that wakes the
 * server costs as much as many messages; but with one write for a long turn, the server would be
 * idle while we write, and we would be idle while it answers.
 */
const messagesPerWrite = 16;

/**
 * Writes one line of compact JSON per message. The messages of one turn of the event loop share
 * writes, and messages sent while the pipe is full wait for it. A message is
 * serialised immediately, so a later change of its arguments does not reach the server.
 *
 * `write` resolves when the message is queued: only its answer or the end of the connection shows
 * whether it arrived. It rejects with `writeFailed` when the message cannot be JSON, and when more
 * than `maxQueuedChars` wait because the server does not read.
 */
export class NdjsonWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #stream: Writable;
  readonly #maxQueuedChars: number;
  #queued = '';
  #queuedMessages = 0;
  #isFlushPending = false;
  #isClosed = false;

  constructor(stream: Writable, maxQueuedChars: number) {
    super();
    this.#stream = stream;
    this.#maxQueuedChars = maxQueuedChars;
    stream.on('error', this.#onError);
    stream.once('close', this.#onClose);
    stream.on('drain', this.#flush);
  }

  write(message: Message): Promise<void> {
    if (this.#isClosed) return Promise.reject(new McpError('connectionClosed'));
    let line: string;
    try {
      line = stringifyExactly(message);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return Promise.reject(new McpError('writeFailed', { detail, cause: error }));
    }
    if (this.#queued.length + line.length > this.#maxQueuedChars) {
      return Promise.reject(new McpError('writeFailed', { limit: this.#maxQueuedChars }));
    }
    this.#queued += line + '\n';
    this.#queuedMessages += 1;
    if (this.#queuedMessages >= messagesPerWrite) this.#flush();
    else if (!this.#isFlushPending) {
      this.#isFlushPending = true;
      // Runs after the promise callbacks of this turn, in which answers lead to further calls.
      process.nextTick(this.#endTurn);
    }
    return alreadyQueued;
  }

  /** Sends the queue and accepts no further messages. Does not wait. The owner ends the stream. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#queued !== '') this.#stream.write(this.#queued);
    this.#queued = '';
  }

  override dispose(): void {
    this.#isClosed = true;
    this.#queued = '';
    // The error listener stays: a broken pipe after the end must not become an uncaught exception.
    this.#stream.off('drain', this.#flush);
    this.#stream.off('close', this.#onClose);
    super.dispose();
  }

  readonly #endTurn = (): void => {
    this.#isFlushPending = false;
    this.#flush();
  };

  readonly #flush = (): void => {
    if (this.#isClosed || this.#queued === '' || this.#stream.writableNeedDrain) return;
    const lines = this.#queued;
    this.#queued = '';
    this.#queuedMessages = 0;
    this.#stream.write(lines);
  };

  readonly #onError = (error: Error): void => {
    if (this.#isClosed) return;
    this.fireError(new McpError('writeFailed', { detail: error.message, cause: error }));
    this.#onClose();
  };

  readonly #onClose = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queued = '';
    this.fireClose();
  };
}
