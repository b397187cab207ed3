import { dropOldest, ShortLivedMap } from '../bounds/shortLivedMap';
import type { CallDeadline, DeadlineClock } from './callDeadline';
import { Deadlines } from './deadlines';
import { isRequestId, type RequestId } from './incoming';
import { parseProgress } from '../parse/parseResults';
import { isObject } from '../json/shapes';
import type { Progress } from '../types';

export interface RpcLimits {
  /** The default deadline of a request. */
  readonly requestTimeoutMs: number;
  /** How far progress can postpone a deadline, from the start of the request. */
  readonly callCeilingMs: number;
}

export interface PendingRequestOptions {
  readonly timeoutMs?: number;
  /** Replaces `timeoutMs` by a deadline that can be extended. */
  readonly deadline?: CallDeadline;
  readonly onProgress?: (progress: Progress) => void;
  /** Called if the server answers an abandoned request, with its result if it has one. */
  readonly onLateAnswer?: (result: unknown) => void;
  /** Keeps progress reports coming after the answer, until `release` is called. */
  readonly onProgressKept?: (release: () => void) => void;
  /** `initialize` must not be cancelled on the wire, whatever happens to it here. */
  readonly isUncancellable?: boolean;
  /** Called with the id of the request before it is written. */
  readonly onId?: (id: RequestId) => void;
}

/** A request that waits for its answer. */
export interface PendingRequest {
  /** -1 until vscode-jsonrpc has assigned one. */
  id: RequestId;
  deadlineAt: number;
  readonly timeoutMs: number;
  ceilingAt: number;
  /** Unlike request ids, not used up by requests without progress. */
  readonly progressToken: number | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  readonly onLateAnswer: ((result: unknown) => void) | undefined;
  readonly keepsProgress: boolean;
  readonly isUncancellable: boolean;
  readonly onId: ((id: RequestId) => void) | undefined;
}

/** Limits the abandoned requests whose late answer is reported; the oldest are forgotten. */
const maxGivenUp = 100;

/** The pending requests of one connection, with their deadlines and progress. */
export class PendingRequests {
  readonly #limits: RpcLimits;
  readonly #byId = new ShortLivedMap<RequestId, PendingRequest>();
  readonly #byToken = new ShortLivedMap<unknown, PendingRequest>();
  readonly #deadlines: Deadlines<PendingRequest>;
  readonly #givenUp = new Map<RequestId, (result: unknown) => void>();
  #nextToken = 0;
  #lastId = -1;
  /**
   * An answer without an id may belong to a message that was not a request; it was written after
   * this one.
   */
  #otherAfterId: number | undefined;
  #hasGivenUp = false;
  #sendsStray = false;
  #pauses = 0;
  #pausedAt = 0;

  constructor(limits: RpcLimits, onExpired: (pending: PendingRequest) => void) {
    this.#limits = limits;
    this.#deadlines = new Deadlines(() => this.#byId.values(), onExpired);
  }

  get all(): readonly PendingRequest[] {
    return [...this.#byId.values()];
  }

  has(id: unknown): id is RequestId {
    return isRequestId(id) && this.#byId.has(id);
  }

  /** The only request that an answer without an id can belong to. Absent if it is ambiguous. */
  get onlyPossible(): RequestId | undefined {
    const [only] = this.#byId.values();
    // A server that sends one during the handshake also sends them besides its answers.
    this.#sendsStray ||= only?.isUncancellable === true;
    const isUnsure = this.#sendsStray || this.#hasGivenUp || this.#otherAfterId !== undefined;
    return isUnsure || this.#byId.size !== 1 ? undefined : only?.id;
  }

  /**
   * Notes that a notification or answer was written, which the server may refuse in a message
   * without an id.
   */
  wroteOther(): void {
    this.#otherAfterId = this.#lastId;
  }

  /** Registers a request that is about to be sent, and starts its clock. */
  prepare(options: PendingRequestOptions): PendingRequest {
    const now = performance.now();
    const { deadline } = options;
    const timeoutMs = deadline?.timeoutMs ?? options.timeoutMs ?? this.#limits.requestTimeoutMs;
    const ceilingMs = deadline?.ceilingMs ?? Math.max(timeoutMs, this.#limits.callCeilingMs);
    const pending: PendingRequest = {
      id: -1,
      timeoutMs,
      deadlineAt: now + timeoutMs,
      ceilingAt: now + ceilingMs,
      progressToken: options.onProgress === undefined ? undefined : this.#nextToken++,
      onProgress: options.onProgress,
      onLateAnswer: options.onLateAnswer,
      keepsProgress: options.onProgressKept !== undefined,
      isUncancellable: options.isUncancellable === true,
      onId: options.onId,
    };
    deadline?.follow(this.#clockOf(pending));
    options.onProgressKept?.(() => this.#forgetProgress(pending));
    return pending;
  }

  admit(pending: PendingRequest, id: RequestId): void {
    pending.id = id;
    this.#byId.set(id, pending);
    if (typeof id === 'number') this.#lastId = id;
    if (pending.progressToken !== undefined) this.#byToken.set(pending.progressToken, pending);
    if (this.#pauses === 0) this.#deadlines.watch(pending);
    pending.onId?.(id);
  }

  /** Called after the answer. Later progress is dropped unless it is kept. */
  forget(id: RequestId): void {
    const pending = this.#byId.get(id);
    if (pending === undefined) return;
    this.#byId.delete(id);
    // Servers refuse in order, so messages before this request were accepted before its answer.
    if (Number(id) > (this.#otherAfterId ?? Infinity)) this.#otherAfterId = undefined;
    if (!pending.keepsProgress) this.#forgetProgress(pending);
  }

  #forgetProgress({ progressToken }: PendingRequest): void {
    if (progressToken !== undefined) this.#byToken.delete(progressToken);
  }

  /** Abandons a request that is about to be settled without an answer. */
  giveUp(id: RequestId): PendingRequest | undefined {
    this.#hasGivenUp = true;
    const pending = this.#byId.get(id);
    if (pending?.onLateAnswer === undefined) return pending;
    this.#givenUp.set(id, pending.onLateAnswer);
    dropOldest(this.#givenUp, maxGivenUp);
    return pending;
  }

  /** Handles an answer whose request no longer waits. */
  answeredLate(id: RequestId, result: unknown): undefined {
    const notify = this.#givenUp.get(id);
    if (this.#givenUp.delete(id)) notify?.(result);
    return undefined;
  }

  /**
   * Handles the params of `notifications/progress`: restarts the request's clock, up to the
   * maximum.
   */
  takeProgress(params: unknown): void {
    const report = parseProgress(params);
    if (report === undefined) return;
    const pending = this.#byToken.get(report.token);
    if (pending === undefined) return;
    pending.deadlineAt = Math.min(performance.now() + pending.timeoutMs, pending.ceilingAt);
    pending.onProgress?.(report.progress);
  }

  /** Pauses the clocks of all requests until every returned function was called. */
  pause(): () => void {
    this.#pauses += 1;
    if (this.#pauses === 1) {
      this.#pausedAt = performance.now();
      this.#deadlines.dispose();
    }
    let isPaused = true;
    return () => {
      if (!isPaused) return;
      isPaused = false;
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#resume();
    };
  }

  #clockOf(pending: PendingRequest): DeadlineClock {
    const now = () => (this.#pauses === 0 ? performance.now() : this.#pausedAt);
    const isWaiting = () => this.#byId.get(pending.id) === pending;
    return {
      remainingMs: () =>
        isWaiting() && this.#pauses === 0 ? pending.deadlineAt - now() : undefined,
      extend: (ms) => {
        pending.ceilingAt += ms;
        pending.deadlineAt = Math.max(pending.deadlineAt, now() + ms);
      },
      isAtCeiling: () => pending.deadlineAt >= pending.ceilingAt,
    };
  }

  #resume(): void {
    const pausedMs = performance.now() - this.#pausedAt;
    for (const pending of this.#byId.values()) {
      // Requests sent during the pause get a little more than their limit.
      pending.deadlineAt += pausedMs;
      pending.ceilingAt += pausedMs;
      this.#deadlines.watch(pending);
    }
  }

  dispose(): void {
    this.#deadlines.dispose();
  }
}

/** Adds a progress token to `params`. */
export function withToken(
  params: { readonly [key: string]: unknown },
  progressToken: number,
): { readonly [key: string]: unknown } {
  const { _meta: meta } = params;
  return { ...params, _meta: { ...(isObject(meta) ? meta : {}), progressToken } };
}
