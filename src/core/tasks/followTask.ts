import { CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError, McpError, toMcpError, type McpErrorCode } from '../errors';
import type { ToolResult } from '../types';
import type { SendForTask } from './statefulTasks';
import { TaskRun } from './taskRun';
import {
  isTaskEnded,
  type TaskState,
  toTaskHandle,
  type TaskHandle,
  type TaskOrigin,
} from './taskState';

const dayMs = 86_400_000;

/** Options of a caller that waits for a task. */
export interface FollowOptions {
  /** Cancelling settles the call at once and cancels the task at the server. */
  readonly token?: CancellationToken;
  readonly onTask?: (task: TaskState) => void;
  /**
   * Stores a newly created task, before `onTask` is called. The session of a stored task outlives
   * its connection. Must not reject. Defaults to not storing tasks.
   */
  readonly keepTask?: (handle: TaskHandle) => Promise<void>;
  /**
   * Returns true if the user may be watching; otherwise the server is polled less often. Defaults
   * to true.
   */
  readonly isWatched?: () => boolean;
  /** In milliseconds. Defaults to one day. */
  readonly taskLimitMs?: number;
}

/** The differences between the protocols. */
export interface TaskWire {
  /** Sends requests on the connection; requests of a task end with it. */
  readonly send: (token: CancellationToken) => SendForTask;
  /** @param over Cancelled when the call no longer waits for the task. */
  readonly follow: (
    run: TaskRun,
    send: SendForTask,
    over: CancellationToken,
  ) => Promise<ToolResult>;
}

/** After these errors the task may still run at its server, so it can be resumed later. */
const mayGoOnAfter: ReadonlySet<McpErrorCode> = new Set([
  'connectionClosed',
  'connectionLost',
  'writeFailed',
  'unreachable',
  'tlsError',
  'unauthorized',
  'signInNeeded',
  'signInFailed',
  'httpError',
]);

/** True if a call with this error may still run at its server as a task. */
export function mayTaskGoOn(error: unknown): boolean {
  return mayGoOnAfter.has(toMcpError(error).code);
}

/** Stores a newly created task if the caller wants that, and follows it. */
export async function followNewTask(
  task: TaskState,
  origin: TaskOrigin,
  options: FollowOptions | undefined,
  wire: TaskWire,
): Promise<ToolResult> {
  const { keepTask } = options ?? {};
  if (keepTask === undefined) return followTask(task, options, wire);
  const release = origin.session?.hold();
  try {
    await keepTask(toTaskHandle(task, origin));
    const result = await followTask(task, options, wire);
    release?.();
    return result;
  } catch (error) {
    if (!mayTaskGoOn(error)) release?.();
    throw error;
  }
}

/**
 * Follows a task until it has ended, the call is cancelled, or its time is over.
 * @throws {McpError} what `follow` throws
 */
export async function followTask(
  task: TaskState,
  options: FollowOptions | undefined,
  { send, follow }: TaskWire,
): Promise<ToolResult> {
  const requests = new CancellationTokenSource();
  const run = new TaskRun(task, {
    token: options?.token ?? CancellationToken.None,
    limitMs: options?.taskLimitMs ?? dayMs,
    onTask: options?.onTask,
    isWatched: options?.isWatched ?? (() => true),
  });
  try {
    return await follow(run, send(requests.token), requests.token);
  } catch (error) {
    if (isGivenUp(error) && !isTaskEnded(run.task)) {
      cancelTask(run.task.taskId, send(CancellationToken.None));
    }
    throw afterCreation(toMcpError(error));
  } finally {
    requests.cancel();
    requests.dispose();
  }
}

/** True if the call ended without the task, which may go on. */
function isGivenUp(error: unknown): boolean {
  return givenUp.some((code) => isMcpError(error, code));
}

const givenUp = [
  'cancelled',
  'timeout',
  'invalidResult',
  'inputNotPossible',
  'tooManyRounds',
] as const;

/**
 * A refused request about a task says nothing about the call, which must not be sent again. No
 * other session knows the task.
 */
function afterCreation(error: McpError): McpError {
  const isLost = error.code === 'sessionLost';
  const { hadNoEffect, ...facts } = error.facts;
  if (hadNoEffect === undefined && !isLost) return error;
  return new McpError(isLost ? 'taskLost' : error.code, facts);
}

/**
 * Cancels a task whose creation was answered after the call was cancelled. Never throws: it runs
 * while messages are read, and `parse` may throw for what the server sent.
 */
export function cancelLateTask(parse: () => TaskState, send: SendForTask): void {
  try {
    cancelTask(parse().taskId, send);
  } catch {
    // The answer is not a task, so there is nothing to cancel.
  }
}

/** Asks the server to cancel the task. The server may ignore it, and its answer does not matter. */
function cancelTask(taskId: string, send: SendForTask): void {
  send('tasks/cancel', { taskId }, () => undefined).catch(() => undefined);
}
