/**
 * A set of pending items, of which there are few at a time. Every request is added and removed
 * here, which makes a `Set` expensive: when it grows, its old table keeps a pointer to the new one.
 * Once an old table has been promoted to old memory, the contents of its successors survive every
 * collection of young memory, and are copied by it, until the next full one.
 */
export class InFlight<T> {
  readonly #items: T[] = [];

  add(item: T): void {
    this.#items.push(item);
  }

  delete(item: T): void {
    const at = this.#items.indexOf(item);
    if (at !== -1) this.#items.splice(at, 1);
  }

  find(isWanted: (item: T) => boolean): T | undefined {
    return this.#items.find(isWanted);
  }

  /** A snapshot of the items. */
  get all(): readonly T[] {
    return [...this.#items];
  }
}
