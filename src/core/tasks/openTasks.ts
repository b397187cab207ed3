import type { CancellationToken } from 'vscode-jsonrpc/node';
import { relatedTask } from './statefulTasks';

/** A call that waits for its task. */
export interface OpenTask {
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
