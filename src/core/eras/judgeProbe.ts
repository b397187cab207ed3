import { isMcpError, McpError } from '../errors';
import { parseDiscoverResult } from './parseDiscover';
import type { DiscoverResult } from './parseDiscover';
import { newestStateful } from './statefulHandshake';
import {
  explainStatelessError,
  isHeaderMismatch,
  isRevisionRefused,
  isStatelessError,
  noCommonRevision,
  versionsNamed,
} from './statelessErrors';
import { statelessRevision } from './statelessMeta';
import type { StatefulRevision } from '../types';

/** How `server/discover` ended. */
export type ProbeAnswer =
  { readonly result: unknown } | { readonly error: McpError } | { readonly silentMs: number };

/** What that means. `error` is what to say when there is no going on. */
export type ProbeVerdict =
  | { readonly kind: 'stateless'; readonly discovered: DiscoverResult; readonly error?: undefined }
  /** A server of that era that wants it asked once more. */
  | { readonly kind: 'again'; readonly error: McpError }
  /** `offer`: the newest revision it named; absent when it named none. */
  | {
      readonly kind: 'stateful';
      readonly offer?: StatefulRevision;
      readonly error: McpError;
      /** The trouble may pass: the handshake is worth a try, and nothing is to be remembered. */
      readonly isPassing?: true;
    }
  | { readonly kind: 'failed'; readonly error: McpError };

/** Statuses that say something about the person or the moment, and nothing about the era. */
const tellsNothing: readonly number[] = [401, 403, 407, 408, 413, 429, 431];

/** Whether a server of one era answers with this status to messages of another. */
export function tellsOfEra(httpStatus: number): boolean {
  return httpStatus < 500 && !tellsNothing.includes(httpStatus);
}

/**
 * Whether a server stumbled over the question, as some of the stateful era do, or is not well at
 * all. Only the handshake can tell, so it is tried, but no era is recorded.
 */
function isPassing({ code, facts: { httpStatus = 0 } }: McpError): boolean {
  return httpStatus >= 500 || code === 'connectionLost';
}

/**
 * One table for both transports. Only what the specification of the stateless era defines counts
 * as a sign of it; every other error is what servers of the stateful era answer to a method that
 * they do not know.
 */
export function judgeProbe(answer: ProbeAnswer): ProbeVerdict {
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
  const error = noCommonRevision(versions, cause);
  const offer = newestStateful(versions);
  return offer === undefined ? { kind: 'failed', error } : { kind: 'stateful', offer, error };
}

function judgeError(error: McpError): ProbeVerdict {
  if (isStatelessError(error)) return judgeStatelessError(error);
  const { httpStatus } = error.facts;
  if (isPassing(error)) return { kind: 'stateful', error, isPassing: true };
  if (httpStatus !== undefined && !tellsOfEra(httpStatus)) return { kind: 'failed', error };
  const isAnswer = ['serverError', 'invalidResult', 'httpError', 'unexpectedContentType'].some(
    (code) => error.code === code,
  );
  // Silence, by the clock of the whole start.
  const isSilence = isMcpError(error, 'timeout');
  return { kind: isAnswer || isSilence ? 'stateful' : 'failed', error };
}

function judgeStatelessError(error: McpError): ProbeVerdict {
  const versions = versionsNamed(error);
  const named = versions === undefined || versions.includes(statelessRevision);
  if (isRevisionRefused(error) && !named) return judgeVersions(versions, error);
  const explained = explainStatelessError(error);
  const mayHelp = isRevisionRefused(error) || isHeaderMismatch(error);
  return { kind: mayHelp ? 'again' : 'failed', error: explained };
}
