import {
  CancellationReceiverStrategy,
  createMessageConnection,
  Emitter,
  ResponseError,
} from 'vscode-jsonrpc/node';
import type {
  CancellationToken,
  DataCallback,
  Message,
  MessageConnection,
  RequestMessage,
} from 'vscode-jsonrpc/node';
import { isMcpError, McpError, toMcpError, withoutEffect } from '../errors';
import { sortIncoming, type AnswerMessage, type IncomingSink, type RequestId } from './incoming';
import { ForwardingWriter, InnerReader } from './innerStreams';
import type { ConnectionLog } from '../log';
import { OddAnswers, type MatchedAnswer } from './oddAnswers';
import { PendingRequests, withToken, type Pending } from './pendingRequests';
import type { PendingOptions, RpcLimits } from './pendingRequests';
import { ServerFloods } from './serverFloods';
import { ServerRequests, type AnswerRequest, type RequestManner } from './serverRequests';
import { showMessage } from './traceText';
import { queued, type Transport } from './transport';

export interface RpcOptions {
  readonly log: ConnectionLog;
  readonly limits: RpcLimits;
  readonly onNotification: (method: string, params: unknown) => void;
  readonly answerRequest: AnswerRequest;
  /** JSON that is no message, at most 4,096 characters of it. */
  readonly onGarbage: (text: string) => void;
}

export interface RpcRequestOptions extends PendingOptions {
  readonly token?: CancellationToken;
}

/** Params of a request: an object, because MCP knows no positional ones. */
export type RequestParams = { readonly [key: string]: unknown };

/**
 * JSON-RPC over one transport, as MCP wants it: vscode-jsonrpc matches answers to requests, and
 * this class stands between it and the transport and closes its gaps. A request is settled locally
 * (cancelled, overdue, closed) by handing the library an answer of our own, so that it forgets the
 * request and whatever comes later finds nobody.
 *
 * Answers resolve and notifications are handed out within the transport's own event, in the order
 * in which they came; the continuation of an answer runs when that event is over.
 */
export class Rpc {
  readonly #transport: Transport;
  readonly #options: RpcOptions;
  readonly #log: ConnectionLog;
  readonly #pending: PendingRequests;
  readonly #oddAnswers: OddAnswers;
  readonly #serverRequests: ServerRequests;
  readonly #library: MessageConnection;
  readonly #sink: IncomingSink;
  #deliver: DataCallback = () => undefined;
  /** The request that vscode-jsonrpc is about to give an id. */
  #starting: Pending | undefined;
  readonly #warned = new Set<string>();
  #closing: Promise<McpError> | undefined;
  #end: { readonly reason: McpError } | undefined;

  readonly #onDidEnd = new Emitter<McpError | undefined>();
  /** Fires once. Without an error when we ended it ourselves. */
  readonly onDidEnd = this.#onDidEnd.event;

  constructor(transport: Transport, options: RpcOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#log = options.log;
    this.#pending = new PendingRequests(options.limits, (late) => {
      const misframed = transport.misframed?.();
      const facts = misframed === undefined ? {} : { misframed };
      void this.#abandon(late.id, new McpError('timeout', { limit: late.timeoutMs, ...facts }));
    });
    this.#oddAnswers = new OddAnswers(this.#pending, (text) => this.#warnOnce(text));
    this.#serverRequests = new ServerRequests(options.answerRequest, options.log, (message) =>
      this.#write(message),
    );
    this.#sink = {
      floods: transport.floods ?? new ServerFloods(),
      answer: (message, error) => this.#settle(message, error),
      request: (message) => this.#serverRequests.take(message),
      notification: (method, params) => this.#notified(method, params),
      garbage: options.onGarbage,
    };
    this.#library = this.#connect();
    this.#sink.floods.onFlood = (reason) => this.end(reason, 'atOnce');
  }

  /**
   * Sends a request; resolves with what `parse` makes of its result, or `recover` of the error that
   * came instead of one. Never throws at once.
   * @throws {McpError} cancelled | timeout | serverError | invalidResult | writeFailed |
   *   connectionClosed and the other reasons for which a connection ends
   */
  request<T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: RpcRequestOptions = {},
    recover: (error: McpError) => T | Promise<T> = rethrow,
  ): Promise<T> {
    if (this.#end !== undefined) return Promise.reject(withoutEffect(this.#end.reason));
    if (this.#closing !== undefined)
      return this.#closing.then((reason) => rethrow(withoutEffect(reason)));
    const { token } = options;
    // vscode-jsonrpc would send it and cancel it afterwards.
    if (token?.isCancellationRequested === true) return Promise.reject(new McpError('cancelled'));

    const pending = this.#pending.prepare(options);
    const sent =
      pending.progressToken === undefined ? params : withToken(params, pending.progressToken);
    this.#starting = pending;
    try {
      const answer: Promise<unknown> =
        token === undefined
          ? this.#library.sendRequest(method, sent)
          : this.#library.sendRequest(method, sent, token);
      return answer.then(parse, (error: unknown) => recover(toLocal(error)));
    } catch (error) {
      return Promise.reject(toMcpError(error));
    }
  }

  /** Sends a notification; one that cannot be sent is logged, nothing more. */
  notify(method: string, params?: RequestParams): void {
    if (this.#end !== undefined) return;
    const sent =
      params === undefined
        ? this.#library.sendNotification(method)
        : this.#library.sendNotification(method, params);
    sent.catch((error: unknown) => {
      // What was under way when the connection ended ended with it.
      if (this.#end === undefined) this.#log.warn(`${method}: ${toMcpError(error).message}`);
    });
  }

  /** What becomes of the server's requests from now on; they are answered until this is called. */
  handleRequests(manner: RequestManner): void {
    this.#serverRequests.manner = manner;
  }

  /** Settles a request of ours with `error`, and tells the server nothing of it. */
  settle(id: RequestId, error: McpError): void {
    if (this.#pending.has(id)) this.#fail(id, error);
  }

  /**
   * Stops the clocks of all requests while we make the server wait, until the returned
   * function is called.
   */
  pauseDeadlines(): () => void {
    return this.#pending.pause();
  }

  /**
   * Ends the connection and settles every request with `reason`, or with `connectionClosed` when
   * it is our own wish. Idempotent. The transport is told; it is not waited for.
   */
  end(reason: McpError | undefined, manner: 'orderly' | 'atOnce'): void {
    if (this.#end !== undefined) return;
    this.#end = { reason: reason ?? new McpError('connectionClosed') };
    for (const { id } of this.#pending.all) this.#fail(id, this.#end.reason);
    this.#pending.dispose();
    this.#serverRequests.dispose();
    this.#transport.writer.end();
    this.#library.dispose();
    this.#transport.reader.dispose();
    this.#transport.writer.dispose();
    void this.#transport.close(manner);
    this.#onDidEnd.fire(reason);
    this.#onDidEnd.dispose();
  }

  #connect(): MessageConnection {
    const { reader, writer, onUnreadableLine } = this.#transport;
    reader.onError((error) => this.#onReaderError(error));
    writer.onError(([error]) => this.#log.warn(`writing: ${error.message}`));
    reader.onClose(() => this.#explainEnd());
    onUnreadableLine?.((line) => this.#settleOdd(this.#oddAnswers.matchUnreadable(line)));
    writer.onClose(() => this.#explainEnd());

    const library = createMessageConnection(
      new InnerReader((deliver) => {
        this.#deliver = deliver;
        return reader.listen((value) => this.#receive(value));
      }),
      new ForwardingWriter((message) => this.#write(message)),
      undefined,
      {
        // Any number: without one, vscode-jsonrpc queues each answer behind a `setImmediate`.
        maxParallelism: Number.MAX_SAFE_INTEGER,
        cancellationStrategy: {
          receiver: CancellationReceiverStrategy.Message,
          sender: {
            enableCancellation: (request) => this.#admit(request),
            sendCancellation: (_connection, id) => this.#abandon(id, new McpError('cancelled')),
            cleanup: (id) => this.#pending.forget(id),
          },
        },
      },
    );
    library.listen();
    return library;
  }

  /** vscode-jsonrpc tells the id of a request only here, before it writes it. */
  #admit(request: RequestMessage): void {
    const pending = this.#starting;
    this.#starting = undefined;
    if (pending !== undefined && request.id !== null) this.#pending.admit(pending, request.id);
  }

  #write(message: Message): Promise<void> {
    showMessage(this.#log, 'sent', message);
    const written = this.#transport.writer.write(message);
    if (!('method' in message && 'id' in message)) this.#pending.wroteOther();
    else if (written !== queued) {
      const { id } = message;
      // Before the library sees it: it would keep no more of the error than its text.
      written.catch((error: unknown) => {
        if (this.#pending.has(id)) this.#fail(id, toMcpError(error));
      });
    }
    return written;
  }

  #fail(id: RequestId, error: McpError): void {
    const answer = { jsonrpc: '2.0', id, error: { code: 0, message: error.code, data: error } };
    this.#deliver(answer);
  }

  /** Settles at once and tells the server; what it answers later finds nobody. */
  async #abandon(id: RequestId, error: McpError): Promise<void> {
    const pending = this.#pending.giveUp(id);
    if (pending === undefined) return;
    this.#fail(id, error);
    if (pending.isUncancellable) return;
    const reason = error.code === 'timeout' ? 'Timed out' : 'Cancelled';
    this.notify('notifications/cancelled', { requestId: id, reason });
  }

  #receive(value: unknown): void {
    showMessage(this.#log, 'received', value);
    sortIncoming(value, this.#sink);
  }

  #settle(message: AnswerMessage, error: McpError | undefined): void {
    const { id } = message;
    const matched = this.#pending.has(id) ? { id, error } : this.#oddAnswers.match(message, error);
    this.#settleOdd(matched, message);
  }

  #settleOdd(matched: MatchedAnswer | undefined, message?: AnswerMessage): void {
    if (matched === undefined) return;
    const { id, error } = matched;
    if (error !== undefined) this.#fail(id, error);
    else if (message !== undefined) this.#deliver(message.id === id ? message : { ...message, id });
  }

  #notified(method: string, params: unknown): void {
    if (method === 'notifications/progress') this.#pending.takeProgress(params);
    else if (method === 'notifications/cancelled' && this.#serverRequests.cancel(params)) return;
    else this.#options.onNotification(method, params);
  }

  #onReaderError(error: Error): void {
    this.#log.error(`reading: ${error.message}`);
    if (isMcpError(error, 'messageTooLarge')) this.end(error, 'atOnce');
  }

  /** The other side is gone: everything pending settles as soon as it is known why. */
  #explainEnd(): void {
    if (this.#end !== undefined || this.#closing !== undefined) return;
    this.#closing = this.#transport.explainEnd();
    void this.#closing.then((reason) => this.end(reason, 'orderly'));
  }

  /** The texts are few and ours, so the set stays small. */
  #warnOnce(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#log.warn(text);
  }
}

function rethrow(reason: McpError): never {
  throw reason;
}

/** What we settled a request with; everything that `incoming.ts` lets pass is of that kind. */
function toLocal(error: unknown): McpError {
  const data: unknown = error instanceof ResponseError ? error.data : undefined;
  return isMcpError(data) ? data : toMcpError(error);
}
