/** The burst size, and the sustained rate per second. */
export interface TokenBucketLimits {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** A token bucket: an amount that refills over time. */
export class TokenBucket {
  readonly #allowed: TokenBucketLimits;
  #left: number;
  #at = performance.now();

  constructor(allowed: TokenBucketLimits) {
    this.#allowed = allowed;
    this.#left = allowed.atOnce;
  }

  /** Returns false if less than `amount` is left. */
  take(amount = 1): boolean {
    this.#refill();
    if (this.#left < amount) return false;
    this.#left -= amount;
    return true;
  }

  /** Subtracts what was already used, even if that is more than is left. */
  spend(amount: number): void {
    this.#refill();
    this.#left -= amount;
  }

  /** Milliseconds until something is left again, or 0. */
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
