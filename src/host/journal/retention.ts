import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { NoteEntry, SegmentTip, NamedTips } from './entry';
import { readLine } from './journalLine';
import { readAllEnds, type SegmentEnds, segmentStart } from './segmentWriter';
import { linesOf } from './segmentLines';

/** Limits of the journal. Segments above either are removed, oldest first. */
export interface JournalLimits {
  readonly retentionDays: number;
  readonly maxBytes: number;
}

export interface RetentionOptions extends JournalLimits {
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The segment that this window is writing. */
  readonly current: string | undefined;
  /** All segments of this window, which no other process writes. */
  readonly own: ReadonlySet<string>;
  /** Resolves when the entry is on disk; only then segments are removed. */
  readonly note: (entry: NoteEntry) => Promise<void>;
}

const msPerDay = 24 * 60 * 60 * 1_000;
/** A window that wrote within this time will probably write to its segment again. */
const recentMs = 60 * 60 * 1_000;

/** Keeps the line short, however many segments are removed. */
const maxInNote = 500;

/**
 * Removes whole segments and records them first, so that Verify can distinguish them from segments
 * that were removed by other means. @throws what `note` and the file system throw
 */
export async function applyRetention(options: RetentionOptions): Promise<void> {
  const { folder, note } = options;
  // An unreadable segment stays.
  const all = await readAllEnds(folder);
  const doomed = outlived(all, options);
  if (doomed.length === 0) return;
  const gone = new Set(doomed.map(({ segment }) => segment.name));
  const kept = all.filter(({ segment }) => !gone.has(segment.name));
  const [ofDoomed, ofKept] = [await removalsIn(folder, doomed), await removalsIn(folder, kept)];
  const vouchedByKept = ofKept.flatMap(({ vouched = [] }) => vouched);
  const leaving: readonly NamedTips[] = [
    ...doomed.map(({ segment, header }) => ({ segment: segment.name, known: header?.known ?? [] })),
    ...ofDoomed.flatMap(({ vouched = [] }) => vouched),
  ];
  const removed = [
    ...doomed.flatMap(({ tip }) => tip ?? []),
    ...ofDoomed.flatMap(({ segments }) => segments),
  ];
  const named = namesOf(kept, vouchedByKept);
  // Segments removed earlier are listed only while a remaining segment mentions them.
  const told = uniqueOf(removed.filter(({ segment }) => gone.has(segment) || named.has(segment)));
  await writeDown(told, stayingOf(leaving, vouchedByKept, kept), note);
  for (const name of gone) await rm(path.join(folder, name), { force: true });
}

async function writeDown(
  told: readonly SegmentTip[],
  staying: readonly NamedTips[],
  note: RetentionOptions['note'],
): Promise<void> {
  for (let index = 0; index < told.length; index += maxInNote) {
    const segments = told.slice(index, index + maxInNote);
    const vouched = index === 0 && staying.length > 0 ? { vouched: staying } : {};
    await note({ kind: 'note', note: 'segmentsRemoved', segments, ...vouched });
  }
}

/** Returns the names of the mentioned segments. */
function namesOf(
  segments: readonly SegmentEnds[],
  vouched: readonly NamedTips[],
): ReadonlySet<string> {
  const tips = [
    ...segments.map(({ header }) => header?.known),
    ...vouched.map((each) => each.known),
  ];
  return new Set(tips.flatMap((each) => each ?? []).map(({ segment }) => segment));
}

/**
 * Returns which remaining segments the removed ones named, directly or through other removed ones.
 */
function stayingOf(
  leaving: readonly NamedTips[],
  others: readonly NamedTips[],
  kept: readonly SegmentEnds[],
): readonly NamedTips[] {
  const behind = new Map([...others, ...leaving].map(({ segment, known }) => [segment, known]));
  const names = new Set(kept.map(({ segment }) => segment.name));
  // Oldest first: a segment names older ones, whose results then replace what is behind them.
  const oldestFirst = leaving.toSorted((one, other) => (one.segment < other.segment ? -1 : 1));
  return oldestFirst.flatMap(({ segment, known }) => {
    const found = new Map(known.map((tip) => [keyOf(tip), tip]));
    // Elements added during the iteration are visited as well.
    for (const tip of found.values()) {
      if (names.has(tip.segment)) continue;
      for (const each of behind.get(tip.segment) ?? []) found.set(keyOf(each), each);
    }
    const tips = [...found.values()].filter((tip) => names.has(tip.segment));
    behind.set(segment, tips);
    return tips.length === 0 ? [] : [{ segment, known: tips }];
  });
}

function keyOf({ segment, lines, hash }: SegmentTip): string {
  return `${segment} ${lines} ${hash}`;
}

/**
 * Returns the segments to remove, oldest first. Their age is the recorded time of their last line,
 * because a file's date is easily changed.
 */
function outlived(all: readonly SegmentEnds[], options: RetentionOptions): readonly SegmentEnds[] {
  const { now, retentionDays, maxBytes, current, own } = options;
  const others = all
    .map((ends) => ({ ends, at: ends.endedAt ?? segmentStart(ends.segment.name) }))
    .filter(({ ends }) => ends.segment.name !== current)
    .toSorted((one, other) => one.at - other.at);
  const doomed = new Set(others.filter(({ at }) => now - at > retentionDays * msPerDay));
  let bytes = all.reduce((sum, { segment }) => sum + segment.size, 0);
  for (const { ends } of doomed) bytes -= ends.segment.size;
  for (const each of others) {
    if (bytes <= maxBytes) break;
    if (doomed.has(each)) continue;
    if (!own.has(each.ends.segment.name) && now - each.at < recentMs) continue;
    doomed.add(each);
    bytes -= each.ends.segment.size;
  }
  return others.filter((each) => doomed.has(each)).map(({ ends }) => ends);
}

type RemovalNote = Extract<NoteEntry, { note: 'segmentsRemoved' }>;

/** Returns what earlier retention recorded in these segments. */
async function removalsIn(
  folder: string,
  segments: readonly SegmentEnds[],
): Promise<readonly RemovalNote[]> {
  const notes: RemovalNote[] = [];
  for (const { segment } of segments) {
    for await (const lines of linesOf(path.join(folder, segment.name))) {
      for (const { bytes } of lines) {
        if (!isAboutRemoval(bytes)) continue;
        const read = readLine(bytes);
        const content = read.kind === 'entry' ? read.entry.content : undefined;
        if (content?.kind === 'note' && content.note === 'segmentsRemoved') notes.push(content);
      }
    }
  }
  return notes;
}

/** Faster than parsing every entry. */
function isAboutRemoval(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('"segmentsRemoved"');
}

function uniqueOf(tips: readonly SegmentTip[]): readonly SegmentTip[] {
  return [...new Map(tips.map((tip) => [tip.segment, tip])).values()];
}
