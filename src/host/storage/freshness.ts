import type { Disposable } from 'vscode-jsonrpc/node';
import { FolderWatch } from './folderWatch';
import type { Look } from './sharedChanges';

/** Watching hears nothing of what other machines do on a network drive. */
const maxAgeMs = 1_000;

/** What a reading is known by that has begun, and is to be handed over when it ended. */
export interface Reading {
  readonly look: Look;
  readonly at: number;
}

/**
 * Whether what was read still is what the disk holds: no window told of a change since, nothing was
 * heard of one by somebody else, and it is not older than a second.
 */
export class Freshness implements Disposable {
  readonly #watches: readonly FolderWatch[];
  #read: Reading | undefined;

  constructor(...watches: readonly FolderWatch[]) {
    this.#watches = watches;
  }

  holds(look: Look): boolean {
    if (look === undefined || this.#read?.look !== look) return false;
    if (performance.now() - this.#read.at > maxAgeMs) return false;
    return this.#watches.every(({ isQuiet }) => isQuiet);
  }

  /** Before anything is read; `look` was taken before that. */
  begin(look: Look): Reading {
    this.#read = undefined;
    for (const watch of this.#watches) watch.begin();
    return { look, at: performance.now() };
  }

  end(reading: Reading): void {
    this.#read = reading;
  }

  dispose(): void {
    for (const watch of this.#watches) watch.dispose();
  }
}
