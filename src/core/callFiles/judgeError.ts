import { PatternTime } from '../bounds/patternTime';
import type { McpError } from '../errors';
import type { ExpectedError, Expectation } from './callFile';
import type { Failure, JudgingTools } from './expectations';
import { jsonText } from './expectedValues';
import { beginningOf } from '../content/textData';
import type { SchemaViolation, ToolResult } from '../types';

const patternMs = 500;
/** A pattern is matched against the beginning of a longer message. */
const maxMatchedChars = 64 * 1024;

/** A JSON-RPC error that came instead of an answer. */
export interface ProtocolError {
  /** Absent if the server sent no number. */
  readonly code?: number;
  /** Untrusted: text of the server. */
  readonly message: string;
}

/**
 * Returns the error as the server sent it, or `undefined` if the call failed for another reason.
 */
export function protocolErrorOf({ code, facts }: McpError): ProtocolError | undefined {
  if (code !== 'serverError') return undefined;
  const { rpcCode, detail = '' } = facts;
  return { message: detail, ...(rpcCode === undefined ? {} : { code: rpcCode }) };
}

/** Returns all expectations that the error does not meet. Empty if the call passed. */
export function judgeError(
  expectation: Expectation,
  expected: ExpectedError,
  error: ProtocolError,
  durationMs: number,
  redact?: JudgingTools['redact'],
): readonly Failure[] {
  const actual = shownText(`${error.code ?? ''} ${error.message}`.trim(), redact);
  const failures: Failure[] = [];
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
): readonly Failure[] {
  if (pattern === undefined) return [];
  const verdict = new PatternTime(patternMs).test(pattern, message.slice(0, maxMatchedChars));
  if (verdict === true) return [];
  const code = verdict === undefined ? 'patternStopped' : 'protocolErrorPattern';
  return [{ code, pointer: '/error/matches', expected: pattern.source, actual }];
}

/** Formats like a JSON string of an answer, without quotation marks. */
function shownText(text: string, redact: JudgingTools['redact']): string {
  return jsonText(text, redact).replaceAll(/^"|"$/g, '');
}

const maxToldViolations = 5;
/** Limits the part of an error text that is shown. */
const maxErrorChars = 1_000;
/** Limits the part of an error text that is searched for secrets before it is cut. */
const maxRedactedChars = 64 * 1024;

interface OutcomeFailure {
  readonly code: 'isError' | 'isNoError' | 'outputSchema' | 'outputMissing' | 'noViolation';
  readonly pointer: string;
  readonly detail?: string;
}

/** Checks whether the tool reported an error as expected. */
export function errorFailures(
  { isError = false }: Expectation,
  result: ToolResult,
  redact = (text: string): string => text,
): readonly OutcomeFailure[] {
  if (result.isError === isError) return [];
  const pointer = '/isError';
  if (isError) return [{ code: 'isNoError', pointer }];
  const texts = result.content.flatMap((block) =>
    block.type === 'text' ? [beginningOf(block.text, maxRedactedChars)] : [],
  );
  const said = redact(texts.join('\n').slice(0, maxRedactedChars)).slice(0, maxErrorChars).trim();
  return [{ code: 'isError', pointer, ...(said === '' ? {} : { detail: said }) }];
}

/** Checks the duration of the call. */
export function slowFailures(
  { underMs }: Expectation,
  { durationMs }: { readonly durationMs: number },
): readonly { code: 'slow'; pointer: string; expected: string; actual: string }[] {
  if (underMs === undefined || durationMs < underMs) return [];
  const [expected, actual] = [String(underMs), String(durationMs)];
  return [{ code: 'slow', pointer: '/under', expected, actual }];
}

/**
 * Checks the answer against the tool's `outputSchema`.
 * @param violations Empty if structured content is missing, absent if there is no violation.
 */
export function outputFailures(
  { schemaViolations = false }: Expectation,
  violations: readonly SchemaViolation[] | undefined,
): readonly OutcomeFailure[] {
  const pointer = '/schemaViolations';
  if (violations === undefined) return schemaViolations ? [{ code: 'noViolation', pointer }] : [];
  if (schemaViolations) return [];
  if (violations.length === 0) return [{ code: 'outputMissing', pointer }];
  const told = violations.slice(0, maxToldViolations);
  const detail = told.map(({ pointer: at, message }) => `${at} ${message}`.trim()).join('; ');
  return [{ code: 'outputSchema', pointer, detail }];
}
