import { McpError } from '../../core/errors';
import type { McpErrorCode, McpErrorFacts, TimeLimitSource } from '../../core/errors';
import type { Risk } from '../../core/risk';
import type { CallDeadline } from '../../core/rpc/callDeadline';
import type { TimeLimit } from './timeLimits';

/** After these nobody knows what became of a request that was sent. */
const losesAnswer: ReadonlySet<McpErrorCode> = new Set([
  'timeout',
  'connectionLost',
  'connectionClosed',
  'messageTooLarge',
  'serverFlood',
  'answerTooLarge',
  'writeFailed',
  'sessionLost',
  'taskCancelled',
  'taskLost',
  // It was answered, and the answer says nothing.
  'unexpectedContentType',
  'invalidResult',
  'internal',
]);

/** From who stands between us and the server, and does not know either. */
const gatewayStatuses: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/** Whether a call that failed so was sent and has no answer that could be read. */
export function hasLostAnswer({ code, facts }: McpError): boolean {
  if (facts.hadNoEffect === true) return false;
  return losesAnswer.has(code) || hasFailedOnTheWay(code, facts);
}

/** An error of JSON-RPC is the word of the server, whatever status carries it, except a gateway's. */
function hasFailedOnTheWay(code: McpErrorCode, { httpStatus = 0 }: McpErrorFacts): boolean {
  if (code === 'serverError') return gatewayStatuses.has(httpStatus);
  return code === 'httpError' && httpStatus >= 500;
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
