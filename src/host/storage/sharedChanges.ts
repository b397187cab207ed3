import { statSync, type BigIntStats, existsSync, watch, type FSWatcher } from 'node:fs';
import { appendFile, mkdir, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { LocalDisk } from './localDisk';
import type { Disposable } from 'vscode-jsonrpc/node';
import { isNotFound } from '../../core/bounds/systemError';

/** State of the change counter; `undefined` if it could not be read. */
export type Look = string | undefined;

/**
 * A counter of changes to everything that decides about calls, shared by all windows: a file that
 * grows by a byte with every change. While it is the same, what a window has read is still current.
 */
export class SharedChanges {
  readonly #file: string;
  /** A look that has not begun yet. */
  #next: Promise<Look> | undefined;
  /** The look that began last. */
  #last: Promise<Look> | undefined;
  #disk: Promise<LocalDisk> | undefined;

  /** @param file created at the first change */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Returns the state of the counter, at the time of the call or later. Callers in one turn, or
   * during a look, share the next look, so that concurrent calls continue together. Never rejects.
   */
  look(): Promise<Look> {
    this.#next ??= this.#afterLast();
    return this.#next;
  }

  async #afterLast(): Promise<Look> {
    await this.#last;
    await endOfTurn();
    this.#last = this.#next;
    this.#next = undefined;
    return this.#look();
  }

  /**
   * Makes a change and announces it, even if it was made only in part. @throws what either throws
   */
  async during(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } finally {
      await this.notify();
    }
  }

  /** Call this after every change, before it counts as made. @throws what the file system throws */
  async notify(): Promise<void> {
    try {
      await this.#grow();
    } catch (error) {
      // A full disk has no room for another byte, but the file's time can still change.
      const now = new Date();
      await utimes(this.#file, now, now).catch(() => {
        throw error;
      });
    }
  }

  async #grow(): Promise<void> {
    try {
      await appendFile(this.#file, '.', { mode: 0o600 });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      await appendFile(this.#file, '.', { mode: 0o600 });
    }
  }

  async #look(): Promise<Look> {
    try {
      const facts = await this.#facts();
      return facts === undefined ? 'none' : `${facts.ino} ${facts.size} ${facts.mtimeNs}`;
    } catch (error) {
      return isNotFound(error) ? 'none' : undefined;
    } finally {
      // The first turn may end before watchers are polled; until the second ends, they report
      // changes from before the look.
      await setImmediate();
      await setImmediate();
    }
  }

  async #facts(): Promise<BigIntStats | undefined> {
    this.#disk ??= LocalDisk.of(path.dirname(this.#file));
    return (await this.#disk).ask(
      () => factsOf(this.#file),
      () => stat(this.#file, { bigint: true }),
    );
  }
}

/**
 * Returns `undefined` if the folder of the file has no such file, without the time that an error
 * takes. @throws what `statSync` throws, also if the folder is none
 */
function factsOf(file: string): BigIntStats | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (found !== undefined) return found;
  const folder = statSync(path.dirname(file), { throwIfNoEntry: false });
  return folder?.isDirectory() === true ? undefined : statSync(file, { bigint: true });
}

/** Resolves when all immediate work is done, before the next event is handled. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/**
 * Folders appear one after the other. More attempts mean that something creates and removes them.
 */
const maxAttempts = 10;

/**
 * Reports the first change in a folder by any process. After that it has to be started again. It
 * also waits for a folder that does not exist yet.
 */
export class FolderWatch implements Disposable {
  readonly #folder: string;
  readonly #concerns: (name: string) => boolean;
  #watcher: FSWatcher | undefined;

  /** @param concerns returns true for names that count; defaults to all */
  constructor(folder: string, concerns: (name: string) => boolean = () => true) {
    this.#folder = folder;
    this.#concerns = concerns;
  }

  /** True if nothing changed since it was started. False also if the folder cannot be watched. */
  get isQuiet(): boolean {
    return this.#watcher !== undefined;
  }

  /** Call this before reading the folder. */
  begin(): void {
    if (this.#watcher !== undefined) return;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { there, next } = nearest(this.#folder);
      if (!this.#listen(there, next === undefined ? this.#concerns : (name) => name === next))
        return;
      // The next folder may have appeared at this moment.
      if (next === undefined || !existsSync(path.join(there, next))) return;
      this.dispose();
    }
  }

  dispose(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Returns false if it cannot be watched. */
  #listen(folder: string, concerns: (name: string) => boolean): boolean {
    try {
      const watcher = watch(folder, { persistent: false });
      const end = (): void => {
        if (this.#watcher === watcher) this.#watcher = undefined;
        watcher.close();
      };
      watcher.on('error', end);
      watcher.on('change', (_, name) => {
        // The change is of the folder itself, or of an unknown file.
        const isUnclear = typeof name !== 'string' || name === path.basename(folder);
        if (isUnclear || concerns(name)) end();
      });
      this.#watcher = watcher;
      return true;
    } catch {
      return false;
    }
  }
}

/** Returns the folder, or its nearest existing parent and the next name on the path. */
function nearest(folder: string): { readonly there: string; readonly next?: string } {
  let there = folder;
  let next: string | undefined;
  while (!existsSync(there) && path.dirname(there) !== there) {
    next = path.basename(there);
    there = path.dirname(there);
  }
  return next === undefined ? { there } : { there, next };
}

/** On a network drive, watching misses changes by other machines. */
const maxAgeMs = 1_000;

/**
 * Decides whether data read from disk is still current: no window announced a change since, no
 * change was watched, and it is not older than a second.
 */
export class Freshness implements Disposable {
  readonly #watches: readonly FolderWatch[];
  #read: { readonly look: Look; readonly at: number } | undefined;

  constructor(...watches: readonly FolderWatch[]) {
    this.#watches = watches;
  }

  holds(look: Look): boolean {
    if (look === undefined || this.#read?.look !== look) return false;
    if (performance.now() - this.#read.at > maxAgeMs) return false;
    return this.#watches.every(({ isQuiet }) => isQuiet);
  }

  /** Reads; `look` was taken before. Changes in the meantime are noticed. */
  async during<T>(look: Look, read: () => Promise<T>): Promise<T> {
    this.#read = undefined;
    for (const each of this.#watches) each.begin();
    const reading = { look, at: performance.now() };
    const result = await read();
    this.#read = reading;
    return result;
  }

  dispose(): void {
    for (const each of this.#watches) each.dispose();
  }
}
