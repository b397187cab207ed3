import * as l10n from '@vscode/l10n';
import type { FileValueKind } from '../../core/callFiles/callVariables';
import { assertNever } from '../../core/errors';
import type { Effect, ToolField } from '../../host/consent/facts/callFacts';
import type { GrantScope } from '../../host/consent/grants/grant';
import type { CauseFacts, DecisionFacts } from '../../host/journal/decisionFacts';
import { formatGrantDuration } from './formatPermission';
import { formatRulePlace } from './formatRule';
import { quoted } from './sentences';

/**
 * Returns the decision about a call and its reason as one sentence. It names the rule or permission
 * and where it is defined; foreign text is quoted and shortened.
 */
export function formatDecision({ effect, cause }: DecisionFacts): string {
  switch (cause.kind) {
    case 'rule':
      return ruleSentence(effect, cause);
    case 'grant':
      return l10n.t(
        'Allowed by your permission for {0}, {1}.',
        formatGrantScope(cause.scope),
        formatGrantDuration(cause.duration),
      );
    case 'pin':
      return effect === 'deny' ? agentPinSentence(cause) : pinSentence(cause);
    case 'fileValues':
      return fileValuesSentence(cause.values);
    case 'environment':
      return l10n.t('The call file uses environment variables in the arguments.');
    case 'humanOnly':
      return l10n.t(
        'Denied because agents cannot call destructive tools unless a rule of yours names agents.',
      );
    case 'noRule':
      return l10n.t('No rule or permission covers this call.');
    case 'unreadable':
      return unreadableSentence(effect, quoted(cause.detail));
    default:
      return assertNever(cause);
  }
}

function fileValuesSentence(values: readonly FileValueKind[]): string {
  const taken = values.filter((kind) => kind !== 'toQuestions');
  const answered = l10n.t('The call file answers server questions for you.');
  if (taken.length === 0) return answered;
  const sentence = l10n.t(
    'The call file uses values from other places: {0}.',
    [...new Set(taken.map(formatFileValue))].join(', '),
  );
  return taken.length === values.length ? sentence : l10n.t('{0} {1}', sentence, answered);
}

function unreadableSentence(effect: Effect, detail: string): string {
  return effect === 'deny'
    ? l10n.t('Denied because the data for the decision could not be read (“{0}”).', detail)
    : l10n.t('The data for the decision could not be read (“{0}”).', detail);
}

function ruleSentence(effect: Effect, cause: Extract<CauseFacts, { kind: 'rule' }>): string {
  const place = formatRulePlace(cause.place);
  const strictly =
    cause.isReadStrictly === true
      ? [l10n.t('Part of that rule cannot be read, so its strictest meaning applies.')]
      : [];
  return [bareRuleSentence(effect, place, quoted(cause.reason)), ...strictly].join(' ');
}

function bareRuleSentence(effect: Effect, place: string, reason: string): string {
  switch (effect) {
    case 'allow':
      return reason === ''
        ? l10n.t('{0} allows it.', place)
        : l10n.t('{0} allows it: “{1}”.', place, reason);
    case 'ask':
      return reason === ''
        ? l10n.t('{0} asks for approval.', place)
        : l10n.t('{0} asks: “{1}”.', place, reason);
    case 'deny':
      return reason === ''
        ? l10n.t('{0} denies it.', place)
        : l10n.t('{0} denies it: “{1}”.', place, reason);
    default:
      return assertNever(effect);
  }
}

/** A call that would ask the user is refused for an agent. */
function agentPinSentence(cause: Extract<CauseFacts, { kind: 'pin' }>): string {
  switch (cause.pin) {
    case 'new':
      return l10n.t('Denied because the tool is new. Agents can call it after you accept it.');
    case 'changed':
      return l10n.t(
        'Denied because the tool has changed. Agents can call it after you accept the change.',
      );
    case 'unlocked':
      return l10n.t(
        'Denied to agents because the tool differs from the one that was reviewed for “{0}”.',
        quoted(cause.lockFile),
      );
    default:
      return assertNever(cause);
  }
}

function pinSentence(cause: Extract<CauseFacts, { kind: 'pin' }>): string {
  switch (cause.pin) {
    case 'new':
      return l10n.t('The server did not have this tool when you first saw it.');
    case 'changed':
      return l10n.t(
        'The tool has changed since you saw it: {0}.',
        cause.fields.map(formatToolField).join(', '),
      );
    case 'unlocked':
      return l10n.t(
        'The tool differs from the one that was reviewed for “{0}”.',
        quoted(cause.lockFile),
      );
    default:
      return assertNever(cause);
  }
}

/** Describes a kind of value that call files take from another source. */
function formatFileValue(kind: Exclude<FileValueKind, 'toQuestions'>): string {
  return {
    env: l10n.t('environment variables'),
    input: l10n.t('inputs'),
    password: l10n.t('inputs'),
    var: l10n.t('your settings'),
    workspaceFolder: l10n.t('paths'),
    file: l10n.t('paths'),
    selectedText: l10n.t('selected text'),
    answer: l10n.t('results of other servers'),
  }[kind];
}

/** Describes a part of a tool's definition. */
export function formatToolField(field: ToolField): string {
  return {
    title: l10n.t('title'),
    description: l10n.t('description'),
    inputSchema: l10n.t('input schema'),
    outputSchema: l10n.t('output schema'),
    annotations: l10n.t('hints about the risk'),
  }[field];
}

/** Describes in a few words what a permission allows. */
export function formatGrantScope(scope: GrantScope): string {
  return {
    arguments: l10n.t('exactly these arguments'),
    tool: l10n.t('this tool'),
    readOnlyTools: l10n.t('the read-only tools of this server'),
  }[scope];
}
