interface Retry {
  readonly server: string;
  readonly failures: number;
  /** Time of the next request, by the clock of `performance.now`. */
  readonly dueAt: number;
}

const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;

/** Makes the requests for a stored task rarer each time its server only fails. */
export class TaskRetries {
  /** Keyed by call. */
  readonly #retries = new Map<string, Retry>();

  isDue(callId: string): boolean {
    return performance.now() >= (this.#retries.get(callId)?.dueAt ?? 0);
  }

  /** @param retryAfterMs the pause that the server asked for */
  failed(callId: string, server: string, retryAfterMs = 0): void {
    const failures = (this.#retries.get(callId)?.failures ?? 0) + 1;
    const grownMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
    // Spread, so that many clients do not ask a recovering server at the same time.
    const pauseMs = Math.max(grownMs * (0.75 + Math.random() / 2), retryAfterMs);
    this.#retries.set(callId, { server, failures, dueAt: performance.now() + pauseMs });
  }

  ended(callId: string): void {
    this.#retries.delete(callId);
  }

  /** A server that was restarted, or where the user signed in, may answer at once. */
  serverChanged(id: string): void {
    for (const [callId, { server }] of this.#retries) {
      if (server === id) this.#retries.delete(callId);
    }
  }
}
