import type { CancellationToken } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../../core/rpc/cancellation';

/** Gives the place back; idempotent. */
export type LeavePlace = () => void;

interface Line {
  taken: number;
  readonly waiting: Set<() => void>;
}

/** The calls of one server that may run at the same time; more of them wait, first come first served. */
export class CallLimiter {
  readonly #most: () => number;
  readonly #lines = new Map<string, Line>();

  /** `most` is asked whenever somebody comes or goes, so that a changed setting counts. */
  constructor(most: () => number) {
    this.#most = most;
  }

  /**
   * Resolves when there is a place. `onWait` is told when there is none yet.
   * @throws {McpError} cancelled, and the place in the line is given up
   */
  async take(server: string, token: CancellationToken, onWait: () => void): Promise<LeavePlace> {
    const line = this.#lines.get(server) ?? { taken: 0, waiting: new Set() };
    this.#lines.set(server, line);
    let isAdmitted = false;
    let tell: (() => void) | undefined;
    const admit = (): void => {
      isAdmitted = true;
      tell?.();
    };
    line.waiting.add(admit);
    this.#admit(server, line);
    const leave = once(() => {
      if (isAdmitted) line.taken -= 1;
      line.waiting.delete(admit);
      this.#admit(server, line);
    });
    if (isAdmitted) return leave;
    const admitted = new Promise<void>((resolve) => (tell = resolve));
    onWait();
    try {
      await raceCancellation(admitted, token);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  #admit(server: string, line: Line): void {
    for (const admit of line.waiting) {
      if (line.taken >= this.#most()) return;
      line.waiting.delete(admit);
      line.taken += 1;
      admit();
    }
    if (line.taken === 0) this.#lines.delete(server);
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
