import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DecisionEntry, NewEntry, OutcomeEntry } from '../../src/host/journal/entry';
import { Journal, type JournalOptions, type JournalProblem } from '../../src/host/journal/journal';
import type { JournalRow } from '../../src/host/journal/journalRows';

const mib = 1024 * 1024;

export const limits = { retentionDays: 365, maxBytes: 64 * mib };

export function journalIn(folder: string, more: Partial<JournalOptions> = {}) {
  const problems: JournalProblem[] = [];
  const journal = new Journal({
    folder,
    limits: () => limits,
    onProblem: (problem) => problems.push(problem),
    ...more,
  });
  return { journal, problems };
}

export function decision(callId: string, more: Partial<DecisionEntry> = {}): DecisionEntry {
  return {
    kind: 'decision',
    callId,
    server: { id: 'demo', label: 'Demo', fingerprint: 'f1' },
    tool: { name: 'echo', fingerprint: 'f2' },
    risk: { level: 'readOnly', openWorld: true, idempotent: true, basis: 'declared' },
    origin: 'palette',
    effect: 'ask',
    cause: { kind: 'noRule' },
    answer: 'run',
    argumentsDigest: 'f3'.repeat(32),
    ...more,
  };
}

export function outcome(callId: string, more: Partial<OutcomeEntry> = {}): OutcomeEntry {
  return { kind: 'outcome', callId, outcome: 'result', durationMs: 12, ...more };
}

/** Writes entries in a window of its own, which ends afterwards; the name of its segment. */
export async function writeSegment(
  folder: string,
  entries: readonly NewEntry[],
  more: Partial<JournalOptions> = {},
): Promise<string> {
  const before = segmentsIn(folder);
  const { journal } = journalIn(folder, more);
  for (const entry of entries) await journal.record(entry);
  await journal.stop();
  const [made] = segmentsIn(folder).filter((name) => !before.includes(name));
  if (made === undefined) throw new Error('Nothing was written.');
  return made;
}

export function segmentsIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

export function linesIn(folder: string, segment: string): string[] {
  return readFileSync(path.join(folder, segment), 'utf8').split('\n').slice(0, -1);
}

export function setLines(folder: string, segment: string, lines: readonly string[]): void {
  writeFileSync(path.join(folder, segment), lines.map((line) => `${line}\n`).join(''));
}

export async function rowsOf(journal: Journal): Promise<JournalRow[]> {
  const rows: JournalRow[] = [];
  for await (const row of journal.rows()) rows.push(row);
  return rows;
}

/** Each row as a person would name it. */
export async function picture(journal: Journal): Promise<string[]> {
  return (await rowsOf(journal)).map((row) => {
    if (row.kind === 'call') {
      const { callId, effect } = row.decision;
      const unknown = row.outcome?.outcomeUnknown === true ? 'unknown' : '';
      return [callId, effect, row.outcome?.outcome, unknown].join(' ').trim();
    }
    if (row.kind === 'refused') return `refused ${row.refused.code}`;
    if (row.kind === 'unreadable') return 'unreadable';
    return row.entry.kind === 'note' ? row.entry.note : row.entry.kind;
  });
}
