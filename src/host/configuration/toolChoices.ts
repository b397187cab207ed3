import { type Disposable, Emitter } from 'vscode-jsonrpc/node';
import type { Memento } from '../storage/memento';
import { type ServerConfig, serverKey } from './serverConfig';

/** The read-only part of {@link DisabledItems}. */
export type Disabled = Pick<DisabledItems, 'isServerDisabled' | 'isToolDisabled'>;

/**
 * Servers and tools that the user disabled in this workspace, without touching the configuration
 * files. They are identified by their location, so a server of the same name elsewhere stays
 * enabled.
 */
export class DisabledItems implements Disposable {
  readonly #keys: KeptKeys;
  readonly onDidChange;

  constructor(memory: Memento) {
    this.#keys = new KeptKeys(memory, 'disabled', isToolKey);
    this.onDidChange = this.#keys.onDidChange;
  }

  isServerDisabled(config: Pick<ServerConfig, 'id' | 'source'>): boolean {
    return this.#keys.has(serverKey(config));
  }

  /**
   * Returns true if the tool itself was disabled, or is not among the tools of its entry, regardless
   * of its server.
   */
  isToolDisabled(config: Pick<ServerConfig, 'id' | 'source' | 'tools'>, toolName: string): boolean {
    if (isLeftOut(config, toolName)) return true;
    // Called for each of 20,000 tools, and usually nothing is disabled.
    return this.#keys.size > 0 && this.#keys.has(toolKey(config, toolName));
  }

  /** Takes effect at once and is stored afterwards. Rejects if it cannot be stored. */
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
 * Tools with optional task support that the user wants to run as tasks. Stored for the workspace,
 * by the location of the server.
 */
export class TaskChoices implements Disposable {
  readonly #chosen: KeptKeys;
  readonly #offered: KeptKeys;
  readonly onDidChange;

  constructor(memory: Memento) {
    this.#chosen = new KeptKeys(memory, 'tasks.chosen');
    this.#offered = new KeptKeys(memory, 'tasks.offered');
    this.onDidChange = this.#chosen.onDidChange;
  }

  runsAsTask(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): boolean {
    return this.#chosen.has(toolKey(config, toolName));
  }

  /** Takes effect at once and is stored afterwards. Rejects if it cannot be stored. */
  async choose(
    config: Pick<ServerConfig, 'id' | 'source'>,
    toolName: string,
    isTask: boolean,
  ): Promise<void> {
    await this.#chosen.set(toolKey(config, toolName), isTask);
  }

  /** Returns true the first time that a task is offered for the tool, and false from then on. */
  isFirstOffer(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): boolean {
    const key = toolKey(config, toolName);
    if (this.#offered.has(key)) return false;
    // Counts in this window even if it cannot be stored.
    void this.#offered.set(key, true).catch(() => undefined);
    return true;
  }

  dispose(): void {
    this.#chosen.dispose();
    this.#offered.dispose();
  }
}

/** True if the entry of the server lists tools, and this one is not among them. */
export function isLeftOut({ tools }: Pick<ServerConfig, 'tools'>, toolName: string): boolean {
  return tools !== undefined && !tools.includes(toolName);
}

/** The oldest droppable ones are removed above this number. */
const maxKeys = 2_000;

/** A set of keys that is stored under one name in the workspace's memory. */
class KeptKeys implements Disposable {
  readonly #memory: Memento;
  readonly #name: string;
  readonly #keys: Set<string>;
  readonly #isDroppable: (key: string) => boolean;

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(memory: Memento, name: string, isDroppable = (_key: string) => true) {
    this.#memory = memory;
    this.#isDroppable = isDroppable;
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

  /** Takes effect at once and is stored afterwards. Rejects if it cannot be stored. */
  async set(key: string, isIn: boolean): Promise<void> {
    if (this.#keys.has(key) === isIn) return;
    if (isIn) this.#keys.add(key);
    else this.#keys.delete(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= maxKeys) break;
      if (this.#isDroppable(oldest)) this.#keys.delete(oldest);
    }
    this.#onDidChange.fire();
    await this.#memory.update(this.#name, [...this.#keys]);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}

/** Returns the key of a tool, by the location of its server. */
function toolKey(config: Pick<ServerConfig, 'id' | 'source'>, toolName: string): string {
  return JSON.stringify([serverKey(config), toolName]);
}

/** Returns false for the key of a server, which begins with the kind of its location. */
function isToolKey(key: string): boolean {
  return key.startsWith('["[');
}

/** The user's choices for the tools of one server, by tool name. */
export interface ToolChoices {
  readonly isDisabled: (toolName: string) => boolean;
  readonly runsAsTask: (toolName: string) => boolean;
}

/** The user's choices for all servers. */
interface ChosenByUser {
  readonly disabled?: Disabled;
  readonly taskChoices?: Pick<TaskChoices, 'runsAsTask'>;
}

/** Returns the user's choices for the tools of this server. */
export function toolChoicesFor(
  config: ServerConfig,
  { disabled, taskChoices }: ChosenByUser,
): ToolChoices {
  return {
    isDisabled: (name) =>
      isLeftOut(config, name) || disabled?.isToolDisabled(config, name) === true,
    runsAsTask: (name) => taskChoices?.runsAsTask(config, name) === true,
  };
}
