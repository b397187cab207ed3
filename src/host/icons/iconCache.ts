import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../../core/bounds/regularFile';
import { maxIconBytes } from '../../core/icons/showableIcon';

/** More icons than anybody's servers have; 6 MiB at the most. */
const maxFiles = 200;
/** A server that gets another icon shows it after a week. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1_000;
const ending = '.icon';

/** Icons that were fetched, in a folder of their own. Whoever reads one looks at what it is. */
export class IconCache {
  readonly #folder: string;
  readonly #now: () => number;

  /** @param now epoch ms */
  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Never rejects: what cannot be read is not there. */
  async get(address: string): Promise<Uint8Array | undefined> {
    try {
      const file = this.#fileOf(address);
      const { mtimeMs } = await stat(file);
      const isYoung = Math.abs(this.#now() - mtimeMs) < maxAgeMs;
      return isYoung ? await readRegularFile(file, maxIconBytes) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Never rejects: what cannot be kept is fetched again. Removes the oldest above 200 icons. */
  async put(address: string, bytes: Uint8Array): Promise<void> {
    const file = this.#fileOf(address);
    // Another window may write the same at this moment.
    const temporary = `${file}.${randomUUID()}`;
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(temporary, bytes);
      const now = this.#now() / 1_000;
      await utimes(temporary, now, now);
      await rename(temporary, file);
      await this.#trim();
    } catch {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  async #trim(): Promise<void> {
    const names = await readdir(this.#folder);
    if (names.length <= maxFiles) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const file = path.join(this.#folder, name);
        return { file, age: (await stat(file)).mtimeMs };
      }),
    );
    const oldest = files.toSorted((one, other) => one.age - other.age);
    for (const { file } of oldest.slice(0, files.length - maxFiles)) await rm(file);
  }

  #fileOf(address: string): string {
    const name = createHash('sha256').update(address).digest('hex');
    return path.join(this.#folder, name + ending);
  }
}
