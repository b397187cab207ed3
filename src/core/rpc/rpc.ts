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
import {
  classifyIncoming,
  type AnswerMessage,
  type IncomingSink,
  type RequestId,
} from './incoming';
import { ForwardingWriter, InnerReader } from './innerStreams';
import type { ConnectionLog } from '../log';
import { OddAnswers, type MatchedAnswer } from './oddAnswers';
import { PendingRequests, withToken, type PendingRequest } from './pendingRequests';
import type { PendingRequestOptions, RpcLimits } from './pendingRequests';
import { ServerFloods } from './serverFloods';
import { ServerRequests, type AnswerRequest, type RequestHandling } from './serverRequests';
import { showMessage } from './traceText';
import { alreadyQueued, type Transport } from './transport';

export interface RpcOptions {
  readonly log: ConnectionLog;
  readonly limits: RpcLimits;
  readonly onNotification: (method: string, params: unknown) => void;
  readonly answerRequest: AnswerRequest;
  /** Called with JSON that is not a message, at most 4,096 characters. */
  readonly onGarbage: (text: string) => void;
}

export interface RpcRequestOptions extends PendingRequestOptions {
  readonly token?: CancellationToken;
}

/** Params of a request. Always an object, because MCP has no positional ones. */
export type RequestParams = { readonly [key: string]: unknown };

/**
 * JSON-RPC over one transport, as MCP requires it. vscode-jsonrpc matches answers to requests; this
 * class sits between it and the transport and closes its gaps. To settle a request locally
 * (cancelled, overdue, closed), it passes an answer of its own to the library, which then forgets
 * the request and ignores later answers.
 *
 * Answers resolve and notifications are delivered during the transport's own event, in the order of
 * arrival; the continuation of an answer runs after that event.
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
  /** The request that vscode-jsonrpc is about to assign an id to. */
  #starting: PendingRequest | undefined;
  readonly #warned = new Set<string>();
  #closing: Promise<McpError> | undefined;
  #end: { readonly reason: McpError } | undefined;

  readonly #onDidEnd = new Emitter<McpError | undefined>();
  /** Fires once, without an error if this side ended the connection. */
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
   * Sends a request. Resolves to the result of `parse`, or of `recover` for an error. Never throws
   * synchronously.
   * @throws {McpError} cancelled | timeout | serverError | invalidResult | writeFailed |
   * connectionClosed and the other reasons for which a connection ends
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

  /** Sends a notification. A failure is only logged. */
  notify(method: string, params?: RequestParams): void {
    if (this.#end !== undefined) return;
    const sent =
      params === undefined
        ? this.#library.sendNotification(method)
        : this.#library.sendNotification(method, params);
    sent.catch((error: unknown) => {
      // After the connection has ended, failures are expected.
      if (this.#end === undefined) this.#log.warn(`${method}: ${toMcpError(error).message}`);
    });
  }

  /** Sets how requests of the server are handled. They are answered by default. */
  handleRequests(manner: RequestHandling): void {
    this.#serverRequests.manner = manner;
  }

  /** Settles a request with `error` without notifying the server. */
  settle(id: RequestId, error: McpError): void {
    if (this.#pending.has(id)) this.#fail(id, error);
  }

  /**
   * Pauses the clocks of all requests while the server waits for the client, until the
   * returned function is called.
   */
  pauseDeadlines(): () => void {
    return this.#pending.pause();
  }

  /**
   * Ends the connection and settles every request with `reason`, or with `connectionClosed` if
   * there is none. Idempotent. Closes the transport without waiting for it.
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
        // Without a number, vscode-jsonrpc queues each answer behind a `setImmediate`.
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

  /** Only here, before the request is written, does vscode-jsonrpc reveal its id. */
  #admit(request: RequestMessage): void {
    const pending = this.#starting;
    this.#starting = undefined;
    if (pending !== undefined && request.id !== null) this.#pending.admit(pending, request.id);
  }

  #write(message: Message): Promise<void> {
    showMessage(this.#log, 'sent', message);
    const written = this.#transport.writer.write(message);
    if (!('method' in message && 'id' in message)) this.#pending.wroteOther();
    else if (written !== alreadyQueued) {
      const { id } = message;
      // Handled before the library, which would keep only the text of the error.
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

  /**
   * Settles the request at once and notifies the server. A later answer is ignored.
   */
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
    classifyIncoming(value, this.#sink);
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

  /** The other side is gone: everything pending settles when the reason is known. */
  #explainEnd(): void {
    if (this.#end !== undefined || this.#closing !== undefined) return;
    this.#closing = this.#transport.explainEnd();
    void this.#closing.then((reason) => this.end(reason, 'orderly'));
  }

  /** There are only a few texts, all ours, so the set stays small. */
  #warnOnce(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#log.warn(text);
  }
}

function rethrow(reason: McpError): never {
  throw reason;
}

/**
 * Returns the error with which a request was settled locally; `incoming.ts` lets no other kind
 * pass.
 */
function toLocal(error: unknown): McpError {
  const data: unknown = error instanceof ResponseError ? error.data : undefined;
  return isMcpError(data) ? data : toMcpError(error);
}
