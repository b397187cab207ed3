/** An item with a deadline, on the clock of `performance.now()`. */
export interface DeadlineItem {
  deadlineAt: number;
}

/**
 * Watches any number of deadlines with one timer: adding one costs a comparison, and postponing one
 * costs nothing. The owner keeps the items; expired ones are reported at most a few milliseconds
 * late. The timer does not keep the process alive.
 */
export class Deadlines<Item extends DeadlineItem> {
  readonly #items: () => Iterable<Item>;
  readonly #onExpired: (item: Item) => void;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Infinity;

  constructor(items: () => Iterable<Item>, onExpired: (item: Item) => void) {
    this.#items = items;
    this.#onExpired = onExpired;
  }

  /** Call after adding an item or moving its deadline earlier. */
  watch(item: Item): void {
    if (item.deadlineAt < this.#firesAt) this.#schedule(item.deadlineAt);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#firesAt = Infinity;
  }

  #schedule(at: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = at;
    // Longer delays than a signed 32-bit number would fire at once.
    const delayMs = Math.min(Math.max(at - performance.now(), 0), 2 ** 31 - 1);
    this.#timer = setTimeout(this.#fire, delayMs).unref();
  }

  readonly #fire = (): void => {
    this.dispose();
    const now = performance.now();
    const expired: Item[] = [];
    let next = Infinity;
    for (const item of this.#items()) {
      if (item.deadlineAt <= now) expired.push(item);
      else if (item.deadlineAt < next) next = item.deadlineAt;
    }
    if (next < Infinity) this.#schedule(next);
    // After the process was blocked, many may be expired; they are reported in the order of their
    // deadlines.
    expired.sort((one, other) => one.deadlineAt - other.deadlineAt);
    for (const item of expired) this.#onExpired(item);
  };
}
