export interface WatchRestartLimits {
  /** From one restart to the next at least, one for each that comes in a row. */
  readonly delaysMs?: readonly number[];
  /** A server that was left alone so long is not restarted in a row. */
  readonly stableMs?: number;
  /** Builds write many files; the last one counts. */
  readonly quietMs?: number;
}

export interface WatchRestartsOptions extends WatchRestartLimits {
  /** Restarts it where the person has agreed to that; tells whether it did. Must not ask. */
  readonly restart: (id: string) => Promise<boolean>;
  /** Files restart it no more, until {@link WatchRestarts.forget}; told once. */
  readonly onGivenUp: (id: string, restarts: number) => void;
}

/** The first few are for whoever saves often; then as after crashes. */
const defaultDelaysMs: readonly number[] = [0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000];
const defaultStableMs = 60_000;
const defaultQuietMs = 300;

interface Row {
  /** Restarts in a row that nobody was seen to wish for. */
  count: number;
  /** Epoch ms; absent: not restarted yet. */
  restartedAt?: number;
  timer?: NodeJS.Timeout;
  /** A person has saved a file since the last restart, which pays for the next. */
  isWished: boolean;
  isRestarting: boolean;
  isGivenUp: boolean;
}

/**
 * When servers that are being written are restarted because files changed: soon, with growing pauses
 * when it happens again and again, and no more after that. A server that writes one of these files
 * itself would otherwise be restarted for ever. Restarts after a person has saved a file count for
 * none of this.
 */
export class WatchRestarts {
  readonly #options: WatchRestartsOptions;
  readonly #rows = new Map<string, Row>();

  constructor(options: WatchRestartsOptions) {
    this.#options = options;
  }

  /** A file changed that the server is restarted for. */
  changed(id: string): void {
    const row = this.#row(id);
    if (!row.isGivenUp) this.#plan(id, row);
  }

  /** A person saved a file of the folder; a build may make of it what the server is restarted for. */
  saved(id: string): void {
    this.#row(id).isWished = true;
  }

  /** Somebody started or stopped it by hand: from now on the next change is the first. */
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
    const row = { count: 0, isWished: false, isRestarting: false, isGivenUp: false };
    this.#rows.set(id, row);
    return row;
  }

  #plan(id: string, row: Row): void {
    const { quietMs = defaultQuietMs } = this.#options;
    clearTimeout(row.timer);
    const waitMs = Math.max(quietMs, this.#pauseMs(row));
    row.timer = setTimeout(() => void this.#restart(id, row), waitMs);
  }

  /** What is left of the pause before the next restart. */
  #pauseMs(row: Row): number {
    const { delaysMs = defaultDelaysMs } = this.#options;
    if (row.isWished || row.restartedAt === undefined) return 0;
    return row.restartedAt + (delaysMs[this.#countOf(row)] ?? 0) - Date.now();
  }

  /** How many came in a row so far. */
  #countOf({ count, restartedAt = -Infinity }: Row): number {
    const { stableMs = defaultStableMs } = this.#options;
    return Date.now() - restartedAt < stableMs ? count : 0;
  }

  async #restart(id: string, row: Row): Promise<void> {
    // The next one begins when this one has ended, and its pause is over.
    if (row.isRestarting || this.#pauseMs(row) > 0) return this.#plan(id, row);
    const { restart, onGivenUp, delaysMs = defaultDelaysMs } = this.#options;
    const count = this.#countOf(row);
    if (!row.isWished && count >= delaysMs.length) {
      row.isGivenUp = true;
      onGivenUp(id, count);
      return undefined;
    }
    const { isWished } = row;
    row.isWished = false;
    row.isRestarting = true;
    const isDone = await restart(id).catch(() => false);
    row.isRestarting = false;
    row.restartedAt = Date.now();
    row.count = count + (isDone && !isWished ? 1 : 0);
    return undefined;
  }
}
