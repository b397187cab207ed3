import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from './client';
import { ConnectedClient, ServerEvents } from './connectedClient';
import type { ClientInfo, Era } from './era';
import { McpError, toMcpError } from './errors';
import type { McpErrorCode } from './errors';
import type { ConnectionLog } from './log';
import { Rpc } from './rpc';
import type { RpcLimits } from './pendingRequests';
import { StatefulEra } from './statefulEra';
import type { Transport } from './transport';

export interface ConnectionLimits extends RpcLimits {
  /**
   * The largest message that is taken, in bytes: 256 MiB, the largest answer that the product
   * promises to show, and half of what one string of the engine can hold.
   */
  readonly maxMessageBytes: number;
  /** From the start of the process, if there is one, to the end of the handshake. */
  readonly startTimeoutMs: number;
}

export const defaultLimits: ConnectionLimits = {
  maxMessageBytes: 256 * 1024 * 1024,
  // A first `npx` or `uvx` downloads what it starts.
  startTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  // Ten minutes: long work reports progress; what reports it for ever has to end too.
  callCeilingMs: 600_000,
};

export interface ConnectOptions {
  readonly clientInfo: ClientInfo;
  readonly log: ConnectionLog;
  /** Each absent one is {@link defaultLimits}'. */
  readonly limits?: Partial<ConnectionLimits>;
  /** What came on stdout and was no message: untrusted, at most 4,096 characters. */
  readonly onGarbage?: (line: string) => void;
}

/**
 * Agrees with the server at the other end of `transport` on a revision. Owns the transport: when
 * it rejects, the transport is closed.
 * @throws {McpError} exitedEarly | handshakeTimeout | handshakeFailed | unsupportedRevision |
 *   messageTooLarge | cancelled
 */
export async function connectTransport(
  transport: Transport,
  options: ConnectOptions,
  token?: CancellationToken,
): Promise<McpClient> {
  const limits: ConnectionLimits = { ...defaultLimits, ...options.limits };
  const era: Era = new StatefulEra();
  const events = new ServerEvents();
  const rpc = new Rpc(transport, {
    log: options.log,
    limits,
    onNotification: (method, params) => events.take(method, params),
    answerRequest: (method, params) => era.answer(method, params),
    onGarbage: options.onGarbage ?? (() => undefined),
  });
  const cancelled = token?.onCancellationRequested(() =>
    rpc.end(new McpError('cancelled'), 'atOnce'),
  );
  try {
    const session = await era.open(rpc, options.clientInfo, limits.startTimeoutMs);
    const { serverInfo, revision } = session;
    options.log.info(`connected to ${serverInfo.name} ${serverInfo.version}, ${revision}`);
    return new ConnectedClient(transport, rpc, era, session, events);
  } catch (error) {
    const failure = startFailure(toMcpError(error), transport);
    rpc.end(failure, 'atOnce');
    await transport.close('atOnce');
    throw failure;
  } finally {
    cancelled?.dispose();
  }
}

const startCodes: Partial<Record<McpErrorCode, McpErrorCode>> = {
  connectionClosed: 'exitedEarly',
  writeFailed: 'exitedEarly',
  timeout: 'handshakeTimeout',
  serverError: 'handshakeFailed',
  invalidResult: 'handshakeFailed',
};

/** What an error means when it comes before the handshake is done. */
function startFailure(error: McpError, transport: Transport): McpError {
  const code = startCodes[error.code];
  if (code === undefined) return error;
  const stderrTail = transport.stderrTail?.() ?? '';
  return new McpError(code, {
    ...error.facts,
    ...(stderrTail === '' ? {} : { stderrTail }),
    cause: error,
  });
}
