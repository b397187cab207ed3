/** A server whose stream is refused more often keeps its sessions, but not its streams. */
const windowMs = 60_000;

/**
 * How often sessions were taken for lost because the stream for the server's own messages was
 * refused after it had been there. Where that happens again soon, it says something of the stream
 * alone: the next request finds out what holds of the session.
 */
export class StreamLosses {
  #lastAt = -Infinity;

  /** Whether it counts as a loss of the session this time. */
  allow(): boolean {
    const now = performance.now();
    if (now - this.#lastAt < windowMs) return false;
    this.#lastAt = now;
    return true;
  }
}
