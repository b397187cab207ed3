import { existsSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import type { Disposable } from 'vscode-jsonrpc/node';
import type { Look } from './sharedChanges';

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
