import type { CancellationToken } from 'vscode-jsonrpc/node';
import { relatedTask } from './statefulTasks';

/** A call that waits for its task. */
export interface OpenTask {
  readonly taskId: string;
  readonly tool: string;
  /** Cancelled when it does not wait any more. */
  readonly over: CancellationToken;
}

/** The calls of one connection that wait for tasks, so that questions of the server find theirs. */
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

  /** Whose question it is; undefined: that of no task, or of none that is waited for. */
  of(params: unknown): OpenTask | undefined {
    return this.#byId.get(relatedTask(params)?.taskId);
  }
}
