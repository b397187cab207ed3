/**
 * A look at the whole machine for many callers at the same time, such as when all servers stop.
 * Callers that ask during a look share the next one, so that no result is older than its request.
 */
export class SharedSnapshot<T> {
  readonly #look: () => Promise<T>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined;

  /** @param look must never reject */
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
