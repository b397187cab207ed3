import { hostname } from 'node:os';
import { isAlive } from '../storage/exclusiveLocks';
import path from 'node:path';
import type { HeaderEntry, SegmentTip } from './entry';
import { readLine, sha256 } from './journalLine';
import { linesFromEnd, linesOf, type RawLine } from './segmentLines';
import type { Segment } from './segments';

/** What the beginning and the end of a segment say. */
export interface SegmentEnds {
  readonly segment: Segment;
  /** Absent when the first line is none. */
  readonly header?: HeaderEntry;
  /** The last whole line; absent when there is none. */
  readonly tip?: SegmentTip;
  /** When the last whole line was written, epoch ms, as it says itself; absent when it is damaged. */
  readonly endedAt?: number;
  /** A last line without an end. */
  readonly torn?: RawLine;
}

/** Reads both ends of a segment, not what is between. @throws what the file system throws */
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

/** A header, when it was written, and the sum of its line. */
export interface ReadHeader {
  readonly header: HeaderEntry;
  /** Epoch ms. */
  readonly at: number;
  readonly hash: string;
}

/** The first line of a segment, if it is as it was written. @throws what the file system throws */
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
  // Somebody changed it; its number is what the file says, then.
  let lines = 0;
  for await (const some of linesOf(file)) lines += some.filter(({ isTorn }) => !isTorn).length;
  return { tip: { segment, lines, hash } };
}

/**
 * The ends that no other segment names yet. Naming these is naming everything: each of them names
 * what was known when it was begun.
 */
export function unnamedTips(all: readonly SegmentEnds[]): readonly SegmentTip[] {
  const named = new Set(all.flatMap(({ header }) => header?.known.map(keyOf) ?? []));
  return all.flatMap(({ tip }) => (tip === undefined || named.has(keyOf(tip)) ? [] : [tip]));
}

function keyOf({ segment, lines, hash }: SegmentTip): string {
  return `${segment} ${lines} ${hash}`;
}

/** No line takes as long to write, and after so long nobody knows whose process the number is. */
const longestWriteMs = 24 * 60 * 60 * 1_000;

/** Whether the window that wrote the segment may still be writing its last line. */
export function mayBeWriting({ header, segment }: SegmentEnds, now: number): boolean {
  if (now - segment.modifiedAt > longestWriteMs) return false;
  // Another machine's processes cannot be asked for.
  return header === undefined || header.host !== hostname() || isAlive(header.pid);
}
