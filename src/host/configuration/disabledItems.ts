import type { Disposable } from 'vscode-jsonrpc/node';
import { KeptKeys, toolKey, type ChoiceMemory } from './keptKeys';
import { serverKey } from './serverKey';
import type { ServerConfig } from './serverConfig';

/** What the person has switched off, as those see it who have to respect it. */
export type Disabled = Pick<DisabledItems, 'isServerDisabled' | 'isToolDisabled'>;

/**
 * Servers and tools that a person has switched off in this workspace, without touching the files
 * that configure them. They are known by where they are configured, so a server of the same name
 * elsewhere is not switched off with them.
 */
export class DisabledItems implements Disposable {
  readonly #keys: KeptKeys;
  readonly onDidChange;

  constructor(memory: ChoiceMemory) {
    this.#keys = new KeptKeys(memory, 'disabled');
    this.onDidChange = this.#keys.onDidChange;
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
    await this.#keys.set(serverKey(config), isDisabled);
  }

  /** Like {@link setServer}. */
  async setTool(
    config: Pick<ServerConfig, 'id' | 'source'>,
    toolName: string,
    isDisabled: boolean,
  ): Promise<void> {
    await this.#keys.set(toolKey(config, toolName), isDisabled);
  }

  dispose(): void {
    this.#keys.dispose();
  }
}
