import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { isAlive } from '../storage/liveProcess';

/** Whatever window it was of, and on whatever machine: nobody keeps one open for so long. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Files that live no longer than this window, in a folder of its own beside those of the others,
 * which only this person can read. What a window left behind that did not end in order is removed by
 * the next one.
 */
export class SpoolFolder {
  readonly #root: string;
  readonly #own: string;
  readonly #machine: string;
  #made: Promise<unknown> | undefined;
  #count = 0;

  /** Touches nothing yet. Several windows may have the same `root`. */
  constructor(root: string, pid = process.pid, machine = hostname()) {
    this.#root = root;
    this.#machine = machine.replaceAll(/[^\w-]/g, '_');
    this.#own = path.join(root, `${this.#machine}.${pid}.${randomUUID()}`);
  }

  /** Where a new file can be made. @throws {Error} when there can be no folder */
  async newPath(): Promise<string> {
    this.#made ??= mkdir(this.#own, { recursive: true, mode: 0o700 });
    try {
      await this.#made;
    } catch (error) {
      // The disk may have room again, the next time.
      this.#made = undefined;
      throw error;
    }
    this.#count += 1;
    return path.join(this.#own, String(this.#count));
  }

  /** Removes what windows left that run no more. Never rejects: what cannot go now goes later. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#root).catch(() => []);
    for (const name of names) {
      const folder = path.join(this.#root, name);
      if (folder === this.#own || !(await this.#isLeft(name, folder))) continue;
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  /** Removes everything of this window. */
  dispose(): void {
    if (this.#made === undefined) return;
    try {
      rmSync(this.#own, { recursive: true, force: true });
    } catch {
      // The next window sweeps it.
    }
  }

  async #isLeft(name: string, folder: string): Promise<boolean> {
    const parts = /^([\w-]+)\.(\d+)\.[\da-f-]{36}$/.exec(name);
    // Not one of ours: it stays.
    if (parts === null) return false;
    const [, machine, pid] = parts;
    if (machine === this.#machine) return Number(pid) === process.pid || !isAlive(Number(pid));
    const facts = await stat(folder).catch(() => undefined);
    return facts !== undefined && Date.now() - facts.mtimeMs > maxAgeMs;
  }
}
