import { type Disposable, Emitter } from 'vscode-jsonrpc/node';
import {
  isFiltering,
  isSameFilter,
  noFilter,
  parseToolFilter,
  type ToolFilter,
  toStoredFilter,
} from '../picking/toolFilter';

/** The part of VS Code's memento that is used here. */
export interface FilterStorage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const storageKey = 'toolFilter';

/** The current filter of the tree. It is stored for the workspace. */
export class ToolFilterState implements Disposable {
  readonly #storage: FilterStorage;
  #current: ToolFilter;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when `current` changes. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(storage: FilterStorage) {
    this.#storage = storage;
    this.#current = parseToolFilter(storage.get(storageKey));
  }

  get current(): ToolFilter {
    return this.#current;
  }

  get isFiltering(): boolean {
    return isFiltering(this.#current);
  }

  /** Shows the filter without storing it, while the user is typing. */
  preview(filter: ToolFilter): void {
    if (isSameFilter(filter, this.#current)) return;
    this.#current = filter;
    this.#onDidChange.fire();
  }

  /** Shows the filter and stores it. */
  async set(filter: ToolFilter): Promise<void> {
    this.preview(filter);
    await this.#storage.update(
      storageKey,
      isFiltering(filter) ? toStoredFilter(filter) : undefined,
    );
  }

  async clear(): Promise<void> {
    await this.set(noFilter);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}
