import { statSync, writeSync, type BigIntStats } from 'node:fs';
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { LocalDisk } from '../storage/localDisk';
import type { NewEntry, SegmentTip } from './entry';
import { toLine, type NewLine } from './journalLine';
import { newSegmentName } from './segments';

/** An entry and when it happened, epoch ms. */
export interface TimedEntry {
  readonly at: number;
  readonly content: NewEntry;
}

/**
 * One segment while this window writes it. The caller sees to it that one append ends before the
 * next begins.
 */
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
   * A new segment that names those known so far. Makes the folder where there is none; nobody but
   * the person's own programs may read what lies there. @throws what the file system throws
   */
  static async begin(
    folder: string,
    at: number,
    known: readonly SegmentTip[],
  ): Promise<SegmentWriter> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const disk = await LocalDisk.of(folder);
    const file = path.join(folder, newSegmentName(at));
    // x: never into a file that is there; a: whatever is written goes behind what is there.
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

  /** What the next segment has to know of this one. */
  get tip(): SegmentTip {
    return { segment: this.name, lines: this.#lines, hash: this.#hash ?? '' };
  }

  /**
   * Whether the file is still there, and as long as it was left: what is written into one that was
   * removed is written nowhere. Never rejects.
   */
  async isIntact(): Promise<boolean> {
    try {
      const { ino, size }: BigIntStats = await this.#disk.ask(
        () => statSync(this.#file, { bigint: true }),
        () => stat(this.#file, { bigint: true }),
      );
      return ino === this.#inode && size === BigInt(this.#bytes);
    } catch {
      // It is gone, or its folder is none any more: beginning a new segment will say why.
      return false;
    }
  }

  /**
   * Resolves when all of them are written, in one go; with `isDurable` when they would outlive a
   * power cut. Either all stand in the file or none. @throws what the file system throws
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
      // A disk that is getting full takes a part and refuses the rest the next time.
      for (let done = 0; done < bytes.length;) {
        done += await this.#disk.ask(
          () => writeSync(this.#handle.fd, bytes, done),
          () => this.#handle.write(bytes, done).then(({ bytesWritten }) => bytesWritten),
          bytes.length,
        );
      }
      if (isDurable) await this.#handle.datasync();
    } catch (error) {
      // Half a line would be torn. Where even this fails, the file is not intact from now on.
      await this.#handle.truncate(this.#bytes).catch(() => undefined);
      throw error;
    }
    this.#bytes += bytes.length;
    this.#lines += lines.length;
    this.#hash = lines.at(-1)?.hash ?? this.#hash;
  }
}
