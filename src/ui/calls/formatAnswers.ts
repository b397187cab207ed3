import * as l10n from '@vscode/l10n';
import type { QuestionAnswer } from '../../core/callFiles/callFile';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';

const maxPatternChars = 100;

/**
 * One line for each server question that is answered without the user. Empty if the call answers
 * none.
 */
export function answerLines(
  { answers = [] }: CallQuestion,
  limits: { readonly lines: number; readonly chars: number },
): string[] {
  const lines = answers.slice(0, limits.lines).map((answer) => answerLine(answer, limits.chars));
  const more = answers.length - lines.length;
  return more > 0 ? [...lines, l10n.t('… {0} more: Review', more)] : lines;
}

export function answersHeading(): string {
  return l10n.t('Answers to server questions, given without asking you');
}

function answerLine({ question, action, content }: QuestionAnswer, maxChars: number): string {
  const given = visibleText(
    action === 'accept' ? stringifyExactly(content ?? {}) : action,
    maxChars,
  );
  return question === undefined
    ? l10n.t('Next question: {0}', given)
    : l10n.t('“{0}”: {1}', visibleText(question.source, maxPatternChars), given);
}
