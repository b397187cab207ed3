import { McpError } from '../errors';
import { boundedJson } from '../json/boundedJson';
import { brokenAnswer } from './brokenAnswer';
import type { AnswerMessage, RequestId } from './incoming';
import type { PendingRequests } from './pendingRequests';

const maxQuotedChars = 4096;

/** The request that an answer belongs to, and its error if it failed. */
export interface MatchedAnswer {
  readonly id: RequestId;
  readonly error: McpError | undefined;
}

/** Finds the request of an answer with a wrong id, or of one that is not valid JSON. */
export class OddAnswers {
  readonly #pending: PendingRequests;
  readonly #warnOnce: (text: string) => void;

  constructor(pending: PendingRequests, warnOnce: (text: string) => void) {
    this.#pending = pending;
    this.#warnOnce = warnOnce;
  }

  /** For an answer whose id matches no pending request. */
  match(message: AnswerMessage, error: McpError | undefined): MatchedAnswer | undefined {
    const { id, result } = message;
    // Late answers to cancelled or overdue requests are expected.
    if (typeof id === 'number') return this.#pending.answeredLate(id, result);
    const meant = this.#idOf(id);
    if (meant !== undefined) {
      this.#warnOnce('the server answers with strings for numbers as ids; taken as numbers');
      return { id: meant, error };
    }
    this.#warnOnce('the server sent an answer without the id of a request');
    if (id !== undefined && id !== null) return undefined;
    if (error?.code === 'serverError') return this.#forOnly(error);
    if (result === undefined) return undefined;
    return this.#forOnly(invalid('has no "id"', boundedJson(message, maxQuotedChars)));
  }

  /** For a line that is not valid JSON but may have been meant as an answer. */
  matchUnreadable(line: string): MatchedAnswer | undefined {
    const answer = brokenAnswer(line);
    if (answer === undefined) return undefined;
    const error = invalid('is no JSON', line);
    if (answer.id === null) return this.#forOnly(error);
    const id = this.#pending.has(answer.id) ? answer.id : this.#idOf(answer.id);
    return id === undefined ? undefined : { id, error };
  }

  #idOf(id: unknown): RequestId | undefined {
    if (typeof id !== 'string' || !/^\d{1,15}$/.test(id)) return undefined;
    return this.#pending.has(Number(id)) ? Number(id) : undefined;
  }

  #forOnly(error: McpError): MatchedAnswer | undefined {
    const id = this.#pending.onlyPossible;
    return id === undefined ? undefined : { id, error };
  }
}

function invalid(what: string, text: string): McpError {
  return new McpError('invalidResult', { detail: `its answer ${what}: ${text}` });
}
