import { setImmediate as nextRound } from 'node:timers/promises';

/** How long the window may wait for one piece of work; a tenth of what a person notices. */
const longestTurnMs = 5;

/** Work that is done in turns of the event loop, so that others have theirs however long it takes. */
export class WorkTurns {
  #startedAt = performance.now();

  /** Whether the turn has taken long enough. Asked after each small step of the work. */
  get isOver(): boolean {
    return performance.now() - this.#startedAt >= longestTurnMs;
  }

  /** Resolves in the next turn if this one is over. */
  async giveWay(): Promise<void> {
    if (!this.isOver) return;
    await nextRound();
    this.#startedAt = performance.now();
  }
}
