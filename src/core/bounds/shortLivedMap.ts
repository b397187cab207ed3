/** Fewer deletions are not worth a new map: it would serve for only a few calls. */
const leastDeletions = 256;

/**
 * A map for entries that come and go quickly, such as calls in flight. When V8 makes a new table for a
 * `Map`, the old table refers to the new one. Once one of them was moved to the old generation, every
 * later table, with all that its entries hold, is moved there too and stays until the next
 * full collection: some 4 KiB a call. So this map copies its entries into a new `Map` every so often,
 * which ends the chain.
 */
export class ShortLivedMap<Key, Value> {
  #map = new Map<Key, Value>();
  #deletions = 0;

  get size(): number {
    return this.#map.size;
  }

  has(key: Key): boolean {
    return this.#map.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value);
  }

  /** Returns true if there was such an entry. */
  delete(key: Key): boolean {
    const wasThere = this.#map.delete(key);
    if (wasThere) this.#deletions += 1;
    if (this.#deletions > this.#map.size + leastDeletions) this.#beginAnew();
    return wasThere;
  }

  clear(): void {
    this.#map = new Map();
    this.#deletions = 0;
  }

  /** In the order in which they were added, as those of a `Map`. */
  keys(): IterableIterator<Key> {
    return this.#map.keys();
  }

  values(): IterableIterator<Value> {
    return this.#map.values();
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#map[Symbol.iterator]();
  }

  #beginAnew(): void {
    this.#map = new Map(this.#map);
    this.#deletions = 0;
  }
}

/** A map or a set that keeps the order in which entries were added. */
interface Ordered<T> {
  readonly size: number;
  keys(): Iterable<T>;
  delete(key: T): boolean;
}

/** Removes the oldest entry if there are more than `max`. Call after each addition. */
export function dropOldest<T>(entries: Ordered<T>, max: number): void {
  if (entries.size <= max) return;
  const [oldest] = entries.keys();
  if (oldest !== undefined) entries.delete(oldest);
}
