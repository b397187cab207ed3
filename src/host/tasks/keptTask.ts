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
