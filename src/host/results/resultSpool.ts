import { textBeginning, LineCount } from '../../core/content/textKind';
import type { FilePart, Part } from '../../core/content/contentParts';
import type { StoredFile } from './resultStore';
import { open, rm, mkdir, readdir, stat } from 'node:fs/promises';
import { openRegularFile, readRegularFile } from '../../core/bounds/regularFile';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { isAlive } from '../../core/stdio/aliveProcess';

/** A part that is too large to be kept in memory. */
export interface SpooledPart extends FilePart {
  readonly spooled: SpooledFile;
  /** The part of a text that is opened first. */
  readonly beginning?: TextHead;
  readonly slices: () => AsyncIterable<Uint8Array>;
  readonly dispose: () => void;
}

/** The first lines of a large text, as a separate file. */
export interface TextHead extends StoredFile {
  readonly lines: number;
}

export interface ResultSpoolOptions {
  readonly folder: WindowFolder;
  /** Parts above this size are written to disk. Read for each part. */
  readonly aboveBytes: () => number;
  /** Called if a part could not be written and stays in memory. */
  readonly onError: (error: unknown) => void;
}

/** Moves large parts of results to disk. */
export class ResultSpool {
  readonly #options: ResultSpoolOptions;

  constructor(options: ResultSpoolOptions) {
    this.#options = options;
  }

  /** Returns the parts to keep. Large ones release their bytes once they are written. */
  spool(parts: readonly Part[]): readonly Part[] {
    const aboveBytes = this.#options.aboveBytes();
    return parts.map((part) =>
      part.kind === 'link' || part.size <= aboveBytes ? part : this.#spoolOne(part),
    );
  }

  #spoolOne(part: FilePart): FilePart | SpooledPart {
    const bytes = part.read();
    // A part that was restored from disk is there already.
    if (!(bytes instanceof Uint8Array)) return part;
    const isText = part.excerpt !== undefined;
    const spooled = new SpooledFile(bytes, this.#options.folder, { isText });
    void spooled.settled.then(() => {
      if (spooled.error !== undefined) this.#options.onError(spooled.error);
    });
    const kept: SpooledPart = {
      ...part,
      spooled,
      read: () => spooled.read(),
      slices: () => spooled.slices(),
      dispose: () => spooled.dispose(),
    };
    if (!isText) return kept;
    const beginning = beginningOf(part, bytes);
    return { ...kept, beginning };
  }
}

/** Returns the files of a part: itself, and the beginning of a large text. */
export function filesOfPart(part: Part): readonly StoredFile[] {
  if (part.kind === 'link') return [];
  const { documentName: name, size, read } = part;
  if (!isSpooled(part)) return [{ name, size, read }];
  const { slices, dispose } = part;
  const file = { name, size, read, slices, dispose };
  return part.beginning === undefined ? [file] : [file, part.beginning];
}

/** Returns true if the part was too large to be kept in memory. */
export function isSpooled(part: Part): part is SpooledPart {
  return 'spooled' in part;
}

function beginningOf({ documentName: name }: FilePart, whole: Uint8Array): TextHead {
  const { bytes, lines } = textBeginning(whole);
  const dot = name.lastIndexOf('.');
  return {
    name: `${name.slice(0, dot)}-beginning${name.slice(dot)}`,
    size: bytes.length,
    lines,
    read: () => bytes,
  };
}

/** Counting the lines of a slice takes less than a millisecond. */
const sliceBytes = 512 * 1024;

/**
 * Bytes that are written to disk and held in memory until then. If they cannot be written, they
 * stay in memory.
 */
export class SpooledFile {
  readonly size: number;
  /** Resolves when writing has ended and the lines of a text are counted. Never rejects. */
  readonly settled: Promise<void>;
  #held: Uint8Array | undefined;
  #path: string | undefined;
  #lines: number | undefined;
  #error: unknown;
  #isDisposed = false;

  constructor(bytes: Uint8Array, folder: WindowFolder, { isText }: { readonly isText: boolean }) {
    this.size = bytes.length;
    this.#held = bytes;
    const count = isText ? new LineCount() : undefined;
    this.settled = this.#spool(bytes, folder, count).catch((error: unknown) => {
      this.#error = error;
    });
  }

  /** Number of lines of a UTF-8 text; undefined until it is known. */
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

  /** Returns all bytes. @throws {Error} if the file can no longer be read */
  read(): Uint8Array | Promise<Uint8Array> {
    if (this.#held !== undefined) return this.#held;
    return this.#path === undefined
      ? Promise.reject(gone())
      : readRegularFile(this.#path, this.size);
  }

  /** Yields all bytes in slices. Each is valid until the next one is requested. */
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

  /** Releases memory and file. */
  dispose(): void {
    this.#isDisposed = true;
    this.#held = undefined;
    const file = this.#path;
    this.#path = undefined;
    if (file !== undefined) void remove(file);
  }

  async #spool(
    bytes: Uint8Array,
    folder: WindowFolder,
    count: LineCount | undefined,
  ): Promise<void> {
    const file = await folder.newPath();
    const buffer = Buffer.allocUnsafeSlow(sliceBytes);
    const handle = await open(file, 'wx', 0o600);
    try {
      for (let at = 0; at < bytes.length && !this.#isDisposed; at += sliceBytes) {
        // Copied, because reading growable memory byte by byte is ten times slower.
        const slice = buffer.subarray(0, Math.min(sliceBytes, bytes.length - at));
        slice.set(bytes.subarray(at, at + slice.length));
        count?.add(slice);
        await handle.writeFile(slice);
      }
    } catch (error) {
      await handle.close();
      await remove(file);
      throw error;
    }
    await handle.close();
    if (this.#isDisposed) {
      await remove(file);
      return;
    }
    this.#lines = count?.lines;
    this.#path = file;
    this.#held = undefined;
  }
}

/** The next window removes what cannot be removed now. */
async function remove(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}

function gone(): Error {
  return new Error('the file is not kept any more');
}

/** A folder of this age is abandoned, whichever machine created it. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Files that live as long as this window, in a folder of its own that only the user can read. The
 * next window removes what a crashed window left behind.
 */
export class WindowFolder {
  readonly #root: string;
  readonly #own: string;
  readonly #machine: string;
  #made: Promise<unknown> | undefined;
  #count = 0;

  /** Touches no files yet. Several windows may have the same `root`. */
  constructor(root: string, pid = process.pid, machine = hostname()) {
    this.#root = root;
    this.#machine = machine.replaceAll(/[^\w-]/g, '_');
    this.#own = path.join(root, `${this.#machine}.${pid}.${randomUUID()}`);
  }

  /** Returns a path for a new file. @throws {Error} if the folder cannot be created */
  async newPath(): Promise<string> {
    this.#made ??= mkdir(this.#own, { recursive: true, mode: 0o700 });
    try {
      await this.#made;
    } catch (error) {
      // The disk may have room the next time.
      this.#made = undefined;
      throw error;
    }
    this.#count += 1;
    return path.join(this.#own, String(this.#count));
  }

  /**
   * Removes the folders of windows that have ended. Never rejects; what cannot be removed is
   * removed later.
   */
  async sweep(): Promise<void> {
    const names = await readdir(this.#root).catch(() => []);
    for (const name of names) {
      const folder = path.join(this.#root, name);
      if (folder === this.#own || !(await this.#isLeft(name, folder))) continue;
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  /** Removes all files of this window. */
  dispose(): void {
    if (this.#made === undefined) return;
    try {
      rmSync(this.#own, { recursive: true, force: true });
    } catch {
      // The next window removes it.
    }
  }

  async #isLeft(name: string, folder: string): Promise<boolean> {
    const parts = /^([\w-]+)\.(\d+)\.[\da-f-]{36}$/.exec(name);
    // A folder with another name is not Toolgate's and stays.
    if (parts === null) return false;
    const [, machine, pid] = parts;
    if (machine === this.#machine) return Number(pid) === process.pid || !isAlive(Number(pid));
    const facts = await stat(folder).catch(() => undefined);
    return facts !== undefined && Date.now() - facts.mtimeMs > maxAgeMs;
  }
}
