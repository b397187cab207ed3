/** Storage that outlives the window: the part of VS Code's `Memento` that is used. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}
