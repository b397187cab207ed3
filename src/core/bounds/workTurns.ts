import { setImmediate as nextRound } from 'node:timers/promises';

/** Limits how long one turn blocks the window, to a tenth of what a user notices. */
const longestTurnMs = 5;

/** Splits long work into turns of the event loop, so that other work can run in between. */
export class WorkTurns {
  #startedAt = performance.now();

  /** True if the turn has used its time. Check after each small step of the work. */
  get isOver(): boolean {
    return performance.now() - this.#startedAt >= longestTurnMs;
  }

  /** Resolves in the next turn if this one has used its time. */
  async giveWay(): Promise<void> {
    if (!this.isOver) return;
    await nextRound();
    this.#startedAt = performance.now();
  }
}
