import * as l10n from '@vscode/l10n';
import type { EntryPlace } from '../../host/journal/entry';
import { isFilteringJournal, type JournalFilter } from './journalFilter';
import type { JournalView } from './journalView';
import { formatJournalFilter } from './formatJournalRow';
import { journalCells, journalColumns } from './journalColumns';
import { formatColumns } from '../format/formatColumns';
import { formatTime } from '../format/formatTime';

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
