import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Disposable } from 'vscode-jsonrpc/node';
import { readRegularFile } from '../../core/bounds/regularFile';
import { McpError } from '../../core/errors';
import { isObject } from '../../core/json/shapes';
import { isAlive } from '../../core/stdio/aliveProcess';
import { ifNotFound, systemErrorCode } from '../../core/bounds/systemError';

export interface ExclusiveLocksOptions {
  /**
   * Folder shared by all processes that exclude each other, created at the first lock. Without it,
   * no other process is excluded.
   */
  readonly folder?: string;
  /**
   * Milliseconds for which a lock is kept after the work, until other windows see what it stored
   * elsewhere. The caller does not wait for it.
   */
  readonly settleMs: number;
  /** Called once if windows cannot exclude each other here, with the system's message. */
  readonly onProblem: (detail: string) => void;
}

/** Interval at which a holder touches its lock file. */
const beatMs = 10_000;
/** A lock of this age is abandoned, even if its process exists. */
const maxAgeMs = 60_000;
/** Longer than several windows need for a network request each. */
const maxWaitMs = 120_000;
/** After this time one window lets the others have the lock. */
const maxHoldMs = 5_000;
const pauseMs = 40;
const maxLockBytes = 4_096;

/** Releases a lock. Never rejects. */
type Release = () => Promise<void>;

/** The callers of this process for one lock, and the lock while they hold it. */
interface Line {
  /** Number of turns so far; the last one ends the line. */
  turns: number;
  last: Promise<void>;
  lock?: { readonly since: number; readonly release: Release } | undefined;
}

/** The content of a lock file. */
interface Holder {
  readonly id: string;
  readonly machine: string;
  readonly pid: number;
}

/**
 * Exclusive execution within this process and across windows, with a lock file that only one
 * process can create. The lock of a window that died ends by its process number, or by its age.
 */
export class ExclusiveLocks implements Disposable {
  readonly #options: ExclusiveLocksOptions;
  readonly #lines = new Map<string, Line>();
  /** Functions that end the waits for stored changes to settle. */
  readonly #settling = new Set<() => void>();
  #isDisposed = false;
  #isTold = false;

  constructor(options: ExclusiveLocksOptions) {
    this.#options = options;
  }

  /**
   * Runs the work exclusively for this name. After waiting, callers must check whether the work is
   * still needed. If the folder is not writable, it excludes callers of this process only.
   * @throws {McpError} timeout after two minutes of waiting for another window | whatever `work`
   * does
   */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(name) ?? { turns: 0, last: Promise.resolve() };
    this.#lines.set(name, line);
    line.turns += 1;
    const turn = line.turns;
    const done = line.last.then(async () => {
      await this.#take(name, line);
      return await work();
    });
    line.last = done.then(
      () => this.#leave(name, line, turn),
      () => this.#leave(name, line, turn),
    );
    return done;
  }

  /**
   * Runs the work, of any duration, unless another holder of this name is active; then resolves
   * with `undefined` and does nothing. If the folder is not writable, it excludes no other process.
   */
  async attempt<T>(
    name: string,
    work: () => Promise<T>,
  ): Promise<{ readonly done: T } | undefined> {
    const release = await this.#acquire(name);
    if (release === undefined) return undefined;
    try {
      return { done: await work() };
    } finally {
      await release();
    }
  }

  /** Releases locks at once that were only kept to settle. */
  dispose(): void {
    this.#isDisposed = true;
    for (const end of this.#settling) end();
  }

  /** The next caller in line uses the held lock, but not forever, because others wait too. */
  async #take(name: string, line: Line): Promise<void> {
    if (line.lock !== undefined && Date.now() - line.lock.since > maxHoldMs) {
      await this.#giveBack(line);
    }
    line.lock ??= { since: Date.now(), release: await this.#waitFor(name) };
  }

  /** The last caller in line releases the lock after it has settled, if no other caller came. */
  #leave(name: string, line: Line, turn: number): void {
    if (line.turns !== turn) return;
    void this.#settle().then(() => {
      if (line.turns !== turn) return;
      this.#lines.delete(name);
      void line.lock?.release();
    });
  }

  async #giveBack(line: Line): Promise<void> {
    await this.#settle();
    await line.lock?.release();
    line.lock = undefined;
  }

  #settle(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#settling.delete(end);
        resolve();
      };
      const timer = setTimeout(end, this.#isDisposed ? 0 : this.#options.settleMs);
      this.#settling.add(end);
    });
  }

  async #waitFor(name: string): Promise<Release> {
    const end = Date.now() + maxWaitMs;
    for (;;) {
      const release = await this.#acquire(name);
      if (release !== undefined) return release;
      if (Date.now() > end) throw new McpError('timeout', { limit: maxWaitMs });
      await pause();
    }
  }

  /** Returns `undefined` if another process has the lock. */
  async #acquire(name: string): Promise<Release | undefined> {
    const { folder } = this.#options;
    if (folder === undefined) return () => Promise.resolve();
    const file = path.join(folder, fileNameOf(name));
    const holder = { id: randomUUID(), machine: hostname(), pid: process.pid };
    const isMade = () => make(file, JSON.stringify(holder));
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (!(await isMade())) {
        if (!(await isLeft(file))) return undefined;
        await removeLeft(file);
        if (!(await isMade())) return undefined;
      }
    } catch (error) {
      this.#notify(error);
      return () => Promise.resolve();
    }
    const beat = setInterval(() => void touch(file), beatMs);
    beat.unref();
    return async () => {
      clearInterval(beat);
      await removeOwn(file, holder.id);
    };
  }

  #notify(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#options.onProblem(error instanceof Error ? error.message : String(error));
  }
}

function fileNameOf(name: string): string {
  return `${createHash('sha256').update(name).digest('hex')}.lock`;
}

/**
 * Creates a file, whole or not at all; returns false if it exists.
 * @throws what the file system throws
 */
async function make(file: string, content: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      try {
        await handle.writeFile(content);
      } finally {
        await handle.close();
      }
    } catch (error) {
      // An empty lock file, for example on a full disk, would block every window until it is old.
      await rm(file, { force: true }).catch(() => undefined);
      throw error;
    }
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    // Windows refuses access briefly while a file of this name is being removed.
    if (process.platform === 'win32' && ['EPERM', 'EBUSY'].includes(systemErrorCode(error) ?? ''))
      return false;
    throw error;
  }
}

/** Returns true if the creator of the file cannot be running. */
async function isLeft(file: string): Promise<boolean> {
  const age = await ageOf(file);
  if (age === undefined) return false;
  if (age > maxAgeMs) return true;
  const holder = await holderOf(file);
  return holder !== undefined && holder.machine === hostname() && !isAlive(holder.pid);
}

/**
 * Removes it under a second lock file and after a second check: two processes that both found an
 * abandoned lock must not remove the one that a third has created meanwhile.
 */
async function removeLeft(file: string): Promise<void> {
  const second = `${file}.removing`;
  if (!(await make(second, ''))) {
    const age = await ageOf(second);
    if (age !== undefined && age > maxAgeMs) await rm(second, { force: true });
    return;
  }
  try {
    if (await isLeft(file)) await rm(file, { force: true });
  } finally {
    await rm(second, { force: true });
  }
}

/**
 * Does not remove a file that another process created after our lock was taken for abandoned. Never
 * rejects.
 */
async function removeOwn(file: string, id: string): Promise<void> {
  try {
    if ((await holderOf(file))?.id === id) await rm(file, { force: true });
  } catch {
    // Its age ends it.
  }
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
}

/** Milliseconds, independent of clock differences; `undefined` if there is no such file. */
async function ageOf(file: string): Promise<number | undefined> {
  const facts = await stat(file).catch(ifNotFound(undefined));
  return facts === undefined ? undefined : Math.abs(Date.now() - facts.mtimeMs);
}

/** Also returns `undefined` for a file that is being written. */
async function holderOf(file: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse((await readRegularFile(file, maxLockBytes)).toString('utf8'));
    if (!isObject(value)) return undefined;
    const { id, machine, pid } = value;
    if (typeof id !== 'string' || typeof machine !== 'string') return undefined;
    return typeof pid === 'number' ? { id, machine, pid } : undefined;
  } catch {
    return undefined;
  }
}

function pause(): Promise<void> {
  // A random pause, so that waiters do not retry at the same moment.
  return new Promise((resolve) => setTimeout(resolve, pauseMs * (1 + Math.random())));
}
