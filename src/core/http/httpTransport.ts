import type { HttpBody } from './httpBody';
import type { Message, MessageWriter } from 'vscode-jsonrpc/node';
import { McpError, toMcpError, withoutEffect } from '../errors';
import type { AuthorizedExchangeOptions } from './authorizedExchange';
import {
  type HttpHeaders,
  statelessHeaders,
  toOutgoingMessage,
  type OutgoingMessage,
} from './httpMessage';
import { HttpInbox } from './httpInbox';
import { isAnswer, numberOfIdText } from '../rpc/incoming';
import { ServerFloods } from '../rpc/serverFloods';
import { ForwardingWriter } from '../rpc/innerStreams';
import { HttpLink } from './httpLink';
import { listenForMessages } from './httpListener';
import { HttpPost } from './httpPost';
import type { PostHost } from './httpPost';
import { HttpSession, type JoinedSession, isWithoutEffect } from './httpSession';
import { ShortLivedMap } from '../bounds/shortLivedMap';
import { valueWithin } from '../bounds/valueWithin';
import { StreamLosses } from './sseStream';
import type { ConnectionLog } from '../log';
import type { MessageLimits } from '../rpc/messageLimits';
import { isObject } from '../json/shapes';
import type { Transport } from '../rpc/transport';

/** Timeout for the DELETE that ends the session. The server may ignore it. */
const endSessionMs = 1_500;
const lastRefusalsMs = 100;
/**
 * Some servers never answer that notification, or the GET for their own messages; later messages
 * wait no longer than this.
 */
const maxInitializedMs = 2_000;
/** Some servers never answer that notification either; the cancelled call is closed after this time. */
const maxCancelledMs = 2_000;

/** Requests during which servers ask for input, many of them outside of the request. */
const mayAskBack: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

const postHeaders: HttpHeaders = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

/** The limits apply to one answer, and to one event of a stream. */
export interface HttpTransportOptions extends MessageLimits {
  /** `http:`, `https:`, `unix:///path#/sub/path` or `pipe:///pipe/name#/sub/path`. */
  readonly url: string;
  /** Headers from the configuration for every request; those that the protocol sets are ignored. */
  readonly headers?: HttpHeaders;
  readonly log: ConnectionLog;
  /** Returns the `Mcp-Param-*` headers of a request of the stateless era. @throws {McpError} */
  readonly paramHeaders?: (message: Message) => HttpHeaders;
  /** Called with a message that is not JSON: untrusted, at most 4,096 characters. */
  readonly onGarbage?: (text: string) => void;
  /** Authorization of its requests. If absent, only the configured headers are sent. */
  readonly manner?: AuthorizedExchangeOptions;
  /** Shared by all sessions of one client. If absent, this transport has its own. */
  readonly streamLosses?: StreamLosses;
  /** A session to continue. If absent, `initialize` begins one. */
  readonly joined?: JoinedSession;
}

/**
 * Streamable HTTP, for both eras: each message is its own POST, and POSTs never wait for each
 * other. The era of a request is read from the request itself (the revision in its `_meta`), and
 * the session of the stateful era is learned from the answer to `initialize` as it passes. So the
 * eras know nothing of HTTP, except that a request fails with the error of its POST.
 *
 * The connection has no socket of its own to lose. It ends when it is closed, and with
 * `sessionLost` when the server no longer knows the session: everything learned from that server
 * must then be requested again, so the next session is a new connection. The owner
 * of the connections makes it.
 *
 * Spec: 2025-11-25 basic/transports#streamable-http, 2026-07-28 basic/transports/streamable-http
 */
export class HttpTransport implements Transport {
  readonly reader: HttpInbox = new HttpInbox();
  readonly writer: MessageWriter;
  readonly floods = new ServerFloods();
  readonly onUnreadableLine = this.reader.onUnreadable;
  readonly #options: HttpTransportOptions;
  readonly #link: HttpLink;
  readonly session: HttpSession;
  readonly #posts = new ShortLivedMap<HttpPost, HttpPost>();
  readonly #postHost: PostHost;
  #headersOf: HttpHeaders | undefined;
  #headers: HttpHeaders = {};
  #isStateless = false;
  /**
   * Pending while `notifications/initialized` is sent: servers refuse messages that overtake it.
   */
  #initialized: Promise<void> | undefined;
  /**
   * Pending until the first GET for the server's own messages is answered: it needs a connection of
   * its own, and servers drop what they send before.
   */
  #listened: Promise<void> | undefined;
  /** True from the GET for the server's own messages until the stream is given up. */
  #isListening = false;
  #end: McpError | undefined;
  #closed: Promise<void> | undefined;
  readonly untilSignedIn = () => this.#link.untilSignedIn();

  /** Sends nothing yet. @throws {McpError} invalidConfiguration */
  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#link = new HttpLink(options.url, options.headers ?? {}, options.log, options.manner);
    this.writer = new ForwardingWriter((message) => this.#write(message));
    this.session = new HttpSession(options.streamLosses ?? new StreamLosses(), options.joined);
    this.#postHost = {
      link: this.#link,
      session: this.session,
      limits: options,
      hasOtherStream: () => this.#isListening,
      getHeaders: () => this.#getHeaders(),
      deliver: (value, post, carrier) => this.#deliverFor(value, post, carrier),
      garbage: (text) => this.reader.garbage(text, this.floods, options.onGarbage),
    };
    if (options.joined !== undefined) this.#listen();
  }

  async explainEnd(): Promise<McpError> {
    return this.#end ?? new McpError('connectionClosed');
  }

  close(manner: 'orderly' | 'atOnce'): Promise<void> {
    if (manner === 'atOnce') this.#link.close();
    this.#closed ??= this.#close(manner);
    return this.#closed;
  }

  /** Spec: 2025-11-25 basic/transports#session-management. */
  async #close(manner: 'orderly' | 'atOnce'): Promise<void> {
    for (const post of this.#posts.values()) post.abort();
    this.#link.close();
    if (manner === 'atOnce' || !this.session.endsWithConnection || this.#end !== undefined) return;
    const headers = { ...this.#link.headers, ...this.session.headers };
    const request = { method: 'DELETE', headers, isRepeatable: true, isBackground: true } as const;
    await this.#link.endSession(request, endSessionMs);
  }

  #write(message: Message): Promise<void> {
    if (this.#closed !== undefined || this.#end !== undefined) {
      return Promise.reject(withoutEffect(this.#end ?? new McpError('connectionClosed')));
    }
    let outgoing: OutgoingMessage;
    let headers: HttpHeaders | undefined;
    try {
      outgoing = toOutgoingMessage(message);
      const { revision } = outgoing;
      // Computed from the very message that is sent.
      headers =
        revision === undefined ? undefined : this.#statelessHeaders(revision, outgoing, message);
    } catch (error) {
      return Promise.reject(toMcpError(error));
    }
    switch (outgoing.kind) {
      case 'request':
        this.#isStateless = headers !== undefined;
        if (outgoing.method === 'initialize') this.session.forget();
        break;
      case 'notification':
        if (outgoing.method === 'notifications/cancelled') return this.#cancel(outgoing);
        if (outgoing.method === 'notifications/initialized') return this.#initialize(outgoing);
        break;
      case 'answer':
        // The server sends no requests in that era, so there are no answers to send.
        if (this.#isStateless) return Promise.resolve();
        break;
    }
    return this.#post(outgoing, headers);
  }

  #statelessHeaders(revision: string, outgoing: OutgoingMessage, message: Message): HttpHeaders {
    return {
      ...this.#link.headers,
      ...postHeaders,
      ...statelessHeaders(revision, outgoing),
      ...this.#options.paramHeaders?.(message),
    };
  }

  /**
   * Returns the same object while the session is the same: building it would slow down every call.
   */
  #statefulHeaders(): HttpHeaders {
    const session = this.session.headers;
    if (this.#headersOf !== session) {
      this.#headersOf = session;
      this.#headers = { ...this.#link.headers, ...postHeaders, ...session };
    }
    return this.#headers;
  }

  async #post(outgoing: OutgoingMessage, headers: HttpHeaders | undefined): Promise<void> {
    const post = new HttpPost(outgoing, this.#postHost);
    this.#posts.set(post, post);
    try {
      if (this.#initialized !== undefined) await this.#initialized;
      if (mayAskBack.has(outgoing.method)) await this.#listened;
      await post.run(headers ?? this.#statefulHeaders());
    } catch (error) {
      this.#posts.delete(post);
      throw this.#judge(toMcpError(error), outgoing);
    } finally {
      this.#posts.delete(post);
    }
  }

  /**
   * Cancels by closing the request in the stateless era. In the stateful era closing means
   * nothing, but the rest of its stream is not needed either.
   */
  async #cancel(outgoing: OutgoingMessage): Promise<void> {
    const post = this.#postOf(outgoing.params['requestId']);
    if (post === undefined) return;
    if (post.message.revision !== undefined || post.isUnsent) {
      post.abort();
      return;
    }
    try {
      await valueWithin(this.#post(outgoing, undefined), maxCancelledMs);
    } finally {
      post.abort();
      for (const each of this.#posts.values()) if (each.message === outgoing) each.abort();
    }
  }

  async #initialize(outgoing: OutgoingMessage): Promise<void> {
    const posted = this.#post(outgoing, undefined);
    const listen = () => {
      if (this.#closed === undefined) this.#listen();
    };
    const settled = Promise.race([posted, this.#link.wait(maxInitializedMs, true)])
      .then(listen, () => undefined)
      .finally(() => {
        if (this.#initialized === settled) this.#initialized = undefined;
      });
    this.#initialized = settled;
    await posted;
  }

  #getHeaders(): HttpHeaders {
    return { ...this.#link.headers, ...this.session.headers, Accept: 'text/event-stream' };
  }

  #listen(): void {
    const answered = new Promise<void>((resolve) => {
      const listening = listenForMessages({
        ...this.#postHost,
        log: this.#options.log,
        deliver: (value) => this.#deliver(value),
        listening: (is, reason) => {
          this.#isListening = is;
          if (!is) for (const post of this.#posts.values()) post.otherStreamEnded(reason);
        },
        answered: resolve,
        opened: () => this.session.streamed(),
        endsSession: (error) => this.#endIfStreamDenied(error),
      });
      void listening.then(resolve);
    });
    this.#listened = valueWithin(answered, maxInitializedMs).finally(
      () => (this.#listened = undefined),
    );
  }

  #deliverFor(value: unknown, post: HttpPost, carrier: HttpBody): boolean {
    if (post.message.method === 'initialize' && isObject(value) && isObject(value.result)) {
      this.session.open(carrier, value.result);
    }
    return this.#deliver(value);
  }

  /**
   * Delivers a value and settles the POST that it answers: answers may arrive on any stream (R-174,
   * Returns true if the value is an answer.
   */
  #deliver(value: unknown): boolean {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const settled = items.filter((item) => this.#settle(item));
    this.reader.deliver(value);
    return settled.length > 0;
  }

  #settle(value: unknown): boolean {
    if (!isObject(value) || !isAnswer(value)) return false;
    const { id } = value;
    const post = this.#postOf(id) ?? this.#postOf(numberOfIdText(id));
    post?.settle();
    return post !== undefined;
  }

  #postOf(id: unknown): HttpPost | undefined {
    if (id === undefined) return undefined;
    return [...this.#posts.values()].find(({ message }) => message.id === id);
  }

  /** Interprets the failure of a POST, which may end the connection. */
  #judge(error: McpError, { kind, method }: OutgoingMessage): McpError {
    // For an accepted request, only a GET of its stream can show that the session is lost.
    const isTaken = error.code === 'connectionLost';
    const isLost = isTaken
      ? this.#endIfStreamDenied(error)
      : this.session.isDenied(error) && this.#endSession(error);
    // No caller would learn of the failure of an answer.
    if (kind === 'answer') this.#options.log.warn(`answering the server: ${error.message}`);
    if (!isLost || isTaken || method === '') return error;
    const end = this.#end ?? error;
    return isWithoutEffect(error) ? withoutEffect(end) : new McpError(end.code, error.facts);
  }

  /** Does the same after a GET. A pending request fails with its own answer. */
  #endIfStreamDenied(error: McpError): boolean {
    const isBusy = [...this.#posts.values()].some((post) => post.isRequest && !post.isOver);
    return !isBusy && this.session.isStreamDenied(error) && this.#endSession(error);
  }

  #endSession(error: McpError): true {
    this.#end ??= new McpError('sessionLost', { ...error.facts, cause: error });
    // Requests that are being refused at this moment get their own error first: they had no effect.
    setTimeout(() => this.reader.close(), lastRefusalsMs);
    return true;
  }
}
