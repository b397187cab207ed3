import path from 'node:path';
import type { EntryPlace, JournalEntry } from './entry';
import { readLine } from './journalLine';
import { linesFromEnd, type RawLine } from './segmentLines';
import { listSegments, type Segment } from './segments';

const fileClockMs = 2_000;

/** A line of the journal, in any segment. */
export interface PlacedLine {
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
export async function* newestFirst(folder: string): AsyncGenerator<PlacedLine> {
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
