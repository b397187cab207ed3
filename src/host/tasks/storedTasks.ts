import { LinkedCancellationSource } from '../../core/rpc/cancellation';
import { Emitter, type Disposable, type CancellationToken } from 'vscode-jsonrpc/node';
import { McpError, toMcpError } from '../../core/errors';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { SharedSecretStore } from '../authorization/secretRecords';
import { parseJson } from '../../core/json/parseJson';
import { isJsonObject } from '../../core/json/shapes';
import type { JsonObject } from '../../core/json/jsonValue';
import {
  list,
  number,
  oneOf,
  optional,
  shape,
  string,
  type Parsed,
  type Parser,
} from '../../core/parse/parsers';
import type { TaskHandle, TaskState } from '../../core/tasks/taskState';
import { callOrigins, type CallOrigin } from '../consent/facts/callFacts';
import type { McpClient } from '../../core/client';

/** Prefix of the keys of tasks in secret storage. Other keys are not touched. */
const prefix = 'task:';
/** More tasks are not stored. */
const maxTasks = 200;
/** A task that the server may have deleted this long ago is removed if its place is needed. */
const expiredMs = 24 * 60 * 60 * 1_000;
/** The same for a task without a limit, from its creation on. */
const unlimitedMs = 30 * expiredMs;

/** The tasks of all windows, in secret storage. */
export class StoredTasks implements Disposable {
  readonly #secrets: SharedSecretStore;
  readonly #subscription: Disposable;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when this or another window stored or removed a task. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(secrets: SharedSecretStore) {
    this.#secrets = secrets;
    this.#subscription = secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.#onDidChange.fire();
    });
  }

  /** @throws what the storage throws, and McpError answerTooLarge if there are too many tasks */
  async put(task: StoredTask): Promise<void> {
    if (await this.#isFull()) await this.#removeExpired();
    if (await this.#isFull()) {
      throw new McpError('answerTooLarge', { detail: `${maxTasks} tasks are kept already` });
    }
    await this.#secrets.store(prefix + task.callId, textOf(task));
  }

  /** Returns at most 200 tasks, oldest first. @throws what the storage throws */
  async all(): Promise<readonly StoredTask[]> {
    const ids = (await this.#ids()).slice(0, maxTasks);
    const read = await Promise.all(ids.map((callId) => this.get(callId)));
    return read
      .filter((task) => task !== undefined)
      .toSorted((one, other) => one.startedAt - other.startedAt);
  }

  /**
   * Returns `undefined` if there is no such task, or if it cannot be read. @throws what the storage
   * throws
   */
  async get(callId: string): Promise<StoredTask | undefined> {
    return parseStoredTask(callId, await this.#secrets.get(prefix + callId));
  }

  /** @throws what the storage throws */
  async remove(callId: string): Promise<void> {
    await this.#secrets.delete(prefix + callId);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  async #isFull(): Promise<boolean> {
    return (await this.#ids()).length >= maxTasks;
  }

  /** Tasks of a server that is no longer configured are not followed, so they stay until then. */
  async #removeExpired(): Promise<void> {
    const now = Date.now();
    const expired = (await this.all()).filter(({ handle }) => {
      const until = storedUntil(handle);
      return now > (until === undefined ? handle.createdAt + unlimitedMs : until + expiredMs);
    });
    await Promise.all(expired.map(({ callId }) => this.remove(callId)));
  }

  async #ids(): Promise<readonly string[]> {
    const keys = await this.#secrets.keys();
    return keys.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }
}

/** Leaves the arguments out if they are too long. @throws {McpError} answerTooLarge */
function textOf(task: StoredTask): string {
  const text = stringifyExactly(task);
  if (text.length <= maxStoredTaskChars) return text;
  const { arguments: _, ...rest } = task;
  const shorter = stringifyExactly(rest);
  if (shorter.length > maxStoredTaskChars)
    throw new McpError('answerTooLarge', { limit: maxStoredTaskChars });
  return shorter;
}

/** Longer records are refused. */
export const maxStoredTaskChars = 64 * 1024;

const object: Parser<JsonObject> = (value) => (isJsonObject(value) ? value : undefined);
const id: Parser<string> = (value) =>
  typeof value === 'string' && value !== '' && value.length <= 4_096 ? value : undefined;
const origin: Parser<CallOrigin> = (value) => callOrigins.find((each) => each === value);

/**
 * A task of a call that may outlive its window. It is stored in secret storage only, because its
 * handle allows reading and cancelling the task.
 */
const parse = shape({
  callId: id,
  /** Id of the server in the configuration. */
  server: id,
  /** The `serverFingerprint` of the configuration under which the task was created. */
  configuration: id,
  /** Identifies the account that was in use; empty for none. */
  account: string,
  origin,
  /** The name that the agent claims. */
  client: optional(id),
  /** Both are in milliseconds since the epoch. */
  startedAt: number,
  sentAt: number,
  handle: shape({
    wire: oneOf('stateful', 'stateless'),
    taskId: id,
    sessionId: optional(id),
    createdAt: number,
    ttlMs: optional(number),
    tool: id,
  }),
  /** The arguments with secrets replaced; undefined if there were none, or too many. */
  arguments: optional(object),
  /** Secrets to remove if the result repeats them. */
  secrets: optional(list(string)),
});
export type StoredTask = Parsed<typeof parse>;

/** Returns `undefined` for any text that is no stored task of this call. */
export function parseStoredTask(callId: string, text: string | undefined): StoredTask | undefined {
  if (text === undefined || text.length > maxStoredTaskChars) return undefined;
  try {
    const task = parse(parseJson(text));
    return task?.callId === callId ? task : undefined;
  } catch {
    return undefined;
  }
}

/**
 * When the server may delete the task, in milliseconds since the epoch; undefined if there is no
 * limit.
 */
export function storedUntil({ createdAt, ttlMs }: TaskHandle): number | undefined {
  return ttlMs === undefined ? undefined : createdAt + ttlMs;
}

/** More are not useful in a picker. */
const maxShownTasks = 100;
/** Time limits for each page of the list, and for the full list. */
const limitsMs = { page: 5_000, list: 15_000 };

/** Tasks of one server that were not created here, or the reason why they are unknown. */
export interface ForeignTasks {
  /** At most 100, in the server's order. */
  readonly tasks: readonly TaskState[];
  readonly isIncomplete: boolean;
  readonly error?: McpError;
}

/** Lists the tasks in `tasks/list` that are not known here, within 15 seconds. Never rejects. */
export async function listForeignTasks(
  client: Pick<McpClient, 'listTasks'>,
  isKnown: (taskId: string) => boolean,
  token: CancellationToken,
): Promise<ForeignTasks> {
  const source = new LinkedCancellationSource(token);
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    source.cancel();
  }, limitsMs.list);
  try {
    const options = { token: source.token, timeoutMs: limitsMs.page };
    const { tasks, problems } = await client.listTasks(options);
    const foreign = tasks.filter(({ taskId }) => !isKnown(taskId));
    const isIncomplete =
      problems.some(({ code }) => code !== 'repeatedEntries') || foreign.length > maxShownTasks;
    return { tasks: foreign.slice(0, maxShownTasks), isIncomplete };
  } catch (thrown) {
    const error = isOverdue
      ? new McpError('timeout', { limit: limitsMs.list })
      : toMcpError(thrown);
    return { tasks: [], isIncomplete: true, error };
  } finally {
    clearTimeout(timer);
    source.dispose();
  }
}
