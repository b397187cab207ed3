import type { StartClock } from '../eras/startClock';

/** How long signing in may keep the clock of a start from running, all waits together. */
export const maxSignInMs = 30 * 60_000;

/** Lets the time limits of one connection stand still while a person signs in. */
export class SignInPause {
  readonly #clock: StartClock;
  #waits = 0;
  #pauseRequests: (() => () => void) | undefined;

  /** `clock`: of the start. */
  constructor(clock: StartClock) {
    this.#clock = clock;
  }

  /** From now on the requests of the connection stand still, too. */
  covers(pauseRequests: () => () => void): void {
    this.#pauseRequests = pauseRequests;
  }

  /** Stops the clocks until the answer is called. */
  readonly begin = (): (() => void) => {
    const resume = this.#pauseRequests?.();
    this.#waits += 1;
    this.#clock.hold();
    return () => {
      this.#waits -= 1;
      if (this.#waits === 0) this.#clock.release();
      resume?.();
    };
  };
}
