import type { CallFileProblem } from '../core/callFiles/callFile';
import type { ExpectationFailure } from '../core/callFiles/expectations';
import { toName } from '../core/json/jsonPointer';
import { visibleText } from '../core/visibleText';
import { inLine } from './errorMessage';
import type { ReportedReason } from './reporters/report';

const maxShownChars = 200;

/**
 * Describes a failure in sentences. Server text is redacted, then shortened and shown as plain
 * text.
 */
export function failureMessages(
  { code, expected = '', actual, detail = '', pointer }: ExpectationFailure,
  redact: (text: string) => string,
): string {
  const wanted = visibleText(redact(expected), maxShownChars);
  const is = visibleText(redact(actual ?? ''), maxShownChars);
  const named = inLine(redact(detail));
  const at = inLine(redact(toName(pointer.split('/').at(-1) ?? '')));
  const words: Readonly<Record<ExpectationFailure['code'], string>> = {
    isError: `The tool reported an error${named === '' ? ' without a text.' : `: ${named}`}`,
    isNoError: 'Expected an error from the tool, but it reported none.',
    outputSchema: `The answer breaks the tool's output schema: ${named}`,
    outputMissing: 'The tool has an output schema, but returned no structured content.',
    noViolation: "Expected a result that breaks the tool's output schema, but it matches.",
    ...otherMessages(wanted, is, named),
    noStructuredContent: 'Expected structured content, but there is none.',
    schema: `The structured content does not fit: ${named}`,
    schemaUnusable: `This schema cannot be used: ${named}`,
    value: `Expected ${wanted} at ${at}, but got ${is}.`,
    missing: `Expected ${wanted} at ${at}, but there is nothing.`,
    contains: `Expected ${wanted} in ${at}, but got ${is}.`,
    matches: `Expected a match for ${wanted} at ${at}, but got ${is}.`,
    patternStopped: `The pattern ${wanted} took too long, so nothing is known.`,
    count: `Expected ${wanted} at ${at}, but got ${is}.`,
    uncountable: `Expected ${wanted} at ${at}, but ${is} has no items to count.`,
    slow: `Expected a result in less than ${wanted} ms, but it took ${is} ms.`,
    annotation: `Expected the tool to declare ${named} ${wanted}, but it declares ${actual === undefined ? 'nothing' : is}.`,
    answer: 'The result differs from the expected one.',
    fileMissing: `There is no file ${named}.`,
    fileOutside: `${named} is not below this folder, so it is not read.`,
    fileTooLarge: `${named} is too large to be compared with.`,
    fileUnreadable: `${named} cannot be read.`,
    fileNotJson: `${named} does not hold the JSON that is needed here.`,
  };
  return words[code];
}

/** The expected and the actual state, for expectations that compare no values. */
const states: Partial<Readonly<Record<ExpectationFailure['code'], readonly [string, string?]>>> = {
  isError: ['false', 'true'],
  isNoError: ['true', 'false'],
  outputSchema: ['false', 'true'],
  outputMissing: ['false', 'true'],
  noViolation: ['true', 'false'],
  noStructuredContent: ['structured content'],
};

/** Turns a failure into the form of reports, for people and programs. */
export function failureReason(
  failure: ExpectationFailure,
  redact: (text: string) => string,
): ReportedReason {
  const { code, pointer, detail } = failure;
  const isSchema = code === 'schema' || code === 'schemaUnusable';
  const [expected, actual] = states[code] ?? [
    failure.expected ?? (isSchema ? 'valid' : undefined),
    failure.actual ?? (isSchema ? detail : undefined),
  ];
  return {
    sentence: failureMessages(failure, redact),
    place: pointer,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
  };
}

type CodeBesideAnswer =
  | 'noProtocolError'
  | 'protocolError'
  | 'protocolErrorPattern'
  | 'unanswered'
  | 'browserQuestion'
  | 'crossedQuestion'
  | 'answerMisfit';

/** Sentences about errors of the protocol and questions of the server. */
function otherMessages(
  wanted: string,
  is: string,
  named: string,
): Readonly<Record<CodeBesideAnswer, string>> {
  return {
    noProtocolError: 'Expected an error instead of a result, but the tool returned a result.',
    protocolError: `Expected error ${wanted}, but got ${is}.`,
    protocolErrorPattern: `Expected an error that matches ${wanted}, but got ${is}.`,
    unanswered: `The call has no answer for this question: ${is}`,
    browserQuestion: `The server asked for a page to be opened in a browser, which is not done: ${is}`,
    crossedQuestion: `The server asked while it had several calls, so no call answers: ${is}`,
    answerMisfit: `The server asked "${is}", and the answer of the call does not fit: ${named}`,
  };
}

/** Describes why a call file cannot run. */
export function problemMessage({ code, detail, nearest }: CallFileProblem): string {
  const named = detail === undefined ? '' : ` (${inLine(detail)})`;
  const meant = nearest === undefined ? '' : `. Did you mean "${nearest}"?`;
  return `${problemsOfFiles[code]}${named}${meant}`;
}

const problemsOfFiles: Readonly<Record<CallFileProblem['code'], string>> = {
  syntax: 'This is not JSON',
  notAnObject: 'A call file is a JSON object: a call, or "calls" with a name for each',
  duplicateName: 'A name stands twice',
  tooDeep: 'This is nested too deeply',
  tooLarge: 'This file is too large to be a call file',
  tooManyCalls: 'There are too many calls in this file',
  empty: 'There is no call in this file yet',
  unknownKey: 'This key means nothing here',
  missingKey: 'A key is missing',
  mixed: 'This key belongs into a call of "calls"',
  notAnObjectHere: 'This must be a JSON object',
  notAText: 'This must be a text',
  notABoolean: 'This must be true or false',
  notASchema: 'A JSON schema is an object, or true or false, or the path of a file',
  badTimeout: 'This is no time limit in milliseconds',
  badPointer: 'This is no JSON pointer into a result',
  badPattern: 'This is no regular expression, or one that takes too long',
  badCount: 'A count is a whole number, or an object with "least", "most" or both',
  badErrorCode: 'The code of an error is a whole number',
  badSend: '"send" can be "asIs" alone',
  severalTargets: 'A call names one of "tool", "resource" and "prompt"',
  onlyForTools: 'This is only for calls of tools',
  notWithError: 'This is about an answer, and an error is expected in place of one',
  notAnswers: '"answers" is a list of objects with "question", "action" and "content"',
  tooManyAnswers: 'There are too many answers',
  badAction: 'An action is "accept", "decline" or "cancel"',
  badDuration: 'This is no whole number of milliseconds',
  badFile: 'This is no path from this file to another',
  notAnAnswer: 'An answer is a JSON object, or the path of a file that holds one',
  notAList: 'This must be a list of texts',
  openVariable: 'This variable has no closing brace',
  unknownVariable: 'There is no such variable',
  badVariable: 'This variable is not complete',
  badGenerated: 'Nothing can be generated for this variable',
  unknownCall: 'There is no such call in this file',
  laterCall: 'This call does not come before the one that needs it',
};
