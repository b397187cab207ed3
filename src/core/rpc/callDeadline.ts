/** The clock of the request that a call waits for. */
export interface DeadlineClock {
  /** Absent if no answer is awaited, or while the server waits for the client. */
  remainingMs(): number | undefined;
  /** Raises the maximum by `ms` and leaves at least that much time. */
  extend(ms: number): void;
  /** True if progress can no longer postpone the deadline. */
  isAtCeiling(): boolean;
}

/**
 * The time limit of one call, which can be extended while the call waits. A call may take several
 * requests: each has the full limit, and all together have the maximum. Used for one call only.
 */
export class CallDeadline {
  /** How long the server may be silent, in milliseconds. */
  readonly timeoutMs: number;
  #ceilingMs: number;
  #clock: DeadlineClock | undefined;

  /** @param ceilingMs At least `timeoutMs` is used. */
  constructor(timeoutMs: number, ceilingMs: number) {
    this.timeoutMs = timeoutMs;
    this.#ceilingMs = Math.max(timeoutMs, ceilingMs);
  }

  /** How far progress can postpone the deadline, from the start of a request. */
  get ceilingMs(): number {
    return this.#ceilingMs;
  }

  /** The time left. Absent while no clock runs. */
  get remainingMs(): number | undefined {
    return this.#clock?.remainingMs();
  }

  /** True if the maximum, and not the server's silence, ends the call. */
  get isAtCeiling(): boolean {
    return this.#ceilingMs > this.timeoutMs && this.#clock?.isAtCeiling() === true;
  }

  /** Grants the time limit once more from now, and raises the maximum by as much. */
  extend(): void {
    this.#ceilingMs += this.timeoutMs;
    this.#clock?.extend(this.timeoutMs);
  }

  /** Sets the request that the call waits for. */
  follow(clock: DeadlineClock): void {
    this.#clock = clock;
  }
}
