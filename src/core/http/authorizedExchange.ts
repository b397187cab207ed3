import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
import { McpError, toMcpError, withoutEffect } from '../errors';
import { type HttpHeaders, hasNoWaiter, operationName } from './httpMessage';
import type { HttpAnswer, HttpExchange, HttpRequest, OpenExchange } from './httpExchange';
import { authenticateHeaders } from './httpBody';
import { httpErrorOf } from './sseStream';

/**
 * Maximum number of times one request is sent again for authorization: three authorizations
 * and one refresh. Other repeats are counted separately.
 */
const maxRepeats = 4;

/** Authorization settings for the requests of one connection. */
export interface AuthorizedExchangeOptions {
  readonly authorization: RequestAuthorization;
  /** Pauses the timeouts of waiting requests until the returned function is called. */
  readonly pause: () => () => void;
  /** If set, a refused request is neither repeated nor does it ask for a sign-in. */
  readonly isSessionEnd?: true;
}

/**
 * A request with authorization: it gets fresh headers for each try and is sent again after a 401 or
 * 403 when the authorization allows it. A refused request had no effect, so
 * calls are repeated too.
 */
export class AuthorizedExchange implements OpenExchange {
  readonly answer: Promise<HttpAnswer>;
  readonly #ending = new CancellationTokenSource();
  readonly #request: HttpRequest;
  readonly #url: URL;
  readonly #send: (request: HttpRequest) => HttpExchange;
  readonly #manner: AuthorizedExchangeOptions;
  readonly #news: SignInRetry;
  #exchange: HttpExchange | undefined;
  #wasTaken = false;

  constructor(
    request: HttpRequest,
    url: URL,
    send: (request: HttpRequest) => HttpExchange,
    manner: AuthorizedExchangeOptions,
    news: SignInRetry,
  ) {
    this.#request = request;
    this.#url = url;
    this.#send = send;
    this.#manner = manner;
    this.#news = news;
    this.answer = this.#run();
    // After an abort, no caller awaits the answer.
    this.answer.catch(() => undefined);
  }

  /** True if no request was accepted or is pending at the server. */
  get isUnsent(): boolean {
    return !this.#wasTaken && this.#exchange === undefined;
  }

  abort(): void {
    this.#ending.cancel();
    this.#exchange?.abort();
  }

  async #run(): Promise<HttpAnswer> {
    const { authorization } = this.#manner;
    const { token } = this.#ending;
    let hasNonce = false;
    for (let attempt = 0; ; attempt++) {
      const sent = await this.#headers(this.#url);
      if (token.isCancellationRequested) throw new McpError('cancelled');
      this.#exchange = this.#send(this.#signed(sent));
      const answer = await this.#exchange.answer;
      const { status } = answer;
      if ((await this.#takeNonce(answer)) && !hasNonce) {
        await httpErrorOf(answer);
        hasNonce = true;
        attempt -= 1;
        continue;
      }
      if (status !== 401 && status !== 403) {
        this.#wasTaken = true;
        if (status < 400) this.#news.taken(sent);
        return answer;
      }
      if (isStream(this.#request)) this.#news.streamRefused(sent);
      const challenges = authenticateHeaders(answer.message);
      const failure = withoutEffect(await httpErrorOf(answer));
      this.#exchange = undefined;
      if (this.#manner.isSessionEnd === true || attempt === maxRepeats) throw failure;
      const refusal: AuthorizationRefusal = {
        status,
        challenges,
        sent,
        attempt,
        ...this.#purpose(),
      };
      await this.#waiting(() => authorization.refused(refusal, token), failure);
    }
  }

  #purpose(): Pick<AuthorizationRefusal, 'operation' | 'isBackground'> {
    const { method, message, isBackground } = this.#request;
    const isAlone = isBackground === true || (message !== undefined && hasNoWaiter(message));
    const operation = message === undefined ? method : operationName(message);
    return { operation, ...(isAlone ? { isBackground: true } : {}) };
  }

  #signed(sent: HttpHeaders): HttpRequest {
    const { headers } = this.#request;
    const request = { ...this.#request, headers: { ...headers, ...sent } };
    // A proof is for one request to one URL.
    return sent['DPoP'] === undefined ? request : { ...request, sign: (url) => this.#headers(url) };
  }

  /** Returns true if the server refused the request only because its proof lacks this nonce. */
  async #takeNonce({ status, message }: HttpAnswer): Promise<boolean> {
    const { 'dpop-nonce': nonce } = message.headers;
    const { authorization } = this.#manner;
    if (typeof nonce !== 'string' || authorization.takeNonce === undefined) return false;
    const isDemand = await authorization.takeNonce(nonce, authenticateHeaders(message));
    return isDemand && (status === 400 || status === 401);
  }

  async #headers(url: URL): Promise<HttpHeaders> {
    const { authorization } = this.#manner;
    const { method } = this.#request;
    try {
      return await authorization.headers({ method, url }, this.#ending.token);
    } catch (error) {
      throw withoutEffect(toMcpError(error));
    }
  }

  /**
   * @throws {McpError} `failure` when the authorization cannot help | the errors of the
   * authorization
   */
  async #waiting(work: () => Promise<void>, failure: McpError): Promise<void> {
    const resume = this.#manner.pause();
    try {
      await work();
    } catch (error) {
      const { code, facts } = toMcpError(error);
      if (code === 'unauthorized') {
        const { offersNoSignIn } = facts;
        const more = offersNoSignIn === undefined ? {} : { offersNoSignIn };
        throw new McpError(failure.code, { ...failure.facts, ...more });
      }
      // With its status, the error is not taken for a sign of another era.
      const { httpStatus = 401 } = failure.facts;
      throw withoutEffect(new McpError(code, { httpStatus, ...facts }));
    } finally {
      resume();
    }
  }
}

/**
 * True if the request opens a stream for the server's own messages, or no caller waits for its
 * answer.
 */
function isStream({ method, message }: HttpRequest): boolean {
  return method === 'GET' || (message?.kind === 'request' && hasNoWaiter(message));
}

/** A request that is about to be sent. */
export interface AuthorizedRequest {
  readonly method: string;
  readonly url: URL;
}

/** A request that the server answered with 401 or 403. */
export interface AuthorizationRefusal {
  readonly status: 401 | 403;
  /** All `WWW-Authenticate` headers of the answer: untrusted, at most 8,192 characters in all. */
  readonly challenges: readonly string[];
  /** The headers from {@link RequestAuthorization.headers} that the refused request had. */
  readonly sent: HttpHeaders;
  /** The method of the refused message; for a call with the name of its tool: `tools/call x`. */
  readonly operation: string;
  /** Number of earlier refusals of the same request. */
  readonly attempt: number;
  /** Set if no caller waits for the request: the user must not be asked for it. */
  readonly isBackground?: true;
}

/**
 * Authorizes the requests to one server; the transports know only this interface.
 */
export interface RequestAuthorization {
  /**
   * Returns the headers for this request and no other; empty if none are needed yet. Renews tokens
   * that are about to expire.
   */
  headers(request: AuthorizedRequest, token?: CancellationToken): Promise<HttpHeaders>;
  /**
   * Handles the refusal, by a sign-in of the user if needed, and resolves when the request may be
   * repeated with new {@link headers}; a refused request had no effect.
   * @throws {McpError} signInNeeded | signInFailed | scopeRefused | unauthorized | cancelled
   */
  refused(refusal: AuthorizationRefusal, token?: CancellationToken): Promise<void>;
  /**
   * Takes the nonce of an answer for the proofs of later requests (RFC 9449, section 8). Returns
   * true if the request was refused only for want of it.
   */
  takeNonce?(nonce: string, challenges: readonly string[]): Promise<boolean>;
}

/**
 * Tells streams that were refused without a sign-in when to retry: as soon as the server has
 * accepted another request with headers that differ from the stream's.
 */
export class SignInRetry {
  /** The Authorization header of the last refused stream, if any stream was refused. */
  #refused: { readonly credentials: string | undefined } | undefined;
  #isThere = false;
  readonly #waiting = new Set<() => void>();

  /** Records that a stream with these headers was refused. */
  streamRefused(sent: HttpHeaders): void {
    this.#refused = { credentials: sent['Authorization'] };
    this.#isThere = false;
  }

  /** Records that a request with these headers was accepted. */
  taken(sent: HttpHeaders): void {
    if (this.#refused === undefined) return;
    if (sent['Authorization'] === this.#refused.credentials) return;
    this.#isThere = true;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when another try after a refused stream is useful, or `signal` is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.#isThere || signal.aborted) return;
    await untilWoken(signal, (wake) => this.#waiting.add(wake));
  }
}

/**
 * Resolves when the function that `keep` receives is called, or `signal` is aborted. Leaves no
 * listener, because the signal may outlive many waits.
 */
export async function untilWoken(
  signal: AbortSignal,
  keep: (wake: () => void) => void,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = () => {
      signal.removeEventListener('abort', wake);
      resolve();
    };
    signal.addEventListener('abort', wake, { once: true });
    keep(wake);
  });
}
