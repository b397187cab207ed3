import { McpError } from '../../core/errors';
import type { McpErrorCode, TimeLimitSource } from '../../core/errors';
import type { Risk } from '../../core/risk';
import type { CallDeadline } from '../../core/rpc/callDeadline';
import type { TimeLimit } from './timeLimits';

/** After these nobody knows what became of a request that was sent. */
const losesAnswer: ReadonlySet<McpErrorCode> = new Set([
  'timeout',
  'connectionLost',
  'connectionClosed',
  'messageTooLarge',
  'answerTooLarge',
  'writeFailed',
]);

/** Whether a call that failed so was sent and has no answer that could be read. */
export function hasLostAnswer({ code, facts }: McpError): boolean {
  return losesAnswer.has(code) && facts.hadNoEffect !== true;
}

/**
 * The error of a call that was sent, with what can be said beyond what went wrong: which time limit
 * was in force, and, unless its tool only reads, that it may have had an effect.
 */
export function lostOutcome(
  error: McpError,
  call: { readonly limit: TimeLimit; readonly deadline: CallDeadline; readonly risk: Risk },
): McpError {
  const { code, facts } = error;
  const isUnknown = hasLostAnswer(error) && call.risk.level !== 'readOnly';
  const time = code === 'timeout' ? timeFacts(error, call) : {};
  if (!isUnknown && code !== 'timeout') return error;
  return new McpError(code, {
    ...facts,
    ...time,
    ...(isUnknown ? { outcomeUnknown: true } : {}),
  });
}

function timeFacts(
  { facts }: McpError,
  { limit, deadline }: { readonly limit: TimeLimit; readonly deadline: CallDeadline },
): { limit: number; timeLimit: TimeLimitSource } {
  // Only the ceiling of all requests of a call together is another number than its time limit.
  const isCeiling = deadline.isAtCeiling || (facts.limit ?? limit.ms) !== limit.ms;
  return isCeiling
    ? { limit: deadline.ceilingMs, timeLimit: { kind: 'ceiling' } }
    : { limit: limit.ms, timeLimit: limit.source };
}
