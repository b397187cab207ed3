/**
 * A set of what is under way, of which there is little at a time. Every request comes and goes
 * here, which makes a `Set` dear: when that makes room, its old table keeps a pointer to the new
 * one. Once one of them has been promoted to old memory, all that was in its successors survives
 * every collection of young memory, and is copied by it, until the next full one.
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

  /** As they are now. */
  get all(): readonly T[] {
    return [...this.#items];
  }
}
