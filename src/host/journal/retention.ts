import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { NoteEntry, SegmentTip } from './entry';
import { readLine } from './journalLine';
import { readEnds } from './segmentEnds';
import { linesOf } from './segmentLines';
import { listSegments, type Segment } from './segments';

/** How much of the journal is kept; whatever is over either goes, the oldest first. */
export interface JournalLimits {
  readonly retentionDays: number;
  readonly maxBytes: number;
}

export interface RetentionOptions extends JournalLimits {
  readonly folder: string;
  /** Epoch ms. */
  readonly now: number;
  /** The segment that this window writes. */
  readonly current: string | undefined;
  /** All that it wrote: nobody else writes there. */
  readonly own: ReadonlySet<string>;
  /** Resolves when the entry is on the disk; only then anything is removed. */
  readonly note: (entry: NoteEntry) => Promise<void>;
}

const msPerDay = 24 * 60 * 60 * 1_000;
/** A window that wrote so lately is likely to write there again. */
const recentMs = 60 * 60 * 1_000;

/**
 * Removes whole segments, and writes down which before it does, so that Verify knows them from
 * those that somebody else removed. @throws what `note` and the file system throw
 */
export async function applyRetention(options: RetentionOptions): Promise<void> {
  const { folder, note } = options;
  const segments = await listSegments(folder);
  const doomed = outlived(segments, options);
  if (doomed.length === 0) return;
  const kept = segments.filter((segment) => !doomed.includes(segment));
  const removed: SegmentTip[] = [];
  for (const segment of doomed) {
    const { tip } = await readEnds(folder, segment);
    if (tip !== undefined) removed.push(tip);
    removed.push(...(await removalsIn(path.join(folder, segment.name))));
  }
  const named = await namedBy(folder, kept);
  const gone = new Set(doomed.map(({ name }) => name));
  // Those removed earlier only as long as somebody who stays speaks of them.
  const told = removed.filter(({ segment }) => gone.has(segment) || named.has(segment));
  await note({ kind: 'note', note: 'segmentsRemoved', segments: uniqueOf(told) });
  for (const { name } of doomed) await rm(path.join(folder, name), { force: true });
}

/** The segments to be removed, oldest first. */
function outlived(segments: readonly Segment[], options: RetentionOptions): readonly Segment[] {
  const { now, retentionDays, maxBytes, current, own } = options;
  const isTooOld = ({ modifiedAt }: Segment): boolean =>
    now - modifiedAt > retentionDays * msPerDay;
  const others = segments
    .filter(({ name }) => name !== current)
    .toSorted((one, other) => one.modifiedAt - other.modifiedAt);
  const doomed = new Set(others.filter(isTooOld));
  let bytes = segments.reduce((sum, { size }) => sum + size, 0);
  for (const segment of doomed) bytes -= segment.size;
  for (const segment of others) {
    if (bytes <= maxBytes) break;
    if (doomed.has(segment)) continue;
    if (!own.has(segment.name) && now - segment.modifiedAt < recentMs) continue;
    doomed.add(segment);
    bytes -= segment.size;
  }
  return others.filter((segment) => doomed.has(segment));
}

/** What earlier retention wrote down in a segment that goes itself. */
async function removalsIn(file: string): Promise<readonly SegmentTip[]> {
  const removed: SegmentTip[] = [];
  for await (const lines of linesOf(file)) {
    for (const { bytes } of lines) {
      if (!isAboutRemoval(bytes)) continue;
      const read = readLine(bytes);
      const content = read.kind === 'entry' ? read.entry.content : undefined;
      if (content?.kind === 'note' && content.note === 'segmentsRemoved') {
        removed.push(...content.segments);
      }
    }
  }
  return removed;
}

/** Names of segments that the headers of these speak of. */
async function namedBy(folder: string, segments: readonly Segment[]): Promise<Set<string>> {
  const named = new Set<string>();
  for (const segment of segments) {
    const { header } = await readEnds(folder, segment);
    for (const { segment: name } of header?.known ?? []) named.add(name);
  }
  return named;
}

/** Cheaper than reading every entry. */
function isAboutRemoval(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('"segmentsRemoved"');
}

function uniqueOf(tips: readonly SegmentTip[]): readonly SegmentTip[] {
  return [...new Map(tips.map((tip) => [tip.segment, tip])).values()];
}
