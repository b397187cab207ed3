import type { CancellationToken } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../../core/rpc/cancellation';

/**
 * Number of servers that start at the same time. With a hundred starts at once, the first server is
 * ready no sooner than the last; with four, the first is ready quickly and the last one no later.
 */
const startsAtOnce = 4;

/** A start that takes longer releases its slot, so that a hanging server does not block others. */
const patienceMs = 2_000;

/** Slots for servers that are starting, in order of request. */
export class StartSlots {
  readonly #waiting = new Set<Turn>();
  #free = startsAtOnce;

  /**
   * Waits for a slot and returns the idempotent function that releases it.
   * @throws {McpError} cancelled
   */
  async take(token: CancellationToken): Promise<() => void> {
    if (this.#free > 0) {
      this.#free--;
      return this.#held();
    }
    const turn = new Turn();
    this.#waiting.add(turn);
    try {
      await raceCancellation(turn.comes, token);
    } catch (error) {
      // Cancelled after the slot was handed over but before this line ran: hand it on.
      if (!this.#waiting.delete(turn)) this.#handOn();
      throw error;
    }
    return this.#held();
  }

  #held(): () => void {
    let isHeld = true;
    const giveBack = () => {
      clearTimeout(timer);
      if (!isHeld) return;
      isHeld = false;
      this.#handOn();
    };
    const timer = setTimeout(giveBack, patienceMs);
    return giveBack;
  }

  #handOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next.call();
  }
}

/** A pending request for a slot. */
class Turn {
  readonly comes: Promise<void>;
  #resolve: (() => void) | undefined;

  constructor() {
    this.comes = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  call(): void {
    this.#resolve?.();
  }
}
