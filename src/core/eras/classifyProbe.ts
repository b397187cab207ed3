import { isMcpError, McpError } from '../errors';
import { parseDiscoverResult } from './parseDiscover';
import type { DiscoverResult } from './parseDiscover';
import { newestStateful } from './statefulHandshake';
import {
  explainStatelessError,
  isHeaderMismatch,
  isRevisionRefused,
  isStatelessError,
  noCommonRevisionError,
  versionsInError,
} from './statelessErrors';
import { statelessRevision } from './statelessMeta';
import type { StatefulRevision } from '../types';

/** How `server/discover` ended. */
export type ProbeAnswer =
  | { readonly result: unknown }
  | { readonly error: McpError }
  | { readonly silentMs: number };

/** The meaning of the answer. `error` is for a connection that cannot continue. */
export type ProbeVerdict =
  | { readonly kind: 'stateless'; readonly discovered: DiscoverResult; readonly error?: undefined }
  /** A stateless server that wants the probe repeated. */
  | { readonly kind: 'again'; readonly error: McpError }
  /** `offer` is the newest revision that the server named, if any. */
  | {
      readonly kind: 'stateful';
      readonly offer?: StatefulRevision;
      readonly error: McpError;
      /** True if the problem may be temporary: the handshake is tried, and no era is remembered. */
      readonly isPassing?: true;
    }
  | { readonly kind: 'failed'; readonly error: McpError };

/** Statuses about the user or a temporary state, which say nothing about the era. */
const tellsNothing: readonly number[] = [401, 403, 407, 408, 413, 429, 431];

/** True if servers answer messages of another era with this status. */
export function indicatesEra(httpStatus: number): boolean {
  return httpStatus < 500 && !tellsNothing.includes(httpStatus);
}

/**
 * True if the server failed on the probe, as some of the stateful era do, or has a general problem.
 * The handshake is tried, but no era is remembered.
 */
function isPassing({ code, facts: { httpStatus = 0 } }: McpError): boolean {
  return httpStatus >= 500 || code === 'connectionLost';
}

/**
 * Judges the probe for both transports. Only what the specification of the stateless era defines
 * indicates that era; servers of the stateful era answer any other error to an unknown method
 * (R-012 to R-015, R-021 to R-029, R-034, R-035).
 */
export function classifyProbe(answer: ProbeAnswer): ProbeVerdict {
  if ('silentMs' in answer) {
    return { kind: 'stateful', error: new McpError('timeout', { limit: answer.silentMs }) };
  }
  if ('error' in answer) return judgeError(answer.error);
  const discovered = parseDiscoverResult(answer.result);
  if (discovered === undefined) {
    const detail = 'no real answer to server/discover';
    return { kind: 'stateful', error: new McpError('invalidResult', { detail }) };
  }
  const { supportedVersions } = discovered;
  if (supportedVersions.includes(statelessRevision)) return { kind: 'stateless', discovered };
  return judgeVersions(supportedVersions, undefined);
}

/** None of the versions is stateless. */
function judgeVersions(versions: readonly string[], cause: unknown): ProbeVerdict {
  const error = noCommonRevisionError(versions, cause);
  const offer = newestStateful(versions);
  return offer === undefined ? { kind: 'failed', error } : { kind: 'stateful', offer, error };
}

function judgeError(error: McpError): ProbeVerdict {
  if (isStatelessError(error)) return judgeStatelessError(error);
  const { httpStatus } = error.facts;
  if (isPassing(error)) return { kind: 'stateful', error, isPassing: true };
  if (httpStatus !== undefined && !indicatesEra(httpStatus)) return { kind: 'failed', error };
  const isAnswer = ['serverError', 'invalidResult', 'httpError', 'unexpectedContentType'].some(
    (code) => error.code === code,
  );
  // There was no answer within the time limit of the start.
  const isSilence = isMcpError(error, 'timeout');
  return { kind: isAnswer || isSilence ? 'stateful' : 'failed', error };
}

function judgeStatelessError(error: McpError): ProbeVerdict {
  const versions = versionsInError(error);
  const named = versions === undefined || versions.includes(statelessRevision);
  if (isRevisionRefused(error) && !named) return judgeVersions(versions, error);
  const explained = explainStatelessError(error);
  const mayHelp = isRevisionRefused(error) || isHeaderMismatch(error);
  return { kind: mayHelp ? 'again' : 'failed', error: explained };
}
