import { realpath, statfs } from 'node:fs/promises';
import path from 'node:path';
import { isNotFound } from './setAside';

/**
 * Numbers by which Linux knows file systems that are of this machine: btrfs, ext, f2fs, overlay, ramfs,
 * tmpfs, XFS, ZFS. What is not among them may be a drive of the network, also a folder that a
 * container or a virtual machine was lent.
 */
const nearTypes = new Set([
  0x9123683e, 0xef53, 0xf2f52010, 0x794c7630, 0x858458f6, 0x01021994, 0x58465342, 0x2fc12fc1,
]);
/** A disk that lets us wait for longer is asked in the background. A person feels 30. */
const slowMs = 20;
/** Until it is tried again. */
const restMs = 10_000;
/** More than this, such as recorded arguments of many calls at once, takes long enough by itself. */
const smallBytes = 256 * 1024;

/**
 * Asks a disk small things here and now, for as long as it answers at once: a write or a look then
 * takes some microseconds, and ten times that with a thread of its own. A drive of the network, which
 * may not answer for minutes, is always asked in the background, and for ten seconds so is one
 * that was slow: nobody waits for it twice.
 */
export class LocalDisk {
  readonly #isNear: boolean;
  #restsUntil = -Infinity;

  constructor(isNear: boolean) {
    this.#isNear = isNear;
  }

  /** The disk that a folder is on, or will be. Never rejects: one of which nothing is known is far. */
  static async of(folder: string): Promise<LocalDisk> {
    // A share of Windows says so by its name.
    if (folder.startsWith('\\\\')) return new LocalDisk(false);
    return new LocalDisk(await isOnNearType(folder));
  }

  /**
   * What either brings; both do the same, with so many bytes.
   * @throws what `now` throws, or the promise of `later`
   */
  ask<T>(now: () => T, later: () => Promise<T>, bytes = 0): T | Promise<T> {
    const startedAt = performance.now();
    if (!this.#isNear || bytes > smallBytes || startedAt < this.#restsUntil) return later();
    try {
      return now();
    } finally {
      const endedAt = performance.now();
      if (endedAt - startedAt > slowMs) this.#restsUntil = endedAt + restMs;
    }
  }
}

async function isOnNearType(folder: string): Promise<boolean> {
  try {
    // A drive with a letter may be a share; its real path says so.
    if (process.platform === 'win32') return !(await realpath(folder)).startsWith('\\\\');
    const { type } = await statfs(folder);
    // Elsewhere the disk of the system is near, and what is like it. Negative where the machine counts
    // with a sign.
    return process.platform === 'linux'
      ? nearTypes.has(type >>> 0)
      : type === (await statfs('/')).type;
  } catch (error) {
    const parent = path.dirname(folder);
    return isNotFound(error) && parent !== folder ? isOnNearType(parent) : false;
  }
}
