import { existsSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import type { Disposable } from 'vscode-jsonrpc/node';
import type { Look } from './sharedChanges';

/** Folders come into being one after the other; more often than this, somebody plays. */
const maxAttempts = 10;

/**
 * Hears that something in a folder was changed, by whomever, until the first such change: then it
 * has to be begun again. A folder that is not there is one that may come.
 */
export class FolderWatch implements Disposable {
  readonly #folder: string;
  readonly #concerns: (name: string) => boolean;
  #watcher: FSWatcher | undefined;

  /** `concerns` says which names in the folder count. Absent: all of them. */
  constructor(folder: string, concerns: (name: string) => boolean = () => true) {
    this.#folder = folder;
    this.#concerns = concerns;
  }

  /** Nothing was heard since it was begun. False also where nothing can be heard. */
  get isQuiet(): boolean {
    return this.#watcher !== undefined;
  }

  /** To be called before the folder is read. */
  begin(): void {
    if (this.#watcher !== undefined) return;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { there, next } = nearest(this.#folder);
      if (!this.#listen(there, next === undefined ? this.#concerns : (name) => name === next))
        return;
      // What is to come may have come in this moment.
      if (next === undefined || !existsSync(path.join(there, next))) return;
      this.dispose();
    }
  }

  dispose(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Whether it can be watched. */
  #listen(folder: string, concerns: (name: string) => boolean): boolean {
    try {
      const watcher = watch(folder, { persistent: false });
      const end = (): void => {
        if (this.#watcher === watcher) this.#watcher = undefined;
        watcher.close();
      };
      watcher.on('error', end);
      watcher.on('change', (_, name) => {
        // Of the folder itself, or nobody knows of what.
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

/** The folder, or what there is on the way to it and the name that comes next. */
function nearest(folder: string): { readonly there: string; readonly next?: string } {
  let there = folder;
  let next: string | undefined;
  while (!existsSync(there) && path.dirname(there) !== there) {
    next = path.basename(there);
    there = path.dirname(there);
  }
  return next === undefined ? { there } : { there, next };
}

/** Watching hears nothing of what other machines do on a network drive. */
const maxAgeMs = 1_000;

/**
 * Whether what was read still is what the disk holds: no window told of a change since, nothing was
 * heard of one by somebody else, and it is not older than a second.
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

  /** Reads; `look` was taken before that. What changes meanwhile is heard. */
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
