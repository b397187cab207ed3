import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';

/** For all of them together: whoever cancels does not want to wait for long. */
const maxCleanUpMs = 30_000;

/** The time that calls have which clean up after a run was cancelled: 30 seconds from the first. */
export class CleanUpTime {
  readonly #maxMs: number;
  #source: CancellationTokenSource | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxMs = maxCleanUpMs) {
    this.#maxMs = maxMs;
  }

  /** Cancelled when the time is over, which begins when this is asked for first. */
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
