import type { CancellationToken } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../../core/rpc/cancellation';

/** Gives the place back; idempotent. */
export type LeavePlace = () => void;

interface Queue {
  taken: number;
  /** Each is called when its caller gets a place, the first first. */
  readonly waiting: (() => void)[];
}

/** The calls of one server that may run at the same time; more of them wait, first come first served. */
export class CallLimiter {
  readonly #most: () => number;
  readonly #queues = new Map<string, Queue>();

  /** `most` is asked whenever a call comes or goes, so that a changed setting counts. */
  constructor(most: () => number) {
    this.#most = most;
  }

  /**
   * Resolves when there is a place. `onWait` is told when there is none yet.
   * @throws {McpError} cancelled, and the place in the queue is given up
   */
  async take(server: string, token: CancellationToken, onWait: () => void): Promise<LeavePlace> {
    let queue = this.#queues.get(server);
    if (queue === undefined) this.#queues.set(server, (queue = { taken: 0, waiting: [] }));
    const leave = once(() => this.#leave(server, queue));
    if (queue.waiting.length === 0 && queue.taken < this.#most()) {
      queue.taken += 1;
      return leave;
    }
    await this.#wait(server, queue, token, onWait);
    return leave;
  }

  async #wait(
    server: string,
    queue: Queue,
    token: CancellationToken,
    onWait: () => void,
  ): Promise<void> {
    let admit = nothing;
    const admitted = new Promise<void>((resolve) => (admit = resolve));
    queue.waiting.push(admit);
    // The setting may allow more calls than when the others began to wait.
    this.#admit(queue);
    if (!queue.waiting.includes(admit)) return;
    onWait();
    try {
      await raceCancellation(admitted, token);
    } catch (error) {
      const at = queue.waiting.indexOf(admit);
      if (at < 0) this.#leave(server, queue);
      else queue.waiting.splice(at, 1);
      throw error;
    }
  }

  #leave(server: string, queue: Queue): void {
    queue.taken -= 1;
    this.#admit(queue);
    if (queue.taken === 0 && queue.waiting.length === 0) this.#queues.delete(server);
  }

  #admit(queue: Queue): void {
    while (queue.waiting.length > 0 && queue.taken < this.#most()) {
      queue.taken += 1;
      queue.waiting.shift()?.();
    }
  }
}

function nothing(): void {}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
