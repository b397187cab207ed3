import { l10n } from 'vscode';
import { assertNever, McpError, type McpErrorCode } from '../../core/errors';
import { callOrigins } from '../../host/consent/facts/callOrigin';
import type { NoteEntry, PermissionEntry, PinEntry, TrustEntry } from '../../host/journal/entry';
import type { JournalRow } from '../../host/journal/journalRows';
import { durationWords, sizeWords } from '../words/resultWords';
import { decisionWords, fieldWords, scopeWords } from '../words/decisionWords';
import { grantDurationWords, originWords } from '../words/permissionWords';
import { levelWords } from '../words/riskWords';
import { errorWords, quoted } from '../words/sentences';
import {
  decisionKind,
  isFilteringJournal,
  type DecisionKind,
  type JournalFilter,
  type OutcomeKind,
  type SinceKind,
} from './journalFilter';

/** What happened, in one line: what, how it ended, and why it was decided so. */
export function rowWords(row: JournalRow): string {
  switch (row.kind) {
    case 'call': {
      const { tool, server, origin } = row.decision;
      const what = l10n.t('“{0}” of “{1}”', quoted(tool.name), quoted(server.label));
      return `${callMark(row)} ${what}: ${callEndWords(row)} ${whyWords(row)}${fromWords(origin)}`;
    }
    case 'refused': {
      const { tool, server, code, origin } = row.refused;
      const what = l10n.t('“{0}” of “{1}”', quoted(tool), quoted(server));
      const why =
        code === 'cancelled'
          ? l10n.t('Withdrawn before it was decided on.')
          : l10n.t('Not decided on: {0}.', errorTitle(code, server));
      return `⊘ ${what}: ${decisionKindWords('refused')}. ${why}${fromWords(origin)}`;
    }
    case 'other':
      return `• ${otherWords(row.entry)}`;
    case 'unreadable':
      return `⚠ ${l10n.t('An entry that cannot be read: it was changed, or a newer version wrote it. Verify says which.')}`;
    default:
      return assertNever(row);
  }
}

type CallRow = Extract<JournalRow, { kind: 'call' }>;

/** A sign for how it ended, which is said in words, too. */
function callMark(row: CallRow): string {
  const kind = decisionKind(row);
  if (kind === 'no' || kind === 'denied') return '⊘';
  if (row.outcome === undefined) return '…';
  return row.outcome.outcome === 'result' ? '✓' : '✗';
}

function callEndWords(row: CallRow): string {
  const kind = decisionKind(row);
  if (kind === 'no' || kind === 'denied') return l10n.t('{0}.', decisionKindWords(kind));
  const { outcome, decision } = row;
  if (outcome === undefined) return l10n.t('no end was recorded.');
  const took = durationWords(outcome.durationMs);
  const words =
    outcome.code === undefined
      ? journalOutcomeWords(outcome.outcome === 'denied' ? 'none' : outcome.outcome)
      : l10n.t('failed ({0})', errorTitle(outcome.code, decision.server.label));
  if (outcome.outcomeUnknown === true) return l10n.t('{0}, outcome unknown, {1}.', words, took);
  return l10n.t('{0}, {1}.', words, took);
}

function whyWords({ decision }: CallRow): string {
  const why = decisionWords(decision);
  if (decision.effect !== 'ask') return why;
  return decision.answer === 'run'
    ? l10n.t('{0} You chose to run it.', why)
    : l10n.t('{0} You did not let it run.', why);
}

/** A newer version may know codes that this one has no words for. */
function errorTitle(code: McpErrorCode, server: string): string {
  try {
    return errorWords(server, new McpError(code)).title;
  } catch {
    return quoted(code);
  }
}

function fromWords(origin: string): string {
  return ` (${anyOriginWords(origin)})`;
}

/** A newer version may know origins that this one has no words for. */
export function anyOriginWords(origin: string): string {
  const known = callOrigins.find((each) => each === origin);
  return known === undefined ? l10n.t('from “{0}”', quoted(origin)) : originWords(known);
}

export function decisionKindWords(kind: DecisionKind): string {
  switch (kind) {
    case 'allowed':
      return l10n.t('allowed without a question');
    case 'run':
      return l10n.t('asked, and run');
    case 'no':
      return l10n.t('asked, and not run');
    case 'denied':
      return l10n.t('denied by a rule');
    case 'refused':
      return l10n.t('not possible');
    default:
      return assertNever(kind);
  }
}

export function journalOutcomeWords(kind: OutcomeKind): string {
  switch (kind) {
    case 'result':
      return l10n.t('result');
    case 'toolError':
      return l10n.t('error of the tool');
    case 'failed':
      return l10n.t('failed');
    case 'cancelled':
      return l10n.t('cancelled');
    case 'none':
      return l10n.t('no end');
    default:
      return assertNever(kind);
  }
}

export function sinceWords(since: SinceKind): string {
  switch (since) {
    case 'hour':
      return l10n.t('in the last hour');
    case 'day':
      return l10n.t('in the last day');
    case 'week':
      return l10n.t('in the last 7 days');
    case 'month':
      return l10n.t('in the last 30 days');
    default:
      return assertNever(since);
  }
}

function nameWords(name: string): string {
  return l10n.t('“{0}”', quoted(name));
}

/** `“demo”; “echo” or “add”; denied by a rule`. */
export function filterWords(filter: JournalFilter): string {
  if (!isFilteringJournal(filter)) return l10n.t('none');
  const parts: readonly (readonly string[])[] = [
    filter.servers.map(nameWords),
    filter.tools.map(nameWords),
    filter.decisions.map(decisionKindWords),
    filter.outcomes.map(journalOutcomeWords),
    filter.origins.map(anyOriginWords),
    filter.since === undefined ? [] : [sinceWords(filter.since)],
  ];
  return parts
    .filter(({ length }) => length > 0)
    .map((choices) => choices.join(l10n.t(' or ')))
    .join('; ');
}

function otherWords(entry: PermissionEntry | TrustEntry | PinEntry | NoteEntry): string {
  switch (entry.kind) {
    case 'permission':
      return permissionSentence(entry);
    case 'trust':
      return trustSentence(entry);
    case 'pin': {
      const [tool, server] = [quoted(entry.tool.name), quoted(entry.server)];
      return entry.fields.length === 0
        ? l10n.t('The new tool “{0}” of “{1}” was accepted.', tool, server)
        : l10n.t(
            'The change of “{0}” of “{1}” was accepted: {2}.',
            tool,
            server,
            entry.fields.map(fieldWords).join(', '),
          );
    }
    case 'note':
      return noteSentence(entry);
    default:
      return assertNever(entry);
  }
}

function permissionSentence({ action, server, tools, grant, level }: PermissionEntry): string {
  const named = tools.slice(0, 3).map((tool) => l10n.t('“{0}”', quoted(tool)));
  const more = tools.length > 3 ? [l10n.t('{0} more', tools.length - 3)] : [];
  const what = l10n.t('{0} of “{1}”', [...named, ...more].join(', '), quoted(server));
  const scope =
    grant === undefined
      ? ''
      : l10n.t('{0}, {1}', scopeWords(grant.scope), grantDurationWords(grant.duration));
  switch (action) {
    case 'granted':
      return l10n.t('Permission given for {0}: {1}.', what, scope);
    case 'withdrawn':
      return l10n.t('Permission withdrawn for {0}: {1}.', what, scope);
    case 'overrideSet':
      return l10n.t('Risk of {0} set: {1}.', what, level === undefined ? '?' : levelWords(level));
    case 'overrideWithdrawn':
      return l10n.t('Risk of {0} no longer set.', what);
    default:
      return assertNever(action);
  }
}

function trustSentence({ server, answer }: TrustEntry): string {
  const label = quoted(server.label);
  switch (answer) {
    case 'trusted':
      return l10n.t('Server “{0}” was trusted to start.', label);
    case 'refused':
      return l10n.t('Server “{0}” was not trusted to start.', label);
    case 'withdrawn':
      return l10n.t('Server “{0}” is no longer trusted to start.', label);
    default:
      return assertNever(answer);
  }
}

function noteSentence(entry: NoteEntry): string {
  switch (entry.note) {
    case 'tornLine':
      return l10n.t(
        'A window ended while it wrote; {0} of an unfinished entry were cut off, and stand in this one.',
        sizeWords(entry.bytes),
      );
    case 'segmentsRemoved':
      return l10n.t(
        'Older parts of the journal were removed, as the settings say: {0} in all so far.',
        entry.segments.length,
      );
    case 'entriesLost':
      return l10n.t('{0} entries could not be written and are lost.', entry.count);
    default:
      return assertNever(entry);
  }
}
