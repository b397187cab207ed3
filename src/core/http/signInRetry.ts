import type { HttpHeaders } from './httpEndpoint';

/**
 * Tells streams that were refused without a sign-in when to retry: as soon as the server has
 * accepted another request with headers that differ from the stream's.
 */
export class SignInRetry {
  /** The Authorization header of the last refused stream, if any stream was refused. */
  #refused: { readonly credentials: string | undefined } | undefined;
  #isThere = false;
  readonly #waiting = new Set<() => void>();

  /** Records that a stream with these headers was refused. */
  streamRefused(sent: HttpHeaders): void {
    this.#refused = { credentials: sent['Authorization'] };
    this.#isThere = false;
  }

  /** Records that a request with these headers was accepted. */
  taken(sent: HttpHeaders): void {
    if (this.#refused === undefined) return;
    if (sent['Authorization'] === this.#refused.credentials) return;
    this.#isThere = true;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when another try after a refused stream is useful, or `signal` is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (this.#isThere || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
