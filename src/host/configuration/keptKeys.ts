import { type Disposable, Emitter } from 'vscode-jsonrpc/node';
import type { ServerConfig } from './serverConfig';
import { serverKey } from './serverKey';

/** What outlives the window; a `Memento` of the editor is one. */
export interface ChoiceMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** More than anybody chooses by hand; the oldest are forgotten. */
const maxKeys = 2_000;

/** A set of keys that is kept under one name in the memory of a workspace. */
export class KeptKeys implements Disposable {
  readonly #memory: ChoiceMemory;
  readonly #name: string;
  readonly #keys: Set<string>;

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(memory: ChoiceMemory, name: string) {
    this.#memory = memory;
    this.#name = name;
    const stored = memory.get(name);
    const keys: unknown[] = Array.isArray(stored) ? stored : [];
    this.#keys = new Set(keys.filter((key) => typeof key === 'string'));
  }

  get size(): number {
    return this.#keys.size;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Takes effect at once; keeping it takes a moment. Rejects if it cannot be kept. */
  async set(key: string, isIn: boolean): Promise<void> {
    if (this.#keys.has(key) === isIn) return;
    if (isIn) this.#keys.add(key);
    else this.#keys.delete(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= maxKeys) break;
      this.#keys.delete(oldest);
    }
    this.#onDidChange.fire();
    await this.#memory.update(this.#name, [...this.#keys]);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}

/** A tool by where its server is configured. */
export function toolKey(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): string {
  return JSON.stringify([serverKey(config), toolName]);
}
