import type { Disposable } from 'vscode-jsonrpc/node';
import type { FolderWatch } from './folderWatch';
import type { Look } from './sharedChanges';

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
    for (const watch of this.#watches) watch.begin();
    const reading = { look, at: performance.now() };
    const result = await read();
    this.#read = reading;
    return result;
  }

  dispose(): void {
    for (const watch of this.#watches) watch.dispose();
  }
}
