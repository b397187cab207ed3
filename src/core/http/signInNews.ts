import type { HttpHeaders } from './httpEndpoint';

/**
 * Tells streams that a server refused for want of a sign-in when another try is worth it: as soon as
 * it has taken any other request with other headers than those of the stream.
 */
export class SignInNews {
  /** The credentials with which a stream was refused last, and whether others were taken since. */
  #refused: { readonly credentials: string | undefined } | undefined;
  #isThere = false;
  readonly #waiting = new Set<() => void>();

  /** A stream was refused with these. */
  streamRefused(sent: HttpHeaders): void {
    this.#refused = { credentials: sent['Authorization'] };
    this.#isThere = false;
  }

  /** Some request was taken with these. */
  taken(sent: HttpHeaders): void {
    if (this.#refused === undefined) return;
    if (sent['Authorization'] === this.#refused.credentials) return;
    this.#isThere = true;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** After a stream was refused: resolves when another try is worth it, or `signal` ends it. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.#isThere || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
