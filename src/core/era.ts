import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { RequestParams, Rpc, RpcRequestOptions } from './rpc';
import type { Implementation, Revision, ServerCapabilities } from './types';

/** Who we are, for the server. */
export interface ClientInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

/** What both sides agreed on, for the rest of the connection. */
export interface Session {
  readonly revision: Revision;
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/**
 * What differs between the eras of the protocol. `client.ts` sees only this, so a new era is a
 * new file.
 */
export interface Era {
  /**
   * Agrees with the server on a revision. A cancelled `token` does not settle it: whoever cancels
   * ends the connection, which does.
   * @throws {McpError} unsupportedRevision | what `Rpc.request` throws
   */
  open(rpc: Rpc, clientInfo: ClientInfo, timeoutMs: number): Promise<Session>;
  /** Sends a request in the form of the era. */
  request<T>(
    rpc: Rpc,
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: RpcRequestOptions | undefined,
  ): Promise<T>;
  /** Asks for a sign of life. */
  ping(rpc: Rpc, options: RpcRequestOptions | undefined): Promise<void>;
  /** Answers a request of the server. @throws {RequestRefused} */
  answer(method: string, params: unknown, token?: CancellationToken): object;
}
