import { isTransient, McpError } from '../errors';
import { settlesWithin } from '../bounds/valueWithin';
import { isObject, type UnknownObject } from '../json/shapes';
import { parseStatefulToolResult } from '../parse/parseResults';
import type { RequestParams } from '../rpc/rpc';
import type { ToolResult, ListProblem } from '../types';
import type { TaskRun } from './taskRun';
import {
  isTaskEnded,
  invalidTask,
  taskMessage,
  parseTask,
  rethrowLost,
  type TaskState,
} from './taskState';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { listPages, type GrowingList, type ReadPage } from '../parse/listPages';

/** The member of `_meta` that names the task of a message. */
const relatedTaskKey = 'io.modelcontextprotocol/related-task';

/** Sends a request on the connection. `timeoutMs` applies to this request only. */
export type SendForTask = <T>(
  method: string,
  params: RequestParams,
  parse: (result: unknown) => T,
  timeoutMs?: number,
) => Promise<T>;

/** Parses the task in the answer to an augmented `tools/call`. @throws {McpError} invalidResult */
export function parseCreatedTask(result: unknown): TaskState {
  return parseTask(isObject(result) ? result.task : undefined, 'stateful');
}

/**
 * True if the answer to an augmented `tools/call` is a task; some servers answer with the result.
 */
export function isCreatedTask(result: unknown): boolean {
  return isObject(result) && isObject(result.task) && result.content === undefined;
}

/** Returns the `_meta` for an answer to a task's question, the same as in the question. */
export function relatedTaskMeta(params: unknown): { readonly _meta?: object } {
  const related = relatedTask(params);
  return related === undefined ? {} : { _meta: { [relatedTaskKey]: related } };
}

/** Returns the task that a message says it belongs to. */
function relatedTask(message: unknown): UnknownObject | undefined {
  const { _meta: meta } = isObject(message) ? message : {};
  const related = isObject(meta) ? meta[relatedTaskKey] : undefined;
  return isObject(related) ? related : undefined;
}

/** A server may forget a task when it sends the result, which arrives after the refusal of its state. */
const lateResultMs = 10_000;

/**
 * Waits for the end of a task and resolves to its result. `tasks/result` is sent as soon as the
 * task needs input, because a server asks questions only while that request is open. It also
 * returns the errors of failed tasks.
 * @throws {McpError} taskCancelled | taskLost | cancelled | timeout | serverError | invalidResult
 *
 * Spec: 2025-11-25 basic/utilities/tasks
 */
export async function followStatefulTask(run: TaskRun, send: SendForTask): Promise<ToolResult> {
  const { taskId } = run.task;
  const result = new ResultRequest(run, () =>
    send('tasks/result', { taskId }, (value) => parseResultOf(taskId, value), run.leftMs),
  );
  /** Once the result is there, the state is neither needed nor, at some servers, known. */
  const poll = async (): Promise<TaskState | undefined> => {
    if (result.value !== undefined) return undefined;
    try {
      return await send('tasks/get', { taskId }, parseFlatTask);
    } catch (error) {
      if (!isTransient(error)) await result.end(lateResultMs);
      return result.value === undefined ? rethrowLost(error) : undefined;
    }
  };
  for (;;) {
    const { task } = run;
    if (task.status === 'cancelled') throw new McpError('taskCancelled', taskMessage(task));
    // Only for a failed task is the error that of its tool.
    const isLost = task.status === 'completed' ? rethrowLost : undefined;
    if (isTaskEnded(task)) return run.read(() => result.open().catch(isLost));
    if (task.status === 'input_required') void result.open().catch(() => undefined);
    await run.pause();
    const state = await run.read(poll);
    if (result.value !== undefined) return result.value;
    if (state !== undefined) run.update(state);
  }
}

/** The request for a task's result, which stays open until the server has the result. */
class ResultRequest {
  readonly #run: TaskRun;
  readonly #send: () => Promise<ToolResult>;
  #open: Promise<ToolResult> | undefined;
  /** The answer after it came. Errors are not kept, so the request is sent again when needed. */
  value: ToolResult | undefined;

  constructor(run: TaskRun, send: () => Promise<ToolResult>) {
    this.#run = run;
    this.#send = send;
  }

  /** Sends the request unless it is open. @throws {McpError} what the server answered */
  open(): Promise<ToolResult> {
    this.#open ??= this.#wait();
    return this.#open;
  }

  /** Waits until the request is no longer open, at most this long. Never rejects. */
  async end(timeoutMs: number): Promise<void> {
    if (this.#open !== undefined)
      await settlesWithin(
        this.#open.catch(() => undefined),
        timeoutMs,
      );
  }

  async #wait(): Promise<ToolResult> {
    try {
      this.value = await this.#send();
      this.#run.wake();
      return this.value;
    } catch (error) {
      this.#open = undefined;
      throw error;
    }
  }
}

/** @throws {McpError} invalidResult, also for the result of another task */
function parseResultOf(taskId: string, value: unknown): ToolResult {
  const related = relatedTask(value);
  if (related !== undefined && related.taskId !== taskId) {
    throw invalidTask('the result of another task');
  }
  return parseStatefulToolResult(withoutRelated(value));
}

/** Removes the task id, which is a secret, because results are kept. */
function withoutRelated(value: unknown): unknown {
  const { _meta: meta } = isObject(value) ? value : {};
  if (!isObject(value) || !isObject(meta)) return value;
  const { [relatedTaskKey]: _, ...rest } = meta;
  return { ...value, _meta: rest };
}

export function parseFlatTask(result: unknown): TaskState {
  return parseTask(result, 'stateful');
}

/** A call that waits for its task. */
interface OpenTask {
  readonly taskId: string;
  readonly tool: string;
  /** Cancelled when the call no longer waits. */
  readonly over: CancellationToken;
}

/** The calls of one connection that wait for tasks, to assign questions of the server to them. */
export class OpenTasks {
  readonly #byId = new Map<unknown, OpenTask>();

  async during<T>(task: OpenTask, work: () => Promise<T>): Promise<T> {
    this.#byId.set(task.taskId, task);
    try {
      return await work();
    } finally {
      this.#byId.delete(task.taskId);
    }
  }

  /**
   * Returns the call that a question belongs to. `undefined` if it belongs to no task, or to one
   * that no call waits for.
   */
  of(params: unknown): OpenTask | undefined {
    return this.#byId.get(relatedTask(params)?.taskId);
  }
}

/** Longer lists are not useful. */
const maxTasks = 1_000;

export interface TaskList {
  readonly tasks: readonly TaskState[];
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

/**
 * Reads all pages of `tasks/list`, at most 1,000 tasks. Malformed entries are left out.
 * @throws {McpError} if the first page fails, the connection ends or the list is cancelled
 */
export async function listAllTasks(readPage: ReadPage): Promise<TaskList> {
  const { list, problems } = await listPages(readPage, () => new GrowingTasks());
  return { tasks: [...list.byId.values()], problems };
}

class GrowingTasks implements GrowingList {
  readonly byId = new Map<string, TaskState>();

  async add(items: readonly unknown[]): Promise<ListProblem | undefined> {
    for (const item of items) {
      if (this.byId.size === maxTasks) return { code: 'tooManyTasks', limit: maxTasks };
      const task = parsed(item);
      if (task !== undefined) this.byId.set(task.taskId, task);
    }
    return undefined;
  }
}

function parsed(item: unknown): TaskState | undefined {
  try {
    return parseTask(item, 'stateful');
  } catch {
    return undefined;
  }
}
