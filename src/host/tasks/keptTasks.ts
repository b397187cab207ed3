import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { McpError } from '../../core/errors';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { SharedSecretStore } from '../authorization/secretRecords';
import { maxTaskChars, parseKeptTask, type KeptTask } from './keptTask';

/** What belongs to tasks in the secret storage; other keys are not touched. */
const prefix = 'task:';
/** More than a person waits for. */
const maxTasks = 200;

/** The tasks of all windows, in the secret storage. */
export class KeptTasks implements Disposable {
  readonly #secrets: SharedSecretStore;
  readonly #subscription: Disposable;

  readonly #onDidChange = new Emitter<void>();
  /** Something was kept or removed, by this window or another. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(secrets: SharedSecretStore) {
    this.#secrets = secrets;
    this.#subscription = secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.#onDidChange.fire();
    });
  }

  /** @throws what the store throws, and McpError answerTooLarge for one task too many */
  async put(task: KeptTask): Promise<void> {
    if ((await this.#ids()).length >= maxTasks) {
      throw new McpError('answerTooLarge', { detail: `${maxTasks} tasks are kept already` });
    }
    await this.#secrets.store(prefix + task.callId, textOf(task));
  }

  /** At most 200, the oldest first. @throws what the store throws */
  async all(): Promise<readonly KeptTask[]> {
    const ids = (await this.#ids()).slice(0, maxTasks);
    const read = await Promise.all(ids.map((callId) => this.get(callId)));
    return read
      .filter((task) => task !== undefined)
      .toSorted((one, other) => one.startedAt - other.startedAt);
  }

  /** `undefined` where there is none, or one that cannot be read. @throws what the store throws */
  async get(callId: string): Promise<KeptTask | undefined> {
    return parseKeptTask(callId, await this.#secrets.get(prefix + callId));
  }

  /** @throws what the store throws */
  async remove(callId: string): Promise<void> {
    await this.#secrets.delete(prefix + callId);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  async #ids(): Promise<readonly string[]> {
    const keys = await this.#secrets.keys();
    return keys.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }
}

/** The arguments can be done without. @throws {McpError} answerTooLarge */
function textOf(task: KeptTask): string {
  const text = stringifyExactly(task);
  if (text.length <= maxTaskChars) return text;
  const { arguments: _, ...rest } = task;
  const shorter = stringifyExactly(rest);
  if (shorter.length > maxTaskChars) throw new McpError('answerTooLarge', { limit: maxTaskChars });
  return shorter;
}
