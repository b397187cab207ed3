import { setTimeout as delay } from 'node:timers/promises';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { isMcpError, isTransient, McpError, toMcpError } from '../errors';
import { raceCancellation } from '../rpc/cancellation';
import { isTaskEnded, invalidTask, type TaskState } from './taskState';

/** Limits consecutive failed requests about a task. */
const maxFailures = 10;
const maxDelayMs = 30_000;
/** Requests about many tasks are spread over this share of their interval. */
const spreadShare = 0.1;
/** The factor for the poll interval while the user is not watching. */
const unwatchedFactor = 5;

export interface TaskRunOptions {
  readonly token: CancellationToken;
  /** In milliseconds, from the creation to the end of the task. */
  readonly limitMs: number;
  readonly onTask: ((task: TaskState) => void) | undefined;
  readonly isWatched: () => boolean;
}

/** One task from its creation to its end: its last known state and its time limit. */
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

  /** The rest of the time limit, in milliseconds. */
  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /**
   * Takes the server's current state. The state of an ended task does not change.
   * @throws {McpError} invalidResult for the state of another task
   */
  update(task: TaskState): void {
    if (task.taskId !== this.#task.taskId) throw invalidTask('the state of another task');
    if (isTaskEnded(this.#task)) return;
    this.#task = task;
    this.#options.onTask?.(task);
  }

  /**
   * Settles like `work`, unless the call is cancelled or its time is over before.
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
   * Sends a read-only request. It is repeated with growing delays while the network fails, because
   * a task outlives that.
   * @throws {McpError} what {@link orEnded} throws
   */
  read<T>(send: () => Promise<T>): Promise<T> {
    return this.#repeat(send, (ms) => this.pause(ms));
  }

  /**
   * Sends an answer to a question of the task, repeated like {@link read}: servers ignore what was
   * answered already. {@link wake} is for the polls and does not shorten the delays.
   * @throws {McpError} what {@link orEnded} throws
   */
  answer<T>(send: () => Promise<T>): Promise<T> {
    return this.#repeat(send, (ms) => this.orEnded(delay(spread(ms), undefined, { ref: false })));
  }

  async #repeat<T>(send: () => Promise<T>, wait: (ms: number) => Promise<void>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.orEnded(send());
      } catch (thrown) {
        const error = toMcpError(thrown);
        const isOfWay = isTransient(error) || isMcpError(error, 'timeout');
        if (!isOfWay || failures === maxFailures || this.leftMs === 0) throw error;
        const delayMs = Math.max(this.#task.pollMs * 2 ** failures, error.facts.retryAfterMs ?? 0);
        await wait(Math.min(delayMs, maxDelayMs));
      }
    }
  }

  get #pollMs(): number {
    const { pollMs } = this.#task;
    return this.#options.isWatched() ? pollMs : Math.min(pollMs * unwatchedFactor, maxDelayMs);
  }

  /**
   * Waits for the server's poll interval, or until {@link wake}.
   * @throws {McpError} cancelled | timeout | what {@link fail} was given
   */
  async pause(ms = this.#pollMs): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, spread(ms));
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

  /** Ends the current pause, or skips the next one. */
  wake(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Ends the call with an error of work beside the polls. */
  fail(error: unknown): void {
    this.#failure ??= toMcpError(error);
    this.wake();
  }
}

/** Returns a random delay that is never shorter than what the server asked for. */
function spread(ms: number): number {
  return ms * (1 + Math.random() * spreadShare);
}
