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
