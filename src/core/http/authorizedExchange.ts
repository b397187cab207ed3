import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { McpError, toMcpError, withoutEffect } from '../errors';
import type { HttpHeaders } from './httpEndpoint';
import type { HttpAnswer, HttpExchange, HttpRequest, OpenExchange } from './httpExchange';
import { authenticateHeaders } from './httpFailure';
import { hasNoWaiter, operationName } from './httpMessage';
import { httpErrorOf } from './httpResume';
import type { AuthorizationRefusal, RequestAuthorization } from './requestAuthorization';
import type { SignInRetry } from './signInRetry';

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
