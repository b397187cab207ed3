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
} from './entry';
import { readLine } from './journalLine';
import { newestFirst, type PlacedLine } from './newestFirst';
import { isObject } from '../../core/json/shapes';
import { requesterOf } from '../consent/facts/callOrigin';
import type { DecidedCallFacts } from '../consent/facts/callFacts';

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
