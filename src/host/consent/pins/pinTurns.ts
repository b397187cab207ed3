import { setImmediate } from 'node:timers/promises';

/** Long enough that the pauses cost little, short enough to be unnoticeable. */
const sliceMs = 4;

/**
 * Splits long work into slices so that other work gets its turn: `if (turns.isOver) await
 * turns.next();` before each step.
 */
export class Turns {
  #beganAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#beganAt >= sliceMs;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#beganAt = performance.now();
  }
}
