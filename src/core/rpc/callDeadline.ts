/** The clock of the request that a call waits for. */
export interface DeadlineClock {
  /** Absent when nothing waits for an answer, or while we make the server wait. */
  remainingMs(): number | undefined;
  /** Moves the ceiling by `ms` and lets at least so much time be left. */
  extend(ms: number): void;
  /** Whether reports of progress cannot put the deadline off any more. */
  isAtCeiling(): boolean;
}

/**
 * The time limit of one call, which can be put off while the call waits. A call may take several
 * requests: each has the whole limit, and together they have the ceiling. Made for one call only.
 */
export class CallDeadline {
  /** How long the server may be silent, in milliseconds. */
  readonly timeoutMs: number;
  #ceilingMs: number;
  #clock: DeadlineClock | undefined;

  /** A `ceilingMs` below the time limit counts as the limit. */
  constructor(timeoutMs: number, ceilingMs: number) {
    this.timeoutMs = timeoutMs;
    this.#ceilingMs = Math.max(timeoutMs, ceilingMs);
  }

  /** How far reports of progress can put the deadline off, from the start of a request. */
  get ceilingMs(): number {
    return this.#ceilingMs;
  }

  /** Time that is left now; absent while no clock runs. */
  get remainingMs(): number | undefined {
    return this.#clock?.remainingMs();
  }

  /** Whether the ceiling, and not the silence of the server, is what ends or has ended the call. */
  get isAtCeiling(): boolean {
    return this.#ceilingMs > this.timeoutMs && this.#clock?.isAtCeiling() === true;
  }

  /** Gives the call its time limit once more, from now on, and moves the ceiling by as much. */
  extend(): void {
    this.#ceilingMs += this.timeoutMs;
    this.#clock?.extend(this.timeoutMs);
  }

  /** From now on this request is the one that the call waits for. */
  follow(clock: DeadlineClock): void {
    this.#clock = clock;
  }
}
