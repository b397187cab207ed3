import { CancellationTokenSource, ErrorCodes } from 'vscode-jsonrpc/node';
import type { CancellationToken, Message } from 'vscode-jsonrpc/node';
import { WorkTurns } from '../bounds/workTurns';
import { toMcpError } from '../errors';
import type { ConnectionLog } from '../log';
import { isObject, stringOrAbsent } from '../json/shapes';
import { keyOfId, type ServerRequest } from './incoming';

/** Limits the unanswered requests of the server; further ones are refused. */
const maxWaiting = 1_000;
const maxReasonChars = 200;

/** Answers one request of the server. @throws {RequestRefused} the error for the server */
export type AnswerRequest = (
  method: string,
  params: unknown,
  token: CancellationToken,
) => object | Promise<object>;

/**
 * How requests are handled: answered, held until that is decided, or dropped with a line in the log
 * because the era has none.
 */
export type RequestHandling = 'answer' | 'hold' | 'drop';

/** Thrown by an {@link AnswerRequest} to answer with this error. */
export class RequestRefused extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'RequestRefused';
  }
}

/**
 * Answers requests of the server. Floods cannot pile up, only chosen errors are sent (the texts of
 * other exceptions may have paths and names, R-109), and requests that the server cancels are not
 * answered.
 */
export class ServerRequests {
  readonly #answerRequest: AnswerRequest;
  readonly #log: ConnectionLog;
  readonly #write: (message: Message) => Promise<void>;
  readonly #running = new Map<unknown, CancellationTokenSource>();
  #manner: RequestHandling = 'answer';
  #held: ServerRequest[] = [];
  #queue: { readonly message: ServerRequest; readonly source: CancellationTokenSource }[] = [];
  #isBeginning = false;
  #waiting = 0;
  readonly #warned = new Set<string>();

  constructor(
    answerRequest: AnswerRequest,
    log: ConnectionLog,
    write: (message: Message) => Promise<void>,
  ) {
    this.#answerRequest = answerRequest;
    this.#log = log;
    this.#write = write;
  }

  /** Applies to held requests too. */
  set manner(manner: RequestHandling) {
    this.#manner = manner;
    if (manner === 'hold') return;
    for (const message of this.#held.splice(0)) this.take(message);
  }

  take(message: ServerRequest): void {
    if (this.#manner === 'drop') {
      this.#warnOnce(
        `the server sent a request where it must not: ${message.method.slice(0, 100)}`,
      );
    } else if (this.#waiting + this.#held.length >= maxWaiting) {
      this.#warnOnce('more than 1,000 requests of the server are waiting');
      this.#refuse(message, ErrorCodes.InternalError, 'Too many requests are waiting');
    } else if (this.#manner === 'hold') this.#held.push(message);
    else this.#enqueue(message);
  }

  /**
   * Handles the params of `notifications/cancelled`. Returns true if they cancel one of these
   * requests.
   */
  cancel(params: unknown): boolean {
    if (!isObject(params)) return false;
    const key = keyOfId(params.requestId);
    const source = this.#running.get(key);
    const held = this.#held.filter(({ id }) => keyOfId(id) !== key);
    if (source === undefined && held.length === this.#held.length) return false;
    this.#held = held;
    const reason = stringOrAbsent(params.reason) ?? 'no reason given';
    this.#log.info(`the server took back a request: ${reason.slice(0, maxReasonChars)}`);
    source?.cancel();
    return true;
  }

  /** Called when answers can no longer be sent. */
  dispose(): void {
    this.#held = [];
    this.#queue = [];
    for (const source of this.#running.values()) source.cancel();
  }

  #enqueue(message: ServerRequest): void {
    const source = new CancellationTokenSource();
    this.#waiting += 1;
    this.#running.set(keyOfId(message.id), source);
    this.#queue.push({ message, source });
    if (!this.#isBeginning) void this.#beginAll();
  }

  /**
   * Yields to other work, because starting an answer may cost far more than its request. Never
   * rejects.
   */
  async #beginAll(): Promise<void> {
    this.#isBeginning = true;
    const turns = new WorkTurns();
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      void this.#answer(next.message, next.source);
      await turns.giveWay();
    }
    this.#isBeginning = false;
  }

  /** Never rejects. */
  async #answer(message: ServerRequest, source: CancellationTokenSource): Promise<void> {
    const { id, method } = message;
    try {
      // Deferred by a turn whether it throws or returns, so that answers keep the order of
      // requests.
      const result = await Promise.resolve().then(() =>
        this.#answerRequest(method, message.params, source.token),
      );
      if (!source.token.isCancellationRequested) this.#send({ id, result });
    } catch (error) {
      if (source.token.isCancellationRequested) return;
      if (error instanceof RequestRefused) {
        this.#refuse(message, error.code, error.message);
        return;
      }
      this.#log.warn(`answering ${method}: ${toMcpError(error).message}`);
      this.#refuse(message, ErrorCodes.InternalError, 'Internal error');
    } finally {
      this.#waiting -= 1;
      // A server that reuses an id replaces its first request by the second.
      const key = keyOfId(id);
      if (this.#running.get(key) === source) this.#running.delete(key);
    }
  }

  #refuse({ id }: ServerRequest, code: number, message: string): void {
    this.#send({ id, error: { code, message } });
  }

  #send(answer: object): void {
    const message: Message = { jsonrpc: '2.0', ...answer };
    this.#write(message).catch(() => {
      // The server no longer reads its answers.
    });
  }

  /** Each shortened text is logged once, so that a flood does not fill the log. */
  #warnOnce(text: string): void {
    if (this.#warned.has(text) || this.#warned.size >= 20) return;
    this.#warned.add(text);
    this.#log.warn(text);
  }
}
