/**
 * A look at the whole machine that many may want at the same time, such as when all servers stop.
 * Who asks while one is under way shares the one after it, so that nobody gets what was seen before
 * they asked.
 */
export class SharedLook<T> {
  readonly #look: () => Promise<T>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined;

  /** `look` never rejects. */
  constructor(look: () => Promise<T>) {
    this.#look = look;
  }

  ask(): Promise<T> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  #begin(): Promise<T> {
    const next = this.#last.then(() => {
      this.#next = undefined;
      return this.#look();
    });
    this.#last = next;
    return next;
  }
}
