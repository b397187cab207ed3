import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { JournalBreak, VerifyReport } from '../../host/journal/verify';

/** Returns the result of Verify in one or two sentences. */
export function verifySentence(report: VerifyReport): string {
  if (report.segments === 0 && report.isWhole) {
    return l10n.t('The audit journal is empty: there is nothing to verify.');
  }
  if (!report.isWhole) {
    return report.breakCount === 1
      ? l10n.t('The audit journal has been changed in 1 place.')
      : l10n.t('The audit journal has been changed in {0} places.', report.breakCount);
  }
  const whole =
    report.segments === 1
      ? l10n.t('The audit journal is intact. Unchanged lines: {0}.', report.lines)
      : l10n.t(
          'The audit journal is intact. Unchanged lines: {0}, files: {1}.',
          report.lines,
          report.segments,
        );
  return report.torn.length === 0 ? whole : `${whole} ${tornSentence(report)}`;
}

/** Returns the result of Verify with every position, as text of a document. */
export function verifyText(report: VerifyReport, folder: string): string {
  const more = report.breakCount - report.breaks.length;
  return [
    verifySentence(report),
    '',
    l10n.t('Folder: {0}', folder),
    l10n.t('Unchanged lines: {0}', report.lines),
    ...(report.removedByRetention === 0
      ? []
      : [l10n.t('Files removed as configured: {0}', report.removedByRetention)]),
    ...(report.isWhole || report.torn.length === 0 ? [] : [tornSentence(report)]),
    '',
    ...report.breaks.map((found) => `✗ ${formatBreak(found)}`),
    ...(more > 0 ? [l10n.t('… and {0} more.', more)] : []),
    '',
  ].join('\n');
}

function tornSentence({ torn }: VerifyReport): string {
  return torn.length === 1
    ? l10n.t('The last line is unfinished: its window is still writing it, or was closed.')
    : l10n.t(
        '{0} last lines are unfinished: their windows are still writing them, or were closed.',
        torn.length,
      );
}

function formatBreak({ kind, segment, line }: JournalBreak): string {
  const place = line === undefined ? segment : l10n.t('{0}, line {1}', segment, line);
  switch (kind) {
    case 'changed':
      return l10n.t('{0}: changed after it was written.', place);
    case 'removed':
      return l10n.t('{0}: removed, perhaps with lines after it.', place);
    case 'cut':
      return l10n.t('{0}: cut off, with everything after it.', place);
    case 'missing':
      return l10n.t('{0}: the file is missing, although no setting removed it.', place);
    case 'unnamed':
      return l10n.t('{0}: added later; a newer file does not list it.', place);
    case 'copied':
      return l10n.t('{0}: written under another name, so it is a copy.', place);
    case 'unreadable':
      return l10n.t('{0}: the file cannot be read.', place);
    default:
      return assertNever(kind);
  }
}
