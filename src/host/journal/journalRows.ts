import { assertNever } from '../../core/errors';
import type {
  AuthorizationEntry,
  DecisionEntry,
  EntryPlace,
  NoteEntry,
  OutcomeEntry,
  PermissionEntry,
  PinEntry,
  RefusedEntry,
  TrustEntry,
} from './entry';
import { readLine } from './journalLine';
import { newestFirst, type FoundLine } from './newestFirst';

/** What is no call. */
export type OtherEntry = PermissionEntry | TrustEntry | PinEntry | AuthorizationEntry | NoteEntry;

/** What the journal tells of one call, or of something else that happened. */
export type JournalRow = { readonly at: number; readonly places: readonly EntryPlace[] } & (
  | {
      readonly kind: 'call';
      readonly decision: DecisionEntry;
      /** Absent while it runs, and for what was not sent. */
      readonly outcome?: OutcomeEntry;
    }
  | { readonly kind: 'refused'; readonly refused: RefusedEntry }
  | { readonly kind: 'other'; readonly entry: OtherEntry }
  /** Not as it was written, or written by a newer version. */
  | { readonly kind: 'unreadable' }
);

/** Ends of calls that wait for their beginning further back; more would be calls that never end. */
const maxOpenOutcomes = 10_000;

/** Everything in the journal, the newest first, a call where it was decided on. */
export async function* journalRows(folder: string): AsyncGenerator<JournalRow> {
  const ends = new Map<string, { outcome: OutcomeEntry; place: EntryPlace }>();
  for await (const found of newestFirst(folder)) {
    const content = found.entry?.content;
    if (content?.kind === 'outcome') {
      // What a window says of its own call counts, also where another took it for dead; and of a task
      // what was said last.
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

/** What the texts of the lines of one row tell, as they stand in the journal. */
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

function rowOf({ at, place, entry, isTorn }: FoundLine): JournalRow | undefined {
  const places = [place];
  // Being written at this moment, or cut off by the end of a window: Verify tells of it.
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
