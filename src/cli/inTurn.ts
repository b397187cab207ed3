/**
 * Passes on what jobs tell in the order of the jobs: at once from the first that is not over, from
 * later ones when those before them are over.
 */
export class InTurn<Item> {
  readonly #tell: (item: Item) => void;
  readonly #waiting = new Map<number, Item[]>();
  readonly #over = new Set<number>();
  #current = 0;

  constructor(tell: (item: Item) => void) {
    this.#tell = tell;
  }

  /** `job` is its number, from 0. */
  add(job: number, item: Item): void {
    if (job === this.#current) return this.#tell(item);
    const items = this.#waiting.get(job) ?? [];
    this.#waiting.set(job, [...items, item]);
  }

  end(job: number): void {
    this.#over.add(job);
    while (this.#over.delete(this.#current)) {
      this.#current += 1;
      for (const item of this.#waiting.get(this.#current) ?? []) this.#tell(item);
      this.#waiting.delete(this.#current);
    }
  }
}
