import { setMaxListeners } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpError } from '../errors';
import {
  checkedHeaders,
  bypassesProxy,
  hasUserInfo,
  parseEndpoint,
  markAnonymous,
  type HttpEndpoint,
  type HttpHeaders,
} from './httpMessage';
import type { ConnectionLog } from '../log';
import {
  AuthorizedExchange,
  type AuthorizedExchangeOptions,
  SignInRetry,
  untilWoken,
} from './authorizedExchange';
import { HttpExchange } from './httpExchange';
import type { HttpRequest, OpenExchange } from './httpExchange';
import { ShortLivedMap } from '../bounds/shortLivedMap';
import { isLoopbackHost } from '../localHost';

/** Headers that the transport sets; configured ones with these names would break the protocol. */
const reservedHeader =
  /^(?:accept|content-type|content-length|transfer-encoding|connection|last-event-id|mcp-.*)$/i;

/** All exchanges with one server: its URL, its configured headers, and their cancellation. */
export class HttpLink {
  readonly #endpoint: HttpEndpoint;
  readonly #headers: HttpHeaders;
  readonly #exchanges = new ShortLivedMap<OpenExchange, OpenExchange>();
  readonly #manner: AuthorizedExchangeOptions | undefined;
  readonly #news = new SignInRetry();
  readonly #closing = new AbortController();
  /** Number of uses of the server so far. */
  #uses = 0;
  /** Value of `#uses` at the end of the last waitForUse(). */
  #usesBefore = 0;
  #onUse: () => void = () => undefined;

  /**
   * `manner` is ignored where credentials are configured or no host exists that a token
   * could be for. @throws {McpError} invalidConfiguration
   */
  constructor(
    url: string,
    headers: HttpHeaders,
    log: ConnectionLog,
    manner?: AuthorizedExchangeOptions,
  ) {
    const endpoint = parseEndpoint(url);
    const usable = Object.entries(headers).filter(([name]) => !reservedHeader.test(name));
    this.#headers = checkedHeaders(Object.fromEntries(usable));
    const known = markAnonymous(endpoint, this.#headers);
    // An own agent, only where it bypasses no proxy: it needs no timer for each request, unlike
    // Node's global agent, and its connections end with the link.
    this.#endpoint = bypassesProxy(endpoint)
      ? { ...known, agent: new http.Agent({ keepAlive: true }) }
      : known;
    const left = Object.keys(headers).filter((name) => reservedHeader.test(name));
    if (left.length > 0) log.warn(`configured headers that are ours to set: ${left.join(', ')}`);
    if (sendsSecretsInClear(this.#endpoint, this.#headers)) {
      log.warn('credentials are sent without encryption: "url" is not https');
    }
    const isFree = endpoint.socketPath === undefined && !hasCredentials(endpoint, this.#headers);
    this.#manner = isFree ? manner : undefined;
    setMaxListeners(0, this.#closing.signal);
  }

  get endpoint(): HttpEndpoint {
    return this.#endpoint;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** The configured headers, sent with every request. */
  get headers(): HttpHeaders {
    return this.#headers;
  }

  /** Sends a request to the server, or to `url` of the same origin. */
  open(request: HttpRequest, url: URL = this.#endpoint.url): OpenExchange {
    if (this.isClosed) throw new McpError('connectionClosed');
    if (request.isBackground !== true) {
      this.#uses += 1;
      this.#onUse();
    }
    return this.#open(request, url, this.#manner);
  }

  /** Sends one last request after `close` and ignores its answer. Never rejects. */
  async endSession(request: HttpRequest, timeoutMs: number): Promise<void> {
    const manner = this.#manner && { ...this.#manner, isSessionEnd: true as const };
    const exchange = this.#open(request, this.#endpoint.url, manner);
    const timer = setTimeout(() => exchange.abort(), timeoutMs);
    await exchange.answer.catch(() => undefined);
    clearTimeout(timer);
    this.#abortAll();
  }

  #open(
    request: HttpRequest,
    url: URL,
    manner: AuthorizedExchangeOptions | undefined,
  ): OpenExchange {
    const send = (sent: HttpRequest) => new HttpExchange(this.#endpoint, sent, url);
    const exchange =
      manner === undefined
        ? send(request)
        : new AuthorizedExchange(request, url, send, manner, this.#news);
    this.#exchanges.set(exchange, exchange);
    return exchange;
  }

  /** Releases an exchange whose answer was read or is not needed. */
  release(exchange: OpenExchange): void {
    this.#exchanges.delete(exchange);
  }

  /**
   * Waits until the time is over, or the function that `keep` receives is called.
   * @throws {McpError} cancelled when the link is closed meanwhile
   */
  async wait(delayMs: number, isIdle = false, keep?: (wake: () => void) => void): Promise<void> {
    if (this.isClosed) throw new McpError('cancelled');
    // Timers with delays beyond a signed 32-bit number would fire at once.
    const boundedMs = Math.min(delayMs, 2 ** 31 - 1);
    const waking = new AbortController();
    const wake = () => waking.abort();
    const { signal } = this.#closing;
    signal.addEventListener('abort', wake, { once: true });
    keep?.(wake);
    try {
      await sleep(boundedMs, undefined, { signal: waking.signal, ref: !isIdle });
    } catch {
      // It was woken.
    } finally {
      signal.removeEventListener('abort', wake);
    }
    if (this.isClosed) throw new McpError('cancelled');
  }

  /**
   * Waits for a new sign-in, for a stream that was refused without one.
   * @throws {McpError} cancelled when the link is closed meanwhile
   */
  async untilSignedIn(): Promise<void> {
    await this.#news.next(this.#closing.signal);
    if (this.isClosed) throw new McpError('cancelled');
  }

  /**
   * Waits `delayMs`, and until a request was made since the last wait: for retries that are useful
   * only while the server is in use. @throws {McpError} cancelled when the link is closed meanwhile
   */
  async waitForUse(delayMs: number): Promise<void> {
    const { signal } = this.#closing;
    await this.wait(delayMs, true);
    if (this.#uses === this.#usesBefore) {
      await untilWoken(signal, (wake) => (this.#onUse = wake));
    }
    this.#usesBefore = this.#uses;
    if (this.isClosed) throw new McpError('cancelled');
  }

  #abortAll(): void {
    for (const exchange of this.#exchanges.values()) {
      exchange.abort();
      this.release(exchange);
    }
    this.#endpoint.agent?.destroy();
  }

  /** Closes all exchanges, including the DELETE that ends the session; idempotent. */
  close(): void {
    this.#closing.abort();
    this.#abortAll();
  }
}

/** Configured credentials rule out any other authorization. */
function hasCredentials({ url }: HttpEndpoint, headers: HttpHeaders): boolean {
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return isNamed || hasUserInfo(url);
}

/** Names of headers that hold credentials, besides the standard one. */
const secretHeader = /^authorization$|^cookie$|api[-_]?key|auth[-_]?token|access[-_]?token|secret/i;

/** True if credentials would leave this machine unencrypted. */
function sendsSecretsInClear({ url, socketPath }: HttpEndpoint, headers: HttpHeaders): boolean {
  if (url.protocol !== 'http:' || socketPath !== undefined) return false;
  if (isLoopbackHost(url.hostname)) return false;
  return url.password !== '' || Object.keys(headers).some((name) => secretHeader.test(name));
}
