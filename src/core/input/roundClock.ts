import { McpError } from '../errors';

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
