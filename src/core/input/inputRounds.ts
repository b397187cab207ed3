import type { CancellationToken } from 'vscode-jsonrpc/node';
import { LinkedCancellationSource, waitFor } from '../rpc/cancellation';
import { McpError } from '../errors';
import type { ElicitationOrigin } from './elicitation';
import type { ElicitationBroker } from './elicitationBroker';
import { boundedJson } from '../json/boundedJson';
import { isObject } from '../json/shapes';
import type { UnknownObject } from '../json/shapes';

/** Limits the questions of one round. */
const maxRequests = 20;
const firstDelayMs = 250;
const maxDelayMs = 5_000;

/** Members that a round adds to the original params. */
export interface RoundParams {
  readonly inputResponses?: { readonly [key: string]: object };
  /** Byte for byte as received. Absent if the last answer had none. */
  readonly requestState?: string;
}

/** A result that asks for input before the server continues. */
export class InputRequired {
  constructor(
    readonly requests: readonly (readonly [key: string, request: unknown])[] | undefined,
    readonly requestState: string | undefined,
  ) {}
}

/** @throws {McpError} invalidResult */
export function parseInputRequired(result: UnknownObject): InputRequired {
  const { inputRequests: requests, requestState: state } = result;
  if (state !== undefined && typeof state !== 'string') {
    throw new McpError('invalidResult', { detail: 'requestState is not a string' });
  }
  if (requests === undefined && state === undefined) {
    throw new McpError('invalidResult', { detail: 'neither inputRequests nor requestState' });
  }
  if (requests === undefined) return new InputRequired(undefined, state);
  if (!isObject(requests)) {
    throw new McpError('invalidResult', { detail: 'inputRequests is not an object' });
  }
  return new InputRequired(Object.entries(requests), state);
}

export interface RoundContext {
  readonly broker: ElicitationBroker | undefined;
  /** The waiting call, shown to the user. */
  readonly origin: ElicitationOrigin;
  readonly token: CancellationToken;
}

/**
 * Answers everything that one round asks for: questions to the user one after the other, all others
 * at once. A declined question counts as answered; a request that cannot be answered
 * ends the call. The whole round is parsed before the user is asked anything.
 * @throws {McpError} inputNotPossible | cancelled | what the handler throws
 */
export async function answerRound(
  { requests, requestState }: InputRequired,
  answering: RoundContext,
): Promise<RoundParams> {
  const state = requestState === undefined ? {} : { requestState };
  if (requests === undefined) return state;
  const asks = planRound(requests, answering);
  // If one request fails the call ends, and all other questions have to be closed.
  const source = new LinkedCancellationSource(answering.token);
  // Questions of one round must not fill the queue that all calls of the server share.
  let last: Promise<unknown> = Promise.resolve();
  try {
    const answers = asks.map(async ([key, ask], index) => {
      if (!isQuestion(requests[index]?.[1])) return [key, await ask(source.token)] as const;
      const answer = last.then(() => ask(source.token));
      last = answer;
      return [key, await answer] as const;
    });
    return { inputResponses: Object.fromEntries(await Promise.all(answers)), ...state };
  } finally {
    source.cancel();
    source.dispose();
  }
}

export type AnswerInput = (token: CancellationToken) => Promise<object>;

/**
 * Determines how to answer each request of a round before any is asked.
 * @throws {McpError} inputNotPossible if one cannot be answered, or there are too many
 */
export function planRound(
  requests: readonly (readonly [key: string, request: unknown])[],
  answering: Pick<RoundContext, 'broker' | 'origin'>,
): readonly (readonly [key: string, ask: AnswerInput])[] {
  if (requests.length > maxRequests) throw notPossible(`${requests.length} requests at once`);
  return requests.map(([key, request]) => [key, toAsk(request, answering)] as const);
}

/** Determines how to answer one request. @throws {McpError} inputNotPossible */
function toAsk(
  request: unknown,
  { broker, origin }: Pick<RoundContext, 'broker' | 'origin'>,
): AnswerInput {
  if (!isObject(request)) throw notPossible(boundedJson(request, 100));
  const { method, params } = request;
  if (isQuestion(request) && broker !== undefined) {
    const question = broker.understand(params, origin);
    return (token) => broker.ask(question, token);
  }
  if (method === 'roots/list' && broker?.hasRoots === true)
    return (token) => broker.listRoots(token);
  throw notPossible(boundedJson(method, 100));
}

function isQuestion(request: unknown): boolean {
  return isObject(request) && request.method === 'elicitation/create';
}

function notPossible(detail: string): McpError {
  return new McpError('inputNotPossible', { detail });
}

/**
 * Waits before a call is repeated for a server that asked only for that, longer each time.
 * @throws {McpError} cancelled
 */
export async function waitForServer(waits: number, token: CancellationToken): Promise<void> {
  const delayMs = Math.min(firstDelayMs * 2 ** (waits - 1), maxDelayMs);
  await waitFor(delayMs, token);
}

/**
 * Measures the time of one call without the time between its rounds, in which the user may think.
 */
export class RoundClock {
  #startedAt = performance.now();
  readonly #limitMs: () => number;

  constructor(limitMs: () => number) {
    this.#limitMs = limitMs;
  }

  async without<T>(answering: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const answer = await answering;
    this.#startedAt += performance.now() - startedAt;
    return answer;
  }

  /** @throws {McpError} timeout */
  check(): void {
    const limit = this.#limitMs();
    if (performance.now() > this.#startedAt + limit) throw new McpError('timeout', { limit });
  }
}
