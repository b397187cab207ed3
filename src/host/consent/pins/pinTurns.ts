import { setImmediate } from 'node:timers/promises';

/** Long enough that the pauses cost next to nothing, short enough that nobody notices one slice. */
const sliceMs = 4;

/**
 * Cuts long work into slices between which everybody else has a turn:
 * `if (turns.isOver) await turns.next();` before each piece of it.
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
