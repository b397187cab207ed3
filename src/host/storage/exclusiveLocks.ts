import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Disposable } from 'vscode-jsonrpc/node';
import { readRegularFile } from '../../core/bounds/regularFile';
import { McpError } from '../../core/errors';
import { isObject } from '../../core/json/shapes';

export interface ExclusiveLocksOptions {
  /** All processes that exclude each other share it. Made at the first lock; absent: this process is alone. */
  readonly folder?: string;
  /**
   * How long a lock is kept after the work, in milliseconds: until what the work stored elsewhere
   * has reached the other windows. Who did the work does not wait for it.
   */
  readonly settleMs: number;
  /** Windows cannot exclude each other here: told once, with what the system said. */
  readonly onProblem: (detail: string) => void;
}

/** A holder that lives touches its file so often. */
const beatMs = 10_000;
/** After so long without a touch the holder is gone, whatever its number says. */
const maxAgeMs = 60_000;
/** Longer than several windows need that each wait for an answer over the network. */
const maxWaitMs = 120_000;
/** After so long the line of one window lets the others have a turn. */
const maxHoldMs = 5_000;
const pauseMs = 40;
const maxLockBytes = 4_096;

/** Gives a lock back. Never rejects. */
type Release = () => Promise<void>;

/** Those of this process that want one lock, and the lock, as long as they have it. */
interface Line {
  /** How many there have been; who was the last one ends it. */
  turns: number;
  last: Promise<void>;
  lock?: { readonly since: number; readonly release: Release } | undefined;
}

/** A lock as it stands in its file. */
interface Holder {
  readonly id: string;
  readonly machine: string;
  readonly pid: number;
}

/**
 * Work that must not be done twice at a time, in this process or in another window: one file for
 * each lock, which only one can make. The lock of a window that died ends by the number of its
 * process, or by its age.
 */
export class ExclusiveLocks implements Disposable {
  readonly #options: ExclusiveLocksOptions;
  readonly #lines = new Map<string, Line>();
  /** Ends each wait for what was done to settle. */
  readonly #settling = new Set<() => void>();
  #isDisposed = false;
  #isTold = false;

  constructor(options: ExclusiveLocksOptions) {
    this.#options = options;
  }

  /**
   * Does the work when nobody else does the work of this name. Whoever waited must look again
   * whether there is anything to do. Without a folder to write in it excludes in this process only.
   * @throws {McpError} timeout after two minutes of waiting for another window | whatever `work` does
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
   * Does work that may take as long as it likes, unless somebody else does the work of this name: then
   * nothing is done, and the answer is `undefined`. Without a folder to write in it excludes nobody.
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

  /** Gives back at once what is only kept until it has settled. */
  dispose(): void {
    this.#isDisposed = true;
    for (const end of this.#settling) end();
  }

  /** What the line has is enough for the next in it, but not for ever: others wait, too. */
  async #take(name: string, line: Line): Promise<void> {
    if (line.lock !== undefined && Date.now() - line.lock.since > maxHoldMs) {
      await this.#giveBack(line);
    }
    line.lock ??= { since: Date.now(), release: await this.#waitFor(name) };
  }

  /** The last one in the line gives the lock back when nobody has come until it has settled. */
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

  /** `undefined` where somebody else has the lock. */
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
      this.#tell(error);
      return () => Promise.resolve();
    }
    const beat = setInterval(() => void touch(file), beatMs);
    beat.unref();
    return async () => {
      clearInterval(beat);
      await removeOwn(file, holder.id);
    };
  }

  #tell(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#options.onProblem(error instanceof Error ? error.message : String(error));
  }
}

function fileNameOf(name: string): string {
  return `${createHash('sha256').update(name).digest('hex')}.lock`;
}

/** Whether there was none, and now there is. @throws what the file system throws */
async function make(file: string, content: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // Windows refuses for a moment while a file of this name is being removed.
    if (process.platform === 'win32' && ['EPERM', 'EBUSY'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Whether whoever made the file cannot be at work any more. */
async function isLeft(file: string): Promise<boolean> {
  const age = await ageOf(file);
  if (age === undefined) return false;
  if (age > maxAgeMs) return true;
  const holder = await holderOf(file);
  return holder !== undefined && holder.machine === hostname() && !isAlive(holder.pid);
}

/**
 * One at a time, by a second file, and judged again: two that both found the lock of a dead window
 * must not remove what a third has made meanwhile.
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

/** Not what another made after our lock was taken for left. Never rejects. */
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

/** In milliseconds, whichever way the clocks differ; `undefined` where there is no such file. */
async function ageOf(file: string): Promise<number | undefined> {
  try {
    return Math.abs(Date.now() - (await stat(file)).mtimeMs);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** `undefined` also for one that is being written. */
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
  // Not all at the same moment.
  return new Promise((resolve) => setTimeout(resolve, pauseMs * (1 + Math.random())));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Whether a process of this machine has the number now; somebody else's counts, too. */
export function isAlive(pid: number): boolean {
  // 0 and below would mean groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One that may not be asked is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
