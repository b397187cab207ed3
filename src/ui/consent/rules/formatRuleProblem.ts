import * as l10n from '@vscode/l10n';
import { assertNever } from '../../../core/errors';
import { maxGlobChars } from '../../../host/consent/rules/glob';
import type { RuleOutcome, RuleProblem } from '../../../host/consent/rules/rule';
import { formatRulePlace } from '../../format/formatRule';
import { quoted } from '../../format/sentences';

/** What is wrong at the place, and what the rule does because of it. */
export function ruleProblemSentence(problem: RuleProblem): string {
  const sentence = formatRuleProblem(problem);
  // It says so itself.
  if (problem.outcome === undefined || problem.code === 'allowIgnored') return sentence;
  return `${sentence} ${formatRuleOutcome(problem.outcome)}`;
}

function formatRuleProblem({ code, detail, winner }: RuleProblem): string {
  switch (code) {
    case 'notAList':
      return l10n.t('A list of rules is expected here.');
    case 'tooManyRules':
      return l10n.t('Only {0} rules are read here.', quoted(detail));
    case 'notAnObject':
      return l10n.t('A rule is an object such as {0}.', '{ "effect": "ask", "tool": "delete_*" }');
    case 'unknownKey':
      return l10n.t('The key “{0}” is unknown.', quoted(detail));
    case 'invalidEffect':
      return l10n.t('The effect of a rule is "allow", "ask" or "deny".');
    case 'invalidGlob':
      return l10n.t(
        'A name, or a pattern with * and ?, is expected here, of at most {0} characters.',
        maxGlobChars,
      );
    case 'invalidRisk':
      return l10n.t('Levels of risk are "readOnly", "additive" and "destructive", at least one.');
    case 'invalidOrigin':
      return l10n.t('Callers are "person", "extension" and "agent", at least one.');
    case 'invalidWhen':
      return l10n.t('At least one place in the arguments is expected here, with its conditions.');
    case 'invalidPointer':
      return l10n.t(
        '“{0}” is not a JSON pointer, such as "/path" or "/items/*/url".',
        quoted(detail),
      );
    case 'invalidCondition':
      return l10n.t('This is not the form that the condition has.');
    case 'invalidRegex':
      return l10n.t(
        'This is no regular expression, or one that is very long or has very many choices.',
      );
    case 'slowRegex':
      return l10n.t(
        'This pattern took too long and was stopped. The rule then never allows, but asks or denies.',
      );
    case 'invalidHost':
      return l10n.t(
        'This is no host. Write it without scheme and path, such as "example.com" or "*.example.com".',
      );
    case 'invalidReason':
      return l10n.t('The reason is a text.');
    case 'allowIgnored':
      return l10n.t(
        'Ignored: only your own user settings can allow calls. Move the rule there to use it.',
      );
    case 'neverWins':
      return winner === undefined
        ? l10n.t('This rule never counts: a stricter one fits the same calls.')
        : l10n.t(
            'This rule never counts. The same calls meet a stricter one: {0}.',
            formatRulePlace(winner),
          );
    case 'noSuchServer':
      return l10n.t('No configured server has a name that fits “{0}”.', quoted(detail));
    case 'noSuchTool':
      return l10n.t('No tool of the servers that run has a name that fits “{0}”.', quoted(detail));
    case 'noSuchArgument':
      return l10n.t('No tool that the rule fits takes an argument at “{0}”.', quoted(detail));
    default:
      return assertNever(code);
  }
}

function formatRuleOutcome(outcome: RuleOutcome): string {
  switch (outcome) {
    case 'neverAllows':
      return l10n.t('Until it is corrected, the rule allows nothing.');
    case 'fitsMore':
      return l10n.t('Until it is corrected, the rule counts without this part, so it fits more.');
    case 'deniesInstead':
      return l10n.t('Until it is corrected, it denies every call that the rest of it fits.');
    case 'asksAlways':
      return l10n.t('Until it is corrected, you are asked about every call.');
    default:
      return assertNever(outcome);
  }
}
