import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { isJsonObject } from '../../core/json/shapes';
import { fingerprint } from '../../host/consent/facts/fingerprints';
import type { DecisionEntry, OutcomeEntry, EntryPlace } from '../../host/journal/entry';
import type { JournalRow } from '../../host/journal/journalRows';
import { briefArguments } from '../format/formatArguments';
import { type Column, type ColumnRow, formatColumns } from '../format/formatColumns';
import { formatDuration, formatTime } from '../format/formatTime';
import { quoted } from '../format/sentences';
import {
  errorTitle,
  formatJournalRow,
  formatOutcomeKind,
  formatJournalFilter,
} from './formatJournalRow';
import {
  decisionKind,
  rowFacts,
  type DecisionKind,
  isFilteringJournal,
  type JournalFilter,
  type JournalView,
} from './journalFilter';
const digestChars = 8;
const noArguments = fingerprint({});

/** Returns the columns for calls. */
function journalColumns(): readonly Column[] {
  return [
    { heading: l10n.t('Time'), maxCells: 19 },
    { heading: l10n.t('Server'), maxCells: 18 },
    { heading: l10n.t('Tool'), maxCells: 26 },
    { heading: l10n.t('Arguments'), maxCells: 30 },
    { heading: l10n.t('Decision'), maxCells: 12 },
    { heading: l10n.t('Why'), maxCells: 12 },
    { heading: l10n.t('Outcome'), maxCells: 28 },
    { heading: l10n.t('Duration'), maxCells: 10 },
  ];
}

/**
 * Returns the cells of a row. An entry that is not a call has a sentence in place of the columns
 * after its tools.
 */
function journalCells(row: JournalRow): ColumnRow {
  const time = formatTime(row.at);
  switch (row.kind) {
    case 'call': {
      const { decision, outcome } = row;
      const kind = decisionKind(row);
      return {
        cells: [
          time,
          quoted(decision.server.label),
          quoted(decision.tool.name),
          argumentsText(decision),
          decisionText(kind),
          causeText(decision),
          outcomeText(kind, decision, outcome),
          outcome === undefined || isNotCalled(kind) ? '' : formatDuration(outcome.durationMs),
        ],
      };
    }
    case 'refused': {
      const { server, tool, code } = row.refused;
      const why = code === 'cancelled' ? l10n.t('withdrawn') : errorTitle(code, server);
      const cells = [time, quoted(server), quoted(tool), '', decisionText('refused'), ''];
      return { cells: [...cells, `⊘ ${why}`, ''] };
    }
    case 'other': {
      const { server = '', tools } = rowFacts(row);
      const [tool = '', ...more] = tools;
      const named = more.length === 0 ? quoted(tool) : l10n.t('{0}, …', quoted(tool));
      return { cells: [time, quoted(server), named], rest: formatJournalRow(row) };
    }
    case 'unreadable':
      return { cells: [time], rest: formatJournalRow(row) };
    default:
      return assertNever(row);
  }
}

/** Returns the recorded arguments, or enough digits of their digest to tell calls apart. */
function argumentsText({ arguments: given, argumentsDigest, argumentsOmitted }: DecisionEntry) {
  if (argumentsDigest === noArguments) return l10n.t('none');
  if (isJsonObject(given)) return briefArguments(given);
  if (argumentsOmitted !== undefined) return l10n.t('too large');
  return `#${argumentsDigest.slice(0, digestChars)}`;
}

function decisionText(kind: DecisionKind): string {
  return {
    allowed: l10n.t('allowed'),
    run: l10n.t('asked: yes'),
    no: l10n.t('asked: no'),
    denied: l10n.t('denied'),
    refused: l10n.t('not possible'),
  }[kind];
}

function causeText({ cause }: DecisionEntry): string {
  switch (cause.kind) {
    case 'rule':
      return l10n.t('rule {0}', cause.place.index + 1);
    case 'grant':
      return l10n.t('permission');
    case 'pin':
      return {
        new: () => l10n.t('new tool'),
        changed: () => l10n.t('changed tool'),
        unlocked: () => l10n.t('not reviewed'),
      }[cause.pin]();
    case 'humanOnly':
      return l10n.t('not for agents');
    case 'fileValues':
      return l10n.t('file values');
    case 'environment':
      return l10n.t('environment');
    case 'noRule':
      return l10n.t('no rule');
    case 'unreadable':
      return l10n.t('not readable');
    default:
      return assertNever(cause);
  }
}

function isNotCalled(kind: DecisionKind): boolean {
  return kind === 'no' || kind === 'denied';
}

/** Returns an icon for the outcome, which the text also says. */
function outcomeText(
  kind: DecisionKind,
  { server }: DecisionEntry,
  outcome: OutcomeEntry | undefined,
): string {
  if (isNotCalled(kind)) return `⊘ ${l10n.t('not called')}`;
  if (outcome === undefined || outcome.outcome === 'windowEnded')
    return `… ${formatOutcomeKind('none')}`;
  const { outcome: how, code, outcomeUnknown } = outcome;
  if (how === 'result') return `✓ ${formatOutcomeKind(how)}`;
  const text =
    code === undefined
      ? formatOutcomeKind(how === 'denied' ? 'none' : how)
      : errorTitle(code, server.label);
  return `✗ ${outcomeUnknown === true ? l10n.t('unknown: {0}', text) : text}`;
}

/** The time at the start of a line, which links to the whole entry. */
export interface RowPlace {
  readonly line: number;
  readonly end: number;
  readonly places: readonly EntryPlace[];
}

export interface JournalText {
  readonly text: string;
  readonly rows: readonly RowPlace[];
  /** The line that offers more rows. Absent if there are none. */
  readonly moreLine?: number;
}

/** Returns the journal as plain text: the filter in words, then a table of rows. */
export function journalText(view: JournalView, filter: JournalFilter): JournalText {
  const lines = [l10n.t('Audit journal'), '', formatRowCount(view)];
  if (isFilteringJournal(filter)) lines.push(l10n.t('Filter: {0}', formatJournalFilter(filter)));
  lines.push('');
  if (view.total === 0) return { text: [...lines, ...emptyLines()].join('\n'), rows: [] };
  if (view.matching === 0) lines.push(l10n.t('No entries match the filter.'));
  const table = formatColumns(journalColumns(), view.rows.map(journalCells));
  if (view.rows.length > 0) lines.push(table.heading);
  const first = lines.length;
  for (const line of table.lines) lines.push(line);
  const rows = view.rows.map(({ at, places }, index): RowPlace => {
    return { line: first + index, end: formatTime(at).length, places };
  });
  const rest = view.matching - view.rows.length;
  if (rest === 0) return { text: [...lines, ''].join('\n'), rows };
  lines.push(
    l10n.t(
      '… Older entries that are not shown: {0}. Select Show More above this line, or filter.',
      rest,
    ),
  );
  return { text: [...lines, ''].join('\n'), rows, moreLine: lines.length - 1 };
}

function formatRowCount({ rows, matching, total, isComplete }: JournalView): string {
  const all = isComplete ? l10n.t('{0}', total) : l10n.t('more than {0}', total);
  if (total === 0) return l10n.t('Nothing is recorded yet.');
  return rows.length === total && isComplete
    ? l10n.t('Entries: {0}, newest first. Click a time to open the full entry.', all)
    : l10n.t(
        'Entries: {0}, matching: {1}, shown: the newest {2}. Click a time to open the full entry.',
        all,
        matching,
        rows.length,
      );
}

function emptyLines(): string[] {
  return [
    l10n.t('Tool calls appear here with their time, the decision and its reason, and the outcome.'),
    l10n.t('Permissions, trusted servers and accepted tool changes appear here as well.'),
    '',
  ];
}
