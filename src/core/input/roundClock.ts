import { McpError } from '../errors';

/** The time of one call, without what passed between its rounds: a person may think long. */
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
