import type { CancellationToken } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import { orCancelled } from '../rpc/cancellation';
import { hasEnded, invalidTask, type TaskState } from './taskState';

export interface TaskRunOptions {
  readonly token: CancellationToken;
  /** From the creation to the end of the task, in milliseconds. */
  readonly limitMs: number;
  readonly onTask: ((task: TaskState) => void) | undefined;
  /** Tells the server that the result is not wanted any more; nobody waits for its answer. */
  readonly cancel: (taskId: string) => void;
}

/** One task from its creation to its end: what the server said last, and how long it may take. */
export class TaskRun {
  readonly #options: TaskRunOptions;
  readonly #endsAt: number;
  #task: TaskState;

  constructor(task: TaskState, options: TaskRunOptions) {
    this.#options = options;
    this.#task = task;
    this.#endsAt = performance.now() + options.limitMs;
    options.onTask?.(task);
  }

  get task(): TaskState {
    return this.#task;
  }

  /** What is left of the limit, in milliseconds. */
  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /**
   * What the server says now. A task that has ended stays as it is.
   * @throws {McpError} invalidResult for the state of another task
   */
  update(task: TaskState): void {
    if (task.taskId !== this.#task.taskId) throw invalidTask('the state of another task');
    if (hasEnded(this.#task)) return;
    this.#task = task;
    this.#options.onTask?.(task);
  }

  /**
   * Settles with `work`, unless the call is cancelled or its time is over before. Then the server is
   * told to cancel the task.
   * @throws {McpError} cancelled | timeout | what `work` rejects with
   */
  async orEnded<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    let isOverdue = false;
    const overdue = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isOverdue = true;
        reject(new McpError('timeout', { limit: this.#options.limitMs }));
      }, this.leftMs);
    });
    try {
      return await orCancelled(Promise.race([work, overdue]), this.#options.token);
    } catch (error) {
      const isGivenUp = isOverdue || this.#options.token.isCancellationRequested;
      if (isGivenUp && !hasEnded(this.#task)) this.#options.cancel(this.#task.taskId);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits as long as the server wants to be left alone, or until `sooner` settles. */
  async pause(sooner?: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#task.pollMs);
    });
    try {
      await this.orEnded(sooner === undefined ? passed : Promise.race([passed, sooner]));
    } finally {
      clearTimeout(timer);
    }
  }
}
