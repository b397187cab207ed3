import { type Disposable, Emitter } from 'vscode-jsonrpc/node';
import { type ServerConfig, serverKey } from './serverConfig';

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

/** What outlives the window; a `Memento` of the editor is one. */
interface ChoiceMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** More than anybody chooses by hand; the oldest are forgotten. */
const maxKeys = 2_000;

/** A set of keys that is kept under one name in the memory of a workspace. */
class KeptKeys implements Disposable {
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
function toolKey(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): string {
  return JSON.stringify([serverKey(config), toolName]);
}

/** What the person chose for the tools of a server, by their names. */
export interface ToolChoices {
  readonly isDisabled: (toolName: string) => boolean;
  readonly runsAsTask: (toolName: string) => boolean;
}

/** Who knows what was chosen for all servers. */
interface ChosenByUser {
  readonly disabled?: Disabled;
  readonly taskChoices?: Pick<TaskChoices, 'runsAsTask'>;
}

/** What the person chose for the tools of this server. */
export function choicesFor(
  config: ServerConfig,
  { disabled, taskChoices }: ChosenByUser,
): ToolChoices {
  return {
    isDisabled: (name) => disabled?.isToolDisabled(config, name) === true,
    runsAsTask: (name) => taskChoices?.runsAsTask(config, name) === true,
  };
}
