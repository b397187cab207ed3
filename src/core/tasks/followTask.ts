import { CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { ToolResult } from '../types';
import type { SendForTask } from './statefulTasks';
import { TaskRun } from './taskRun';
import type { TaskState } from './taskState';

const dayMs = 86_400_000;

/** What the caller of a tool wants of its task. */
export interface FollowOptions {
  /** Cancelling settles the call at once and cancels the task at the server. */
  readonly token?: CancellationToken;
  readonly onTask?: (task: TaskState) => void;
  /** In milliseconds. Default: a day. */
  readonly taskLimitMs?: number;
}

/** How one wire does it. */
export interface TaskWire {
  /** As the connection sends requests; requests of a task end with it. */
  readonly send: (token: CancellationToken) => SendForTask;
  readonly follow: (run: TaskRun, send: SendForTask) => Promise<ToolResult>;
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
    cancel: (taskId) => cancelTask(taskId, send(CancellationToken.None)),
  });
  try {
    return await follow(run, send(requests.token));
  } finally {
    requests.cancel();
    requests.dispose();
  }
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
