import path from 'node:path';
import type { EntryContent, SegmentTip, VouchedTips } from './entry';
import { readLine, type ReadLine } from './journalLine';
import { readHeader, type ReadHeader } from './segmentEnds';
import { linesOf } from './segmentLines';
import { listSegments, type Segment } from './segments';
import { copiedSegments, unnamedSegments, type Headers } from './unnamedSegments';

/** What is wrong at one place of the journal. */
export type BreakKind =
  /** The line is not as it was written. */
  | 'changed'
  /** This line was taken out, perhaps with some that followed it. */
  | 'removed'
  /** The last lines of the segment were taken away; `line` is the first of them. */
  | 'cut'
  /** The whole segment is gone, and no setting asked for that. */
  | 'missing'
  /** The segment is older than another, which does not name it: it was not there then. */
  | 'unnamed'
  /** The segment was written under another name. */
  | 'copied'
  /** The segment cannot be read. */
  | 'unreadable';

export interface JournalBreak {
  readonly kind: BreakKind;
  readonly segment: string;
  /** From 1; absent where it is about the segment as a whole. */
  readonly line?: number;
}

export interface VerifyReport {
  /** No break was found. A torn line is none. */
  readonly isWhole: boolean;
  /** The first of them, at most {@link maxBreaks}. */
  readonly breaks: readonly JournalBreak[];
  readonly breakCount: number;
  readonly segments: number;
  /** Lines that are as they were written. */
  readonly lines: number;
  /** Lines that a window had not finished when it died, or is writing now. */
  readonly torn: readonly { readonly segment: string; readonly bytes: number }[];
  /** Segments that retention removed, as far as others speak of them. */
  readonly removedByRetention: number;
}

const maxBreaks = 200;

export interface VerifyProgress {
  /** Between 0 and 1. */
  readonly onProgress?: (share: number) => void;
  readonly isCancelled?: () => boolean;
}

/**
 * Holds every line of the journal against its own sum, the line before, and what other segments
 * say of it. Reads everything, a chunk at a time. Cancelled: reports what was looked at until then.
 * @throws what the file system throws for the folder; a single file that cannot be read is a break
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
  // Half of the segments may not say which of the others retention removed.
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
  /** What headers say, by the segment that it is about. */
  readonly known: ReadonlyMap<string, readonly SegmentTip[]>;
  /** By retention. */
  readonly removed: ReadonlySet<string>;
  readonly findings: Findings;
}

/** What only shows when every segment was read: those that are gone, and those that came later. */
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
  for (const segment of unnamedSegments(headers, namesByRemoved(removed, vouched))) {
    findings.add({ kind: 'unnamed', segment });
  }
}

async function headersOf(folder: string, segments: readonly Segment[]): Promise<Headers> {
  const headers = new Map<string, ReadHeader | undefined>();
  for (const { name } of segments) {
    // One that cannot be read is told of when it is read whole.
    headers.set(name, await readHeader(path.join(folder, name)).catch(() => undefined));
  }
  return headers;
}

/** What is said of segments, by the segment that it is about. */
function tipsBySegment(
  all: readonly (readonly SegmentTip[])[],
): ReadonlyMap<string, readonly SegmentTip[]> {
  const known = new Map<string, SegmentTip[]>();
  for (const tip of all.flat()) known.set(tip.segment, [...(known.get(tip.segment) ?? []), tip]);
  return known;
}

/** The segments that each removed one named. */
function namesByRemoved(
  removed: ReadonlySet<string>,
  vouched: readonly VouchedTips[],
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

  /** One place is told once; the first word about it counts. */
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

/** One segment, line by line. */
class SegmentCheck {
  readonly #name: string;
  /** What other segments say of lines of this one. */
  readonly #known: readonly SegmentTip[];
  readonly #findings: Findings;
  whole = 0;
  /** Names of the segments that it says retention removed. */
  readonly removed: string[] = [];
  /** What it says that their headers named. */
  readonly vouched: VouchedTips[] = [];
  /** The number that the next line must have. */
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
      this.#tell('cut', this.#expected);
    }
  }

  #check(read: ReadLine): void {
    const isGood = read.kind !== 'damaged';
    const number = isGood ? this.#checkPlace(read) : this.#expected;
    if (isGood) this.whole += 1;
    else this.#tell('changed', number);
    for (const { lines, hash } of this.#known) {
      if (lines === number && hash !== read.hash) this.#tell('changed', number);
    }
    if (read.kind === 'entry') this.#listen(read.entry.content);
    this.#before = { hash: read.hash, isGood };
    this.#expected = number + 1;
  }

  /** Whether a line that is as it was written stands where it was written; its number. */
  #checkPlace(read: Exclude<ReadLine, { kind: 'damaged' }>): number {
    const { line, previous } = read.kind === 'entry' ? read.entry : read;
    const isHeader = read.kind === 'entry' && read.entry.content.kind === 'header';
    if (line > this.#expected) this.#tell('removed', this.#expected);
    else if (line < this.#expected || isHeader !== (line === 1)) this.#tell('changed', line);
    // A line that is known to be changed was told of already; its successor is right to differ.
    else if (this.#before?.isGood !== false && previous !== this.#before?.hash) {
      this.#tell('changed', Math.max(1, line - 1));
    }
    return line;
  }

  #listen(content: EntryContent): void {
    if (content.kind === 'note' && content.note === 'segmentsRemoved') {
      this.removed.push(...content.segments.map(({ segment }) => segment));
      this.vouched.push(...(content.vouched ?? []));
    }
  }

  #tell(kind: BreakKind, line: number): void {
    this.#findings.add({ kind, segment: this.#name, line });
  }
}
