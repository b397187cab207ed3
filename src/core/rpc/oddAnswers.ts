import { McpError } from '../errors';
import { boundedJson } from '../json/boundedJson';
import { numberOfIdText, type AnswerMessage, type RequestId } from './incoming';
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
    const late = numberOfIdText(id);
    if (late !== undefined) return this.#pending.answeredLate(late, result);
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
    const number = numberOfIdText(id);
    return this.#pending.has(number) ? number : undefined;
  }

  #forOnly(error: McpError): MatchedAnswer | undefined {
    const id = this.#pending.onlyPossible;
    return id === undefined ? undefined : { id, error };
  }
}

function invalid(what: string, text: string): McpError {
  return new McpError('invalidResult', { detail: `its answer ${what}: ${text}` });
}

/** An answer that is not valid JSON. `null` means that its id could not be read. */
interface BrokenAnswer {
  readonly id: string | number | null;
}

/**
 * Matches one token: a string (perhaps cut at the end of the line), a punctuation character, or a
 * word such as a number, `NaN` or `undefined`. Strings may have unescaped characters, and the
 * quotes of Python.
 */
const token = /\s*("(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)|[{}[\],:]|-?[\w.+-]+)/suy;
const answerKeys: ReadonlySet<string> = new Set(['"jsonrpc"', '"id"', '"result"', '"error"']);

/**
 * Recognizes a malformed `line` that was certainly meant as the answer to a request. Reads the
 * members of the outermost object until something does not fit; inner members are ignored.
 */
function brokenAnswer(line: string): BrokenAnswer | undefined {
  const members = outerMembers(line);
  if (members === undefined) return undefined;
  if ([...members.keys()].some((key) => !answerKeys.has(key))) return undefined;
  if (!members.has('"result"') && !members.has('"error"')) return undefined;
  const id = idOf(members.get('"id"'));
  if (id !== null) return { id };
  // A JSON log has other members, but a truncated one may lack them.
  return members.get('"jsonrpc"') === '"2.0"' ? { id } : undefined;
}

/**
 * Maps each quoted key to the first token of its value. Returns `undefined` if the line is not an
 * object.
 */
function outerMembers(line: string): ReadonlyMap<string, string> | undefined {
  const members = new Map<string, string>();
  const open: string[] = [];
  let before = ['', ''];
  token.lastIndex = 0;
  for (let match = token.exec(line); match !== null; match = token.exec(line)) {
    const text = (match[1] ?? '').replace(/^'([^"]*)'$/su, '"$1"');
    if (open.length === 0 && (text !== '{' || members.size > 0)) return undefined;
    if (open.length === 1 && before[1] === ':') members.set(before[0] ?? '', text);
    if (text === '{' || text === '[') open.push(text === '{' ? '}' : ']');
    else if ((text === '}' || text === ']') && open.pop() !== text) break;
    if (open.length === 0) break;
    before = [before[1] ?? '', text];
  }
  return members.size === 0 ? undefined : members;
}

function idOf(text: string | undefined): string | number | null {
  if (text === undefined) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : null;
}
