import { PatternTime } from '../bounds/patterns';
import type { ExpectedError, Expectation } from './callFile';
import {
  slowFailures,
  type ExpectationContext,
  type ExpectationFailure,
  type ProtocolError,
} from './expectations';
import { jsonText } from './expectedValues';

const patternMs = 500;
/** A pattern is matched against the beginning of a longer message. */
const maxMessageChars = 64 * 1024;

/** Returns all expectations that the error does not meet. Empty if the call passed. */
export function checkExpectedError(
  expectation: Expectation,
  expected: ExpectedError,
  error: ProtocolError,
  durationMs: number,
  redact?: ExpectationContext['redact'],
): readonly ExpectationFailure[] {
  const actual = shownText(`${error.code ?? ''} ${error.message}`.trim(), redact);
  const failures: ExpectationFailure[] = [];
  if (expected.code !== undefined && expected.code !== error.code) {
    const code = String(expected.code);
    failures.push({ code: 'protocolError', pointer: '/error/code', expected: code, actual });
  }
  if (expected.message !== undefined && expected.message !== error.message) {
    const message = shownText(expected.message, redact);
    failures.push({ code: 'protocolError', pointer: '/error/message', expected: message, actual });
  }
  return [
    ...failures,
    ...patternFailures(expected, error, actual),
    ...slowFailures(expectation, { durationMs }),
  ];
}

function patternFailures(
  { pattern }: ExpectedError,
  { message }: ProtocolError,
  actual: string,
): readonly ExpectationFailure[] {
  if (pattern === undefined) return [];
  const verdict = new PatternTime(patternMs).test(pattern, message.slice(0, maxMessageChars));
  if (verdict === true) return [];
  const code = verdict === undefined ? 'patternStopped' : 'protocolErrorPattern';
  return [{ code, pointer: '/error/matches', expected: pattern.source, actual }];
}

/** Formats like a JSON string of an answer, without quotation marks. */
function shownText(text: string, redact: ExpectationContext['redact']): string {
  return jsonText(text, redact).replaceAll(/^"|"$/g, '');
}
