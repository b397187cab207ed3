import { isMcpError, type McpError } from '../../core/errors';
import type { ServerConfig } from '../configuration/serverConfig';

/** How often a server was started again by itself since it last ran for a while. */
export interface Restarts {
  /** Those that were tried; the one that is to come is the next. */
  readonly attempts: number;
  /** After so many the server stays down. */
  readonly limit: number;
  /** When the next one comes, epoch ms; absent: none is to come. */
  readonly nextAt?: number;
}

export interface CrashRestartPolicy {
  /** Whether the person wants it. */
  readonly isOn: () => boolean;
  /** Whether the person has agreed to exactly this server before. Must not ask. */
  readonly mayRestart: (config: ServerConfig) => Promise<boolean>;
  /** From a crash to the restart, one for each that is tried in a row. */
  readonly delaysMs?: readonly number[];
  /** A server that ran so long has not crashed in a row. */
  readonly stableMs?: number;
}

/** Whatever ends by itself stays so. */
export const neverRestart: CrashRestartPolicy = {
  isOn: () => false,
  mayRestart: () => Promise.resolve(false),
};

export interface CrashRestartsOptions extends CrashRestartPolicy {
  /** Starts the server as a person would have; rejects when it does not come up. */
  readonly restart: (id: string) => Promise<unknown>;
  /** {@link CrashRestarts.of} says something else about the server. */
  readonly onDidChange: (id: string) => void;
  readonly log: (id: string, text: string) => void;
}

/** Half a minute in all: what has not come back by then needs a person. */
const defaultDelaysMs: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
const defaultStableMs = 60_000;

interface Row {
  attempts: number;
  nextAt?: number;
  timer?: NodeJS.Timeout;
}

/**
 * Starts processes again that ended by themselves, with growing pauses, and gives up when they keep
 * ending. Only what a person has started and agreed to, in the same configuration; one that
 * left with exit code 0 wanted to leave.
 */
export class CrashRestarts {
  readonly #options: CrashRestartsOptions;
  readonly #rows = new Map<string, Row>();
  #isDisposed = false;

  constructor(options: CrashRestartsOptions) {
    this.#options = options;
  }

  of(id: string): Restarts | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const { attempts, nextAt } = row;
    const limit = this.#delaysMs.length;
    return { attempts, limit, ...(nextAt === undefined ? {} : { nextAt }) };
  }

  /** A run that had come up has ended by itself. `ranMs`: how long it ran. */
  async ended(config: ServerConfig, error: McpError, ranMs: number): Promise<void> {
    const { isOn, stableMs = defaultStableMs } = this.#options;
    if (this.#isDisposed || !isOn() || config.transport.kind !== 'stdio' || !isCrash(error)) return;
    if (ranMs >= stableMs) this.#rows.delete(config.id);
    const row = this.#rows.get(config.id) ?? { attempts: 0 };
    this.#rows.set(config.id, row);
    if (await this.#isStillWished(config, row)) this.#plan(config, row);
  }

  /** From now on the next crash is the first; nothing is to come. */
  forget(id: string): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    clearTimeout(row.timer);
    this.#rows.delete(id);
    this.#options.onDidChange(id);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const { timer } of this.#rows.values()) clearTimeout(timer);
    this.#rows.clear();
  }

  get #delaysMs(): readonly number[] {
    return this.#options.delaysMs ?? defaultDelaysMs;
  }

  /** Whether the person wants it and agrees to it now, and nobody stopped or started it meanwhile. */
  async #isStillWished(config: ServerConfig, row: Row): Promise<boolean> {
    const { isOn, mayRestart } = this.#options;
    const isAllowed = isOn() && (await mayRestart(config).catch(() => false));
    if (this.#rows.get(config.id) !== row) return false;
    if (!isAllowed) this.forget(config.id);
    return isAllowed;
  }

  #plan(config: ServerConfig, row: Row): void {
    const { id } = config;
    const delayMs = this.#delaysMs[row.attempts];
    if (delayMs === undefined) {
      this.#options.log(
        id,
        `it ended again after ${row.attempts} restarts: not restarted any more`,
      );
    } else {
      this.#options.log(id, `it ended by itself: restarting in ${delayMs} ms`);
      row.nextAt = Date.now() + delayMs;
      row.timer = setTimeout(() => void this.#restart(config, row), delayMs);
    }
    this.#options.onDidChange(id);
  }

  async #restart(config: ServerConfig, row: Row): Promise<void> {
    // Not asked again here, the start would ask the person, who has not wished for one just now.
    if (!(await this.#isStillWished(config, row))) return;
    const { id } = config;
    delete row.nextAt;
    row.attempts += 1;
    try {
      await this.#options.restart(id);
      if (this.#rows.get(id) === row) this.#options.onDidChange(id);
    } catch {
      // Its state says why; one that does not come up has ended again.
      if (this.#rows.get(id) === row) this.#plan(config, row);
    }
  }
}

/** Whether its process is gone, and did not leave by its own wish. */
function isCrash(error: McpError): boolean {
  const isGone = isMcpError(error, 'connectionClosed') || isMcpError(error, 'writeFailed');
  return isGone && error.facts.exitCode !== 0;
}
