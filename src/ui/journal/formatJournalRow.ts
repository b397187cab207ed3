import * as l10n from '@vscode/l10n';
import { assertNever, McpError, type McpErrorCode } from '../../core/errors';
import { callOrigins } from '../../host/consent/facts/callFacts';
import type {
  ReadEntry,
  AuthorizationEntry,
  NoteEntry,
  PermissionEntry,
  TrustEntry,
} from '../../host/journal/entry';
import type { JournalRow, OtherEntry } from '../../host/journal/journalRows';
import { formatSize } from '../format/formatFile';
import { formatDecision, formatToolField, formatGrantScope } from '../format/formatDecision';
import { formatGrantDuration, formatOrigin } from '../format/formatPermission';
import { formatLevel } from '../format/formatRisk';
import { formatError, quoted } from '../format/sentences';
import {
  decisionKind,
  isFilteringJournal,
  type DecisionKind,
  type JournalFilter,
  type OutcomeKind,
  type SinceKind,
} from './journalFilter';
import { formatDuration } from '../format/formatTime';
import { formatList } from '../format/windowFacts';

/** Describes an entry in one line: what happened, how it ended and the reason of the decision. */
export function formatJournalRow(row: JournalRow): string {
  switch (row.kind) {
    case 'call': {
      const { tool, server } = row.decision;
      const what = l10n.t('“{0}” of “{1}”', quoted(tool.name), quoted(server.label));
      return `${callMark(row)} ${what}: ${formatCallEnd(row)} ${formatReason(row)}${formatCaller(row.decision)}`;
    }
    case 'refused': {
      const { tool, server, code } = row.refused;
      const what = l10n.t('“{0}” of “{1}”', quoted(tool), quoted(server));
      const why =
        code === 'cancelled'
          ? l10n.t('Withdrawn before the decision.')
          : l10n.t('No decision: {0}.', errorTitle(code, server));
      return `⊘ ${what}: ${formatDecisionKind('refused')}. ${why}${formatCaller(row.refused)}`;
    }
    case 'other':
      return `• ${formatOtherEntry(row.entry)}`;
    case 'unreadable':
      return `⚠ ${l10n.t('Not readable: changed, or written by a newer version. Select Verify to find out.')}`;
    default:
      return assertNever(row);
  }
}

type CallRow = Extract<JournalRow, { kind: 'call' }>;

/** Returns an icon for the outcome, which the text also says. */
function callMark(row: CallRow): string {
  const kind = decisionKind(row);
  if (kind === 'no' || kind === 'denied') return '⊘';
  if (row.outcome === undefined || row.outcome.outcome === 'windowEnded') return '…';
  return row.outcome.outcome === 'result' ? '✓' : '✗';
}

function formatCallEnd(row: CallRow): string {
  const kind = decisionKind(row);
  if (kind === 'no' || kind === 'denied') return l10n.t('{0}.', formatDecisionKind(kind));
  const { outcome, decision } = row;
  if (outcome === undefined) return l10n.t('no end was recorded.');
  if (outcome.outcome === 'windowEnded') return l10n.t('unknown: the window was closed.');
  const took = formatDuration(outcome.durationMs);
  const text =
    outcome.code === undefined
      ? formatOutcomeKind(outcome.outcome === 'denied' ? 'none' : outcome.outcome)
      : l10n.t('failed ({0})', errorTitle(outcome.code, decision.server.label));
  if (outcome.outcomeUnknown === true) return l10n.t('{0}, outcome unknown, {1}.', text, took);
  return l10n.t('{0}, {1}.', text, took);
}

function formatReason({ decision }: CallRow): string {
  const why = formatDecision(decision);
  if (decision.effect !== 'ask') return why;
  return decision.answer === 'run'
    ? l10n.t('{0} You chose to run it.', why)
    : l10n.t('{0} You cancelled it.', why);
}

/** An entry of a newer version may have a code that this version does not know. */
export function errorTitle(code: McpErrorCode, server: string): string {
  try {
    return formatError(server, new McpError(code)).title;
  } catch {
    return quoted(code);
  }
}

function formatCaller({ origin, client }: { origin: string; client?: string }): string {
  const claim = quoted(client);
  const from = formatAnyOrigin(origin);
  return ` (${claim === '' ? from : l10n.t('{0}, which calls itself “{1}”', from, claim)})`;
}

/** An entry of a newer version may have an origin that this version does not know. */
export function formatAnyOrigin(origin: string): string {
  const known = callOrigins.find((each) => each === origin);
  return known === undefined ? l10n.t('from “{0}”', quoted(origin)) : formatOrigin(known);
}

export function formatDecisionKind(kind: DecisionKind): string {
  return {
    allowed: l10n.t('allowed without asking'),
    run: l10n.t('asked, and run'),
    no: l10n.t('asked, not run'),
    denied: l10n.t('denied by a rule'),
    refused: l10n.t('not possible'),
  }[kind];
}

export function formatOutcomeKind(kind: OutcomeKind): string {
  return {
    result: l10n.t('result'),
    toolError: l10n.t('tool error'),
    failed: l10n.t('failed'),
    cancelled: l10n.t('cancelled'),
    none: l10n.t('no end'),
  }[kind];
}

export function formatSince(since: SinceKind): string {
  return {
    hour: l10n.t('in the last hour'),
    day: l10n.t('in the last day'),
    week: l10n.t('in the last 7 days'),
    month: l10n.t('in the last 30 days'),
  }[since];
}

function formatName(name: string): string {
  return l10n.t('“{0}”', quoted(name));
}

/** Returns for example `“demo”; “echo” or “add”; denied by a rule`. */
export function formatJournalFilter(filter: JournalFilter): string {
  if (!isFilteringJournal(filter)) return l10n.t('none');
  const parts: readonly (readonly string[])[] = [
    filter.servers.map(formatName),
    filter.tools.map(formatName),
    filter.decisions.map(formatDecisionKind),
    filter.outcomes.map(formatOutcomeKind),
    filter.origins.map(formatAnyOrigin),
    filter.since === undefined ? [] : [formatSince(filter.since)],
  ];
  return parts
    .filter(({ length }) => length > 0)
    .map((choices) => formatList(choices, 'or'))
    .join('; ');
}

function formatOtherEntry(entry: OtherEntry): string {
  switch (entry.kind) {
    case 'permission':
      return permissionSentence(entry);
    case 'trust':
      return trustSentence(entry);
    case 'pin': {
      const [tool, server] = [quoted(entry.tool.name), quoted(entry.server)];
      if (entry.isSkill) {
        return entry.fields.length === 0
          ? l10n.t('The new skill “{0}” of “{1}” was accepted.', tool, server)
          : l10n.t('The change to skill “{0}” of “{1}” was accepted.', tool, server);
      }
      return entry.fields.length === 0
        ? l10n.t('The new tool “{0}” of “{1}” was accepted.', tool, server)
        : l10n.t(
            'The change to “{0}” of “{1}” was accepted: {2}.',
            tool,
            server,
            entry.fields.map(formatToolField).join(', '),
          );
    }
    case 'read':
      return readSentence(entry);
    case 'authorization':
      return authorizationSentence(entry);
    case 'note':
      return noteSentence(entry);
    default:
      return assertNever(entry);
  }
}

function readSentence({ prompt, server, outcome, durationMs, origin }: ReadEntry): string {
  const facts = [
    formatOutcomeKind(outcome),
    formatDuration(durationMs),
    formatAnyOrigin(origin),
  ].join(', ');
  return l10n.t('Prompt “{0}” of “{1}” was read: {2}.', quoted(prompt), quoted(server), facts);
}

function permissionSentence({ action, server, tools, grant, level }: PermissionEntry): string {
  const named = tools.slice(0, 3).map((tool) => l10n.t('“{0}”', quoted(tool)));
  const more = tools.length > 3 ? [l10n.t('{0} more', tools.length - 3)] : [];
  const what = l10n.t('{0} of “{1}”', formatList([...named, ...more]), quoted(server));
  const scope =
    grant === undefined
      ? ''
      : l10n.t('{0}, {1}', formatGrantScope(grant.scope), formatGrantDuration(grant.duration));
  return {
    granted: l10n.t('Permission for {0} was given: {1}.', what, scope),
    withdrawn: l10n.t('Permission for {0} was withdrawn: {1}.', what, scope),
    overrideSet: l10n.t(
      'Risk of {0} was set: {1}.',
      what,
      level === undefined ? '?' : formatLevel(level),
    ),
    overrideWithdrawn: l10n.t('Risk of {0} was reset.', what),
  }[action];
}

function authorizationSentence({ action, server, issuer, scopes }: AuthorizationEntry): string {
  const [label, place] = [quoted(server), quoted(issuer)];
  const rights = scopes.length === 0 ? l10n.t('chosen by the server') : quoted(scopes.join(', '));
  return {
    signedIn: l10n.t('You signed in to “{0}” at {1}. Scopes: {2}.', label, place, rights),
    extended: l10n.t('Authorization for “{0}” at {1} was extended: {2}.', label, place, rights),
    signedOut: l10n.t('You signed out of “{0}” at {1}.', label, place),
  }[action];
}

function trustSentence({ server, answer }: TrustEntry): string {
  const label = quoted(server.label);
  return {
    trusted: l10n.t('Server “{0}” was trusted to start.', label),
    refused: l10n.t('Server “{0}” was not trusted to start.', label),
    withdrawn: l10n.t('Trust in server “{0}” was withdrawn.', label),
  }[answer];
}

function noteSentence(entry: NoteEntry): string {
  switch (entry.note) {
    case 'tornLine':
      return l10n.t(
        'A window closed while writing. {0} of an unfinished entry were moved into this entry.',
        formatSize(entry.bytes),
      );
    case 'segmentsRemoved':
      return l10n.t(
        'Older parts of the journal were removed as configured: {0} in total so far.',
        entry.segments.length,
      );
    case 'entriesLost':
      return l10n.t('Entries lost because they could not be written: {0}.', entry.count);
    default:
      return assertNever(entry);
  }
}
