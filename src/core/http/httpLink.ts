import { setMaxListeners } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpError } from '../errors';
import { checkedHeaders, isReachedDirectly, parseEndpoint, withIdentity } from './httpEndpoint';
import type { HttpEndpoint, HttpHeaders } from './httpEndpoint';
import type { ConnectionLog } from '../log';
import { AuthorizedExchange } from './authorizedExchange';
import type { AuthorizedManner } from './authorizedExchange';
import { HttpExchange } from './httpExchange';
import type { HttpRequest, OpenExchange } from './httpExchange';
import { InFlight } from './inFlight';
import { SignInNews } from './signInNews';
import { isLoopbackHost } from '../thisMachine';

/** Ours to say; a configured one of these names would break the protocol. */
const reservedHeader =
  /^(?:accept|content-type|content-length|transfer-encoding|connection|last-event-id|mcp-.*)$/i;

/** All exchanges with one server: its address, the headers of its configuration, and their end. */
export class HttpLink {
  readonly #endpoint: HttpEndpoint;
  readonly #headers: HttpHeaders;
  readonly #exchanges = new InFlight<OpenExchange>();
  readonly #manner: AuthorizedManner | undefined;
  readonly #news = new SignInNews();
  readonly #closing = new AbortController();
  /** How often somebody used the server. */
  #uses = 0;
  /** The same, at the end of the last wait for it. */
  #usesBefore = 0;
  #onUse: () => void = () => undefined;

  /**
   * `manner` has no part in it where credentials are configured, or there is no host that a
   * token could be for. @throws {McpError} invalidConfiguration
   */
  constructor(url: string, headers: HttpHeaders, log: ConnectionLog, manner?: AuthorizedManner) {
    const endpoint = parseEndpoint(url);
    const usable = Object.entries(headers).filter(([name]) => !reservedHeader.test(name));
    this.#headers = checkedHeaders(Object.fromEntries(usable));
    const known = withIdentity(endpoint, this.#headers);
    // Ours alone where no proxy could be left out by it: without the clock that the agent of Node
    // keeps for each request, and its connections end with the link.
    this.#endpoint = isReachedDirectly(endpoint)
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

  /** The configured headers, for every request. */
  get headers(): HttpHeaders {
    return this.#headers;
  }

  /** Sends a request, here or to `url` of the same origin. */
  open(request: HttpRequest, url: URL = this.#endpoint.url): OpenExchange {
    if (this.isClosed) throw new McpError('connectionClosed');
    if (request.isBackground !== true) {
      this.#uses += 1;
      this.#onUse();
    }
    return this.#open(request, url, this.#manner);
  }

  /** One last request after `close`, for its effect only. Never rejects. */
  async farewell(request: HttpRequest, timeoutMs: number): Promise<void> {
    const manner = this.#manner && { ...this.#manner, isFarewell: true as const };
    const exchange = this.#open(request, this.#endpoint.url, manner);
    const timer = setTimeout(() => exchange.abort(), timeoutMs);
    await exchange.answer.catch(() => undefined);
    clearTimeout(timer);
    this.#abortAll();
  }

  #open(request: HttpRequest, url: URL, manner: AuthorizedManner | undefined): OpenExchange {
    const send = (sent: HttpRequest) => new HttpExchange(this.#endpoint, sent, url);
    const exchange =
      manner === undefined
        ? send(request)
        : new AuthorizedExchange(request, send, manner, this.#news);
    this.#exchanges.add(exchange);
    return exchange;
  }

  /** For an exchange whose answer was read, or will be by nobody. */
  release(exchange: OpenExchange): void {
    this.#exchanges.delete(exchange);
  }

  /** @throws {McpError} cancelled when the link is closed meanwhile */
  async wait(delayMs: number, isIdle = false): Promise<void> {
    // Longer delays than a signed 32-bit number would end at once.
    const boundedMs = Math.min(delayMs, 2 ** 31 - 1);
    try {
      await sleep(boundedMs, undefined, { signal: this.#closing.signal, ref: !isIdle });
    } catch (error) {
      throw new McpError('cancelled', { cause: error });
    }
  }

  /**
   * For a stream that was refused for want of a sign-in, until there is a new one.
   * @throws {McpError} cancelled when the link is closed meanwhile
   */
  async untilSignedIn(): Promise<void> {
    await this.#news.next(this.#closing.signal);
    if (this.isClosed) throw new McpError('cancelled');
  }

  /**
   * For something that is worth another try only where somebody uses the server: after `delayMs`, and a
   * request since the last time. @throws {McpError} cancelled when the link is closed meanwhile
   */
  async waitForUse(delayMs: number): Promise<void> {
    const { signal } = this.#closing;
    await this.wait(delayMs, true);
    if (this.#uses === this.#usesBefore) {
      await new Promise<void>((resolve) => {
        this.#onUse = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    this.#usesBefore = this.#uses;
    if (this.isClosed) throw new McpError('cancelled');
  }

  #abortAll(): void {
    for (const exchange of this.#exchanges.all) {
      exchange.abort();
      this.release(exchange);
    }
    this.#endpoint.agent?.destroy();
  }

  /** Nothing of it is left afterwards, a farewell neither; idempotent. */
  close(): void {
    this.#closing.abort();
    this.#abortAll();
  }
}

/** A configured way to say who asks is the only one. */
function hasCredentials({ url }: HttpEndpoint, headers: HttpHeaders): boolean {
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return isNamed || url.username !== '' || url.password !== '';
}

/** Names under which credentials go, beside the standard one. */
const secretHeader = /^authorization$|^cookie$|api[-_]?key|auth[-_]?token|access[-_]?token|secret/i;

/** Whether credentials would leave this machine unencrypted. */
function sendsSecretsInClear({ url, socketPath }: HttpEndpoint, headers: HttpHeaders): boolean {
  if (url.protocol !== 'http:' || socketPath !== undefined) return false;
  if (isLoopbackHost(url.hostname)) return false;
  return url.password !== '' || Object.keys(headers).some((name) => secretHeader.test(name));
}
