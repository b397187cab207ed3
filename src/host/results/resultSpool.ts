import { textBeginning } from '../../core/content/textBeginning';
import type { FilePart, Part } from '../../core/content/contentParts';
import type { StoredFile } from './resultStore';
import { open, rm, mkdir, readdir, stat } from 'node:fs/promises';
import { openRegularFile, readRegularFile } from '../../core/bounds/regularFile';
import { LineCount } from '../../core/content/lineCount';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { isAlive } from '../storage/exclusiveLocks';

/** A part that is too large to be kept in memory. */
export interface SpooledPart extends FilePart {
  readonly spooled: SpooledFile;
  /** What is opened first of a text. */
  readonly beginning?: Beginning;
  readonly slices: () => AsyncIterable<Uint8Array>;
  readonly dispose: () => void;
}

/** The first lines of a large text, as a file of their own beside it. */
export interface Beginning extends StoredFile {
  readonly lines: number;
}

export interface ResultSpoolOptions {
  readonly folder: SpoolFolder;
  /** Larger parts are written to disk; asked at each part. */
  readonly aboveBytes: () => number;
  /** A part could not be written, so that it stays in memory. */
  readonly onError: (error: unknown) => void;
}

/** Parts of results on disk, as far as they are large. */
export class ResultSpool {
  readonly #options: ResultSpoolOptions;

  constructor(options: ResultSpoolOptions) {
    this.#options = options;
  }

  /** The parts as they are to be kept: the large ones let go of their bytes once these are written. */
  spool(parts: readonly Part[]): readonly Part[] {
    const aboveBytes = this.#options.aboveBytes();
    return parts.map((part) =>
      part.kind === 'link' || part.size <= aboveBytes ? part : this.#spoolOne(part),
    );
  }

  #spoolOne(part: FilePart): FilePart | SpooledPart {
    const bytes = part.read();
    // What is brought back from a disk is there already.
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

/** What is stored of a part: itself, and the beginning of a large text beside it. */
export function filesOf(part: Part): readonly StoredFile[] {
  if (part.kind === 'link') return [];
  const { documentName: name, size, read } = part;
  if (!isSpooled(part)) return [{ name, size, read }];
  const { slices, dispose } = part;
  const file = { name, size, read, slices, dispose };
  return part.beginning === undefined ? [file] : [file, part.beginning];
}

/** Whether what stands there is a part that was too large to be kept in memory. */
export function isSpooled(part: Part): part is SpooledPart {
  return 'spooled' in part;
}

function beginningOf({ documentName: name }: FilePart, whole: Uint8Array): Beginning {
  const { bytes, lines } = textBeginning(whole);
  const dot = name.lastIndexOf('.');
  return {
    name: `${name.slice(0, dot)}-beginning${name.slice(dot)}`,
    size: bytes.length,
    lines,
    read: () => bytes,
  };
}

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
    const file = this.#path;
    this.#path = undefined;
    if (file !== undefined) void remove(file);
  }

  async #spool(
    bytes: Uint8Array,
    folder: SpoolFolder,
    count: LineCount | undefined,
  ): Promise<void> {
    const file = await folder.newPath();
    const buffer = Buffer.allocUnsafeSlow(sliceBytes);
    const handle = await open(file, 'wx', 0o600);
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

/** What cannot be removed is swept by the next window. */
async function remove(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
}

function gone(): Error {
  return new Error('the file is not kept any more');
}

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
