import { CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError, McpError, toMcpError, type McpErrorCode } from '../errors';
import type { ToolResult } from '../types';
import type { SendForTask } from './statefulTasks';
import { toHandle, type TaskHandle, type TaskOrigin } from './taskHandle';
import { TaskRun } from './taskRun';
import { hasEnded, type TaskState } from './taskState';

const dayMs = 86_400_000;

/** What the caller of a tool wants of its task. */
export interface FollowOptions {
  /** Cancelling settles the call at once and cancels the task at the server. */
  readonly token?: CancellationToken;
  readonly onTask?: (task: TaskState) => void;
  /**
   * Keeps a task that was just created, before `onTask` hears of it. The session of a kept task is
   * not ended with its connection. Must not reject. Default: tasks are not kept.
   */
  readonly keepTask?: (handle: TaskHandle) => Promise<void>;
  /** Whether anybody may be looking; the server is asked more rarely while not. Default: yes. */
  readonly isWatched?: () => boolean;
  /** In milliseconds. Default: a day. */
  readonly taskLimitMs?: number;
}

/** How one wire does it. */
export interface TaskWire {
  /** As the connection sends requests; requests of a task end with it. */
  readonly send: (token: CancellationToken) => SendForTask;
  /** `over` is cancelled when the call does not wait for the task any more. */
  readonly follow: (
    run: TaskRun,
    send: SendForTask,
    over: CancellationToken,
  ) => Promise<ToolResult>;
}

/** After these the task may go on at its server, so that it is worth taking up later. */
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

/** Whether a call that failed so may still run at its server as a task. */
export function mayTaskGoOn(error: unknown): boolean {
  return mayGoOnAfter.has(toMcpError(error).code);
}

/** Keeps a task that was just created, where the caller wants that, and stays with it. */
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
    await keepTask(toHandle(task, origin));
    const result = await followTask(task, options, wire);
    release?.();
    return result;
  } catch (error) {
    if (!mayTaskGoOn(error)) release?.();
    throw error;
  }
}

/**
 * Stays with a task until it has ended, the call is cancelled, or its time is over.
 * @throws {McpError} what the `follow` of the wire throws
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
    if (isGivenUp(error) && !hasEnded(run.task)) {
      cancelTask(run.task.taskId, send(CancellationToken.None));
    }
    throw afterCreation(toMcpError(error));
  } finally {
    requests.cancel();
    requests.dispose();
  }
}

/** Whether the call does without the task, which may go on. */
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
 * A refused request about a task says nothing of the call: nobody may send that again. No other session
 * knows the task.
 */
function afterCreation(error: McpError): McpError {
  const isLost = error.code === 'sessionLost';
  const { hadNoEffect, ...facts } = error.facts;
  if (hadNoEffect === undefined && !isLost) return error;
  return new McpError(isLost ? 'taskLost' : error.code, facts);
}

/**
 * Cancels a task whose creation was answered after the call was given up. Never throws: it runs while
 * messages are read, and `parse` may refuse what the server sent.
 */
export function cancelLateTask(parse: () => TaskState, send: SendForTask): void {
  try {
    cancelTask(parse().taskId, send);
  } catch {
    // The answer is no task, so there is nothing to cancel.
  }
}

/** Tells the server that the result is not wanted. It need not obey, and its answer tells nothing. */
function cancelTask(taskId: string, send: SendForTask): void {
  send('tasks/cancel', { taskId }, () => undefined).catch(() => undefined);
}
