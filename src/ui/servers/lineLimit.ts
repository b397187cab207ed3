/** Bursts of this size pass. More lines per second are not readable. */
const linesPerWindow = 500;
const windowMs = 1_000;

/**
 * Lets at most {@link linesPerWindow} lines through per second. It counts the others and reports
 * their number at the end of the second.
 */
export class LineLimit {
  readonly #tellSkipped: (count: number) => void;
  #taken = 0;
  #skipped = 0;
  #windowEnd: NodeJS.Timeout | undefined;

  constructor(tellSkipped: (count: number) => void) {
    this.#tellSkipped = tellSkipped;
  }

  /** Returns true if the line may be written. */
  take(): boolean {
    this.#windowEnd ??= setTimeout(() => this.#endWindow(), windowMs).unref();
    if (this.#taken < linesPerWindow) {
      this.#taken++;
      return true;
    }
    this.#skipped++;
    return false;
  }

  dispose(): void {
    clearTimeout(this.#windowEnd);
  }

  #endWindow(): void {
    const skipped = this.#skipped;
    this.#taken = 0;
    this.#skipped = 0;
    this.#windowEnd = undefined;
    if (skipped > 0) this.#tellSkipped(skipped);
  }
}
