import { isMcpError, isTransient, McpError } from '../errors';
import { boundedJson } from '../json/boundedJson';
import { isObject, stringOrAbsent, type UnknownObject } from '../json/shapes';
import type { TransportSession } from '../rpc/transport';
import type { EraKind } from '../types';

/** Requests that a server answers with the state of a task. */
export type TaskMethod = 'tasks/get' | 'tasks/cancel';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A server's information about a call that it runs as a task. */
export interface TaskState {
  /**
   * Secret: it allows reading and cancelling the task. Never put it into a log, journal or history.
   */
  readonly taskId: string;
  readonly status: TaskStatus;
  /** Untrusted text of the server, at most 1,000 characters. */
  readonly statusMessage?: string;
  /**
   * How long the server keeps the task after its creation, in milliseconds. Absent without a limit.
   */
  readonly ttlMs?: number;
  /** The delay before the next request, in milliseconds: 500 to 30,000. */
  readonly pollMs: number;
}

const statuses: readonly string[] = [
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
] satisfies readonly TaskStatus[];
const maxIdChars = 1_024;
const maxMessageChars = 1_000;
const pollBoundsMs = { least: 500, most: 30_000, usual: 1_000 };

/** The protocols name the same two members differently. */
const memberNames = {
  stateful: { ttl: 'ttl', poll: 'pollInterval' },
  stateless: { ttl: 'ttlMs', poll: 'pollIntervalMs' },
} as const;

/** Parses a task of either protocol. @throws {McpError} invalidResult */
export function parseTask(value: unknown, wire: keyof typeof memberNames): TaskState {
  if (!isObject(value)) throw invalidTask(`a task is no object: ${boundedJson(value, 100)}`);
  const { taskId, status } = value;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > maxIdChars) {
    throw invalidTask('a task without an id of 1 to 1,024 characters');
  }
  if (!isStatus(status)) throw invalidTask(`a task with the status ${boundedJson(status, 100)}`);
  const { ttl, poll } = memberNames[wire];
  const message = stringOrAbsent(value.statusMessage);
  return {
    taskId,
    status,
    pollMs: pollOf(value, poll),
    ...(message === undefined ? {} : { statusMessage: message.slice(0, maxMessageChars) }),
    ...ttlOf(value, ttl),
  };
}

/** True if the task can no longer change. */
export function isTaskEnded({ status }: TaskState): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

export function invalidTask(detail: string): McpError {
  return new McpError('invalidResult', { detail });
}

function isStatus(value: unknown): value is TaskStatus {
  return typeof value === 'string' && statuses.includes(value);
}

function pollOf(task: UnknownObject, member: string): number {
  const value = task[member];
  if (typeof value !== 'number' || !Number.isFinite(value)) return pollBoundsMs.usual;
  return Math.min(Math.max(value, pollBoundsMs.least), pollBoundsMs.most);
}

/** Some servers send 0 for no limit. */
function ttlOf(task: UnknownObject, member: string): Pick<TaskState, 'ttlMs'> {
  const value = task[member];
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? { ttlMs: value } : {};
}

/** Returns the task's last message, as detail for the error that ends the call. */
export function taskMessage({ statusMessage }: TaskState): { readonly detail?: string } {
  return statusMessage === undefined ? {} : { detail: statusMessage };
}

/**
 * Servers of both protocols answer -32602 for an unknown task, and some only with an HTTP status.
 * Any other refusal of a poll is handled the same way, because it says nothing about the call
 * either.
 */
export function rethrowLost(error: unknown): never {
  const isRefused =
    isMcpError(error, 'serverError') ||
    (isMcpError(error, 'httpError') && [404, 410].includes(error.facts.httpStatus ?? 0));
  if (!isRefused || isTransient(error)) throw error;
  throw new McpError('taskLost', { ...error.facts, cause: error });
}

/** A task of 2026-07-28 with the data beside its state: questions or the outcome. */
export interface DetailedTask {
  readonly state: TaskState;
  readonly raw: UnknownObject;
}

/** @throws {McpError} invalidResult */
export function parseDetailed(value: unknown): DetailedTask {
  if (!isObject(value)) throw invalidTask(`a task is no object: ${boundedJson(value, 100)}`);
  return { state: parseTask(value, 'stateless'), raw: value };
}

/** The data that a client needs to resume a task on a later connection or in another process. */
export interface TaskHandle {
  /** The protocol that created the task; the other one does not know it. */
  readonly wire: EraKind;
  /** Secret, like the session id; see {@link TaskState}. */
  readonly taskId: string;
  /**
   * The `Mcp-Session-Id` that created the task, to which servers of 2025-11-25 bind it. Absent
   * without a session.
   */
  readonly sessionId?: string;
  /**
   * Time of the answer that created the task, in milliseconds since the epoch by the local clock.
   */
  readonly createdAt: number;
  /**
   * How long the server keeps the task after its creation, in milliseconds. Absent without a limit.
   */
  readonly ttlMs?: number;
  /** The tool's name, for questions of the task. */
  readonly tool: string;
}

/** The data that makes the task of a `tools/call` resumable. */
export interface TaskOrigin {
  readonly wire: EraKind;
  readonly tool: string;
  /** The session of the connection, if the transport has sessions. */
  readonly session?: TransportSession;
}

export function toTaskHandle({ taskId, ttlMs }: TaskState, origin: TaskOrigin): TaskHandle {
  const { wire, tool, session } = origin;
  return {
    wire,
    taskId,
    createdAt: Date.now(),
    tool,
    ...(session?.id === undefined ? {} : { sessionId: session.id }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
}

/** Returns an initial state without any information, so that the first poll comes soon. */
export function initialTaskState({ taskId, ttlMs }: TaskHandle): TaskState {
  return {
    taskId,
    status: 'working',
    pollMs: 500,
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
}
