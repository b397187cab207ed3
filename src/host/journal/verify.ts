import path from 'node:path';
import { WorkTurns } from '../../core/bounds/workTurns';
import type { EntryContent, SegmentTip, NamedTips } from './entry';
import { readLine, type ReadLine } from './journalLine';
import {
  readHeader,
  type ReadHeader,
  listSegments,
  type Segment,
  segmentStart,
} from './segmentWriter';
import { linesOf } from './segmentLines';
import { latestFirst } from '../storage/recordFile';

/** The kind of damage at one place of the journal. */
export type BreakKind =
  /** The line was changed. */
  | 'changed'
  /** This line was removed, and possibly some that followed. */
  | 'removed'
  /** The last lines of the segment were removed; `line` is the first of them. */
  | 'cut'
  /** The whole segment is missing, and was not removed by retention. */
  | 'missing'
  /** The segment is older than another one that does not name it, so it was added later. */
  | 'unnamed'
  /** The segment was written under another name. */
  | 'copied'
  /** The segment cannot be read. */
  | 'unreadable';

export interface JournalBreak {
  readonly kind: BreakKind;
  readonly segment: string;
  /** From 1; undefined if the break is about the whole segment. */
  readonly line?: number;
}

export interface VerifyReport {
  /** True if no break was found. A line without a newline is ignored. */
  readonly isWhole: boolean;
  /** The first breaks, at most {@link maxBreaks}. */
  readonly breaks: readonly JournalBreak[];
  readonly breakCount: number;
  readonly segments: number;
  /** Number of intact lines. */
  readonly lines: number;
  /** Lines that a window had not finished when it died, or is writing now. */
  readonly torn: readonly { readonly segment: string; readonly bytes: number }[];
  /** Segments that retention removed, as far as other segments mention them. */
  readonly removedByRetention: number;
}

const maxBreaks = 200;

export interface VerifyProgress {
  /** Between 0 and 1. */
  readonly onProgress?: (share: number) => void;
  readonly isCancelled?: () => boolean;
}

/**
 * Checks every line of the journal against its own sum, the previous line, and other segments.
 * Reads everything, a chunk at a time. If cancelled, it reports what was checked until then.
 * @throws what the file system throws for the folder; an unreadable file is a break
 */
export async function verifyJournal(
  folder: string,
  { onProgress, isCancelled }: VerifyProgress = {},
): Promise<VerifyReport> {
  const segments = await listSegments(folder);
  const headers = await headersOf(folder, segments);
  const known = tipsBySegment([...headers.values()].map((read) => read?.header.known ?? []));
  const findings = new Findings();
  const checks = new Map<string, SegmentCheck>();
  for (const [index, { name }] of segments.entries()) {
    if (isCancelled?.() === true) break;
    const check = new SegmentCheck(name, known.get(name) ?? [], findings);
    checks.set(name, check);
    await check.read(path.join(folder, name));
    onProgress?.((index + 1) / segments.length);
  }
  const said = [...checks.values()];
  const removed = new Set(said.flatMap((check) => check.removed));
  // After a cancellation, some of the removal records are unknown.
  if (checks.size === segments.length) {
    await checkTogether(folder, { checks, headers, known, removed, findings });
  }
  return {
    ...findings.report(),
    segments: checks.size,
    lines: said.reduce((sum, { whole }) => sum + whole, 0),
    removedByRetention: [...removed].filter((name) => !checks.has(name)).length,
  };
}

interface AllChecks {
  readonly checks: ReadonlyMap<string, SegmentCheck>;
  readonly headers: Headers;
  /** Tips in headers, by the segment that they are about. */
  readonly known: ReadonlyMap<string, readonly SegmentTip[]>;
  /** Segments removed by retention. */
  readonly removed: ReadonlySet<string>;
  readonly findings: Findings;
}

/** Finds what shows only when every segment was read: missing segments, and those added later. */
async function checkTogether(
  folder: string,
  { checks, headers, known, removed, findings }: AllChecks,
): Promise<void> {
  const vouched = [...checks.values()].flatMap((check) => check.vouched);
  const ofRemoved = tipsBySegment(vouched.map((each) => each.known));
  for (const [name, tips] of ofRemoved) {
    if (checks.has(name))
      await new SegmentCheck(name, tips, findings).read(path.join(folder, name));
  }
  for (const name of new Set([...known.keys(), ...ofRemoved.keys()])) {
    if (!checks.has(name) && !removed.has(name)) findings.add({ kind: 'missing', segment: name });
  }
  for (const segment of copiedSegments(headers)) findings.add({ kind: 'copied', segment });
  for (const segment of await unnamedSegments(headers, namesByRemoved(removed, vouched))) {
    findings.add({ kind: 'unnamed', segment });
  }
}

async function headersOf(folder: string, segments: readonly Segment[]): Promise<Headers> {
  const headers = new Map<string, ReadHeader | undefined>();
  for (const { name } of segments) {
    // An unreadable one is reported when it is read completely.
    headers.set(name, await readHeader(path.join(folder, name)).catch(() => undefined));
  }
  return headers;
}

/** Returns the tips by the segment that they are about. */
function tipsBySegment(
  all: readonly (readonly SegmentTip[])[],
): ReadonlyMap<string, readonly SegmentTip[]> {
  const known = new Map<string, SegmentTip[]>();
  for (const tip of all.flat()) {
    const tips = known.get(tip.segment);
    if (tips === undefined) known.set(tip.segment, [tip]);
    else tips.push(tip);
  }
  return known;
}

/** Returns the segments that each removed one named. */
function namesByRemoved(
  removed: ReadonlySet<string>,
  vouched: readonly NamedTips[],
): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>([...removed].map((name) => [name, []]));
  for (const { segment, known } of vouched) {
    names.set(segment, [...(names.get(segment) ?? []), ...known.map((tip) => tip.segment)]);
  }
  return names;
}

class Findings {
  readonly #breaks = new Map<string, JournalBreak>();
  readonly torn: { segment: string; bytes: number }[] = [];

  /** Each place is reported once, with its first break. */
  add(found: JournalBreak): void {
    const key = `${found.segment} ${found.line ?? ''}`;
    if (!this.#breaks.has(key)) this.#breaks.set(key, found);
  }

  report(): Pick<VerifyReport, 'isWhole' | 'breaks' | 'breakCount' | 'torn'> {
    const breaks = [...this.#breaks.values()].toSorted(byPlace);
    return {
      isWhole: breaks.length === 0,
      breaks: breaks.slice(0, maxBreaks),
      breakCount: breaks.length,
      torn: this.torn,
    };
  }
}

function byPlace(one: JournalBreak, other: JournalBreak): number {
  if (one.segment !== other.segment) return one.segment < other.segment ? -1 : 1;
  return (one.line ?? 0) - (other.line ?? 0);
}

/** Checks one segment line by line. */
class SegmentCheck {
  readonly #name: string;
  /** The records in other segments about lines of this one. */
  readonly #known: readonly SegmentTip[];
  readonly #findings: Findings;
  whole = 0;
  /** Names of the segments that were removed by retention, according to this one. */
  readonly removed: string[] = [];
  /** The tips that the headers of those segments named. */
  readonly vouched: NamedTips[] = [];
  /** The expected number of the next line. */
  #expected = 1;
  #before: { readonly hash: string; readonly isGood: boolean } | undefined;

  constructor(name: string, known: readonly SegmentTip[], findings: Findings) {
    this.#name = name;
    this.#known = known;
    this.#findings = findings;
  }

  async read(file: string): Promise<void> {
    try {
      for await (const lines of linesOf(file)) {
        for (const { bytes, isTorn } of lines) {
          if (isTorn) this.#findings.torn.push({ segment: this.#name, bytes: bytes.length });
          else this.#check(readLine(bytes));
        }
      }
    } catch {
      this.#findings.add({ kind: 'unreadable', segment: this.#name });
      return;
    }
    if (this.#known.some(({ lines }) => lines >= this.#expected)) {
      this.#notify('cut', this.#expected);
    }
  }

  #check(read: ReadLine): void {
    const isGood = read.kind !== 'damaged';
    const number = isGood ? this.#checkPlace(read) : this.#expected;
    if (isGood) this.whole += 1;
    else this.#notify('changed', number);
    for (const { lines, hash } of this.#known) {
      if (lines === number && hash !== read.hash) this.#notify('changed', number);
    }
    if (read.kind === 'entry') this.#listen(read.entry.content);
    this.#before = { hash: read.hash, isGood };
    this.#expected = number + 1;
  }

  /** Checks that an intact line is at its original place; returns its number. */
  #checkPlace(read: Exclude<ReadLine, { kind: 'damaged' }>): number {
    const { line, previous } = read.kind === 'entry' ? read.entry : read;
    const isHeader = read.kind === 'entry' && read.entry.content.kind === 'header';
    if (line > this.#expected) this.#notify('removed', this.#expected);
    else if (line < this.#expected || isHeader !== (line === 1)) this.#notify('changed', line);
    // A changed line was reported already, so the next one may differ from it.
    else if (this.#before?.isGood !== false && previous !== this.#before?.hash) {
      this.#notify('changed', Math.max(1, line - 1));
    }
    return line;
  }

  #listen(content: EntryContent): void {
    if (content.kind === 'note' && content.note === 'segmentsRemoved') {
      this.removed.push(...content.segments.map(({ segment }) => segment));
      this.vouched.push(...(content.vouched ?? []));
    }
  }

  #notify(kind: BreakKind, line: number): void {
    this.#findings.add({ kind, segment: this.#name, line });
  }
}

/**
 * Windows that begin within this time may not see each other's segments. Clock corrections of some
 * seconds are included.
 */
const sameTimeMs = 60_000;

/** Headers by segment name; `undefined` if the first line is damaged. */
export type Headers = ReadonlyMap<string, ReadHeader | undefined>;

/**
 * Returns segments that were added later: a window names, directly or indirectly, every segment
 * that exists when it begins its own, so an older segment that it does not reach did not exist.
 * `vouched` is what removed segments named. A missing or damaged segment counts as naming
 * everything older than it, because what it named is unknown; it is a break itself.
 */
async function unnamedSegments(
  headers: Headers,
  vouched: ReadonlyMap<string, readonly string[]>,
): Promise<readonly string[]> {
  // The steps grow with the square of the number of segments.
  const turns = new WorkTurns();
  const segments = [...headers].flatMap(([name, read]) =>
    read === undefined ? [] : [{ name, at: read.at }],
  );
  const begun = latestFirst(segments, ({ at }) => at);
  const namesOf = (name: string): readonly string[] | undefined =>
    headers.get(name)?.header.known.map(({ segment }) => segment) ?? vouched.get(name);
  const unnamed: string[] = [];
  /** Newest first. Segments that were added later prove nothing about others. */
  const witnesses: { readonly name: string; readonly at: number }[] = [];
  let reached: Reached | undefined;
  for (const { name, at } of begun) {
    const witness = witnesses.findLast((each) => each.at > at + sameTimeMs)?.name;
    if (witness !== undefined && reached?.from !== witness) {
      reached = await reachedFrom(witness, namesOf, turns);
    }
    const isReached =
      witness === undefined ||
      reached === undefined ||
      reached.names.has(name) ||
      at < reached.unknownUntil;
    if (isReached) witnesses.push({ name, at });
    else unnamed.push(name);
  }
  return unnamed;
}

/** Returns segments that were written under another name, and so are copies. */
function copiedSegments(headers: Headers): readonly string[] {
  const seen = new Set<string>();
  return [...headers].flatMap(([name, read]) => {
    if (read === undefined) return [];
    const { header, at, hash } = read;
    const isCopy = seen.has(hash) || segmentStart(name) !== at || (header.segment ?? name) !== name;
    seen.add(hash);
    return isCopy ? [name] : [];
  });
}

interface Reached {
  readonly from: string;
  readonly names: ReadonlySet<string>;
  /** Milliseconds since the epoch; older segments may or may not be reached. */
  readonly unknownUntil: number;
}

async function reachedFrom(
  from: string,
  namesOf: (name: string) => readonly string[] | undefined,
  turns: WorkTurns,
): Promise<Reached> {
  const names = new Set([from]);
  let unknownUntil = -Infinity;
  // A set also iterates elements that are added meanwhile.
  for (const name of names) {
    const named = namesOf(name);
    if (named === undefined) unknownUntil = Math.max(unknownUntil, segmentStart(name));
    for (const each of named ?? []) names.add(each);
    if (turns.isOver) await turns.giveWay();
  }
  return { from, names, unknownUntil };
}
