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
    this.#refill();
    if (this.#left < amount) return false;
    this.#left -= amount;
    return true;
  }

  /** Takes what was used already, also where that is more than was left. */
  spend(amount: number): void {
    this.#refill();
    this.#left -= amount;
  }

  /** Milliseconds until something is left again; 0: there is. */
  get waitMs(): number {
    this.#refill();
    return this.#left >= 0 ? 0 : (-this.#left / this.#allowed.perSecond) * 1_000;
  }

  #refill(): void {
    const { atOnce, perSecond } = this.#allowed;
    const now = performance.now();
    this.#left = Math.min(atOnce, this.#left + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
  }
}
