import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { FilterAnswer, FilterSummary } from '../../core/stdio/filterProcess';
import { visibleText } from '../../core/visibleText';
import { quoted } from './sentences';

const maxBesideChars = 20;
const maxDetailChars = 300;

/** Returns what a filter selects, or why it selects nothing. */
export function formatFilterAnswer(answer: FilterAnswer, expression: string): string {
  switch (answer.kind) {
    case 'selected':
      return formatSummary(answer.summary);
    case 'syntax':
      return l10n.t(
        'Character {0}: “{1}” is not expected here: {2}',
        answer.at + 1,
        quoted(answer.token),
        placeIn(expression, answer.at),
      );
    case 'unknownFunction':
      return l10n.t(
        'Character {0}: there is no function “{1}”.',
        answer.at + 1,
        quoted(answer.name),
      );
    case 'failed':
      return l10n.t(
        'The filter does not fit this JSON: “{0}”',
        visibleText(answer.detail, maxDetailChars),
      );
    case 'nothing':
    case 'incomplete':
    case 'notPointer':
    case 'tooLong':
    case 'notJson':
    case 'time':
    case 'memory':
    case 'output':
      return reasons()[answer.kind];
    default:
      return assertNever(answer);
  }
}

type Reason = Exclude<FilterAnswer['kind'], 'selected' | 'syntax' | 'unknownFunction' | 'failed'>;

function reasons(): Readonly<Record<Reason, string>> {
  return {
    nothing: l10n.t('The filter selects nothing.'),
    incomplete: l10n.t('The filter is incomplete.'),
    notPointer: l10n.t(
      'This is not a JSON pointer: a ~ is written as ~0, and a / in a name as ~1.',
    ),
    tooLong: l10n.t('The filter is too long.'),
    notJson: l10n.t('This is not valid JSON.'),
    time: l10n.t('The filter takes too long.'),
    memory: l10n.t('The filter needs too much memory.'),
    output: l10n.t('The filter selects too much.'),
  };
}

function formatSummary(summary: FilterSummary): string {
  switch (summary.kind) {
    case 'list':
      return l10n.t('Selects a list. Items: {0}', summary.count);
    case 'object':
      return l10n.t('Selects an object. Members: {0}', summary.count);
    case 'text':
      return l10n.t('Selects a text. Characters: {0}', summary.count);
    case 'value':
      return l10n.t('Selects {0}', summary.json);
    default:
      return assertNever(summary);
  }
}

/** Marks a place in the filter, with a few characters around it. */
function placeIn(expression: string, at: number): string {
  const before = expression.slice(Math.max(0, at - maxBesideChars), at);
  const after = expression.slice(at, at + maxBesideChars);
  return `${visibleText(before, maxBesideChars)}▸${visibleText(after, maxBesideChars)}`;
}
