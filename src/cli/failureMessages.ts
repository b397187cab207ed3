import type { ExpectationFailure } from '../core/callFiles/expectations';
import { fromPointerStep } from '../core/json/jsonPointer';
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
  const at = inLine(redact(fromPointerStep(pointer.split('/').at(-1) ?? '')));
  const messages: Readonly<Record<ExpectationFailure['code'], string>> = {
    isError: `The tool reported an error${named === '' ? ' without a text.' : `: ${named}`}`,
    isNoError: 'Expected an error from the tool, but it reported none.',
    outputSchema: `The result breaks the tool's output schema: ${named}`,
    outputMissing: 'The tool has an output schema, but returned no structured content.',
    noViolation: "Expected a result that breaks the tool's output schema, but it matches.",
    ...otherMessages(wanted, is, named),
    noStructuredContent: 'Expected structured content, but there is none.',
    schema: `The structured content does not match: ${named}`,
    schemaUnusable: `This schema cannot be used: ${named}`,
    value: `Expected ${wanted} at ${at}, but got ${is}.`,
    missing: `Expected ${wanted} at ${at}, but there is nothing.`,
    contains: `Expected ${wanted} in ${at}, but got ${is}.`,
    matches: `Expected a match for ${wanted} at ${at}, but got ${is}.`,
    patternStopped: `The pattern ${wanted} took too long, so the result is unknown.`,
    count: `Expected ${wanted} at ${at}, but got ${is}.`,
    uncountable: `Expected ${wanted} at ${at}, but ${is} has no items to count.`,
    slow: `Expected a result in less than ${wanted} ms, but it took ${is} ms.`,
    annotation: `Expected the tool to declare ${named} ${wanted}, but it declares ${actual === undefined ? 'nothing' : is}.`,
    answer: 'The result differs from the expected one.',
    fileMissing: `There is no file ${named}.`,
    fileOutside: `${named} is outside this folder, so it is not read.`,
    fileTooLarge: `${named} is too large to compare.`,
    fileUnreadable: `${named} cannot be read.`,
    fileNotJson: `${named} does not contain the required JSON.`,
  };
  return messages[code];
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

/** Turns a failure into the form of text and machine-readable reports. */
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
    browserQuestion: `The server asked to open a web page, which the command line does not do: ${is}`,
    crossedQuestion: `The server asked a question while several calls were running, so none answers it: ${is}`,
    answerMisfit: `The server asked "${is}", and the answer of the call is not valid: ${named}`,
  };
}
