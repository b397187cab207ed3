import * as l10n from '@vscode/l10n';
import { assertNever } from '../../../core/errors';
import { nearestName } from '../../../core/nearestName';
import { maxGlobChars } from '../../../host/consent/rules/glob';
import {
  conditionKeys,
  ruleKeys,
  type RuleOutcome,
  type RuleProblem,
} from '../../../host/consent/rules/rule';
import { formatRulePlace } from '../../format/formatRule';
import { quoted } from '../../format/sentences';

/** Explains what is wrong, and what the rule does because of it. */
export function ruleProblemSentence(problem: RuleProblem): string {
  const sentence = formatRuleProblem(problem);
  // The sentence already says it.
  if (problem.outcome === undefined || problem.code === 'allowIgnored') return sentence;
  return `${sentence} ${formatRuleOutcome(problem.outcome)}`;
}

function formatRuleProblem({ code, detail, winner, path }: RuleProblem): string {
  switch (code) {
    case 'notAList':
      return l10n.t('A list of rules is required here.');
    case 'tooManyRules':
      return l10n.t('Only the first {0} rules are read.', quoted(detail));
    case 'notAnObject':
      return l10n.t(
        'A rule must be an object such as {0}.',
        '{ "effect": "ask", "tool": "delete_*" }',
      );
    case 'unknownKey':
      return unknownKeySentence(detail ?? '', path.length > 2 ? conditionKeys : ruleKeys);
    case 'invalidEffect':
      return l10n.t('The effect must be "allow", "ask" or "deny".');
    case 'invalidGlob':
      return l10n.t(
        'Enter a name, or a pattern with * and ?, of at most {0} characters.',
        maxGlobChars,
      );
    case 'invalidRisk':
      return l10n.t('Enter at least one of "readOnly", "additive" and "destructive".');
    case 'invalidOrigin':
      return l10n.t('Enter at least one of "person", "extension" and "agent".');
    case 'invalidWhen':
      return l10n.t('Enter at least one JSON pointer into the arguments, with conditions.');
    case 'invalidPointer':
      return l10n.t(
        '“{0}” is not a JSON pointer, such as "/path" or "/items/*/url".',
        quoted(detail),
      );
    case 'invalidCondition':
      return l10n.t('This value does not fit the condition.');
    case 'invalidRegex':
      return l10n.t('This is not a regular expression, or it is too long or too complex.');
    case 'slowRegex':
      return l10n.t(
        'This pattern took too long and was stopped. The rule never allows because of it, but asks or denies.',
      );
    case 'invalidHost':
      return l10n.t('This is not a host. Use the form "example.com" or "*.example.com".');
    case 'invalidReason':
      return l10n.t('"reason" must be a string.');
    case 'allowIgnored':
      return l10n.t('Ignored because only user settings can allow calls. Move the rule there.');
    case 'neverWins':
      return winner === undefined
        ? l10n.t('This rule has no effect: a stricter one matches the same calls.')
        : l10n.t(
            'This rule has no effect: a stricter one matches the same calls ({0}).',
            formatRulePlace(winner),
          );
    case 'noSuchServer':
      return l10n.t('No configured server matches “{0}”.', quoted(detail));
    case 'noSuchTool':
      return l10n.t('No tool of the running servers matches “{0}”.', quoted(detail));
    case 'noSuchArgument':
      return l10n.t('No tool that the rule matches has an argument at “{0}”.', quoted(detail));
    default:
      return assertNever(code);
  }
}

function formatRuleOutcome(outcome: RuleOutcome): string {
  return {
    neverAllows: l10n.t('Until you correct it, the rule does not allow any call.'),
    fitsMore: l10n.t('Until you correct it, this part is ignored, so the rule matches more calls.'),
    deniesInstead: l10n.t('Until you correct it, every call that matches the rest is denied.'),
    asksAlways: l10n.t('Until you correct it, you are asked about every call.'),
  }[outcome];
}

function unknownKeySentence(key: string, known: readonly string[]): string {
  const meant = nearestName(key, known);
  return meant === undefined
    ? l10n.t('Unknown key “{0}”.', quoted(key))
    : l10n.t('Unknown key “{0}”. Did you mean “{1}”?', quoted(key), meant);
}
