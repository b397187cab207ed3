import {
  CancellationReceiverStrategy,
  createMessageConnection,
  Emitter,
  ErrorCodes,
  ResponseError,
} from 'vscode-jsonrpc/node';
import type {
  CancellationToken,
  DataCallback,
  Message,
  MessageConnection,
  RequestMessage,
} from 'vscode-jsonrpc/node';
import { Deadlines } from './deadlines';
import { isMcpError, McpError, toMcpError } from './errors';
import { sortIncoming } from './incoming';
import type { IncomingAnswer, IncomingSink, RequestId } from './incoming';
import { InnerReader, InnerWriter } from './innerStreams';
import type { ConnectionLog } from './log';
import { parseProgress } from './parseNotifications';
import { boundedJson, isObject } from './shapes';
import type { UnknownObject } from './shapes';
import type { Transport } from './transport';
import type { Progress } from './types';

const maxTraceChars = 64 * 1024;
/** Requests of the server that may wait for their answer; the surplus is refused unheard. */
const maxWaitingRequests = 1_000;

export interface RpcLimits {
  /** For a request that names no deadline of its own. */
  readonly requestTimeoutMs: number;
  /** How far reports of progress can put off a deadline, from the start of the request. */
  readonly callCeilingMs: number;
}

export interface RpcOptions {
  readonly log: ConnectionLog;
  readonly limits: RpcLimits;
  readonly onNotification: (method: string, params: unknown) => void;
  /** @throws {RequestRefused} what the server is told; anything else is told as internal error */
  readonly answerRequest: (method: string, params: unknown) => object | Promise<object>;
  readonly onGarbage: (text: string) => void;
}

export interface RpcRequestOptions {
  readonly token?: CancellationToken;
  readonly timeoutMs?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** `initialize` must not be cancelled on the wire, whatever happens to it here. */
  readonly isUncancellable?: boolean;
}

/** Params of a request: an object, because MCP knows no positional ones. */
export type RequestParams = { readonly [key: string]: unknown };

/** Thrown by `answerRequest` to answer with this error. */
export class RequestRefused extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'RequestRefused';
  }
}

interface Pending {
  id: RequestId;
  deadlineAt: number;
  readonly timeoutMs: number;
  readonly ceilingAt: number;
  readonly progressToken: number | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  readonly isUncancellable: boolean;
}

/**
 * JSON-RPC over one transport, as MCP wants it: vscode-jsonrpc matches answers to requests, and
 * this class stands between it and the transport and closes its gaps. A request is settled locally
 * (cancelled, overdue, closed) by handing the library an answer of our own, so that it forgets the
 * request and whatever comes later finds nobody.
 *
 * Answers resolve and notifications are handed out within the transport's own event; a handler
 * runs before the continuation of an answer that came after it.
 */
export class Rpc {
  readonly #transport: Transport;
  readonly #options: RpcOptions;
  readonly #log: ConnectionLog;
  readonly #library: MessageConnection;
  #deliver: DataCallback = () => undefined;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #progress = new Map<unknown, Pending>();
  readonly #deadlines: Deadlines<Pending>;
  /** The request that vscode-jsonrpc is about to give an id. */
  #starting: Pending | undefined;
  #nextProgressToken = 0;
  #waitingRequests = 0;
  readonly #warned = new Set<string>();
  readonly #sink: IncomingSink;
  #closing: Promise<McpError> | undefined;
  #end: { readonly reason: McpError } | undefined;

  readonly #onDidEnd = new Emitter<McpError | undefined>();
  /** Fires once. Without an error when we ended it ourselves. */
  readonly onDidEnd = this.#onDidEnd.event;

  constructor(transport: Transport, options: RpcOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#log = options.log;
    this.#deadlines = new Deadlines(
      () => this.#pending.values(),
      (late) => this.#expire(late),
    );
    this.#sink = {
      answer: (id, outcome, message) => this.#settle(id, outcome, message),
      request: (message) => this.#takeRequest(message),
      notification: (method, params) => this.#notified(method, params),
      garbage: (json) => this.#options.onGarbage(json),
    };
    this.#library = this.#connect();
  }

  /**
   * Sends a request; resolves with what `parse` makes of its result. Never throws at once.
   * @throws {McpError} cancelled | timeout | serverError | invalidResult | writeFailed |
   *   connectionClosed and the other reasons for which a connection ends
   */
  request<T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: RpcRequestOptions = {},
  ): Promise<T> {
    if (this.#end !== undefined) return Promise.reject(this.#end.reason);
    if (this.#closing !== undefined) return this.#closing.then(rethrow);
    const { token } = options;
    // vscode-jsonrpc would send it and cancel it afterwards.
    if (token?.isCancellationRequested === true) return Promise.reject(new McpError('cancelled'));

    const pending = this.#newPending(options);
    const sent =
      pending.progressToken === undefined ? params : withToken(params, pending.progressToken);
    this.#starting = pending;
    try {
      const answer: Promise<unknown> =
        token === undefined
          ? this.#library.sendRequest(method, sent)
          : this.#library.sendRequest(method, sent, token);
      return answer.then(parse, rethrowLocal);
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
    sent.catch((error: unknown) => this.#log.warn(`${method}: ${toMcpError(error).message}`));
  }

  /**
   * Ends the connection and settles every request with `reason`, or with `connectionClosed` when
   * it is our own wish. Idempotent. The transport is told; it is not waited for.
   */
  end(reason: McpError | undefined, manner: 'orderly' | 'atOnce'): void {
    if (this.#end !== undefined) return;
    this.#end = { reason: reason ?? new McpError('connectionClosed') };
    for (const id of [...this.#pending.keys()]) this.#fail(id, this.#end.reason);
    this.#deadlines.dispose();
    this.#transport.writer.end();
    this.#library.dispose();
    this.#transport.reader.dispose();
    this.#transport.writer.dispose();
    void this.#transport.close(manner);
    this.#onDidEnd.fire(reason);
    this.#onDidEnd.dispose();
  }

  #connect(): MessageConnection {
    const { reader, writer } = this.#transport;
    reader.onError((error) => this.#onReaderError(error));
    writer.onError(([error]) => this.#log.warn(`writing: ${error.message}`));
    reader.onClose(() => this.#explainEnd());
    writer.onClose(() => this.#explainEnd());

    const library = createMessageConnection(
      new InnerReader((deliver) => {
        this.#deliver = deliver;
        return reader.listen((value) => this.#receive(value));
      }),
      new InnerWriter((message) => this.#write(message)),
      undefined,
      {
        // Any number: without one, vscode-jsonrpc queues each answer behind a `setImmediate`.
        maxParallelism: Number.MAX_SAFE_INTEGER,
        cancellationStrategy: {
          receiver: CancellationReceiverStrategy.Message,
          sender: {
            enableCancellation: (request) => this.#admit(request),
            sendCancellation: (_connection, id) => this.#abandon(id, new McpError('cancelled')),
            cleanup: (id) => this.#forget(id),
          },
        },
      },
    );
    library.onRequest((method: string, params: unknown) => this.#answer(method, params));
    library.listen();
    return library;
  }
  #newPending(options: RpcRequestOptions): Pending {
    const now = performance.now();
    const timeoutMs = options.timeoutMs ?? this.#options.limits.requestTimeoutMs;
    return {
      id: -1,
      timeoutMs,
      deadlineAt: now + timeoutMs,
      ceilingAt: now + Math.max(timeoutMs, this.#options.limits.callCeilingMs),
      progressToken: options.onProgress === undefined ? undefined : this.#nextProgressToken++,
      onProgress: options.onProgress,
      isUncancellable: options.isUncancellable === true,
    };
  }

  /** vscode-jsonrpc tells the id of a request only here, before it writes it. */
  #admit(request: RequestMessage): void {
    const pending = this.#starting;
    if (pending === undefined || request.id === null) return;
    this.#starting = undefined;
    pending.id = request.id;
    this.#pending.set(pending.id, pending);
    if (pending.progressToken !== undefined) this.#progress.set(pending.progressToken, pending);
    this.#deadlines.watch(pending);
  }

  #forget(id: RequestId): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (pending.progressToken !== undefined) this.#progress.delete(pending.progressToken);
  }

  #write(message: Message): Promise<void> {
    if (this.#log.isTracing()) this.#log.trace('sent', boundedJson(message, maxTraceChars));
    const written = this.#transport.writer.write(message);
    const { id } = message as Partial<RequestMessage>;
    if (id !== undefined && id !== null && this.#pending.has(id)) {
      // Before the library sees it: it would keep no more of the error than its text.
      written.catch((error: unknown) => this.#fail(id, toMcpError(error)));
    }
    return written;
  }

  #fail(id: RequestId, error: McpError): void {
    const answer = { jsonrpc: '2.0', id, error: { code: 0, message: error.code, data: error } };
    this.#deliver(answer);
  }

  /** Settles at once and tells the server; what it answers later finds nobody. */
  async #abandon(id: RequestId, error: McpError): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#fail(id, error);
    if (pending.isUncancellable) return;
    const reason = error.code === 'timeout' ? 'Timed out' : 'Cancelled by the user';
    this.notify('notifications/cancelled', { requestId: id, reason });
  }

  #expire(late: Pending): void {
    void this.#abandon(late.id, new McpError('timeout', { limit: late.timeoutMs }));
  }

  #receive(value: unknown): void {
    if (this.#log.isTracing()) this.#log.trace('received', boundedJson(value, maxTraceChars));
    sortIncoming(value, this.#sink);
  }

  #settle(id: unknown, outcome: IncomingAnswer, message: UnknownObject): void {
    const known = this.#isPending(id) ? id : this.#idMeant(id);
    if (known === undefined) return;
    if (!outcome.ok) this.#fail(known, outcome.error);
    else if (known === id) this.#deliver(message as unknown as Message);
    else this.#deliver({ jsonrpc: '2.0', id: known, result: message.result } as Message);
  }

  #isPending(id: unknown): id is RequestId {
    return this.#pending.has(id as RequestId);
  }

  /** The request that an answer with an id of the wrong type is for. */
  #idMeant(id: unknown): RequestId | undefined {
    if (typeof id === 'string' && /^\d{1,15}$/.test(id) && this.#pending.has(Number(id))) {
      this.#warnOnce(`The server answers with ids of the wrong type: "${id}" for ${id}.`);
      return Number(id);
    }
    // Late answers to what was cancelled or overdue are welcome to come.
    if (typeof id !== 'number') {
      this.#warnOnce(`The server answered a request that was never sent: ${boundedJson(id, 100)}.`);
    }
    return undefined;
  }

  #notified(method: string, params: unknown): void {
    if (method !== 'notifications/progress') {
      this.#options.onNotification(method, params);
      return;
    }
    const report = parseProgress(params);
    const pending = report === undefined ? undefined : this.#progress.get(report.token);
    if (report === undefined || pending?.onProgress === undefined) return;
    pending.deadlineAt = Math.min(performance.now() + pending.timeoutMs, pending.ceilingAt);
    pending.onProgress(report.progress);
  }

  #takeRequest(message: RequestMessage): void {
    if (this.#waitingRequests < maxWaitingRequests) {
      this.#waitingRequests += 1;
      this.#deliver(message);
      return;
    }
    this.#warnOnce('The server sends requests faster than they can be answered.');
    const error = { code: ErrorCodes.InternalError, message: 'Too many requests are waiting' };
    void this.#write({ jsonrpc: '2.0', id: message.id, error } as Message).catch(() => {
      // It does not read its answers either; the warning above has said what is wrong.
    });
  }

  /** Only chosen errors leave: texts of ours may hold paths and names. */
  async #answer(method: string, params: unknown): Promise<object> {
    try {
      return await this.#options.answerRequest(method, params);
    } catch (error) {
      if (error instanceof RequestRefused) return new ResponseError(error.code, error.message);
      this.#log.warn(`answering ${method}: ${toMcpError(error).message}`);
      return new ResponseError(ErrorCodes.InternalError, 'Internal error');
    } finally {
      this.#waitingRequests -= 1;
    }
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

  #warnOnce(text: string): void {
    if (this.#warned.has(text) || this.#warned.size >= 20) return;
    this.#warned.add(text);
    this.#log.warn(text);
  }
}

function withToken(params: RequestParams, progressToken: number): RequestParams {
  const meta = isObject(params._meta) ? params._meta : {};
  return { ...params, _meta: { ...meta, progressToken } };
}

function rethrow(reason: McpError): never {
  throw reason;
}

/** What we settled a request with; everything that `incoming.ts` lets pass is of that kind. */
function rethrowLocal(error: unknown): never {
  const data: unknown = error instanceof ResponseError ? error.data : undefined;
  throw isMcpError(data) ? data : toMcpError(error);
}
