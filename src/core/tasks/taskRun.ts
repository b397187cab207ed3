import type { CancellationToken } from 'vscode-jsonrpc/node';
import { isMcpError, isTransient, McpError, toMcpError } from '../errors';
import { raceCancellation } from '../rpc/cancellation';
import { hasEnded, invalidTask, type TaskState } from './taskState';

/** Requests about a task that get nowhere, in a row. */
const maxFailures = 10;
const maxDelayMs = 30_000;
/** So much more rarely a server is asked while nobody looks. */
const unwatchedFactor = 5;

export interface TaskRunOptions {
  readonly token: CancellationToken;
  /** From the creation to the end of the task, in milliseconds. */
  readonly limitMs: number;
  readonly onTask: ((task: TaskState) => void) | undefined;
  readonly isWatched: () => boolean;
}

/** One task from its creation to its end: what the server said last, and how long it may take. */
export class TaskRun {
  readonly #options: TaskRunOptions;
  readonly #endsAt: number;
  #task: TaskState;
  #wake: () => void = () => undefined;
  #isAwake = false;
  #failure: McpError | undefined;

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
   * Settles with `work`, unless the call is cancelled or its time is over before.
   * @throws {McpError} cancelled | timeout | what `work` rejects with
   */
  async orEnded<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new McpError('timeout', { limit: this.#options.limitMs })),
        this.leftMs,
      );
    });
    try {
      return await raceCancellation(Promise.race([work, overdue]), this.#options.token);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * What a request that only reads is answered with. A task outlives a network that fails for a
   * while, so the request is then sent again, later each time.
   * @throws {McpError} what {@link orEnded} throws
   */
  async read<T>(send: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.orEnded(send());
      } catch (thrown) {
        const error = toMcpError(thrown);
        const isOfWay = isTransient(error) || isMcpError(error, 'timeout');
        if (!isOfWay || failures === maxFailures || this.leftMs === 0) throw error;
        const delayMs = Math.max(this.#task.pollMs * 2 ** failures, error.facts.retryAfterMs ?? 0);
        await this.pause(Math.min(delayMs, maxDelayMs));
      }
    }
  }

  get #pollMs(): number {
    const { pollMs } = this.#task;
    return this.#options.isWatched() ? pollMs : Math.min(pollMs * unwatchedFactor, maxDelayMs);
  }

  /**
   * Waits as long as the server wants to be left alone, or until {@link wake}.
   * @throws {McpError} cancelled | timeout | what {@link fail} was given
   */
  async pause(ms = this.#pollMs): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      this.#wake = resolve;
      if (this.#isAwake) resolve();
    });
    try {
      await this.orEnded(passed);
    } finally {
      clearTimeout(timer);
      this.#isAwake = false;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** There is something to look at: ends the pause, or makes the next one none. */
  wake(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** What goes on beside the polls has failed, and the call with it. */
  fail(error: unknown): void {
    this.#failure ??= toMcpError(error);
    this.wake();
  }
}
