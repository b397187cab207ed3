import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../rpc/cancellation';

/** Shares one running piece of work among all its callers. */
export class SharedWork<T> {
  #running: Running<T> | undefined;

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Joins the running work, or starts it. The work is cancelled when its last caller cancels.
   * @throws {McpError} cancelled for a caller that cancels | what `begin` rejects with
   */
  async run(
    begin: (token: CancellationToken) => Promise<T>,
    token?: CancellationToken,
  ): Promise<T> {
    const running = this.#running ?? this.#begin(begin);
    running.waiting += 1;
    try {
      return await raceCancellation(running.work, token);
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0) this.#end(running);
    }
  }

  #begin(begin: (token: CancellationToken) => Promise<T>): Running<T> {
    const source = new CancellationTokenSource();
    const running: Running<T> = { work: begin(source.token), source, waiting: 0 };
    this.#running = running;
    // Callers of run() get the rejection. A later call starts again, even if others still wait.
    running.work.catch(() => {
      if (this.#running === running) this.#running = undefined;
    });
    return running;
  }

  /** Later callers start again. */
  #end(running: Running<T>): void {
    if (this.#running === running) this.#running = undefined;
    running.source.cancel();
    running.source.dispose();
  }
}

interface Running<T> {
  readonly work: Promise<T>;
  readonly source: CancellationTokenSource;
  waiting: number;
}
