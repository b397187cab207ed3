import { setTimeout as delay } from 'node:timers/promises';
import { patienceMs } from '../waiting';

interface Timer {
  at: number;
  readonly act: () => void;
  ref(): Timer;
  unref(): Timer;
  refresh(): Timer;
}

/**
 * `performance.now`, `Date.now`, `setTimeout` and `clearTimeout` whose time passes only when the test
 * says so: what happens within a deadline does not depend on the machine. Processes, streams and
 * `node:timers/promises` go on as ever.
 */
export class StoppedClock {
  /** Whole, or sums of milliseconds differ in their last digit from one run to the next. */
  readonly #startedAt = Math.ceil(performance.now());
  #now = this.#startedAt;
  #isReleased = false;
  readonly #timers = new Set<Timer>();
  readonly #real = { setTimeout, clearTimeout };
  readonly #realDateNow = Date.now;

  constructor() {
    Object.assign(globalThis, {
      setTimeout: (act: (...values: unknown[]) => void, delayMs = 0, ...values: unknown[]) =>
        this.#start(() => act(...values), delayMs),
      clearTimeout: (timer: Timer & NodeJS.Timeout) => {
        if (!this.#timers.delete(timer)) this.#real.clearTimeout(timer);
      },
    });
    performance.now = () => this.#now;
    const dateAtStart = Date.now();
    Date.now = () => dateAtStart + Math.round(this.#now - this.#startedAt);
  }

  /** Resolves as soon as something waits for exactly so long from now. */
  async untilWaiting(ms: number): Promise<void> {
    while (!this.waits.includes(ms)) {
      if (this.#isReleased) throw new Error(`Nothing waited for ${ms} ms.`);
      await delay(1);
    }
  }

  /** How long each timer has still to wait, in milliseconds. */
  get waits(): readonly number[] {
    return [...this.#timers].map(({ at }) => at - this.#now);
  }

  /** Lets so much time pass; what is due is called at its time. */
  advance(ms: number): void {
    const endsAt = this.#now + ms;
    this.#callDue(endsAt);
    this.#now = endsAt;
  }

  /** As when the machine was asleep: the time is over before anything that was due is called. */
  jump(ms: number): void {
    this.#now += ms;
    this.#callDue(this.#now);
  }

  /** Time passes by itself again, for timers that are started from now on; the others are gone. */
  release(): void {
    this.#isReleased = true;
    this.#timers.clear();
    Object.assign(globalThis, this.#real);
    Reflect.deleteProperty(performance, 'now');
    Date.now = this.#realDateNow;
  }

  #callDue(endsAt: number): void {
    for (;;) {
      const [next] = [...this.#timers]
        .filter((timer) => timer.at <= endsAt)
        .toSorted((one, other) => one.at - other.at);
      if (next === undefined) return;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.act();
    }
  }

  #start(act: () => void, delayMs: number): Timer {
    const start = () => {
      timer.at = this.#now + delayMs;
      this.#timers.add(timer);
      return timer;
    };
    const timer: Timer = { at: 0, act, ref: () => timer, unref: () => timer, refresh: start };
    return start();
  }
}

/**
 * Runs `act` while time stands still, for no longer than a minute: a test that waits for ever must not
 * stop the clocks of those after it.
 */
export async function whileStopped<T>(act: (clock: StoppedClock) => Promise<T>): Promise<T> {
  const clock = new StoppedClock();
  const isOver = new AbortController();
  const guard = delay(patienceMs, undefined, { signal: isOver.signal }).then(() => {
    throw new Error('It waits for something that does not come while the clock stands still.');
  });
  try {
    return await Promise.race([act(clock), guard]);
  } finally {
    clock.release();
    isOver.abort();
  }
}
