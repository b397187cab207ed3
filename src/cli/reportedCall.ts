import { beginningOf } from '../core/content/textData';
import { calledName, type ToolFileCall } from '../core/callFiles/callFile';
import { protocolErrorOf } from '../core/callFiles/judgeError';
import type { ReadCallFile } from '../core/callFiles/parseCallFile';
import { assertNever } from '../core/errors';
import type { MadeCall, TestResult } from '../core/testing/runTests';
import { toAnswer, type CallOutcome } from '../host/calls/call';
import type { CliOutput } from './cliOutput';
import { errorMessage } from './errorMessage';
import { failureReason } from './failureMessages';
import type { ReportedCall } from './reporters/report';

/** How much of the text of an answer stands in a report. */
const maxSaidChars = 10_000;
/** How much of it is searched for secrets before it is cut. */
const maxRedactedChars = 64 * 1024;

type Redact = CliOutput['redact'];

/** What a call brought, as a run of tests takes it; `near` suggests another tool. */
export function toMadeCall(
  { server, target }: ToolFileCall,
  outcome: Exclude<CallOutcome, { kind: 'denied' }>,
  redact: Redact,
  near: () => string,
): MadeCall {
  const { durationMs, callId } = outcome;
  const known = callId === undefined ? {} : { callId };
  switch (outcome.kind) {
    case 'cancelled':
      return { kind: 'skipped', words: 'Cancelled.', ...known };
    case 'failed': {
      const { error, violations } = outcome;
      const [first] = violations;
      const why = first === undefined ? '' : ` ${first.pointer} ${first.message}`;
      const meant = error.code === 'unknownTool' ? near() : '';
      const words = `"${target.name}" of "${server}": ${errorMessage(error, redact)}${why}${meant}`;
      const protocolError = protocolErrorOf(error);
      return { kind: 'errored', words, durationMs, protocolError, ...known };
    }
    case 'result':
    case 'toolError':
      return { kind: 'answered', answer: toAnswer(outcome), ...known };
    default:
      return assertNever(outcome);
  }
}

/** One result as reports tell it. */
export function reportOf(
  result: TestResult,
  text: string,
  { placeOf }: ReadCallFile,
  redact: Redact,
): Omit<ReportedCall, 'file' | 'startedAt'> {
  const { call, status, failures, words, needs, unprepared, durationMs, tries } = result;
  const needed =
    needs === undefined ? [] : [`It needs the answer of "${needs}", which did not come.`];
  const prepared =
    unprepared === undefined ? [] : [`"${unprepared}", which comes before it, did not pass.`];
  const sentences = [...needed, ...prepared, ...(words === undefined ? [] : [words])];
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

/** The text of the answer, where it is what somebody wants to read. */
function saidIn({ status, result }: TestResult, redact: Redact): Pick<ReportedCall, 'said'> {
  if (status === 'passed' || result === undefined) return {};
  const texts = result.content.flatMap((block) =>
    block.type === 'text' ? [beginningOf(block.text, maxRedactedChars)] : [],
  );
  const said = redact(texts.join('\n').slice(0, maxRedactedChars)).slice(0, maxSaidChars);
  return said === '' ? {} : { said };
}

export function isTrouble({ status }: ReportedCall): boolean {
  return status === 'failed' || status === 'errored';
}

/** From 1. */
export function lineNumberAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
