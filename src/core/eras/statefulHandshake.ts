import { clientCapabilities, usableCapabilities } from './clientCapabilities';
import type { EraContext, Session } from './era';
import { McpError, toMcpError } from '../errors';
import { parseInitializeResult } from '../parse/parseResults';
import type { InitializeResult } from '../parse/parseResults';
import type { StatefulAnswers } from './statefulAnswers';
import { noCommonRevisionError, versionsInError } from './statelessErrors';
import { statefulRevisions } from '../types';
import type { StatefulRevision } from '../types';

/**
 * Sends `initialize` and `notifications/initialized`.
 * @throws {McpError} unsupportedRevision | what `Rpc.request` throws
 */
export async function handshake(
  context: EraContext,
  answers: StatefulAnswers,
  offer: StatefulRevision,
  timeoutMs: number,
): Promise<Session> {
  const result = await initializeAny(context, offer, timeoutMs);
  const revision = newestStateful([result.protocolVersion]);
  if (revision === undefined) throw noCommonRevisionError([result.protocolVersion]);
  answers.revision = revision;
  context.rpc.notify('notifications/initialized');
  const { protocolVersion: _, ...rest } = result;
  return usableCapabilities({ revision, ...rest }, context.claimed);
}

/**
 * Offers another revision after a refusal: the newest that the server names, or else the
 * older ones in turn. Each is offered once, all within the same time limit.
 * @throws {McpError} the first refusal, if no revision is accepted
 */
async function initializeAny(
  context: EraContext,
  offer: StatefulRevision,
  timeoutMs: number,
): Promise<InitializeResult> {
  const startedAt = performance.now();
  const tried: StatefulRevision[] = [];
  let refusal: McpError | undefined;
  for (let next: StatefulRevision | undefined = offer; next !== undefined;) {
    tried.push(next);
    const leftMs = Math.max(timeoutMs - (performance.now() - startedAt), 1);
    try {
      return await initialize(context, next, leftMs);
    } catch (error) {
      const failure = toMcpError(error);
      const versions = versionsInError(failure);
      const isRefusal = versions !== undefined || refusesRevision(failure);
      // If the server exits after refusing one, the refusal tells more.
      if (!isRefusal) throw failure.code === 'cancelled' ? failure : (refusal ?? failure);
      refusal ??= failure;
      if (versions !== undefined && newestStateful(versions) === undefined) {
        throw noCommonRevisionError(versions, failure);
      }
      const known = versions ?? statefulRevisions.slice(statefulRevisions.indexOf(next));
      next = newestStateful(known.filter((version) => !tried.some((each) => each === version)));
    }
  }
  throw refusal ?? new McpError('unsupportedRevision');
}

/** True if the server's message says that it does not support the offered revision. */
function refusesRevision({ code, facts: { detail = '' } }: McpError): boolean {
  if (code !== 'serverError' && code !== 'httpError') return false;
  return /protocol\s*-?version|protocol revision|\bunsupported (?:version|revision)\b/i.test(
    detail,
  );
}

/** Returns the newest of `versions` that begins with this handshake. */
export function newestStateful(versions: readonly string[]): StatefulRevision | undefined {
  return statefulRevisions.find((known) => versions.includes(known));
}

function initialize(
  context: EraContext,
  protocolVersion: StatefulRevision,
  timeoutMs: number,
): Promise<InitializeResult> {
  const { rpc, clientInfo } = context;
  const capabilities = clientCapabilities(context, protocolVersion);
  const params = { protocolVersion, capabilities, clientInfo };
  return rpc.request('initialize', params, parseInitializeResult, {
    timeoutMs,
    isUncancellable: true,
  });
}
