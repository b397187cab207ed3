import type { CancellationToken } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../../core/rpc/cancellation';

/**
 * How many servers start at the same time. Starting a hundred at once has the first one ready no
 * sooner than the last; four at a time has it ready at once and the last one no later.
 */
const startsAtOnce = 4;

/** A start that takes longer gives its place on, so that a server that hangs holds nobody up. */
const patienceMs = 2_000;

/** The places for servers that are starting; first come, first served. */
export class StartSlots {
  readonly #waiting = new Set<Turn>();
  #free = startsAtOnce;

  /**
   * Waits for a place and returns the function that gives it back; calling that twice is harmless.
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
      // Cancelled after the place was handed over, but before this line ran: hand it on.
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

/** Somebody's wait for a place. */
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
