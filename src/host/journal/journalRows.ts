import { assertNever } from '../../core/errors';
import type {
  AuthorizationEntry,
  DecisionEntry,
  EntryPlace,
  NoteEntry,
  OutcomeEntry,
  PermissionEntry,
  PinEntry,
  ReadEntry,
  RefusedEntry,
  TrustEntry,
  JournalEntry,
} from './entry';
import { readLine } from './journalLine';
import { isObject } from '../../core/json/shapes';
import { requesterOf, type DecidedCallFacts } from '../consent/facts/callFacts';
import path from 'node:path';
import { linesFromEnd, type RawLine } from './segmentLines';
import { listSegments, type Segment } from './segmentWriter';

/** An entry that is not about a call. */
export type OtherEntry =
  | PermissionEntry
  | TrustEntry
  | PinEntry
  | AuthorizationEntry
  | ReadEntry
  | NoteEntry;

/** One call, or another entry. */
export type JournalRow = { readonly at: number; readonly places: readonly EntryPlace[] } & (
  | {
      readonly kind: 'call';
      readonly decision: DecisionEntry;
      /** Undefined while it runs, and for a call that was not sent. */
      readonly outcome?: OutcomeEntry;
    }
  | { readonly kind: 'refused'; readonly refused: RefusedEntry }
  | { readonly kind: 'other'; readonly entry: OtherEntry }
  /** The line was changed, or written by a newer version. */
  | { readonly kind: 'unreadable' }
);

/** Limit for ends of calls whose decision has not been read yet. */
const maxOpenOutcomes = 10_000;

/** Yields everything in the journal, newest first, and each call at its decision. */
export async function* journalRows(folder: string): AsyncGenerator<JournalRow> {
  const ends = new Map<string, { outcome: OutcomeEntry; place: EntryPlace }>();
  for await (const found of newestFirst(folder)) {
    const content = found.entry?.content;
    if (content?.kind === 'outcome') {
      // A window's own record of a call takes precedence over the record of one that considered it
      // dead; of a task, the last record counts.
      const known = ends.get(content.callId)?.outcome.outcome;
      if (known !== undefined && known !== 'windowEnded') continue;
      ends.set(content.callId, { outcome: content, place: found.place });
      const [oldest] = ends.keys();
      if (ends.size > maxOpenOutcomes && oldest !== undefined) ends.delete(oldest);
      continue;
    }
    const row = rowOf(found);
    if (row === undefined) continue;
    const end = row.kind === 'call' ? ends.get(row.decision.callId) : undefined;
    if (row.kind !== 'call' || end === undefined) yield row;
    else {
      ends.delete(row.decision.callId);
      yield { ...row, outcome: end.outcome, places: [...row.places, end.place] };
    }
  }
}

/** Returns the row for the lines of one row, as in the journal. */
export function rowOfTexts(texts: readonly string[]): JournalRow | undefined {
  const read = texts.map((text) => readLine(Buffer.from(text)));
  const [first, ...others] = read.flatMap((line) => (line.kind === 'entry' ? [line.entry] : []));
  if (first === undefined) return undefined;
  const place = { segment: '', offset: 0 };
  const row = rowOf({ at: first.at, place, entry: first, isTorn: false });
  if (row?.kind !== 'call') return row;
  const { callId } = row.decision;
  const end = others.map(({ content }) => content).find(({ kind }) => kind === 'outcome');
  return end?.kind === 'outcome' && end.callId === callId ? { ...row, outcome: end } : row;
}

function rowOf({ at, place, entry, isTorn }: PlacedLine): JournalRow | undefined {
  const places = [place];
  // The line is being written, or was cut off by the end of a window; Verify reports it.
  if (isTorn) return undefined;
  const content = entry?.content;
  if (content === undefined) return { kind: 'unreadable', at, places };
  switch (content.kind) {
    case 'decision':
      return { kind: 'call', decision: content, at, places };
    case 'refused':
      return { kind: 'refused', refused: content, at, places };
    case 'header':
    case 'outcome':
      return undefined;
    case 'read':
    case 'permission':
    case 'trust':
    case 'pin':
    case 'authorization':
    case 'note':
      return { kind: 'other', entry: content, at, places };
    default:
      return assertNever(content);
  }
}

/** Older calls are not useful in a list. */
const maxPastCalls = 10_000;

/**
 * Returns the calls with a decision, newest first, at most 10,000. Secrets in arguments are
 * markers. @throws what the file system throws for the folder
 */
export async function readPastCalls(folder: string): Promise<readonly DecidedCallFacts[]> {
  const calls: DecidedCallFacts[] = [];
  for await (const row of journalRows(folder)) {
    if (row.kind !== 'call') continue;
    const { server, tool, risk, origin, arguments: given, effect, ruleEffect } = row.decision;
    const { level, openWorld, idempotent } = risk;
    calls.push({
      at: row.at,
      server: server.id,
      tool: tool.name,
      asker: requesterOf(origin),
      risk: { level, openWorld, idempotent },
      ...(isObject(given) ? { arguments: given } : {}),
      decision: effect,
      ...(ruleEffect === undefined ? {} : { ruleEffect }),
    });
    if (calls.length >= maxPastCalls) break;
  }
  return calls;
}

const fileClockMs = 2_000;

/** A line of the journal, in any segment. */
interface PlacedLine {
  readonly place: EntryPlace;
  /** Milliseconds since the epoch; for an unreadable line, the time of the next line. */
  readonly at: number;
  /** Undefined if the line is damaged, or of a newer version. */
  readonly entry?: JournalEntry;
  readonly isTorn: boolean;
}

/**
 * Yields the lines of all segments, newest first. Holds a chunk of each segment that was written at
 * the same time, so memory grows only with the number of concurrent windows. Unreadable segments
 * are skipped; Verify reports them. @throws what the file system throws for the folder
 */
async function* newestFirst(folder: string): AsyncGenerator<PlacedLine> {
  const closed = (await listSegments(folder)).toSorted(
    (one, other) => one.modifiedAt - other.modifiedAt || (one.name < other.name ? -1 : 1),
  );
  const open: SegmentCursor[] = [];
  try {
    for (;;) {
      const newest = newestOf(open);
      const next = closed.at(-1);
      // No entry of a segment is later than its last change, apart from the coarse file clock.
      if (
        next !== undefined &&
        (newest === undefined || next.modifiedAt + fileClockMs >= newest.head.at)
      ) {
        closed.pop();
        const cursor = await SegmentCursor.open(folder, next);
        if (cursor !== undefined) open.push(cursor);
      } else if (newest === undefined) return;
      else {
        yield newest.head;
        if (!(await newest.advance())) open.splice(open.indexOf(newest), 1);
      }
    }
  } finally {
    for (const cursor of open) await cursor.close();
  }
}

function newestOf(cursors: readonly SegmentCursor[]): SegmentCursor | undefined {
  let newest: SegmentCursor | undefined;
  for (const cursor of cursors) {
    if (newest === undefined || cursor.head.at > newest.head.at) newest = cursor;
  }
  return newest;
}

/** Reads one segment from its end. */
class SegmentCursor {
  readonly #name: string;
  readonly #chunks: AsyncGenerator<readonly RawLine[]>;
  #lines: readonly RawLine[] = [];
  #index = 0;
  head: PlacedLine;

  private constructor(segment: Segment, chunks: AsyncGenerator<readonly RawLine[]>) {
    this.#name = segment.name;
    this.#chunks = chunks;
    const place = { segment: segment.name, offset: 0 };
    this.head = { place, at: segment.modifiedAt, isTorn: false };
  }

  /** Returns `undefined` if the segment has no lines. */
  static async open(folder: string, segment: Segment): Promise<SegmentCursor | undefined> {
    const cursor = new SegmentCursor(segment, linesFromEnd(path.join(folder, segment.name)));
    return (await cursor.advance()) ? cursor : undefined;
  }

  /** Moves to the next line; returns false if there is none. */
  async advance(): Promise<boolean> {
    if (this.#index >= this.#lines.length) {
      // The segment was removed meanwhile, or is not readable.
      const next = await this.#chunks.next().catch(() => undefined);
      if (next === undefined || next.done === true) return false;
      this.#lines = next.value;
      this.#index = 0;
    }
    const raw = this.#lines[this.#index];
    if (raw === undefined) return false;
    this.#index += 1;
    this.head = this.#found(raw);
    return true;
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  #found({ bytes, offset, isTorn }: RawLine): PlacedLine {
    const place = { segment: this.#name, offset };
    const read = isTorn ? undefined : readLine(bytes);
    if (read?.kind === 'entry') return { place, at: read.entry.at, entry: read.entry, isTorn };
    return { place, at: read?.kind === 'unknown' ? read.at : this.head.at, isTorn };
  }
}
