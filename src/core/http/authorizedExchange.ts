import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { McpError, toMcpError, withoutEffect } from '../errors';
import type { HttpHeaders } from './httpEndpoint';
import type { HttpAnswer, HttpExchange, HttpRequest, OpenExchange } from './httpExchange';
import { challengesOf } from './httpFailure';
import { isUnawaited, operationOf } from './httpMessage';
import { refusalOf } from './httpResume';
import type { Refusal, RequestAuthorization } from './requestAuthorization';
import type { SignInNews } from './signInNews';

/**
 * How often one request is sent again for the sake of who asks: three authorizations at most,
 * and a refresh. Counted apart from whatever else is repeated.
 */
const maxRepeats = 4;

/** How one request is authorized. */
export interface AuthorizedManner {
  readonly authorization: RequestAuthorization;
  /** Stops the clocks of whoever waits, until the answer is called. */
  readonly pause: () => () => void;
  /** What is refused is not repeated, and nobody is asked. */
  readonly isFarewell?: true;
}

/**
 * One request that its authorization has a part in: it gets its headers for each try, and what 401 or
 * 403 refused is sent again when the authorization says so. What was refused had
 * no effect, so that holds for calls, too.
 */
export class AuthorizedExchange implements OpenExchange {
  readonly answer: Promise<HttpAnswer>;
  readonly #ending = new CancellationTokenSource();
  readonly #request: HttpRequest;
  readonly #send: (request: HttpRequest) => HttpExchange;
  readonly #manner: AuthorizedManner;
  readonly #news: SignInNews;
  #exchange: HttpExchange | undefined;
  #wasTaken = false;

  constructor(
    request: HttpRequest,
    send: (request: HttpRequest) => HttpExchange,
    manner: AuthorizedManner,
    news: SignInNews,
  ) {
    this.#request = request;
    this.#send = send;
    this.#manner = manner;
    this.#news = news;
    this.answer = this.#run();
    // Whoever aborted it does not wait.
    this.answer.catch(() => undefined);
  }

  /** Whether the server has never seen it in a form that it could take. */
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
    for (let attempt = 0; ; attempt++) {
      const sent = await this.#headers();
      if (token.isCancellationRequested) throw new McpError('cancelled');
      const { headers } = this.#request;
      this.#exchange = this.#send({ ...this.#request, headers: { ...headers, ...sent } });
      const answer = await this.#exchange.answer;
      const { status } = answer;
      if (status !== 401 && status !== 403) {
        this.#wasTaken = true;
        if (status < 400) this.#news.taken(sent);
        return answer;
      }
      if (isStream(this.#request)) this.#news.streamRefused(sent);
      const challenges = challengesOf(answer.message);
      const failure = withoutEffect(await refusalOf(answer));
      this.#exchange = undefined;
      if (this.#manner.isFarewell === true || attempt === maxRepeats) throw failure;
      const refusal: Refusal = { status, challenges, sent, attempt, ...this.#purpose() };
      await this.#waiting(() => authorization.refused(refusal, token), failure);
    }
  }

  #purpose(): Pick<Refusal, 'operation' | 'isBackground'> {
    const { method, message, isBackground } = this.#request;
    const isAlone = isBackground === true || (message !== undefined && isUnawaited(message));
    const operation = message === undefined ? method : operationOf(message);
    return { operation, ...(isAlone ? { isBackground: true } : {}) };
  }

  async #headers(): Promise<HttpHeaders> {
    const { authorization } = this.#manner;
    try {
      return await authorization.headers(this.#ending.token);
    } catch (error) {
      throw withoutEffect(toMcpError(error));
    }
  }

  /** @throws {McpError} `failure` when the authorization has no part in it | what it says */
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
      // The status says that this is no sign of an era.
      const { httpStatus = 401 } = failure.facts;
      throw withoutEffect(new McpError(code, { httpStatus, ...facts }));
    } finally {
      resume();
    }
  }
}

/** Whether it would stay open for what the server says by itself. */
function isStream({ method, message }: HttpRequest): boolean {
  return method === 'GET' || (message?.kind === 'request' && isUnawaited(message));
}
