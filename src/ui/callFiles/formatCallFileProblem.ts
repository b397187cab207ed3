import * as l10n from '@vscode/l10n';
import { type CallFileProblem, maxAnswers } from '../../core/callFiles/callFile';
import type { ExpectationFailure } from '../../core/callFiles/expectations';
import { maxCalls, timeoutBoundsMs } from '../../core/callFiles/parseCallFile';
import { maxUnderMs } from '../../core/callFiles/parseExpectation';
import { assertNever } from '../../core/errors';
import { fromPointerStep } from '../../core/json/jsonPointer';
import { visibleText } from '../../core/visibleText';
import { textProblemSentence } from '../arguments/argumentProblems';
import { quoted } from '../format/sentences';

/** Formats a problem of a call file as a sentence. */
export function problemSentence({ code, detail, nearest, ...place }: CallFileProblem): string {
  const name = quoted(detail);
  switch (code) {
    case 'syntax':
    case 'duplicateName':
    case 'tooDeep':
      return textProblemSentence({ code, ...place, ...(detail === undefined ? {} : { detail }) });
    case 'notAnObject':
      return l10n.t('A call file must be a JSON object: a call, or "calls" with a name for each.');
    case 'tooLarge':
      return l10n.t('The file is too large for a call file.');
    case 'tooManyCalls':
      return l10n.t('The file has more than {0} calls.', maxCalls);
    case 'empty':
      return l10n.t('The file has no calls yet.');
    case 'unknownKey':
      return nearest === undefined
        ? l10n.t('Unknown key “{0}”.', name)
        : l10n.t('Unknown key “{0}”. Did you mean “{1}”?', name, nearest);
    case 'missingKey':
      return l10n.t('“{0}” is missing.', name);
    case 'mixed':
      return l10n.t('Move “{0}” into a call in "calls".', name);
    case 'notAnObjectHere':
      return l10n.t('“{0}” must be a JSON object.', name);
    case 'notAText':
      return l10n.t('“{0}” must be a string.', name);
    case 'notABoolean':
      return l10n.t('“{0}” must be true or false.', name);
    case 'notASchema':
      return l10n.t('A JSON schema must be an object, true or false.');
    case 'badTimeout': {
      const { minimum, maximum } = timeoutBoundsMs;
      return l10n.t(
        'A time limit must be an integer in milliseconds, from {0} to {1}.',
        minimum,
        maximum,
      );
    }
    case 'badPointer':
      return l10n.t(
        '“{0}” is not a JSON pointer into a result, such as /content, /structuredContent or /isError.',
        name,
      );
    case 'badPattern':
      return l10n.t('“{0}” is not a regular expression, or takes too long.', name);
    case 'badCount':
      return l10n.t('A count must be an integer, or an object with "least", "most" or both.');
    case 'badErrorCode':
      return l10n.t('An error code must be an integer, such as -32602.');
    case 'badSend':
      return l10n.t('“send” can only be "asIs".');
    case 'severalTargets':
      return l10n.t('Use only one of "tool", "resource" and "prompt".');
    case 'onlyForTools':
      return l10n.t('“{0}” can only be used for tool calls.', name);
    case 'notWithError':
      return l10n.t('“{0}” describes a result, but an error is expected.', name);
    case 'notAnswers':
      return l10n.t('"answers" must be a list of objects with "question", "action" and "content".');
    case 'tooManyAnswers':
      return l10n.t('The file has more than {0} answers.', maxAnswers);
    case 'badAction':
      return l10n.t('An action must be "accept", "decline" or "cancel".');
    case 'badDuration':
      return l10n.t('The value must be an integer in milliseconds, from 1 to {0}.', maxUnderMs);
    case 'badFile':
      return l10n.t('“{0}” is not a relative path to a file, such as "answers/list.json".', name);
    case 'notAnAnswer':
      return l10n.t('A result must be a JSON object, or the path of a file that contains one.');
    case 'notAList':
      return l10n.t('“{0}” must be a list of strings.', name);
    case 'openVariable':
      return l10n.t('This variable has no closing brace. Write $${ for a literal “${”.');
    case 'unknownVariable':
      return l10n.t('The variable {0} does not exist. Write $${ for a literal “${”.', name);
    case 'badVariable':
      return l10n.t('The variable {0} is incomplete.', name);
    case 'badGenerated':
      return l10n.t(
        'No value can be generated for {0}. Examples: {1}.',
        name,
        '${uuid}, ${now:date +1d}, ${random:1..6}, ${random:text 8}',
      );
    case 'unknownCall':
      return l10n.t('The file has no call “{0}”.', name);
    case 'laterCall':
      return l10n.t('The call “{0}” must come before this one.', name);
    default:
      return assertNever(code);
  }
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
