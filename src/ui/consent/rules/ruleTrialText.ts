import * as l10n from '@vscode/l10n';
import { assertNever } from '../../../core/errors';
import type { DecidedCallFacts } from '../../../host/consent/facts/callFacts';
import { toRuleMatch } from '../../../host/consent/rules/matchRules';
import type {
  RuleReplay,
  Replayed,
  RuleEffect,
  RuleMatches,
} from '../../../host/consent/rules/replay';
import { formatLevel } from '../../format/formatRisk';
import { formatEffect, formatRule } from '../../format/formatRule';
import { quoted } from '../../format/sentences';

/** Maximum number of calls that are listed, newest first. */
const maxShown = 500;

/** Maximum number of calls that are listed for each rule, newest first. */
const maxShownOfRule = 5;

/**
 * Lists the past calls that the edited rules would decide differently, and the calls that match
 * each rule.
 */
export function ruleTrialText(
  { changes, matches }: RuleReplay,
  looked: number,
  subject: string,
): string {
  const told = changes.filter(({ now }) => now !== 'unclear');
  const untold = changes.filter(({ now }) => now === 'unclear');
  const heading = [
    l10n.t('Rules on past calls'),
    '',
    subject,
    l10n.t('Past calls examined: {0}', looked),
    l10n.t('Calls that the rules treat differently: {0}', told.length),
    l10n.t('Unknown for: {0}', untold.length),
    '',
    l10n.t(
      'Only rules are compared. Permissions and tool changes are not considered again; paths are resolved now.',
    ),
  ];
  return `${[
    ...heading,
    ...section(l10n.t('Changes'), told),
    ...section(l10n.t('Unknown: arguments were not recorded'), untold),
    '',
    l10n.t('Matches of Each Rule'),
    ...(matches.length === 0 ? ['', l10n.t('There are no rules.')] : []),
    ...matches.flatMap((each) => ['', ...ruleLines(each)]),
  ].join('\n')}\n`;
}

function section(title: string, replayed: readonly Replayed[]): string[] {
  if (replayed.length === 0) return [];
  const newest = replayed.slice(0, maxShown);
  const rest = replayed.length - newest.length;
  return [
    '',
    title,
    ...newest.flatMap((each) => ['', ...lines(each)]),
    ...(rest === 0 ? [] : ['', l10n.t('Older calls that are not listed: {0}.', rest)]),
  ];
}

function ruleLines({ rule, calls, unclear }: RuleMatches): string[] {
  return [
    formatRule(toRuleMatch(rule)),
    `    ${l10n.t('Calls: {0}', calls.length)}`,
    ...calls.slice(0, maxShownOfRule).map((call) => `    ${callName(call)}`),
    ...(unclear === 0 ? [] : [`    ${l10n.t('Calls that it may match: {0}', unclear)}`]),
  ];
}

function callName({ at, tool, server, risk }: DecidedCallFacts): string {
  const time = new Date(at).toISOString();
  const level = formatLevel(risk.level);
  return l10n.t('{0}  “{1}” on “{2}” ({3})', time, quoted(tool), quoted(server), level);
}

function lines({ call, before, now, rule }: Replayed): string[] {
  const rules = l10n.t('Rules: {0} → {1}', formatTrialOutcome(before), formatTrialOutcome(now));
  return [
    callName(call),
    `    ${l10n.t('Recorded: {0}', formatEffect(call.decision))}`,
    `    ${rules}`,
    ...(rule === undefined ? [] : [`    ${formatRule(rule)}`]),
  ];
}

function formatTrialOutcome(effect: RuleEffect | 'unclear'): string {
  switch (effect) {
    case 'none':
      return l10n.t('no rule, so you are asked');
    case 'unclear':
      return l10n.t('unknown');
    case 'allow':
    case 'ask':
    case 'deny':
      return formatEffect(effect);
    default:
      return assertNever(effect);
  }
}
