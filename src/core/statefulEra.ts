import type { ClientInfo, Era, Session } from './era';
import { isMcpError, McpError } from './errors';
import { parseInitializeResult } from './parseResults';
import type { InitializeResult } from './parseResults';
import type { RequestParams, Rpc, RpcRequestOptions } from './rpc';
import { RequestRefused } from './serverRequests';
import { isObject } from './shapes';
import { statefulRevisions } from './types';
import type { Revision } from './types';

const invalidParams = -32602;
const methodNotFound = -32601;

/**
 * The revisions that begin with the initialize handshake. They differ in what messages may hold,
 * not in how they are exchanged, and every older form is a subset: after the handshake there is
 * nothing here that asks for the revision.
 *
 * Spec: 2025-11-25 basic/lifecycle
 */
export class StatefulEra implements Era {
  async open(rpc: Rpc, clientInfo: ClientInfo, timeoutMs: number): Promise<Session> {
    const startedAt = performance.now();
    let result: InitializeResult;
    try {
      result = await initialize(rpc, statefulRevisions[0], clientInfo, timeoutMs);
    } catch (error) {
      const revision = revisionOffered(error);
      if (revision === undefined) throw error;
      // Once, within the same time.
      const leftMs = Math.max(timeoutMs - (performance.now() - startedAt), 1);
      result = await initialize(rpc, revision, clientInfo, leftMs);
    }
    const revision = statefulRevisions.find((known) => known === result.protocolVersion);
    if (revision === undefined) throw unsupportedRevision([result.protocolVersion]);
    rpc.notify('notifications/initialized');
    return {
      revision,
      serverInfo: result.serverInfo,
      capabilities: result.capabilities,
      ...(result.instructions === undefined ? {} : { instructions: result.instructions }),
    };
  }

  request<T>(
    rpc: Rpc,
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: RpcRequestOptions | undefined,
  ): Promise<T> {
    return rpc.request(method, params, parse, options);
  }

  ping(rpc: Rpc, options: RpcRequestOptions | undefined): Promise<void> {
    return rpc.request('ping', {}, () => undefined, options);
  }

  answer(method: string): object {
    // An object, not nothing: vscode-jsonrpc would make `null` of that.
    if (method === 'ping') return {};
    throw new RequestRefused(methodNotFound, 'Method not found');
  }
}

function initialize(
  rpc: Rpc,
  protocolVersion: Revision,
  clientInfo: ClientInfo,
  timeoutMs: number,
): Promise<InitializeResult> {
  // Only what is really served may be declared: so far that is nothing.
  const params = { protocolVersion, capabilities: {}, clientInfo };
  return rpc.request('initialize', params, parseInitializeResult, {
    timeoutMs,
    isUncancellable: true,
  });
}

/**
 * The revision that a server which refused ours wants instead; undefined when the error
 * says nothing of that kind.
 * @throws {McpError} unsupportedRevision when it wants only others
 */
function revisionOffered(error: unknown): Revision | undefined {
  if (!isMcpError(error, 'serverError') || error.facts.rpcCode !== invalidParams) return undefined;
  const data = error.facts.rpcData;
  if (!isObject(data) || !Array.isArray(data.supported)) return undefined;
  const { supported } = data;
  const revision = statefulRevisions.find((known) => supported.includes(known));
  if (revision === undefined) throw unsupportedRevision(supported, error);
  return revision;
}

function unsupportedRevision(theirs: readonly unknown[], cause?: unknown): McpError {
  const list = theirs
    .slice(0, 10)
    .map((revision) => String(revision).slice(0, 40))
    .join(', ');
  return new McpError('unsupportedRevision', {
    detail: `server: ${list}; client: ${statefulRevisions.join(', ')}`,
    ...(cause === undefined ? {} : { cause }),
  });
}
