import { l10n } from 'vscode';
import type { CallFileProblem } from '../../core/callFiles/callFile';
import type { Failure } from '../../core/callFiles/expectations';
import { maxCalls, timeoutBoundsMs } from '../../core/callFiles/parseCallFile';
import { assertNever } from '../../core/errors';
import { toName } from '../../core/json/jsonPointer';
import { visibleText } from '../../core/visibleText';
import { textProblemSentence } from '../arguments/argumentProblems';
import { quoted } from '../format/sentences';

/** Why nothing of a call file runs, as a sentence. */
export function problemSentence({ code, detail, ...place }: CallFileProblem): string {
  const name = quoted(detail);
  switch (code) {
    case 'syntax':
    case 'duplicateName':
    case 'notExact':
    case 'tooDeep':
      return textProblemSentence({ code, ...place, ...(detail === undefined ? {} : { detail }) });
    case 'notAnObject':
      return l10n.t('A call file is a JSON object: a call, or "calls" with a name for each.');
    case 'tooLarge':
      return l10n.t('This file is too large to be a call file.');
    case 'tooManyCalls':
      return l10n.t('There are more than {0} calls in this file.', maxCalls);
    case 'empty':
      return l10n.t('There is no call in this file yet.');
    case 'unknownKey':
      return l10n.t('“{0}” has no meaning here.', name);
    case 'missingKey':
      return l10n.t('“{0}” is missing.', name);
    case 'mixed':
      return l10n.t('“{0}” belongs in a call of "calls", not beside it.', name);
    case 'notAnObjectHere':
      return l10n.t('“{0}” must be a JSON object.', name);
    case 'notAText':
      return l10n.t('“{0}” must be a text.', name);
    case 'notABoolean':
      return l10n.t('“{0}” must be true or false.', name);
    case 'notASchema':
      return l10n.t('A JSON schema is an object, or true or false.');
    case 'badTimeout': {
      const { minimum, maximum } = timeoutBoundsMs;
      return l10n.t(
        'A time limit is a whole number of milliseconds from {0} to {1}.',
        minimum,
        maximum,
      );
    }
    case 'badPointer':
      return l10n.t(
        '“{0}” is not a JSON pointer into a result, such as /content, /structuredContent or /isError.',
        name,
      );
    case 'openVariable':
      return l10n.t('This variable has no closing brace. Write $${ for the characters themselves.');
    case 'unknownVariable':
      return l10n.t(
        'There is no variable {0}. Write $${ where the characters themselves are meant.',
        name,
      );
    case 'badVariable':
      return l10n.t('The variable {0} is not complete.', name);
    case 'unknownCall':
      return l10n.t('There is no call “{0}” in this file.', name);
    case 'laterCall':
      return l10n.t('The call “{0}” does not come before this one.', name);
    default:
      return assertNever(code);
  }
}

const maxValueChars = 100;

/** What a run did not bring, as a sentence; text of the server is bounded and plain. */
export function failureSentence({ code, expected, actual, detail, pointer }: Failure): string {
  const [wanted, is] = [expected, actual].map((text) => visibleText(text ?? '', maxValueChars));
  switch (code) {
    case 'isError':
      return l10n.t('Expected no error from the tool, but it reports one.');
    case 'isNoError':
      return l10n.t('Expected an error from the tool, but it reports none.');
    case 'noStructuredContent':
      return l10n.t('Expected structured content, but none came.');
    case 'schema':
      return l10n.t('The structured content does not fit: {0}', quoted(detail));
    case 'schemaUnusable':
      return l10n.t('This schema cannot be used: {0}', quoted(detail));
    case 'value':
      return l10n.t('Expected {0}, but it is {1}.', wanted ?? '', is ?? '');
    case 'missing':
      return l10n.t(
        'Expected {0}, but there is nothing at {1}.',
        wanted ?? '',
        formatPlace(pointer),
      );
    default:
      return assertNever(code);
  }
}

/** The pointer into the result, out of the one into `expect`. */
function formatPlace(pointer: string): string {
  const step = pointer.split('/').at(-1) ?? '';
  return quoted(toName(step));
}
