import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { NoteEntry, SegmentTip, VouchedTips } from './entry';
import { readLine } from './journalLine';
import { readEnds, type SegmentEnds } from './segmentEnds';
import { linesOf } from './segmentLines';
import { segmentStart, listSegments } from './segments';

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

/** So that a line stays short however many are removed. */
const maxInNote = 500;

/**
 * Removes whole segments, and writes down which before it does, so that Verify knows them from
 * those that somebody else removed. @throws what `note` and the file system throw
 */
export async function applyRetention(options: RetentionOptions): Promise<void> {
  const { folder, note } = options;
  const all: SegmentEnds[] = [];
  for (const segment of await listSegments(folder)) {
    // One that cannot be read stays; Verify tells of it.
    const ends = await readEnds(folder, segment).catch(() => undefined);
    if (ends !== undefined) all.push(ends);
  }
  const doomed = outlived(all, options);
  if (doomed.length === 0) return;
  const gone = new Set(doomed.map(({ segment }) => segment.name));
  const kept = all.filter(({ segment }) => !gone.has(segment.name));
  const [ofDoomed, ofKept] = [await removalsIn(folder, doomed), await removalsIn(folder, kept)];
  const vouchedByKept = ofKept.flatMap(({ vouched = [] }) => vouched);
  const leaving: readonly VouchedTips[] = [
    ...doomed.map(({ segment, header }) => ({ segment: segment.name, known: header?.known ?? [] })),
    ...ofDoomed.flatMap(({ vouched = [] }) => vouched),
  ];
  const removed = [
    ...doomed.flatMap(({ tip }) => tip ?? []),
    ...ofDoomed.flatMap(({ segments }) => segments),
  ];
  const named = namesOf(kept, vouchedByKept);
  // Those removed earlier only as long as somebody who stays speaks of them.
  const told = uniqueOf(removed.filter(({ segment }) => gone.has(segment) || named.has(segment)));
  await writeDown(told, stayingOf(leaving, vouchedByKept, kept), note);
  for (const name of gone) await rm(path.join(folder, name), { force: true });
}

async function writeDown(
  told: readonly SegmentTip[],
  staying: readonly VouchedTips[],
  note: RetentionOptions['note'],
): Promise<void> {
  for (let index = 0; index < told.length; index += maxInNote) {
    const segments = told.slice(index, index + maxInNote);
    const vouched = index === 0 && staying.length > 0 ? { vouched: staying } : {};
    await note({ kind: 'note', note: 'segmentsRemoved', segments, ...vouched });
  }
}

/** Names of the segments that are spoken of. */
function namesOf(
  segments: readonly SegmentEnds[],
  vouched: readonly VouchedTips[],
): ReadonlySet<string> {
  const tips = [
    ...segments.map(({ header }) => header?.known),
    ...vouched.map((each) => each.known),
  ];
  return new Set(tips.flatMap((each) => each ?? []).map(({ segment }) => segment));
}

/**
 * What those that leave vouched for among the segments that stay: what they named, and in place of
 * what is removed what that named.
 */
function stayingOf(
  leaving: readonly VouchedTips[],
  others: readonly VouchedTips[],
  kept: readonly SegmentEnds[],
): readonly VouchedTips[] {
  const behind = new Map([...others, ...leaving].map(({ segment, known }) => [segment, known]));
  const names = new Set(kept.map(({ segment }) => segment.name));
  return leaving.flatMap(({ segment, known }) => {
    const found = new Map(known.map((tip) => [keyOf(tip), tip]));
    // What is added while it is walked is walked, too.
    for (const tip of found.values()) {
      if (names.has(tip.segment)) continue;
      for (const each of behind.get(tip.segment) ?? []) found.set(keyOf(each), each);
    }
    const tips = [...found.values()].filter((tip) => names.has(tip.segment));
    return tips.length === 0 ? [] : [{ segment, known: tips }];
  });
}

function keyOf({ segment, lines, hash }: SegmentTip): string {
  return `${segment} ${lines} ${hash}`;
}

/**
 * The segments to be removed, oldest first. Their age is that of their last line, as the line says
 * itself: anybody can set the date of a file.
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

/** What earlier retention wrote down in these. */
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

/** Cheaper than reading every entry. */
function isAboutRemoval(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('"segmentsRemoved"');
}

function uniqueOf(tips: readonly SegmentTip[]): readonly SegmentTip[] {
  return [...new Map(tips.map((tip) => [tip.segment, tip])).values()];
}
