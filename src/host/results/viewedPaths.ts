import { dropOldest } from '../../core/bounds/dropOldest';

/** More than anybody has open or listed at a time. */
const maxPaths = 5_000;

/**
 * What somebody has asked for, whether it was there or not. Of anything else nobody needs to hear that it
 * came or went, and most results come and go without ever being looked at.
 */
export class ViewedPaths {
  /** Those that were asked for last at the end. */
  readonly #paths = new Set<string>();

  add(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    dropOldest(this.#paths, maxPaths);
  }

  /** Whether it was asked for, or a folder that it is in. */
  has(path: string): boolean {
    if (this.#paths.size === 0) return false;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.#paths.has(path.slice(0, end))) return true;
    }
    return this.#paths.has('/');
  }
}
