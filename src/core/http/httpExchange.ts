import http from 'node:http';
import https from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { McpError, toMcpError } from '../errors';
import { decodedBody, type HttpBody, networkFailure } from './httpBody';
import {
  userInfoOf,
  type HttpEndpoint,
  type HttpHeaders,
  type OutgoingMessage,
  urlAtEndpoint,
} from './httpMessage';

/** One redirect is common (a missing slash); more than a few are a loop. */
const maxRedirects = 3;
/** The server may have closed every idle connection at once. */
const maxStaleRetries = 3;
/** Time limit for a notification, and for an answer to a request of the server. */
const maxAcceptMs = 30_000;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: HttpHeaders;
  readonly body?: string;
  /** True if the request may be sent again when the server closed the idle connection under it. */
  readonly isRepeatable: boolean;
  /** Defaults to following redirects within the origin that keep the method. */
  readonly redirects?: 'none';
  /** The message that it carries, or that its stream answers; used for authorization. */
  readonly message?: OutgoingMessage;
  /** Set if no caller waits for the answer, so the user is not asked to sign in for it. */
  readonly isBackground?: true;
  /** Returns headers that are for one sending to one URL, in place of those of the first sending. */
  readonly sign?: (url: URL) => Promise<HttpHeaders>;
}

/** A request under way. */
export interface OpenExchange {
  /** @throws {McpError} */
  readonly answer: Promise<HttpAnswer>;
  /** Closes its connection in any state; idempotent. */
  abort(): void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly message: HttpBody;
  /** True if nothing that was sent could identify the user. */
  readonly wasAnonymous: boolean;
  /** URL of the answer, after redirects. */
  readonly url: URL;
}

/**
 * One HTTP request up to the head of its answer. Uses the agents and `request` functions that
 * Node's modules hold at this moment, because the editor replaces the functions and may exclude
 * requests with their own agent from its proxy settings; the global agents keep connections alive.
 * Only an endpoint that never uses a proxy has its own agent. Requests of MCP have no time limit
 * here: answers may take hours, and callers have their own deadlines.
 *
 * Redirects are followed within the origin only, and with the same method only.
 */
export class HttpExchange implements OpenExchange {
  /**
   * @throws {McpError} unreachable | tlsError | connectionLost | redirectRefused | timeout |
   *   cancelled, the last after `abort`
   */
  readonly answer: Promise<HttpAnswer>;
  readonly #endpoint: HttpEndpoint;
  #sent: HttpRequest;
  #request: ClientRequest | undefined;
  #isAborted = false;
  #isAnswered = false;
  #redirects = 0;
  #staleRetries = 0;
  #resolve: (answer: HttpAnswer) => void = () => undefined;
  #reject: (error: McpError) => void = () => undefined;

  constructor(endpoint: HttpEndpoint, request: HttpRequest, url: URL) {
    this.#endpoint = endpoint;
    this.#sent = request;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#send(url);
  }

  /** Closes the connection of this request in any state; idempotent. */
  abort(): void {
    this.#isAborted = true;
    this.#request?.destroy();
    this.#reject(new McpError('cancelled'));
  }

  #send(url: URL): void {
    const isSecure = url.protocol === 'https:';
    let request: ClientRequest;
    try {
      const options = requestOptions(this.#endpoint, this.#sent, url);
      request = isSecure ? https.request(options) : http.request(options);
    } catch (error) {
      this.#reject(toMcpError(error));
      return;
    }
    this.#request = request;
    if (getsNoAnswer(this.#sent)) this.#limitTime(request);
    request.on('response', (message) => this.#take(message, url));
    request.on('error', (error) => this.#failed(error, request, url));
    // Node sets Content-Length only if the body is passed here.
    request.end(this.#sent.body);
  }

  /** Limits the time of a request that the server only has to accept, and of reading its answer. */
  #limitTime(request: ClientRequest): void {
    const timer = setTimeout(() => {
      this.#reject(new McpError('timeout', { limit: maxAcceptMs }));
      this.abort();
    }, maxAcceptMs).unref();
    request.once('close', () => clearTimeout(timer));
  }

  /** Follows a redirect, or repeats the request. */
  #sendAgain(url: URL): void {
    const { sign } = this.#sent;
    if (sign === undefined) return this.#send(url);
    sign(url).then(
      (headers) => {
        this.#sent = { ...this.#sent, headers: { ...this.#sent.headers, ...headers } };
        if (!this.#isAborted) this.#send(url);
      },
      (error: unknown) => this.#reject(toMcpError(error)),
    );
  }

  #take(message: IncomingMessage, url: URL): void {
    // A broken answer must have an error listener even if it has no reader.
    message.on('error', ignore);
    this.#isAnswered = true;
    const status = message.statusCode ?? 0;
    const location = status >= 300 && status < 400 ? message.headers.location : undefined;
    if (location === undefined) {
      this.#resolve({
        status,
        message: decodedBody(message),
        url,
        wasAnonymous: this.#wasAnonymous,
      });
      return;
    }
    const target = this.#redirectTarget(status, location, url);
    this.#discard(message);
    if (target === undefined || this.#isAborted) {
      this.#reject(new McpError('redirectRefused', { httpStatus: status, detail: location }));
      return;
    }
    this.#redirects += 1;
    this.#isAnswered = false;
    this.#sendAgain(target);
  }

  /** Leaves a redirect, whose body may have no end, and whose later errors do not matter. */
  #discard(message: IncomingMessage): void {
    const isAtEnd = message.headers['content-length'] === '0' && this.#request?.writableFinished;
    // Only a connection with nothing left to send or read can be used again.
    if (isAtEnd === true) message.resume();
    else message.destroy();
    this.#request = undefined;
  }

  get #wasAnonymous(): boolean {
    return this.#endpoint.isAnonymous === true && !('Authorization' in this.#sent.headers);
  }

  /** In practice 301 to 303 turn a POST into a GET, which MCP cannot use. */
  #redirectTarget(status: number, location: string, url: URL): URL | undefined {
    const keepsMethod = status === 307 || status === 308 || this.#sent.method === 'GET';
    const isOver = this.#sent.redirects === 'none' || this.#redirects >= maxRedirects;
    if (!keepsMethod || isOver) return undefined;
    if (!URL.canParse(location, url.href)) return undefined;
    return urlAtEndpoint(this.#endpoint, new URL(location, url));
  }

  #failed(error: Error, request: ClientRequest, url: URL): void {
    if (this.#isAborted || request !== this.#request) return;
    const mayRepeat = this.#sent.isRepeatable && this.#staleRetries < maxStaleRetries;
    const failure = networkFailure(error, request.socket !== null);
    // An answer that cannot be read is an answer too: the connection was not idle.
    const isUnanswered = !this.#isAnswered && failure.code !== 'unexpectedContentType';
    if (request.reusedSocket && isUnanswered && mayRepeat) {
      this.#staleRetries += 1;
      this.#sendAgain(url);
      return;
    }
    this.#reject(failure);
  }
}

/** True if it carries a message that is not a request. */
function getsNoAnswer({ message }: HttpRequest): boolean {
  return message !== undefined && message.kind !== 'request';
}

function ignore(): void {
  // The reader of the answer gets the error too.
}

function requestOptions(endpoint: HttpEndpoint, sent: HttpRequest, url: URL): RequestOptions {
  const options: RequestOptions = {
    method: sent.method,
    protocol: url.protocol,
    hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port,
    path: url.pathname + url.search,
    headers: sent.headers,
  };
  const userInfo = userInfoOf(url);
  if (userInfo !== undefined) options.auth = userInfo;
  if (endpoint.socketPath !== undefined) options.socketPath = endpoint.socketPath;
  if (endpoint.agent !== undefined) options.agent = endpoint.agent;
  if (endpoint.addressCheck !== undefined) {
    options.lookup = endpoint.addressCheck.lookup;
    // Idle connections of other requests were not checked. The agent keeps those with another
    // value of this option apart; an agent of our own might bypass the editor's proxy.
    options.sessionIdContext = endpoint.addressCheck.poolId;
  }
  return options;
}
