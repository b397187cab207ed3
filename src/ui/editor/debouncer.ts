/** Does one thing once nobody has asked for it for a while, however often it was asked for before. */
export class Debouncer {
  readonly #act: () => void;
  readonly #quietMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(act: () => void, quietMs: number) {
    this.#act = act;
    this.#quietMs = quietMs;
  }

  /** Waits from the beginning. */
  start(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#act, this.#quietMs);
  }

  /** What was asked for and not done yet is not done any more. */
  dispose(): void {
    clearTimeout(this.#timer);
  }
}
