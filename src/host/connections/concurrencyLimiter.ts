import type { CancellationToken } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../../core/rpc/cancellation';

/** Releases the slot; idempotent. */
export type ReleaseSlot = () => void;

interface Queue {
  taken: number;
  /** Functions that admit the waiting callers, in order. */
  readonly waiting: (() => void)[];
}

/** Limits how many uses of the same key run at once. Further ones wait in order of arrival. */
export class ConcurrencyLimiter {
  readonly #most: () => number;
  readonly #queues = new Map<string, Queue>();

  /** @param most read whenever a use starts or ends, so that a changed setting applies */
  constructor(most: () => number) {
    this.#most = most;
  }

  /**
   * Resolves when there is a slot. `onWait` is called if there is none yet.
   * @throws {McpError} cancelled; the caller then leaves the queue
   */
  async take(key: string, token: CancellationToken, onWait: () => void): Promise<ReleaseSlot> {
    let queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, (queue = { taken: 0, waiting: [] }));
    const leave = once(() => this.#leave(key, queue));
    if (queue.waiting.length === 0 && queue.taken < this.#most()) {
      queue.taken += 1;
      return leave;
    }
    await this.#wait(key, queue, token, onWait);
    return leave;
  }

  async #wait(
    key: string,
    queue: Queue,
    token: CancellationToken,
    onWait: () => void,
  ): Promise<void> {
    let admit = nothing;
    const admitted = new Promise<void>((resolve) => (admit = resolve));
    queue.waiting.push(admit);
    // The setting may allow more than when the others began to wait.
    this.#admit(queue);
    if (!queue.waiting.includes(admit)) return;
    onWait();
    try {
      await raceCancellation(admitted, token);
    } catch (error) {
      const at = queue.waiting.indexOf(admit);
      if (at < 0) this.#leave(key, queue);
      else queue.waiting.splice(at, 1);
      throw error;
    }
  }

  #leave(key: string, queue: Queue): void {
    queue.taken -= 1;
    this.#admit(queue);
    if (queue.taken === 0 && queue.waiting.length === 0) this.#queues.delete(key);
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

/**
 * Number of servers that start at the same time. With a hundred starts at once, the first server is
 * ready no sooner than the last; with four, the first is ready quickly and the last one no later.
 */
const startsAtOnce = 4;

/** A start that takes longer releases its slot, so that a hanging server does not block others. */
const patienceMs = 2_000;

/** Slots for servers that are starting, in order of request. */
export class StartSlots {
  readonly #limiter = new ConcurrencyLimiter(() => startsAtOnce);

  /** Waits for a slot. @throws {McpError} cancelled */
  async take(token: CancellationToken): Promise<ReleaseSlot> {
    const release = await this.#limiter.take('', token, nothing);
    const timer = setTimeout(release, patienceMs);
    return () => {
      clearTimeout(timer);
      release();
    };
  }
}
