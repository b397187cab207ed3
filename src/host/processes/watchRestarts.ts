export interface WatchRestartLimits {
  /** Minimum delays between restarts, one for each restart in a row. */
  readonly delaysMs?: readonly number[];
  /** After this time without a restart, the next one counts as the first. */
  readonly stableMs?: number;
  /** Builds write many files; the restart follows the last one. */
  readonly quietMs?: number;
}

export interface WatchRestartsOptions extends WatchRestartLimits {
  /** Restarts the server if the user agreed to that; returns whether it did. Must not ask. */
  readonly restart: (id: string) => Promise<boolean>;
  /**
   * Called once when file changes no longer restart the server, until {@link WatchRestarts.forget}.
   */
  readonly onGivenUp: (id: string, restarts: number) => void;
}

/** The first few are immediate for users who save often; the others are as after crashes. */
const defaultDelaysMs: readonly number[] = [0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000];
const defaultStableMs = 60_000;
const defaultQuietMs = 300;

interface Row {
  /** Number of restarts in a row without a saved file. */
  count: number;
  /** Milliseconds since the epoch; undefined if it was not restarted yet. */
  restartedAt?: number;
  timer?: NodeJS.Timeout;
  /** True if the user saved a file since the last restart. The next restart then does not count. */
  isRequested: boolean;
  isRestarting: boolean;
  isGivenUp: boolean;
}

/**
 * Restarts servers under development when their files change: soon, with growing delays for
 * repeated restarts, and then no more. Otherwise a server that writes one of its own watched files
 * would restart forever. Restarts after the user saved a file do not count.
 */
export class WatchRestarts {
  readonly #options: WatchRestartsOptions;
  readonly #rows = new Map<string, Row>();

  constructor(options: WatchRestartsOptions) {
    this.#options = options;
  }

  /** Handles a change of a file that the server watches. */
  changed(id: string): void {
    const row = this.#row(id);
    if (!row.isGivenUp) this.#plan(id, row);
  }

  /**
   * Handles a file that the user saved in the folder, because a build may turn it into a watched
   * file.
   */
  saved(id: string): void {
    this.#row(id).isRequested = true;
  }

  /** Resets the count after the user started or stopped the server. */
  forget(id: string): void {
    const row = this.#rows.get(id);
    if (row === undefined || row.isRestarting) return;
    clearTimeout(row.timer);
    this.#rows.delete(id);
  }

  dispose(): void {
    for (const { timer } of this.#rows.values()) clearTimeout(timer);
    this.#rows.clear();
  }

  #row(id: string): Row {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = { count: 0, isRequested: false, isRestarting: false, isGivenUp: false };
    this.#rows.set(id, row);
    return row;
  }

  #plan(id: string, row: Row): void {
    const { quietMs = defaultQuietMs } = this.#options;
    clearTimeout(row.timer);
    const waitMs = Math.max(quietMs, this.#pauseMs(row));
    row.timer = setTimeout(() => void this.#restart(id, row), waitMs);
  }

  /** Returns the remaining delay before the next restart. */
  #pauseMs(row: Row): number {
    const { delaysMs = defaultDelaysMs } = this.#options;
    if (row.isRequested || row.restartedAt === undefined) return 0;
    return row.restartedAt + (delaysMs[this.#countOf(row)] ?? 0) - Date.now();
  }

  /** Returns the number of restarts in a row. */
  #countOf({ count, restartedAt = -Infinity }: Row): number {
    const { stableMs = defaultStableMs } = this.#options;
    return Date.now() - restartedAt < stableMs ? count : 0;
  }

  async #restart(id: string, row: Row): Promise<void> {
    // The next one follows when this one has ended and its delay is over.
    if (row.isRestarting || this.#pauseMs(row) > 0) return this.#plan(id, row);
    const { restart, onGivenUp, delaysMs = defaultDelaysMs } = this.#options;
    const count = this.#countOf(row);
    if (!row.isRequested && count >= delaysMs.length) {
      row.isGivenUp = true;
      onGivenUp(id, count);
      return undefined;
    }
    const { isRequested } = row;
    row.isRequested = false;
    row.isRestarting = true;
    const isDone = await restart(id).catch(() => false);
    row.isRestarting = false;
    row.restartedAt = Date.now();
    row.count = count + (isDone && !isRequested ? 1 : 0);
    return undefined;
  }
}
