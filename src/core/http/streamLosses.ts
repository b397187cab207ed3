/** A second refused stream within this time does not count as a lost session. */
const windowMs = 60_000;

/**
 * Counts sessions that were considered lost because the stream for the server's own messages was
 * refused after it had been open. If that happens again soon, only the stream is affected: the next
 * request shows the state of the session.
 */
export class StreamLosses {
  #lastAt = -Infinity;

  /** Returns true if this refusal counts as a loss of the session. */
  allow(): boolean {
    const now = performance.now();
    if (now - this.#lastAt < windowMs) return false;
    this.#lastAt = now;
    return true;
  }
}
