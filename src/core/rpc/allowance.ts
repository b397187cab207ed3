/** How much of something may come at once, and how much a second for ever. */
export interface Allowed {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** What is left of a bound that fills up with time. */
export class Allowance {
  readonly #allowed: Allowed;
  #left: number;
  #at = performance.now();

  constructor(allowed: Allowed) {
    this.#allowed = allowed;
    this.#left = allowed.atOnce;
  }

  /** Whether there was so much left. */
  take(amount = 1): boolean {
    const { atOnce, perSecond } = this.#allowed;
    const now = performance.now();
    this.#left = Math.min(atOnce, this.#left + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
    if (this.#left < amount) return false;
    this.#left -= amount;
    return true;
  }
}
