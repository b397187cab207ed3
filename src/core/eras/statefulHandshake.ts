import { clientCapabilities } from './clientCapabilities';
import type { EraContext, Session } from './era';
import { parseInitializeResult } from '../parse/parseResults';
import type { InitializeResult } from '../parse/parseResults';
import type { StatefulAnswers } from './statefulAnswers';
import { noCommonRevision, versionsNamed } from './statelessErrors';
import { statefulRevisions } from '../types';
import type { StatefulRevision } from '../types';

/**
 * `initialize`, its answer, `notifications/initialized`.
 * @throws {McpError} unsupportedRevision | what `Rpc.request` throws
 */
export async function handshake(
  context: EraContext,
  answers: StatefulAnswers,
  offer: StatefulRevision,
  timeoutMs: number,
): Promise<Session> {
  const startedAt = performance.now();
  let result: InitializeResult;
  try {
    result = await initialize(context, offer, timeoutMs);
  } catch (error) {
    const versions = versionsNamed(error);
    if (versions === undefined) throw error;
    const revision = newestStateful(versions);
    if (revision === undefined) throw noCommonRevision(versions, error);
    // Once, within the same time.
    const leftMs = Math.max(timeoutMs - (performance.now() - startedAt), 1);
    result = await initialize(context, revision, leftMs);
  }
  const revision = newestStateful([result.protocolVersion]);
  if (revision === undefined) throw noCommonRevision([result.protocolVersion]);
  answers.revision = revision;
  context.rpc.notify('notifications/initialized');
  const { protocolVersion: _, ...rest } = result;
  return { revision, ...rest };
}

/** The newest of `versions` that begins with this handshake. */
export function newestStateful(versions: readonly string[]): StatefulRevision | undefined {
  return statefulRevisions.find((known) => versions.includes(known));
}

function initialize(
  { rpc, input, clientInfo }: EraContext,
  protocolVersion: StatefulRevision,
  timeoutMs: number,
): Promise<InitializeResult> {
  const capabilities = clientCapabilities(input, protocolVersion);
  const params = { protocolVersion, capabilities, clientInfo };
  return rpc.request('initialize', params, parseInitializeResult, {
    timeoutMs,
    isUncancellable: true,
  });
}
