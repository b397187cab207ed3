import { isMcpError, type McpError } from '../../core/errors';
import type { ServerConfig } from '../configuration/serverConfig';

/** Automatic restarts of a server since it last ran for a while. */
export interface RestartCount {
  /** Number of attempts so far. */
  readonly attempts: number;
  /** After this many attempts the server stays stopped. */
  readonly limit: number;
  /** Time of the next attempt in milliseconds since the epoch; undefined if there is none. */
  readonly nextAt?: number;
}

export interface CrashRestartPolicy {
  /** Returns true if the setting is on. */
  readonly isOn: () => boolean;
  /** Returns true if the user agreed to exactly this server before. Must not ask. */
  readonly mayRestart: (config: ServerConfig) => Promise<boolean>;
  /** Delays between crash and restart, one for each attempt in a row. */
  readonly delaysMs?: readonly number[];
  /** After running this long, a crash counts as the first one again. */
  readonly stableMs?: number;
}

/** Restarts nothing. */
export const neverRestart: CrashRestartPolicy = {
  isOn: () => false,
  mayRestart: () => Promise.resolve(false),
};

export interface CrashRestartsOptions extends CrashRestartPolicy {
  /** Starts the server as the user would; rejects if it does not start. */
  readonly restart: (id: string) => Promise<unknown>;
  /** Called when {@link CrashRestarts.of} changed for the server. */
  readonly onDidChange: (id: string) => void;
  readonly log: (id: string, text: string) => void;
}

/** Half a minute in total. A server that has not recovered by then needs the user. */
const defaultDelaysMs: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];
const defaultStableMs = 60_000;

interface Row {
  attempts: number;
  nextAt?: number;
  timer?: NodeJS.Timeout;
}

/**
 * Restarts processes that ended unexpectedly, with growing delays, and stops trying if they keep
 * ending. It restarts only servers that the user started and agreed to, in the same
 * configuration, and none that ended with exit code 0.
 */
export class CrashRestarts {
  readonly #options: CrashRestartsOptions;
  readonly #rows = new Map<string, Row>();
  #isDisposed = false;

  constructor(options: CrashRestartsOptions) {
    this.#options = options;
  }

  of(id: string): RestartCount | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const { attempts, nextAt } = row;
    const limit = this.#delaysMs.length;
    return { attempts, limit, ...(nextAt === undefined ? {} : { nextAt }) };
  }

  /** Handles the unexpected end of a run. @param ranMs how long it ran */
  async ended(config: ServerConfig, error: McpError, ranMs: number): Promise<void> {
    const { isOn, stableMs = defaultStableMs } = this.#options;
    if (this.#isDisposed || !isOn() || config.transport.kind !== 'stdio' || !isCrash(error)) return;
    if (ranMs >= stableMs) this.#rows.delete(config.id);
    const row = this.#rows.get(config.id) ?? { attempts: 0 };
    this.#rows.set(config.id, row);
    if (await this.#isStillConfigured(config, row)) this.#plan(config, row);
  }

  /** Resets the count and cancels the next restart. */
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

  /**
   * Returns true if the setting is on, the user agrees, and the server was not stopped or started
   * meanwhile.
   */
  async #isStillConfigured(config: ServerConfig, row: Row): Promise<boolean> {
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
    // Checked again, because the start would otherwise ask the user, although the user did not
    // request it.
    if (!(await this.#isStillConfigured(config, row))) return;
    const { id } = config;
    delete row.nextAt;
    row.attempts += 1;
    try {
      await this.#options.restart(id);
      if (this.#rows.get(id) === row) this.#options.onDidChange(id);
    } catch {
      // Its state shows the error. A server that does not start has ended again.
      if (this.#rows.get(id) === row) this.#plan(config, row);
    }
  }
}

/** Returns true if its process ended, and not with exit code 0. */
function isCrash(error: McpError): boolean {
  const isGone = isMcpError(error, 'connectionClosed') || isMcpError(error, 'writeFailed');
  return isGone && error.facts.exitCode !== 0;
}
