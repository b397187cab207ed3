import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { isJsonObject } from '../../core/json/shapes';
import { fingerprint } from '../../host/consent/facts/fingerprints';
import type { DecisionEntry, OutcomeEntry } from '../../host/journal/entry';
import type { JournalRow } from '../../host/journal/journalRows';
import { formatBriefArguments } from '../format/formatArguments';
import type { Column, ColumnRow } from '../format/formatColumns';
import { formatDuration, formatTime } from '../format/formatTime';
import { quoted } from '../format/sentences';
import { errorTitle, formatJournalRow, formatOutcomeKind } from './formatJournalRow';
import { decisionKind, factsOf, type DecisionKind } from './journalFilter';

const digestChars = 8;
const noArguments = fingerprint({});

/** Returns the columns for calls. */
export function journalColumns(): readonly Column[] {
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
export function journalCells(row: JournalRow): ColumnRow {
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
          argumentsWords(decision),
          decisionWords(kind),
          causeWords(decision),
          outcomeWords(kind, decision, outcome),
          outcome === undefined || isNotCalled(kind) ? '' : formatDuration(outcome.durationMs),
        ],
      };
    }
    case 'refused': {
      const { server, tool, code } = row.refused;
      const why = code === 'cancelled' ? l10n.t('withdrawn') : errorTitle(code, server);
      const cells = [time, quoted(server), quoted(tool), '', decisionWords('refused'), ''];
      return { cells: [...cells, `⊘ ${why}`, ''] };
    }
    case 'other': {
      const { server = '', tools } = factsOf(row);
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
function argumentsWords({ arguments: given, argumentsDigest, argumentsOmitted }: DecisionEntry) {
  if (argumentsDigest === noArguments) return l10n.t('none');
  if (isJsonObject(given)) return formatBriefArguments(given);
  if (argumentsOmitted !== undefined) return l10n.t('too large');
  return `#${argumentsDigest.slice(0, digestChars)}`;
}

function decisionWords(kind: DecisionKind): string {
  switch (kind) {
    case 'allowed':
      return l10n.t('allowed');
    case 'run':
      return l10n.t('asked: yes');
    case 'no':
      return l10n.t('asked: no');
    case 'denied':
      return l10n.t('denied');
    case 'refused':
      return l10n.t('not possible');
    default:
      return assertNever(kind);
  }
}

function causeWords({ cause }: DecisionEntry): string {
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
      return l10n.t('only for people');
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
function outcomeWords(
  kind: DecisionKind,
  { server }: DecisionEntry,
  outcome: OutcomeEntry | undefined,
): string {
  if (isNotCalled(kind)) return `⊘ ${l10n.t('not called')}`;
  if (outcome === undefined || outcome.outcome === 'windowEnded')
    return `… ${formatOutcomeKind('none')}`;
  const { outcome: how, code, outcomeUnknown } = outcome;
  if (how === 'result') return `✓ ${formatOutcomeKind(how)}`;
  const words =
    code === undefined
      ? formatOutcomeKind(how === 'denied' ? 'none' : how)
      : errorTitle(code, server.label);
  return `✗ ${outcomeUnknown === true ? l10n.t('unknown: {0}', words) : words}`;
}
