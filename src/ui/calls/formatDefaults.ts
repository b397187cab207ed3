import * as l10n from '@vscode/l10n';
import { planFields } from '../../core/arguments/inputFields';
import type { QuestionAnswer } from '../../core/callFiles/callFile';
import { fromPointerStep } from '../../core/json/jsonPointer';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { ServerDefault } from '../../core/schema/schemaDefaults';
import { visibleText } from '../../core/visibleText';
import type { CallQuestion } from '../../host/calls/call';
import { unnamedSentence } from '../format/formatArguments';

const maxPlaceChars = 80;

/** Maximum number and length of the defaults that are shown. */
interface LeftOutLimits {
  readonly lines: number;
  /** Maximum number of characters of one default. */
  readonly chars: number;
}

/** Heading of the defaults for properties that the schema requires and the arguments omit. */
export function defaultsHeading(): string {
  return l10n.t('Left out; the server uses its own default');
}

/** One line for each default. Defaults of secrets are not shown. */
export function defaultLines({ defaults = [] }: CallQuestion, limits: LeftOutLimits): string[] {
  const lines = defaults.slice(0, limits.lines).map((one) => defaultLine(one, limits.chars));
  const rest = defaults.length - lines.length;
  return rest === 0 ? lines : [...lines, l10n.t('… {0} more: Review', rest)];
}

/** Explains why no arguments are sent to a tool whose schema does not say that it takes none. */
export function unnamedLine({ arguments: given = {}, entry }: CallQuestion): string[] {
  const isUnnamed = planFields(entry.tool.inputSchema).kind === 'unnamed';
  return isUnnamed && Object.keys(given).length === 0 ? [unnamedSentence()] : [];
}

function defaultLine({ pointer, value, isSecret }: ServerDefault, maxChars: number): string {
  const place = pointer.slice(1).split('/').map(fromPointerStep).join(' › ');
  const shown = isSecret === true ? l10n.t('hidden') : stringifyExactly(value);
  return `${visibleText(place, maxPlaceChars)}: ${visibleText(shown, maxChars)}`;
}

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
