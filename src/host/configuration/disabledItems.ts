import { type Disposable, Emitter } from 'vscode-jsonrpc/node';
import { serverKey } from './serverKey';
import type { ServerConfig } from './serverConfig';

/** What outlives the window; a `Memento` of the editor is one. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** What the person has switched off, as those see it who have to respect it. */
export type Disabled = Pick<DisabledItems, 'isServerDisabled' | 'isToolDisabled'>;

const memoryKey = 'disabled';
/** More than anybody switches off by hand; the oldest are forgotten. */
const maxItems = 2_000;

/**
 * Servers and tools that a person has switched off in this workspace, without touching the files
 * that configure them. They are known by where they are configured, so a server of the same name
 * elsewhere is not switched off with them.
 */
export class DisabledItems implements Disposable {
  readonly #memory: Memory;
  readonly #keys: Set<string>;

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(memory: Memory) {
    this.#memory = memory;
    const stored = memory.get(memoryKey);
    const keys: unknown[] = Array.isArray(stored) ? stored : [];
    this.#keys = new Set(keys.filter((key) => typeof key === 'string'));
  }

  isServerDisabled(config: Pick<ServerConfig, 'id' | 'source'>): boolean {
    return this.#keys.has(serverKey(config));
  }

  /** Whether this tool was switched off for itself; that of a disabled server need not be. */
  isToolDisabled(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): boolean {
    // Asked for each of 20,000 tools, and mostly nothing is switched off.
    return this.#keys.size > 0 && this.#keys.has(toolKey(config, toolName));
  }

  /** Takes effect at once; remembering it takes a moment. Rejects if it cannot be remembered. */
  async setServer(config: Pick<ServerConfig, 'id' | 'source'>, isDisabled: boolean): Promise<void> {
    await this.#set(serverKey(config), isDisabled);
  }

  /** Like {@link setServer}. */
  async setTool(
    config: Pick<ServerConfig, 'id' | 'source'>,
    toolName: string,
    isDisabled: boolean,
  ): Promise<void> {
    await this.#set(toolKey(config, toolName), isDisabled);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  async #set(key: string, isDisabled: boolean): Promise<void> {
    if (this.#keys.has(key) === isDisabled) return;
    if (isDisabled) this.#keys.add(key);
    else this.#keys.delete(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= maxItems) break;
      this.#keys.delete(oldest);
    }
    this.#onDidChange.fire();
    await this.#memory.update(memoryKey, [...this.#keys]);
  }
}

function toolKey(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): string {
  return JSON.stringify([serverKey(config), toolName]);
}
