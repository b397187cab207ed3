import type { StartClock } from '../eras/startClock';

/** Maximum time for which all sign-ins together may pause the timeout of a start. */
export const maxSignInMs = 30 * 60_000;

/** Pauses the timeouts of one connection while the user signs in. */
export class SignInPause {
  readonly #clock: StartClock;
  #waits = 0;
  #pauseRequests: (() => () => void) | undefined;

  /** @param clock the timeout of the start */
  constructor(clock: StartClock) {
    this.#clock = clock;
  }

  /** From now on the request timeouts of the connection pause too. */
  covers(pauseRequests: () => () => void): void {
    this.#pauseRequests = pauseRequests;
  }

  /** Pauses the timeouts until the returned function is called. */
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
