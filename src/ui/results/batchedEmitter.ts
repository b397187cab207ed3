import { Emitter, type Disposable } from 'vscode-jsonrpc/node';

/** Nobody sees that something was drawn anew later by this; calls that come one after the other take less. */
const gatherMs = 50;

/**
 * An event about items. Tells of the first at once, and of what follows soon together: listeners send
 * messages to the window for each event, which cost more than the call that it is about.
 */
export class BatchedEmitter<T> implements Disposable {
  readonly #emitter = new Emitter<readonly T[]>();
  readonly event = this.#emitter.event;
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  add(items: readonly T[]): void {
    // One by one: an answer may have more parts than a function takes parameters.
    for (const item of items) this.#waiting.push(item);
    if (this.#timer === undefined) this.#tell();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#emitter.dispose();
  }

  #tell(): void {
    const items = this.#waiting;
    this.#timer = undefined;
    if (items.length === 0) return;
    this.#waiting = [];
    this.#timer = setTimeout(() => this.#tell(), gatherMs);
    this.#emitter.fire(items);
  }
}
