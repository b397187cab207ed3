import * as l10n from '@vscode/l10n';
import type { WeighedCall } from '../../../host/consent/facts/weighedCall';
import { toMatch } from '../../../host/consent/rules/matchRules';
import type { RuleMatches } from '../../../host/consent/rules/ruleMatches';
import { formatLevel } from '../../format/formatRisk';
import { formatEffect, formatRule } from '../../format/formatRule';
import { quoted } from '../../format/sentences';

/** So many of the newest for each rule. */
const maxShown = 5;

/** The document that lists, rule by rule, which past calls each fits. */
export function ruleMatchesText(matches: readonly RuleMatches[], looked: number): string {
  return `${[
    l10n.t('What rules matched lately'),
    '',
    l10n.t('Past calls looked at: {0}', looked),
    ...(matches.length === 0 ? ['', l10n.t('There are no rules.')] : []),
    ...matches.flatMap((each) => ['', ...ruleLines(each)]),
  ].join('\n')}\n`;
}

function ruleLines({ rule, calls, unclear }: RuleMatches): string[] {
  const newest = calls.slice(0, maxShown);
  return [
    formatRule(toMatch(rule)),
    `    ${l10n.t('Calls: {0}', calls.length)}`,
    ...newest.map((call) => `    ${callLine(call)}`),
    ...(unclear === 0
      ? []
      : [`    ${l10n.t('Cannot be told, because no arguments were recorded: {0}', unclear)}`]),
  ];
}

function callLine({ at, tool, server, risk, decision }: WeighedCall): string {
  const time = new Date(at).toISOString();
  const level = formatLevel(risk.level);
  return l10n.t(
    '{0}  “{1}” on “{2}” ({3}): {4}',
    time,
    quoted(tool),
    quoted(server),
    level,
    formatEffect(decision),
  );
}
