import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { toMcpError } from './errors';
import type { ConnectionLog } from './log';

/** Requests of the server that may wait for their answer; the surplus is refused unheard. */
const maxWaiting = 1_000;

/** Answers one request of the server. @throws {RequestRefused} what the server is told */
export type AnswerRequest = (method: string, params: unknown) => object | Promise<object>;

/** Thrown by an {@link AnswerRequest} to answer with this error. */
export class RequestRefused extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'RequestRefused';
  }
}

/**
 * Answers what the server asks. A flood cannot pile up, and only chosen errors leave: texts of
 * other exceptions may hold paths and names.
 */
export class ServerRequests {
  readonly #answerRequest: AnswerRequest;
  readonly #log: ConnectionLog;
  #waiting = 0;
  #hasWarned = false;

  constructor(answerRequest: AnswerRequest, log: ConnectionLog) {
    this.#answerRequest = answerRequest;
    this.#log = log;
  }

  /** Undefined when there is room for one more, otherwise the error to refuse it with. */
  admit(): { readonly code: number; readonly message: string } | undefined {
    if (this.#waiting < maxWaiting) {
      this.#waiting += 1;
      return undefined;
    }
    if (!this.#hasWarned) this.#log.warn('more than 1,000 requests of the server are waiting');
    this.#hasWarned = true;
    return { code: ErrorCodes.InternalError, message: 'Too many requests are waiting' };
  }

  /** For one that was admitted. Never rejects. */
  async answer(method: string, params: unknown): Promise<object> {
    try {
      return await this.#answerRequest(method, params);
    } catch (error) {
      if (error instanceof RequestRefused) return new ResponseError(error.code, error.message);
      this.#log.warn(`answering ${method}: ${toMcpError(error).message}`);
      return new ResponseError(ErrorCodes.InternalError, 'Internal error');
    } finally {
      this.#waiting -= 1;
    }
  }
}
