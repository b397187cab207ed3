import * as l10n from '@vscode/l10n';
import type { TextProblem } from '../core/arguments/argumentsJson';
import { type CallFileProblem, maxAnswers } from '../core/callFiles/callFile';
import { maxCalls, timeoutBoundsMs } from '../core/callFiles/parseCallFile';
import { maxUnderMs } from '../core/callFiles/parseExpectation';
import { assertNever } from '../core/errors';
import { jsonSyntaxSentence } from './configProblems';

/** Shortens foreign text, and makes it safe to display. */
type Quoted = (text: string | undefined) => string;

/** Explains what is wrong with the text of an arguments document. */
export function formatTextProblem({ code, detail }: TextProblem, quoted: Quoted): string {
  switch (code) {
    case 'syntax':
      return jsonSyntaxSentence(detail) ?? l10n.t('This is not valid JSON.');
    case 'notAnObject':
      return l10n.t('Arguments are a JSON object: names and values between { and }.');
    case 'duplicateName':
      return l10n.t('Duplicate name “{0}”. Only one can be sent.', quoted(detail));
    case 'tooLarge':
      return l10n.t('Too large to open here: more than about 100,000 values or 32 Mi characters.');
    case 'tooDeep':
      return l10n.t('This is nested too deeply to read.');
    default:
      return assertNever(code);
  }
}

/** Formats a problem of a call file as a sentence. */
export function formatCallFileProblem(
  { code, detail, nearest, ...place }: CallFileProblem,
  quoted: Quoted,
): string {
  const name = quoted(detail);
  switch (code) {
    case 'syntax':
    case 'duplicateName':
    case 'tooDeep':
      return formatTextProblem(
        { code, ...place, ...(detail === undefined ? {} : { detail }) },
        quoted,
      );
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
        : l10n.t('Unknown key “{0}”. Did you mean “{1}”?', name, quoted(nearest));
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
