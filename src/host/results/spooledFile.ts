import { open, rm } from 'node:fs/promises';
import { openRegularFile, readRegularFile } from '../../core/bounds/regularFile';
import { LineCount } from '../../core/content/lineCount';
import type { SpoolFolder } from './spoolFolder';

/** Looking at one for its lines takes less than a millisecond. */
const sliceBytes = 512 * 1024;

/**
 * Bytes that are on disk as soon as they are written, and in memory until then. When they cannot be
 * written they stay in memory.
 */
export class SpooledFile {
  readonly size: number;
  /** When it is known whether they are on disk, and how many lines a text has. Never rejects. */
  readonly settled: Promise<void>;
  #held: Uint8Array | undefined;
  #path: string | undefined;
  #lines: number | undefined;
  #error: unknown;
  #isDisposed = false;

  constructor(bytes: Uint8Array, folder: SpoolFolder, { isText }: { readonly isText: boolean }) {
    this.size = bytes.length;
    this.#held = bytes;
    const count = isText ? new LineCount() : undefined;
    this.settled = this.#spool(bytes, folder, count).catch((error: unknown) => {
      this.#error = error;
    });
  }

  /** Of a text in UTF-8; undefined as long as it is not known. */
  get lines(): number | undefined {
    return this.#lines;
  }

  get isOnDisk(): boolean {
    return this.#path !== undefined;
  }

  /** Why it could not be written. */
  get error(): unknown {
    return this.#error;
  }

  /** All of it. @throws {Error} when the file cannot be read any more */
  read(): Uint8Array | Promise<Uint8Array> {
    if (this.#held !== undefined) return this.#held;
    return this.#path === undefined
      ? Promise.reject(gone())
      : readRegularFile(this.#path, this.size);
  }

  /** All of it in order, in pieces that are good until the next is asked for. */
  async *slices(): AsyncGenerator<Uint8Array> {
    const held = this.#held;
    if (held !== undefined) {
      for (let at = 0; at < held.length; at += sliceBytes) yield held.subarray(at, at + sliceBytes);
      return;
    }
    if (this.#path === undefined) throw gone();
    const { handle } = await openRegularFile(this.#path);
    try {
      const buffer = Buffer.allocUnsafeSlow(sliceBytes);
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, sliceBytes);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  /** Lets go of memory and file. */
  dispose(): void {
    this.#isDisposed = true;
    this.#held = undefined;
    const path = this.#path;
    this.#path = undefined;
    if (path !== undefined) void remove(path);
  }

  async #spool(
    bytes: Uint8Array,
    folder: SpoolFolder,
    count: LineCount | undefined,
  ): Promise<void> {
    const path = await folder.newPath();
    const buffer = Buffer.allocUnsafeSlow(sliceBytes);
    const handle = await open(path, 'wx', 0o600);
    try {
      for (let at = 0; at < bytes.length && !this.#isDisposed; at += sliceBytes) {
        // Copied, because memory that can grow is ten times slower to look at byte by byte.
        const slice = buffer.subarray(0, Math.min(sliceBytes, bytes.length - at));
        slice.set(bytes.subarray(at, at + slice.length));
        count?.add(slice);
        await handle.writeFile(slice);
      }
    } catch (error) {
      await handle.close();
      await remove(path);
      throw error;
    }
    await handle.close();
    if (this.#isDisposed) {
      await remove(path);
      return;
    }
    this.#lines = count?.lines;
    this.#path = path;
    this.#held = undefined;
  }
}

/** What cannot be removed is swept by the next window. */
async function remove(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}

function gone(): Error {
  return new Error('the file is not kept any more');
}
