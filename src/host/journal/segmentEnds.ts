import path from 'node:path';
import { hostname } from 'node:os';
import { isAlive } from '../storage/exclusiveLocks';
import { type HeaderEntry, type SegmentTip, maxStringChars, type NoteEntry } from './entry';
import { readLine, sha256 } from './journalLine';
import { linesFromEnd, linesOf, type RawLine } from './segmentLines';
import type { Segment } from './segments';
import { stat, truncate } from 'node:fs/promises';

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
