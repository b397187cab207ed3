import { statSync, writeSync, type BigIntStats } from 'node:fs';
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { LocalDisk } from '../storage/localDisk';
import type { NewEntry, SegmentTip } from './entry';
import { toLine, type NewLine } from './journalLine';
import { newSegmentName } from './segments';

/** An entry and its time in milliseconds since the epoch. */
export interface TimedEntry {
  readonly at: number;
  readonly content: NewEntry;
}

/** Writes one segment of this window. Callers must not overlap appends. */
export class SegmentWriter {
  readonly name: string;
  readonly startedAt: number;
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #inode: bigint;
  readonly #disk: LocalDisk;
  #bytes = 0;
  #lines = 0;
  #hash: string | undefined;

  private constructor(
    file: string,
    startedAt: number,
    { handle, inode, disk }: { handle: FileHandle; inode: bigint; disk: LocalDisk },
  ) {
    this.name = path.basename(file);
    this.startedAt = startedAt;
    this.#file = file;
    this.#handle = handle;
    this.#inode = inode;
    this.#disk = disk;
  }

  /**
   * Begins a segment that names the known ones. Creates the folder, readable by the user only.
   * @throws what the file system throws
   */
  static async begin(
    folder: string,
    at: number,
    known: readonly SegmentTip[],
  ): Promise<SegmentWriter> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const disk = await LocalDisk.of(folder);
    const file = path.join(folder, newSegmentName(at));
    // x: never opens an existing file; a: writes always append.
    const handle = await open(file, 'ax', 0o600);
    try {
      const { ino: inode } = await handle.stat({ bigint: true });
      const writer = new SegmentWriter(file, at, { handle, inode, disk });
      const content = {
        kind: 'header' as const,
        version: 1 as const,
        segment: writer.name,
        known,
        pid: process.pid,
        host: hostname(),
      };
      await writer.#write([toLine({ line: 1, at, content })], false);
      return writer;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The data about this segment that the next one has to record. */
  get tip(): SegmentTip {
    return { segment: this.name, lines: this.#lines, hash: this.#hash ?? '' };
  }

  /**
   * Returns true if the file still exists with its length; writes to a removed file would be lost.
   * Never rejects.
   */
  async isIntact(): Promise<boolean> {
    try {
      const { ino, size }: BigIntStats = await this.#disk.ask(
        () => statSync(this.#file, { bigint: true }),
        () => stat(this.#file, { bigint: true }),
      );
      return ino === this.#inode && size === BigInt(this.#bytes);
    } catch {
      // The file or its folder is gone. Beginning a new segment will report why.
      return false;
    }
  }

  /**
   * Resolves when all entries are written in one step; with `isDurable` when they would survive a
   * power failure. Either all are in the file or none. @throws what the file system throws
   */
  async append(entries: readonly TimedEntry[], isDurable: boolean): Promise<void> {
    const lines: NewLine[] = [];
    let previous = this.#hash;
    for (const { at, content } of entries) {
      const line = this.#lines + lines.length + 1;
      const made = toLine({ line, at, content, ...(previous === undefined ? {} : { previous }) });
      lines.push(made);
      previous = made.hash;
    }
    await this.#write(lines, isDurable);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #write(lines: readonly NewLine[], isDurable: boolean): Promise<void> {
    const bytes = Buffer.concat(lines.map((line) => line.bytes));
    try {
      // An almost full disk writes a part and refuses the rest.
      for (let done = 0; done < bytes.length;) {
        done += await this.#disk.ask(
          () => writeSync(this.#handle.fd, bytes, done),
          () => this.#handle.write(bytes, done).then(({ bytesWritten }) => bytesWritten),
          bytes.length,
        );
      }
      if (isDurable) await this.#handle.datasync();
    } catch (error) {
      // Removes the partial line. If even this fails, the file counts as not intact.
      await this.#handle.truncate(this.#bytes).catch(() => undefined);
      throw error;
    }
    this.#bytes += bytes.length;
    this.#lines += lines.length;
    this.#hash = lines.at(-1)?.hash ?? this.#hash;
  }
}
