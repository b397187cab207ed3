import { finiteNumberOrAbsent, isObject } from '../json/shapes';

/** Limits how long a result is cached. */
const maxTtlMs = 24 * 60 * 60 * 1_000;

/**
 * Returns how long a result may be cached, in milliseconds; 0 if the value is missing or invalid
 * . `cacheScope` does not matter, because nothing is shared beyond one connection
 * (R-426).
 */
export function ttlOf(result: unknown): number {
  const ttlMs = isObject(result) ? finiteNumberOrAbsent(result.ttlMs) : undefined;
  return ttlMs === undefined || ttlMs <= 0 ? 0 : Math.min(ttlMs, maxTtlMs);
}

/** Caches the newest results of one connection while they are valid, at most `maxEntries`. */
export class FreshCache<T> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  /** Uses the monotonic clock. */
  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || performance.now() < entry.until) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: T, ttlMs: number): void {
    this.#entries.delete(key);
    if (ttlMs <= 0) return;
    this.#entries.set(key, { value, until: performance.now() + ttlMs });
    if (this.#entries.size <= this.#maxEntries) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
