import {
  McpError,
  type McpErrorCode,
  type McpErrorFacts,
  type TimeLimitSource,
} from '../../core/errors';
import type { Risk } from '../../core/risk';
import type { CallDeadline } from '../../core/rpc/callDeadline';

/** After these errors it is unknown what happened to a request that was sent. */
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
  // There was an answer, but its content is unusable.
  'unexpectedContentType',
  'invalidResult',
  'internal',
]);

/** Statuses of gateways in front of the server, which do not know the outcome either. */
const gatewayStatuses: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/** Returns true if a call with this error was sent and has no readable answer. */
export function hasLostAnswer({ code, facts }: McpError): boolean {
  if (facts.hadNoEffect === true) return false;
  return losesAnswer.has(code) || hasFailedOnTheWay(code, facts);
}

/** A JSON-RPC error comes from the server, whatever the HTTP status, except that of a gateway. */
function hasFailedOnTheWay(code: McpErrorCode, { httpStatus = 0 }: McpErrorFacts): boolean {
  if (code === 'serverError') return gatewayStatuses.has(httpStatus);
  return code === 'httpError' && httpStatus >= 500;
}

/**
 * Returns the error of a call that was sent, with the time limit that applied and, unless its tool
 * is read-only, the note that it may have had an effect.
 */
export function lostAnswerError(
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
  // The limit for all requests of a call together differs from its time limit.
  const isCeiling = deadline.isAtCeiling || (facts.limit ?? limit.ms) !== limit.ms;
  return isCeiling
    ? { limit: deadline.ceilingMs, timeLimit: { kind: 'ceiling' } }
    : { limit: limit.ms, timeLimit: limit.source };
}

/** The settings for calls, read for each call. */
export interface CallLimits {
  /** Default time limit. */
  readonly callTimeoutMs: number;
  /** Time limits by `<server>` or `<server>/<tool>`, in milliseconds. */
  readonly callTimeouts: ReadonlyMap<string, number>;
  /** Limit for the extension of a call by its progress. */
  readonly callCeilingMs: number;
  /** Number of concurrent calls of one server. */
  readonly maxCallsPerServer: number;
}

/** Time for which a server may be silent during a call, and the place where the limit is set. */
interface TimeLimit {
  readonly ms: number;
  readonly source: TimeLimitSource;
}

/**
 * Returns the time limit of a call: its own, otherwise that of the tool, the server, or the default
 * (R-471).
 */
export function timeLimitOf(
  call: { readonly server: string; readonly tool: string; readonly timeoutMs?: number },
  { callTimeoutMs, callTimeouts }: Pick<CallLimits, 'callTimeoutMs' | 'callTimeouts'>,
): TimeLimit {
  const { server, tool, timeoutMs } = call;
  if (timeoutMs !== undefined) return { ms: timeoutMs, source: { kind: 'call' } };
  for (const key of [`${server}/${tool}`, server]) {
    const ms = callTimeouts.get(key);
    if (ms !== undefined) return { ms, source: { kind: 'own', key } };
  }
  return { ms: callTimeoutMs, source: { kind: 'default' } };
}
