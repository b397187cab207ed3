import { setImmediate } from 'node:timers/promises';
import { ShortLivedMap } from '../../core/bounds/shortLivedMap';

export interface WriteBehindOptions<T> {
  /** Writes an item. Never rejects. */
  readonly write: (item: T) => Promise<void>;
  /** Called after every batch. */
  readonly onWritten: () => void;
  /** Returns how many are kept on disk. An item with this many newer ones need not be written. */
  readonly most: () => number;
  /** Returns true if it has to be written, regardless of newer ones. */
  readonly isPinned: (item: T) => boolean;
  /** Returns the memory that an item uses, in bytes. */
  readonly bytesOf: (item: T) => number;
  /** Returns true if this is too much to wait in memory. */
  readonly isLarge: (item: T) => boolean;
}

/** Minimum pause between batches; the user's own calls are farther apart. */
const leastPauseMs = 1_000;
/** Pause after a batch that fills the limit, because the next such batch replaces it. */
const floodPauseMs = 10_000;
/**
 * The pause is this many times as long as the batch, so that writing takes at most a tenth of the
 * time.
 */
const pauseFactor = 9;

/**
 * Writes items in the background: the first at once, and those that follow soon in batches, so that
 * many cost little and callers do not wait.
 */
export class WriteBehind<T> {
  readonly #options: WriteBehindOptions<T>;
  /** Keyed by item key, oldest first. */
  readonly #waiting = new ShortLivedMap<string, T>();
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  /** Ends the pause before the next batch. */
  #endPause: (() => void) | undefined;
  /** Number of callers that wait until everything is written. */
  #settling = 0;

  constructor(options: WriteBehindOptions<T>) {
    this.#options = options;
  }

  get(key: string): T | undefined {
    return this.#waiting.get(key);
  }

  /** Memory that the unwritten items take. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  add(key: string, item: T): void {
    const { most, isPinned, isLarge } = this.#options;
    this.#set(key, item);
    if (this.#waiting.size > most()) {
      for (const [oldest, each] of this.#waiting) {
        if (oldest === key || isPinned(each)) continue;
        this.#delete(oldest);
        break;
      }
    }
    if (isLarge(item)) this.#endPause?.();
    this.#writing ??= this.#writeAll();
  }

  /** Replaces an item that still waits. */
  replace(key: string, item: T): void {
    if (this.#waiting.has(key)) this.#set(key, item);
  }

  /** Resolves when everything added so far is written, without pauses. */
  async settle(): Promise<void> {
    this.#settling += 1;
    this.#endPause?.();
    try {
      while (this.#writing !== undefined) await this.#writing;
    } finally {
      this.#settling -= 1;
    }
  }

  async #writeAll(): Promise<void> {
    try {
      // Callers continue first.
      await setImmediate();
      while (this.#waiting.size > 0) {
        const startedAt = performance.now();
        const isFlood = this.#waiting.size >= this.#options.most();
        await this.#writeBatch();
        const tookMs = performance.now() - startedAt;
        const leastMs = isFlood ? floodPauseMs : leastPauseMs;
        if (this.#waiting.size > 0) await this.#pause(Math.max(leastMs, tookMs * pauseFactor));
      }
    } finally {
      // At once, so that an item that is added from now on begins another run.
      this.#writing = undefined;
    }
  }

  /** Writes the items that wait now; leaves out those that newer ones displace meanwhile. */
  async #writeBatch(): Promise<void> {
    const keys = [...this.#waiting.keys()];
    for (const key of keys) {
      const item = this.#waiting.get(key);
      if (item === undefined) continue;
      await this.#options.write(item);
      // Another item may have replaced it meanwhile.
      if (this.#waiting.get(key) === item) this.#delete(key);
    }
    this.#options.onWritten();
  }

  #set(key: string, item: T): void {
    this.#waitingBytes += this.#options.bytesOf(item) - this.#bytesAt(key);
    this.#waiting.set(key, item);
  }

  #delete(key: string): void {
    this.#waitingBytes -= this.#bytesAt(key);
    this.#waiting.delete(key);
  }

  #bytesAt(key: string): number {
    const item = this.#waiting.get(key);
    return item === undefined ? 0 : this.#options.bytesOf(item);
  }

  #pause(ms: number): Promise<void> {
    const { isLarge } = this.#options;
    if (this.#settling > 0 || [...this.#waiting.values()].some(isLarge)) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#endPause?.(), ms);
      this.#endPause = () => {
        clearTimeout(timer);
        this.#endPause = undefined;
        resolve();
      };
    });
  }
}
