/** A callback that waits for a time of the start. */
interface Waiting {
  leftMs: number;
  startedAt: number;
  timer: NodeJS.Timeout | undefined;
  readonly act: () => void;
}

/**
 * Limits the time of one start. It is paused while it is held, because something is being
 * installed; all holds together have a time limit of their own, after which the clock runs.
 */
export class StartClock {
  readonly #limitMs: number;
  readonly #maxHeldMs: number;
  readonly #startedAt = performance.now();
  readonly #waiting = new Set<Waiting>();
  readonly #pauses = new Map<() => () => void, (() => void) | undefined>();
  #heldMs = 0;
  #heldAt: number | undefined;
  #ceiling: NodeJS.Timeout | undefined;

  constructor(limitMs: number, maxHeldMs = 0) {
    this.#limitMs = limitMs;
    this.#maxHeldMs = maxHeldMs;
  }

  /** At least 1, so that it can be the limit of a request. */
  get leftMs(): number {
    const now = this.#heldAt ?? performance.now();
    return Math.max(this.#limitMs - (now - this.#startedAt - this.#heldMs), 1);
  }

  hold(): void {
    const leftMs = this.#maxHeldMs - this.#heldMs;
    if (this.#heldAt !== undefined || leftMs <= 0) return;
    this.#heldAt = performance.now();
    for (const waiting of this.#waiting) this.#stop(waiting);
    for (const pause of this.#pauses.keys()) this.#pauses.set(pause, pause());
    this.#ceiling = setTimeout(() => this.release(), leftMs);
  }

  release(): void {
    if (this.#heldAt === undefined) return;
    clearTimeout(this.#ceiling);
    this.#heldMs += performance.now() - this.#heldAt;
    this.#heldAt = undefined;
    for (const waiting of this.#waiting) this.#run(waiting);
    for (const [pause, resume] of this.#pauses) {
      this.#pauses.set(pause, undefined);
      resume?.();
    }
  }

  /** Calls `act` after this much time without pauses. The returned function cancels it. */
  after(ms: number, act: () => void): () => void {
    const waiting: Waiting = { leftMs: ms, startedAt: 0, timer: undefined, act };
    this.#waiting.add(waiting);
    if (this.#heldAt === undefined) this.#run(waiting);
    return () => {
      clearTimeout(waiting.timer);
      this.#waiting.delete(waiting);
    };
  }

  /** Pauses another clock together with this one. The returned function ends that. */
  pausing(pause: () => () => void): () => void {
    this.#pauses.set(pause, this.#heldAt === undefined ? undefined : pause());
    return () => {
      this.#pauses.get(pause)?.();
      this.#pauses.delete(pause);
    };
  }

  #run(waiting: Waiting): void {
    waiting.startedAt = performance.now();
    waiting.timer = setTimeout(() => {
      this.#waiting.delete(waiting);
      waiting.act();
    }, waiting.leftMs);
  }

  #stop(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    waiting.leftMs -= performance.now() - waiting.startedAt;
  }
}
