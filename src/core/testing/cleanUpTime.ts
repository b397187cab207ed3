import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';

/** For all clean-up calls together, because a user who cancels does not want to wait long. */
const maxCleanUpMs = 30_000;

/** Limits the calls that clean up after a cancelled run to 30 seconds, from the first one. */
export class CleanUpTime {
  readonly #maxMs: number;
  #source: CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxMs = maxCleanUpMs) {
    this.#maxMs = maxMs;
  }

  /** Cancelled at the end of the time limit, which starts at the first access. */
  get token(): CancellationToken {
    if (this.#source === undefined) {
      const source = new CancellationTokenSource();
      this.#source = source;
      this.#timer = setTimeout(() => source.cancel(), this.#maxMs);
    }
    return this.#source.token;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#source?.dispose();
  }
}
