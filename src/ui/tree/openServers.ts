/** The part of VS Code's memento that is needed. */
interface OpenStorage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const storageKey = 'openServers';
/** More than anybody opens; the ones that were opened first are forgotten. */
const maxServers = 200;

/** Which rows of servers are open, and which were when the window was closed. */
export class OpenServers {
  readonly #storage: OpenStorage;
  readonly #open = new Set<string>();
  /** From before, as long as nobody opened or closed them. */
  readonly #before: Set<string>;

  constructor(storage: OpenStorage) {
    this.#storage = storage;
    const stored = storage.get(storageKey);
    const ids: unknown[] = Array.isArray(stored) ? stored.slice(0, maxServers) : [];
    this.#before = new Set(ids.filter((id) => typeof id === 'string'));
  }

  has(serverId: string): boolean {
    return this.#open.has(serverId);
  }

  /** Also of a row that was not drawn since. */
  wasOpen(serverId: string): boolean {
    return this.#open.has(serverId) || this.#before.has(serverId);
  }

  add(serverId: string): void {
    if (this.#open.has(serverId)) return;
    this.#open.add(serverId);
    this.#keep();
  }

  delete(serverId: string): void {
    if (![this.#open.delete(serverId), this.#before.delete(serverId)].includes(true)) return;
    this.#keep();
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#open.values();
  }

  #keep(): void {
    const ids = [...new Set([...this.#before, ...this.#open])].slice(-maxServers);
    this.#storage.update(storageKey, ids).then(undefined, () => {
      // Which rows are open is no loss worth a word.
    });
  }
}
