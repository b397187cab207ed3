import { realpath, statfs } from 'node:fs/promises';
import path from 'node:path';
import { isNotFound } from '../../core/bounds/systemError';

/**
 * Type numbers of local file systems on Linux: btrfs, ext, f2fs, overlay, ramfs, tmpfs, XFS, ZFS.
 * Others may be on the network, including folders shared with a container or a virtual machine.
 */
const nearTypes = new Set([
  0x9123683e, 0xef53, 0xf2f52010, 0x794c7630, 0x858458f6, 0x01021994, 0x58465342, 0x2fc12fc1,
]);
/** A disk that takes longer is accessed in the background. Users notice 30 ms. */
const slowMs = 20;
/** Time until a slow disk is tried again. */
const restMs = 10_000;
/** Larger amounts, such as recorded arguments of many calls at once, take long by themselves. */
const smallBytes = 256 * 1024;

/**
 * Accesses a disk synchronously as long as it answers at once: a small write takes a few
 * microseconds, but ten times as long in a thread. A network drive, which may not answer for
 * minutes, is always accessed in the background, and a slow disk for ten seconds.
 */
export class LocalDisk {
  readonly #isNear: boolean;
  #restsUntil = -Infinity;

  constructor(isNear: boolean) {
    this.#isNear = isNear;
  }

  /**
   * Returns the disk of a folder, which need not exist. Never rejects: an unknown disk counts as
   * remote.
   */
  static async of(folder: string): Promise<LocalDisk> {
    // The path is a Windows network share.
    if (folder.startsWith('\\\\')) return new LocalDisk(false);
    return new LocalDisk(await isOnNearType(folder));
  }

  /**
   * Returns the result of one of the two functions, which do the same with this many bytes.
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
    // A drive letter may be a network share, which its real path shows.
    if (process.platform === 'win32') return !(await realpath(folder)).startsWith('\\\\');
    const { type } = await statfs(folder);
    // Elsewhere disks of the same type as the system's disk are local. The type is negative on
    // machines with signed numbers.
    return process.platform === 'linux'
      ? nearTypes.has(type >>> 0)
      : type === (await statfs('/')).type;
  } catch (error) {
    const parent = path.dirname(folder);
    return isNotFound(error) && parent !== folder ? isOnNearType(parent) : false;
  }
}
