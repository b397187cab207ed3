import type { CancellationToken, Message, MessageWriter } from 'vscode-jsonrpc/node';
import type { StartClock } from '../eras/startClock';
import { McpError, toMcpError, withoutEffect } from '../errors';
import { discardBody, mediaTypeOf, unexpectedType } from './httpBody';
import type { HttpAnswer } from './httpExchange';
import { hasUserInfo, toOutgoingMessage, urlAtEndpoint } from './httpMessage';
import { HttpInbox, messageStream } from './httpInbox';
import { ServerFloods } from '../rpc/serverFloods';
import { ForwardingWriter } from '../rpc/innerStreams';
import { HttpLink } from './httpLink';
import { lingerMs } from './httpPost';
import { httpErrorOf } from './sseStream';
import { isSessionLost, isWithoutEffect } from './httpSession';
import type { HttpTransportOptions } from './httpTransport';
import type { Transport } from '../rpc/transport';
import { ShortLivedMap } from '../bounds/shortLivedMap';
import { isObject } from '../json/shapes';
import { isAnswer, numberOfIdText } from '../rpc/incoming';

const lastRefusalsMs = 100;

/**
 * HTTP+SSE of 2024-11-05: one stream has all messages of the server, and its first event names the
 * URL for POSTs. The stream is the connection: when it ends, or names another endpoint, the
 * connection ends, and a new one needs its own handshake.
 *
 * Spec: 2024-11-05 basic/transports#http-with-sse
 */
export class HttpSseTransport implements Transport {
  readonly reader: HttpInbox = new HttpInbox();
  readonly writer: MessageWriter;
  readonly floods = new ServerFloods();
  readonly onUnreadableLine = this.reader.onUnreadable;
  readonly #options: HttpTransportOptions;
  readonly #link: HttpLink;
  /** Functions that close the POSTs of requests soon, by the ids of the requests. */
  readonly #posts = new ShortLivedMap<unknown, () => void>();
  #endpoint: URL | undefined;
  /**
   * False until a POST was accepted: before that a refusal means a wrong endpoint, not a lost
   * session.
   */
  #hasTaken = false;
  #onEndpoint: () => void = () => undefined;
  #end: McpError | undefined;

  /**
   * Opens the stream and waits for the endpoint. When it rejects, nothing is left open.
   * @throws {McpError} handshakeTimeout | cancelled | invalidConfiguration | unreachable | tlsError
   * | connectionLost | unauthorized | httpError | serverError | redirectRefused (for an endpoint at
   * another origin or with another user, too) | unexpectedContentType | invalidResult
   */
  static async open(
    options: Omit<HttpTransportOptions, 'paramHeaders'>,
    clock: StartClock,
    token?: CancellationToken,
  ): Promise<HttpSseTransport> {
    const transport = new HttpSseTransport(options);
    const limit = clock.leftMs;
    const fail = (code: 'handshakeTimeout' | 'cancelled') =>
      transport.#fail(new McpError(code, code === 'cancelled' ? {} : { limit }));
    const forget = clock.after(limit, () => fail('handshakeTimeout'));
    const cancelled = token?.onCancellationRequested(() => fail('cancelled'));
    try {
      await transport.#open();
      return transport;
    } finally {
      forget();
      cancelled?.dispose();
    }
  }

  private constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#link = new HttpLink(options.url, options.headers ?? {}, options.log, options.manner);
    this.writer = new ForwardingWriter((message) => this.#write(message));
  }

  async explainEnd(): Promise<McpError> {
    return this.#end ?? new McpError('connectionClosed');
  }

  async close(): Promise<void> {
    this.#link.close();
  }

  async #open(): Promise<void> {
    try {
      const exchange = this.#link.open({
        method: 'GET',
        headers: { ...this.#link.headers, Accept: 'text/event-stream' },
        isRepeatable: true,
      });
      const answer = await exchange.answer;
      if (answer.status >= 300) throw await httpErrorOf(answer);
      if (mediaTypeOf(answer.message) !== 'text/event-stream') {
        throw await unexpectedType(answer.message);
      }
      await this.#listen(answer);
    } catch (error) {
      this.#fail(toMcpError(error));
    }
    if (this.#end !== undefined) throw this.#end;
  }

  /** Resolves with the endpoint or the end of the stream, whichever comes first. */
  #listen({ message, url }: HttpAnswer): Promise<void> {
    const stream = messageStream(this.#options, {
      deliver: (value) => {
        this.reader.deliver(value);
        for (const each of Array.isArray(value) ? value : [value]) this.#answered(each);
      },
      garbage: (text) => this.reader.garbage(text, this.floods, this.#options.onGarbage),
      other: (type, data) => {
        // Relative to the URL of the stream, after redirects.
        if (type === 'endpoint') this.#takeEndpoint(data, url);
      },
    });
    return new Promise((resolve) => {
      this.#onEndpoint = resolve;
      stream.read(message).then(
        () => this.#fail(new McpError('connectionLost', { detail: 'the stream ended' })),
        (error: unknown) => this.#fail(toMcpError(error)),
      );
    });
  }

  #takeEndpoint(data: string, base: URL): void {
    if (this.#endpoint !== undefined) {
      this.#fail(new McpError('connectionLost', { detail: 'the server named a new endpoint' }));
      return;
    }
    if (!URL.canParse(data, base.href)) {
      this.#fail(new McpError('invalidResult', { detail: `endpoint: ${data.slice(0, 200)}` }));
      return;
    }
    const named = new URL(data, base);
    this.#endpoint = urlAtEndpoint(this.#link.endpoint, named);
    if (this.#endpoint === undefined) {
      const also = hasUserInfo(named) ? ' with a user name or password' : '';
      this.#fail(new McpError('redirectRefused', { detail: `${named.origin}${also}` }));
    } else {
      this.#onEndpoint();
    }
  }

  async #write(message: Message): Promise<void> {
    const endpoint = this.#endpoint;
    if (this.#end !== undefined || endpoint === undefined) {
      throw this.#end ?? new McpError('connectionClosed');
    }
    const outgoing = toOutgoingMessage(message);
    const headers = {
      ...this.#link.headers,
      'Content-Type': 'application/json',
      Accept: '*/*',
    };
    const { body, isRepeatable } = outgoing;
    const request = { method: 'POST', headers, body, isRepeatable, message: outgoing } as const;
    const exchange = this.#link.open(request, endpoint);
    let closing: NodeJS.Timeout | undefined;
    if (outgoing.kind === 'request') {
      this.#posts.set(outgoing.id, () => {
        closing ??= setTimeout(() => exchange.abort(), lingerMs).unref();
      });
    }
    try {
      const answer = await exchange.answer;
      if (answer.status >= 300) throw await httpErrorOf(answer);
      this.#hasTaken = true;
      // The body may say "Accepted"; messages arrive on the stream only.
      await discardBody(answer.message);
    } catch (error) {
      if (closing === undefined) throw this.#judge(toMcpError(error));
    } finally {
      clearTimeout(closing);
      this.#posts.delete(outgoing.id);
      if (outgoing.method === 'notifications/cancelled') {
        this.#posts.get(outgoing.params['requestId'])?.();
      }
      this.#link.release(exchange);
    }
  }

  /** Some servers leave the POST open of a request that they have answered on the stream. */
  #answered(value: unknown): void {
    if (!isObject(value) || !isAnswer(value)) return;
    const { id } = value;
    (this.#posts.get(id) ?? this.#posts.get(numberOfIdText(id)))?.();
  }

  /**
   * The stream may stay open for a while when the server behind a proxy has forgotten its session.
   */
  #judge(error: McpError): McpError {
    if (!this.#hasTaken || !isSessionLost(error)) return error;
    const lost = new McpError('sessionLost', { ...error.facts, cause: error });
    if (this.#end === undefined) {
      this.#end = lost;
      // Requests that are being refused at this moment get their own error first: they had no
      // effect.
      setTimeout(() => this.#close(), lastRefusalsMs);
    }
    return isWithoutEffect(error) ? withoutEffect(lost) : lost;
  }

  /** Ends the connection; only the first reason is kept. */
  #fail(error: McpError): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    this.#close();
  }

  #close(): void {
    this.#link.close();
    this.#onEndpoint();
    this.reader.close();
  }
}
