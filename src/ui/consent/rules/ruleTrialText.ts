import * as l10n from '@vscode/l10n';
import { assertNever } from '../../../core/errors';
import type { Replayed, RuleEffect } from '../../../host/consent/rules/replay';
import { formatLevel } from '../../format/formatRisk';
import { formatEffect, formatRule } from '../../format/formatRule';
import { quoted } from '../../format/sentences';

/** More is no reading for a person; the newest are shown. */
const maxShown = 500;

/** The document that says which past calls the rules as edited would treat otherwise. */
export function ruleTrialText(
  replayed: readonly Replayed[],
  looked: number,
  subject: string,
): string {
  const told = replayed.filter(({ now }) => now !== 'unclear');
  const untold = replayed.filter(({ now }) => now === 'unclear');
  const heading = [
    l10n.t('Rules on past calls'),
    '',
    subject,
    l10n.t('Past calls looked at: {0}', looked),
    l10n.t('What the rules say of them changes for: {0}', told.length),
    l10n.t('It cannot be told for: {0}', untold.length),
    '',
    l10n.t(
      'Only rules are compared. Permissions and changed tools count as before; paths are resolved now.',
    ),
  ];
  return `${[
    ...heading,
    ...section(l10n.t('What changes'), told),
    ...section(l10n.t('What cannot be told: the journal has no arguments of these calls'), untold),
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
    ...(rest === 0 ? [] : ['', l10n.t('And {0} more, older ones.', rest)]),
  ];
}

function lines({ call, before, now, rule }: Replayed): string[] {
  const time = new Date(call.at).toISOString();
  const name = l10n.t(
    '{0}  “{1}” on “{2}” ({3})',
    time,
    quoted(call.tool),
    quoted(call.server),
    formatLevel(call.risk.level),
  );
  const rules = l10n.t('Rules: {0} → {1}', formatTrialOutcome(before), formatTrialOutcome(now));
  return [
    name,
    `    ${l10n.t('Then: {0}', formatEffect(call.decision))}`,
    `    ${rules}`,
    ...(rule === undefined ? [] : [`    ${formatRule(rule)}`]),
  ];
}

function formatTrialOutcome(effect: RuleEffect | 'unclear'): string {
  switch (effect) {
    case 'none':
      return l10n.t('none, so you are asked');
    case 'unclear':
      return l10n.t('cannot be told');
    case 'allow':
    case 'ask':
    case 'deny':
      return formatEffect(effect);
    default:
      return assertNever(effect);
  }
}
