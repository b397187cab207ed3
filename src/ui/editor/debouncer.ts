/** Runs a function once after no call has come for a while. */
export class Debouncer {
  readonly #act: () => void;
  readonly #quietMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(act: () => void, quietMs: number) {
    this.#act = act;
    this.#quietMs = quietMs;
  }

  /** Restarts the waiting time. */
  start(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#act, this.#quietMs);
  }

  /** Drops a call that is still waiting. */
  dispose(): void {
    clearTimeout(this.#timer);
  }
}
