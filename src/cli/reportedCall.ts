import { lineNumberAt } from '../host/configuration/jsonTree';
import { beginningOf } from '../core/content/textKind';
import { type FileCall, type ToolFileCall, calledName } from '../core/callFiles/callFile';
import type { ReadCallFile } from '../core/callFiles/parseCallFile';
import type { McpErrorCode } from '../core/errors';
import type { AttemptedCall, TestResult } from '../core/testing/runTests';
import type { CallOutcome } from '../host/calls/call';
import type { CliOutput } from './cliOutput';
import { errorMessage } from './errorMessage';
import { failureReason } from './failureMessages';
import type { ReportedCall } from './reporters/report';
import type { FilledCall } from '../core/callFiles/callVariables';
import { toAttempt } from '../host/callFiles/fileCalls';
import type { CliSession } from './cliSession';
import { valuesSentence } from './denialMessages';

/** The length of the server's text in a report. */
const maxSaidChars = 10_000;
/** Secrets are looked for in this length before the text is cut. */
const maxRedactedChars = 64 * 1024;

type Redact = CliOutput['redact'];

/** Turns the outcome of a call into the form of a test run; `hint` adds a sentence about the tool. */
export function toMadeCall(
  { server, target }: ToolFileCall,
  outcome: Exclude<CallOutcome, { kind: 'denied' }>,
  redact: Redact,
  hint: (code: McpErrorCode) => string,
): AttemptedCall {
  if (outcome.kind !== 'failed') return toAttempt(outcome, 'Cancelled.');
  const { error, violations } = outcome;
  const [first] = violations;
  const why = first === undefined ? '' : ` ${`${first.pointer} ${first.message}`.trim()}`;
  const message = `"${target.name}" of "${server}": ${errorMessage(error, redact)}${why}${hint(error.code)}`;
  return toAttempt(outcome, message);
}

/** Turns one result into the form of reports. */
export function reportOf(
  result: TestResult,
  text: string,
  { placeOf }: ReadCallFile,
  redact: Redact,
): Omit<ReportedCall, 'file' | 'startedAt'> {
  const { call, status, failures, message, needs, unprepared, durationMs, tries } = result;
  const needed =
    needs === undefined ? [] : [`It needs the result of "${needs}", which is missing.`];
  const prepared =
    unprepared === undefined ? [] : [`"${unprepared}", which comes before it, did not pass.`];
  const sentences = [...needed, ...prepared, ...(message === undefined ? [] : [message])];
  return {
    line: lineNumberAt(text, placeOf(call.pointer).offset),
    name: calledName(call),
    server: call.server,
    [call.target.kind]: call.target.name,
    status,
    durationMs,
    ...(tries === undefined ? {} : { tries }),
    ...(result.isUpdated === true ? { isUpdated: true } : {}),
    reasons: [
      ...sentences.map((sentence) => ({ sentence })),
      ...failures.map((failure) => failureReason(failure, redact)),
    ],
    ...saidIn(result, redact),
  };
}

/** Returns the server's text for calls that did not pass. */
function saidIn({ status, result }: TestResult, redact: Redact): Pick<ReportedCall, 'said'> {
  if (status === 'passed' || result === undefined) return {};
  const texts = result.content.flatMap((block) =>
    block.type === 'text' ? [beginningOf(block.text, maxRedactedChars)] : [],
  );
  const said = redact(texts.join('\n').slice(0, maxRedactedChars)).slice(0, maxSaidChars);
  return said === '' ? {} : { said };
}

export function isFailed({ status }: ReportedCall): boolean {
  return status === 'failed' || status === 'errored';
}

interface ReadMakingOptions {
  readonly session: Pick<CliSession, 'read'>;
  readonly output: CliOutput;
  /** The read may run for a while after the run was cancelled. */
  readonly isCleanUp: boolean;
}

/**
 * Reads the resource or the prompt of a call. It is denied when it takes values that the file chose
 * and the user did not name; no rule is about reading. Never rejects.
 */
export async function readForTest(
  { server, timeoutMs }: FileCall,
  { target, value, expect, fileValues }: Extract<FilledCall, { kind: 'filled' }>,
  { session, output, isCleanUp }: ReadMakingOptions,
): Promise<{ readonly made: AttemptedCall; readonly isDenied: boolean }> {
  if (fileValues.length > 0) {
    return { made: { kind: 'skipped', message: valuesSentence(fileValues) }, isDenied: true };
  }
  const outcome = await session.read(server, { target, value, timeoutMs }, isCleanUp);
  const message =
    outcome.kind === 'failed'
      ? `${target.kind} "${target.name}" of "${server}": ${errorMessage(outcome.error, output.redact)}`
      : 'Cancelled.';
  return { made: { ...toAttempt(outcome, message), expect }, isDenied: false };
}
