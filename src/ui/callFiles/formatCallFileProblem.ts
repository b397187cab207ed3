import * as l10n from '@vscode/l10n';
import type { CallFileProblem } from '../../core/callFiles/callFile';
import type { ExpectationFailure } from '../../core/callFiles/expectations';
import { assertNever } from '../../core/errors';
import { fromPointerStep } from '../../core/json/jsonPointer';
import { visibleText } from '../../core/visibleText';
import { formatCallFileProblem } from '../../texts/jsonTextProblems';
import { quoted } from '../format/sentences';

/** Formats a problem of a call file as a sentence. */
export function problemSentence(problem: CallFileProblem): string {
  return formatCallFileProblem(problem, quoted);
}

const maxValueChars = 100;

/** Formats a failed expectation as a sentence; server text is shortened and shown as plain text. */
export function failureSentence({
  code,
  expected,
  actual,
  detail,
  pointer,
}: ExpectationFailure): string {
  const [wanted, is] = [expected, actual].map((text) => visibleText(text ?? '', maxValueChars));
  const place = [wanted ?? '', is ?? '', formatPlace(pointer)] as const;
  switch (code) {
    case 'isError':
      return detail === undefined
        ? l10n.t('The tool reported an error without a text.')
        : l10n.t('The tool reported an error: {0}', quoted(detail));
    case 'isNoError':
      return l10n.t('Expected an error from the tool, but it reported none.');
    case 'outputSchema':
      return l10n.t('The result breaks the tool’s output schema: {0}', quoted(detail));
    case 'outputMissing':
      return l10n.t('The tool has an output schema, but returned no structured content.');
    case 'noViolation':
      return l10n.t('Expected a result that breaks the tool’s output schema, but it matches.');
    case 'noProtocolError':
      return l10n.t('Expected an error instead of a result, but the tool returned a result.');
    case 'protocolError':
      return l10n.t('Expected error {0}, but got {1}.', ...place);
    case 'protocolErrorPattern':
      return l10n.t('Expected an error that matches {0}, but got {1}.', ...place);
    case 'unanswered':
      return l10n.t('The call has no answer for this question: {0}', quoted(actual));
    case 'browserQuestion':
      return l10n.t('The server asked to open a web page: {0}', quoted(actual));
    case 'crossedQuestion':
      return l10n.t(
        'The server asked a question while several calls were running: {0}',
        quoted(actual),
      );
    case 'answerMisfit':
      return l10n.t('The answer to “{0}” is not valid: {1}', quoted(actual), quoted(detail));
    case 'noStructuredContent':
      return l10n.t('Expected structured content, but there is none.');
    case 'schema':
      return l10n.t('The structured content does not match: {0}', quoted(detail));
    case 'schemaUnusable':
      return l10n.t('The schema is not valid: {0}', quoted(detail));
    case 'value':
      return l10n.t('Expected {0}, but got {1}.', ...place);
    case 'missing':
      return l10n.t('Expected {0}, but there is nothing at {2}.', ...place);
    case 'contains':
      return l10n.t('Expected it to contain {0}, but got {1}.', ...place);
    case 'matches':
      return l10n.t('Expected a match for {0}, but got {1}.', ...place);
    case 'patternStopped':
      return l10n.t('Unknown: the pattern {0} took too long.', ...place);
    case 'count':
      return l10n.t('Expected {0} at {2}, but got {1}.', ...place);
    case 'uncountable':
      return l10n.t('Expected {0} at {2}, but {1} has no items to count.', ...place);
    case 'slow':
      return l10n.t('Expected a result in less than {0} ms, but it took {1} ms.', ...place);
    case 'annotation':
      return annotationSentence(quoted(detail), place, actual !== undefined);
    case 'answer':
      return l10n.t('The result differs from the expected one.');
    case 'fileMissing':
      return l10n.t('The file “{0}” does not exist.', quoted(detail));
    case 'fileOutside':
      return l10n.t('“{0}” is not read because it is outside the open folders.', quoted(detail));
    case 'fileTooLarge':
      return l10n.t('The file “{0}” is too large to compare.', quoted(detail));
    case 'fileUnreadable':
      return l10n.t('The file “{0}” cannot be read.', quoted(detail));
    case 'fileNotJson':
      return l10n.t('The file “{0}” does not contain the required JSON.', quoted(detail));
    default:
      return assertNever(code);
  }
}

function annotationSentence(
  name: string,
  [wanted, is]: readonly [string, string, string],
  isDeclared: boolean,
): string {
  return isDeclared
    ? l10n.t('Expected the tool to declare {0} {1}, but it declares {2}.', name, wanted, is)
    : l10n.t('Expected the tool to declare {0} {1}, but it declares nothing.', name, wanted);
}

/** Formats the pointer into the result, taken from the pointer into `expect`. */
function formatPlace(pointer: string): string {
  const step = pointer.split('/').at(-1) ?? '';
  return quoted(fromPointerStep(step));
}
