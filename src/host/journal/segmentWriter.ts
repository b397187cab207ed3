import { statSync, writeSync, type BigIntStats } from 'node:fs';
import { mkdir, open, stat, type FileHandle, readdir, truncate } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { LocalDisk } from '../storage/localDisk';
import {
  type NewEntry,
  type SegmentTip,
  type HeaderEntry,
  maxStringChars,
  type NoteEntry,
} from './entry';
import { toLine, type NewLine, readLine, sha256 } from './journalLine';
import { randomBytes } from 'node:crypto';
import { isAlive } from '../../core/stdio/aliveProcess';
import { linesFromEnd, linesOf, type RawLine } from './segmentLines';
import { ifNotFound } from '../../core/bounds/systemError';

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
    const bytes = Buffer.from(lines.map(({ text }) => `${text}\n`).join(''));
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

/** A file of the journal, written by one window. */
export interface Segment {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch; no entry in it is later. */
  readonly modifiedAt: number;
}

const namePattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{8}\.jsonl$/;

/** Returns a unique name such as `2026-01-31T09-30-00-000Z-1f2e3d4c.jsonl`, which sorts by time. */
export function newSegmentName(at: number): string {
  const time = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  return `${time}-${randomBytes(4).toString('hex')}.jsonl`;
}

/** Returns when the segment began, by its name, in milliseconds since the epoch. */
export function segmentStart(name: string): number {
  const [, day = '', hour = '', minute = '', second = '', ms = ''] =
    /^(.{10})T(..)-(..)-(..)-(...)Z/.exec(name) ?? [];
  return Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/**
 * Returns true for the name of a segment. This also prevents foreign names from being used as
 * paths.
 */
export function isSegmentName(name: string): boolean {
  return namePattern.test(name);
}

/** Returns the segments of a folder in the order of their beginning; none if there is no folder. */
export async function listSegments(folder: string): Promise<readonly Segment[]> {
  const names = await readdir(folder).catch(ifNotFound<string[]>([]));
  const segments: Segment[] = [];
  for (const name of names.filter(isSegmentName).toSorted()) {
    // The file is gone, because another window removed it.
    const facts = await stat(path.join(folder, name)).catch(ifNotFound(undefined));
    if (facts?.isFile() === true) {
      segments.push({ name, size: facts.size, modifiedAt: facts.mtimeMs });
    }
  }
  return segments;
}

/** The first and the last lines of a segment. */
export interface SegmentEnds {
  readonly segment: Segment;
  /** Undefined if the first line is no header. */
  readonly header?: HeaderEntry;
  /** The last complete line; undefined if there is none. */
  readonly tip?: SegmentTip;
  /**
   * Recorded time of the last complete line in milliseconds since the epoch; undefined if it is
   * damaged.
   */
  readonly endedAt?: number;
  /** A last line without a newline. */
  readonly torn?: RawLine;
}

/** Reads both ends of a segment, without the lines between. @throws what the file system throws */
export async function readEnds(folder: string, segment: Segment): Promise<SegmentEnds> {
  const file = path.join(folder, segment.name);
  const header = (await readHeader(file))?.header;
  const { whole, torn } = await readEnd(file);
  return {
    segment,
    ...(header === undefined ? {} : { header }),
    ...(whole === undefined ? {} : await factsOf(file, segment.name, whole)),
    ...(torn === undefined ? {} : { torn }),
  };
}

/** As many files are read at once, because opening each takes longer than reading it. */
const maxReadsAtOnce = 16;

/**
 * Reads the ends of all segments of the folder, in their order, without those that cannot be read.
 * @throws what the file system throws for the folder
 */
export async function readAllEnds(folder: string): Promise<readonly SegmentEnds[]> {
  const segments = await listSegments(folder);
  const all: SegmentEnds[] = [];
  for (let index = 0; index < segments.length; index += maxReadsAtOnce) {
    const some = segments.slice(index, index + maxReadsAtOnce);
    // Verify reports unreadable segments.
    const reads = some.map((segment) => readEnds(folder, segment).catch(() => undefined));
    all.push(...(await Promise.all(reads)).filter((ends) => ends !== undefined));
  }
  return all;
}

/** A header, its time, and the sum of its line. */
export interface ReadHeader {
  readonly header: HeaderEntry;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly hash: string;
}

/** Reads the first line of a segment, if it is intact. @throws what the file system throws */
export async function readHeader(file: string): Promise<ReadHeader | undefined> {
  for await (const [first] of linesOf(file)) {
    const read = first === undefined ? undefined : readLine(first.bytes);
    if (read?.kind !== 'entry' || read.entry.content.kind !== 'header') return undefined;
    return { header: read.entry.content, at: read.entry.at, hash: read.hash };
  }
  return undefined;
}

async function readEnd(file: string): Promise<{ whole?: RawLine; torn?: RawLine }> {
  let torn: RawLine | undefined;
  for await (const lines of linesFromEnd(file)) {
    for (const line of lines) {
      if (!line.isTorn) return { whole: line, ...(torn === undefined ? {} : { torn }) };
      torn = line;
    }
  }
  return torn === undefined ? {} : { torn };
}

async function factsOf(
  file: string,
  segment: string,
  { bytes }: RawLine,
): Promise<Required<Pick<SegmentEnds, 'tip'>> & Pick<SegmentEnds, 'endedAt'>> {
  const read = readLine(bytes);
  const hash = sha256(bytes);
  if (read.kind !== 'damaged') {
    const { line, at } = read.kind === 'entry' ? read.entry : read;
    return { tip: { segment, lines: line, hash }, endedAt: at };
  }
  // The last line was changed, so the lines of the file are counted.
  let lines = 0;
  for await (const some of linesOf(file)) lines += some.filter(({ isTorn }) => !isTorn).length;
  return { tip: { segment, lines, hash } };
}

/**
 * Returns the tips that no other segment names yet. Naming these covers everything, because each
 * segment names what existed when it began.
 */
export function unnamedTips(all: readonly SegmentEnds[]): readonly SegmentTip[] {
  const named = new Set(all.flatMap(({ header }) => header?.known.map(keyOf) ?? []));
  return all.flatMap(({ tip }) => (tip === undefined || named.has(keyOf(tip)) ? [] : [tip]));
}

function keyOf({ segment, lines, hash }: SegmentTip): string {
  return `${segment} ${lines} ${hash}`;
}

/** No line takes longer to write, and by then the process number may belong to another process. */
const longestWriteMs = 24 * 60 * 60 * 1_000;

/** Returns true if the segment's window may still be writing its last line. */
export function mayBeWriting({ header, segment }: SegmentEnds, now: number): boolean {
  if (now - segment.modifiedAt > longestWriteMs) return false;
  // Processes of another machine cannot be checked.
  return header === undefined || header.host !== hostname() || isAlive(header.pid);
}

/**
 * Cuts off the partial line of a window that died, after `note` recorded it, so that nothing is
 * lost. Skips segments that may still be written. Stops if `note` rejects.
 */
export async function repairTornLine(
  folder: string,
  ends: SegmentEnds,
  now: number,
  note: (entry: NoteEntry) => Promise<void>,
): Promise<void> {
  const { torn, segment } = ends;
  if (torn === undefined || mayBeWriting(ends, now)) return;
  const file = path.join(folder, segment.name);
  await note({
    kind: 'note',
    note: 'tornLine',
    segment: segment.name,
    bytes: segment.size - torn.offset,
    text: Buffer.from(torn.bytes).toString('utf8').slice(0, maxStringChars),
  });
  // Another window may have cut it already, and it must not be cut twice.
  const { size } = await stat(file);
  if (size === segment.size) await truncate(file, torn.offset);
}
