/** Takes out what was added first, as soon as there are more than `max`; to be called after each addition. */
export function dropOldest<T>(entries: Map<T, unknown> | Set<T>, max: number): void {
  const [oldest] = entries.keys();
  if (entries.size > max && oldest !== undefined) entries.delete(oldest);
}
