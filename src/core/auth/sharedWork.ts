import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../rpc/cancellation';

/** One piece of work for all who want it at the same time. */
export class SharedWork<T> {
  #running: Running<T> | undefined;

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Joins what is under way, or begins it. It is cancelled when nobody waits for it any more.
   * @throws {McpError} cancelled for whoever cancels | what `begin` rejects with
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
    // Callers of run() get the rejection; a call after it begins anew, while others still hear of it.
    running.work.catch(() => {
      if (this.#running === running) this.#running = undefined;
    });
    return running;
  }

  /** Whoever comes later begins anew. */
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
