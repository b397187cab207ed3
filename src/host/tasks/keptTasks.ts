import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { McpError } from '../../core/errors';
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
  type Parser,
} from '../../core/parse/parsers';
import type { TaskHandle } from '../../core/tasks/taskHandle';
import { callOrigins, type CallOrigin } from '../consent/facts/callOrigin';

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

/**
 * A task of a call that may outlive its window. It is kept in the secret storage alone: who has the
 * handle can read and cancel the task.
 */
export interface KeptTask {
  readonly callId: string;
  /** Id of the server in the configuration. */
  readonly server: string;
  /** The `serverFingerprint` of the configuration under which the task was created. */
  readonly configuration: string;
  /** Names the account that was in use; empty: none. */
  readonly account: string;
  readonly origin: CallOrigin;
  /** What an agent calls itself: its claim. */
  readonly client?: string;
  /** Both in milliseconds since 1970. */
  readonly startedAt: number;
  readonly sentAt: number;
  readonly handle: TaskHandle;
  /** What the tool was called with, secrets replaced; absent: nothing, or too much. */
  readonly arguments?: JsonObject;
  /** Texts that must not be written down when the result repeats them. */
  readonly secrets?: readonly string[];
}

/** Longer records are refused. */
export const maxTaskChars = 64 * 1024;

const object: Parser<JsonObject> = (value) => (isJsonObject(value) ? value : undefined);
const id: Parser<string> = (value) =>
  typeof value === 'string' && value !== '' && value.length <= 4_096 ? value : undefined;
const origin: Parser<CallOrigin> = (value) => callOrigins.find((each) => each === value);

const parse: Parser<KeptTask> = shape({
  callId: id,
  server: id,
  configuration: id,
  account: string,
  origin,
  client: optional(id),
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
  arguments: optional(object),
  secrets: optional(list(string)),
});

/** `undefined` for whatever is no kept task of this call. */
export function parseKeptTask(callId: string, text: string | undefined): KeptTask | undefined {
  if (text === undefined || text.length > maxTaskChars) return undefined;
  try {
    const task = parse(parseJson(text));
    return task?.callId === callId ? task : undefined;
  } catch {
    return undefined;
  }
}

/** Until when the server keeps the task, in milliseconds since 1970; absent: without limit. */
export function keptUntil({ createdAt, ttlMs }: TaskHandle): number | undefined {
  return ttlMs === undefined ? undefined : createdAt + ttlMs;
}
