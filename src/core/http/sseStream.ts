import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type HttpBody, whenClosed, readBodyStart, statusFailure } from './httpBody';
import { StringDecoder } from 'node:string_decoder';
import { McpError, isMcpError } from '../errors';
import { LargeDataLines, minLineBytes, readData, type LargeData } from './largeDataLines';
import { tooLarge, type MessageLimits } from '../rpc/messageLimits';
import { ReadingTurns } from '../rpc/readingTurns';
import type { HttpAnswer } from './httpExchange';

/** The id must fit into a header beside the others. */
const maxIdBytes = 4_096;
/** Limit for one event without its extracted long line: the rest is parsed in one piece. */
const maxLinesChars = 8 * 1024 * 1024;

/** A piece of this size contains at most a few dozen requests, and each one gets an answer. */
const pieceChars = 4_096;

/**
 * A stream of server-sent events that may continue in several HTTP answers: keeps the state needed
 * to resume it. An event that is incomplete when an answer ends is dropped.
 *
 * Spec: HTML standard, server-sent events. The parser is a library, which gets whole characters and
 * line feeds only (a carriage return at the end of a chunk would make it wait, and many of them
 * would cost it quadratic time).
 */
export class SseStream {
  readonly #limits: MessageLimits;
  readonly #onEvent: (type: string, data: string) => void;
  readonly #onLarge: ((type: string, data: LargeData) => void) | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #events = 0;

  /**
   * Events over the limits end the stream, and so do those with more than 8 MiB in several lines.
   * With `onLarge`, the JSON of very large events is parsed while it arrives, and passed there.
   */
  constructor(
    limits: MessageLimits,
    onEvent: (type: string, data: string) => void,
    onLarge?: (type: string, data: LargeData) => void,
  ) {
    this.#limits = limits;
    this.#onEvent = onEvent;
    this.#onLarge = onLarge;
  }

  /**
   * Last event id of this stream only, as a header value; undefined without one that can be
   * sent.
   */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** The server's last value for the delay before resuming, in milliseconds. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Number of events so far, empty ones included. */
  get events(): number {
    return this.#events;
  }

  /**
   * Resolves when the answer has ended or broken off, which is the same to a stream.
   * @throws {McpError} answerTooLarge | errors of the listener
   */
  read(message: HttpBody): Promise<void> {
    return new Promise((resolve, reject) => {
      const decoder = new StringDecoder('utf8');
      const lines = new LineFeeds();
      const large = this.#onLarge && new LargeDataLines(this.#limits);
      const { maxMessageBytes } = this.#limits;
      let isTooLarge = false;
      const parser = createParser({
        maxBufferSize: Math.min(maxMessageBytes, maxLinesChars),
        onEvent: (event) => this.#take(event, large),
        onRetry: (retryMs) => (this.#retryMs = retryMs),
        onError: ({ type }) => {
          if (type === 'max-buffer-size-exceeded') isTooLarge = true;
        },
      });
      const attempt = (work: () => void): void => {
        if (isTooLarge) return;
        try {
          work();
          isTooLarge ||= large?.isTooLarge === true;
        } catch (error) {
          // The error must not become an uncaught exception of the extension host.
          reject(tooLarge('answerTooLarge', error));
          isTooLarge = true;
        }
        if (isTooLarge) message.destroy();
      };
      const pieces = new PiecesInTurns(message, (piece) => attempt(() => parser.feed(piece)));
      message.on('data', (chunk: Buffer) =>
        attempt(() =>
          pieces.take(chunk, () => lines.from(decoder.write(large?.from(chunk) ?? chunk))),
        ),
      );
      whenClosed(message, () => {
        pieces.takeRest();
        if (isTooLarge) reject(tooLargeEvent(maxMessageBytes, large?.isTooLarge === true));
        else resolve();
      });
    });
  }

  #take({ event, data, id }: EventSourceMessage, lines: LargeDataLines | undefined): void {
    this.#events += 1;
    if (id !== undefined) this.#lastEventId = toHeaderValue(id);
    // The priming event has no data, only an id.
    if (data === '') return;
    const isLong = lines !== undefined && data.length > minLineBytes;
    const large = lines?.take(data) ?? (isLong ? readData(data, this.#limits) : undefined);
    if (large === undefined) this.#onEvent(event ?? 'message', data);
    else this.#onLarge?.(event ?? 'message', large);
  }
}

function tooLargeEvent(maxBytes: number, isLine: boolean): McpError {
  return isLine || maxBytes <= maxLinesChars
    ? new McpError('answerTooLarge', { limit: maxBytes })
    : new McpError('answerTooLarge', { limit: maxLinesChars, measure: 'lines' });
}

/** Passes text on in pieces and yields to the event loop between pieces that took long. */
class PiecesInTurns {
  readonly #turns: ReadingTurns;
  readonly #handOn: (piece: string) => void;
  #text = '';

  constructor(stream: HttpBody, handOn: (piece: string) => void) {
    this.#turns = new ReadingTurns(stream);
    this.#handOn = handOn;
  }

  /** @param read makes the text of the chunk, within the measured time */
  take(chunk: Buffer | undefined, read = () => ''): void {
    this.#turns.begin();
    this.#text += read();
    do this.#handOnNext();
    while (this.#text !== '' && !this.#turns.isOver);
    this.#turns.took(chunk, this.#text === '' ? undefined : () => this.take(undefined));
  }

  /** The other side has closed while some of its data waited for its turn. */
  takeRest(): void {
    while (this.#text !== '') this.#handOnNext();
  }

  #handOnNext(): void {
    const piece = this.#text.slice(0, pieceChars);
    this.#text = this.#text.slice(pieceChars);
    this.#handOn(piece);
  }
}

/** Converts the lines of a stream to end in line feeds, without a byte order mark. */
class LineFeeds {
  #isFirst = true;
  #hasEndedWithReturn = false;

  from(text: string): string {
    if (text === '') return text;
    let start = 0;
    if (this.#isFirst && text.startsWith('\uFEFF')) start = 1;
    if (this.#hasEndedWithReturn && text.startsWith('\n')) start = 1;
    this.#isFirst = false;
    this.#hasEndedWithReturn = text.endsWith('\r');
    const rest = start === 0 ? text : text.slice(start);
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }
}

/** Encodes the id as UTF-8 bytes, as the standard requires. */
function toHeaderValue(id: string): string | undefined {
  const bytes = Buffer.from(id, 'utf8');
  const value = bytes.toString('latin1');
  const canBeSent = bytes.length <= maxIdBytes && /^[\t\x20-\x7e\x80-\xff]+$/.test(value);
  return canBeSent ? value : undefined;
}

/** Limit for error bodies: room for the data of a JSON-RPC error. */
const maxErrorBytes = 1024 * 1024;

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;
/** Keeps `retry: 0` from becoming a busy loop. */
const minDelayMs = 10;

/** Returns the error for an answer with a status from 300. */
export async function httpErrorOf(answer: HttpAnswer): Promise<McpError> {
  const { status, message, wasAnonymous } = answer;
  const body = await readBodyStart(message, maxErrorBytes);
  const failure = statusFailure(status, message.headers, body);
  if (status !== 401 || !wasAnonymous) return failure;
  return new McpError(failure.code, { ...failure.facts, wasAnonymous: true });
}

/**
 * Returns the delay before a stream is requested again: exactly the server's value, and
 * after a `failure`, or without such a value, a random delay that grows with each failure and is
 * never less than `failure` allows.
 */
export function resumeDelayMs(stream: SseStream, failures: number, failure?: unknown): number {
  const leastMs = Math.max(stream.retryMs ?? 0, minDelayMs);
  if (stream.retryMs !== undefined && failure === undefined) return leastMs;
  const delayMs = Math.min((stream.retryMs ?? firstDelayMs) * 2 ** failures, maxDelayMs);
  const afterMs = isMcpError(failure) ? (failure.facts.retryAfterMs ?? 0) : 0;
  const grownMs = failures === 0 ? delayMs : delayMs * (0.75 + Math.random() / 2);
  return Math.max(leastMs, grownMs, afterMs);
}

/** A second refused stream within this time does not count as a lost session. */
const windowMs = 60_000;

/**
 * Counts sessions that were considered lost because the stream for the server's own messages was
 * refused after it had been open. If that happens again soon, only the stream is affected: the next
 * request shows the state of the session.
 */
export class StreamLosses {
  #lastAt = -Infinity;

  /** Returns true if this refusal counts as a loss of the session. */
  allow(): boolean {
    const now = performance.now();
    if (now - this.#lastAt < windowMs) return false;
    this.#lastAt = now;
    return true;
  }
}
