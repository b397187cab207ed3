import type { Disposable } from 'vscode-jsonrpc/node';
import { KeptKeys, toolKey, type ChoiceMemory } from './keptKeys';
import type { ServerConfig } from './serverConfig';

/**
 * Which tools the user wants to run as tasks, of those that can and need not. Kept for the workspace;
 * a server of the same name that is configured elsewhere is another one.
 */
export class TaskChoices implements Disposable {
  readonly #chosen: KeptKeys;
  readonly #offered: KeptKeys;
  readonly onDidChange;

  constructor(memory: ChoiceMemory) {
    this.#chosen = new KeptKeys(memory, 'tasks.chosen');
    this.#offered = new KeptKeys(memory, 'tasks.offered');
    this.onDidChange = this.#chosen.onDidChange;
  }

  runsAsTask(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): boolean {
    return this.#chosen.has(toolKey(config, toolName));
  }

  /** Takes effect at once; keeping it takes a moment. Rejects if it cannot be kept. */
  async choose(
    config: Pick<ServerConfig, 'id' | 'source'>,
    toolName: string,
    isTask: boolean,
  ): Promise<void> {
    await this.#chosen.set(toolKey(config, toolName), isTask);
  }

  /** Whether this is the first time that a task is offered for the tool; from then on it is not. */
  isFirstOffer(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): boolean {
    const key = toolKey(config, toolName);
    if (this.#offered.has(key)) return false;
    // What cannot be kept counts in this window all the same.
    void this.#offered.set(key, true).catch(() => undefined);
    return true;
  }

  dispose(): void {
    this.#chosen.dispose();
    this.#offered.dispose();
  }
}
