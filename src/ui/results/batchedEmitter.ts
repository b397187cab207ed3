import { Emitter, type Disposable } from 'vscode-jsonrpc/node';

/**
 * Milliseconds. Users do not notice redraws this late, and calls made one after the other take less
 * time.
 */
const gatherMs = 50;

/**
 * An event about items. The first items are reported at once, and items that follow soon are
 * reported together: listeners send messages to the window for each event, which cost more than the
 * call itself.
 */
export class BatchedEmitter<T> implements Disposable {
  readonly #emitter = new Emitter<readonly T[]>();
  readonly event = this.#emitter.event;
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  add(items: readonly T[]): void {
    // Pushed one by one, because an answer may have more parts than a function accepts arguments.
    for (const item of items) this.#waiting.push(item);
    if (this.#timer === undefined) this.#notify();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#emitter.dispose();
  }

  #notify(): void {
    const items = this.#waiting;
    this.#timer = undefined;
    if (items.length === 0) return;
    this.#waiting = [];
    this.#timer = setTimeout(() => this.#notify(), gatherMs);
    this.#emitter.fire(items);
  }
}
