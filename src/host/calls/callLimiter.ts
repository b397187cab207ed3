import type { CancellationToken } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../../core/rpc/cancellation';

/** Releases the slot; idempotent. */
export type ReleaseSlot = () => void;

interface Queue {
  taken: number;
  /** Functions that admit the waiting callers, in order. */
  readonly waiting: (() => void)[];
}

/** Limits the concurrent calls of one server. Further calls wait in order of arrival. */
export class CallLimiter {
  readonly #most: () => number;
  readonly #queues = new Map<string, Queue>();

  /** @param most read whenever a call starts or ends, so that a changed setting applies */
  constructor(most: () => number) {
    this.#most = most;
  }

  /**
   * Resolves when there is a slot. `onWait` is called if there is none yet.
   * @throws {McpError} cancelled; the call then leaves the queue
   */
  async take(server: string, token: CancellationToken, onWait: () => void): Promise<ReleaseSlot> {
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
