import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from './client';
import { ConnectedClient } from './connectedClient';
import { type ConnectionLimits, defaultLimits } from './eras/connectionLimits';
import type { ClientInfo, Era, EraContext, EraSink, LogLevel } from './eras/era';
import { EraDetection } from './eras/eraDetection';
import type { StartClock } from './eras/startClock';
import type { EraOptions } from './eras/eraDetection';
import { McpError, toMcpError } from './errors';
import type { McpErrorCode } from './errors';
import { ElicitationBroker } from './input/elicitationBroker';
import type { InputHandler } from './input/inputHandler';
import type { ConnectionLog } from './log';
import { Rpc } from './rpc/rpc';
import { ServerEvents } from './eras/serverEvents';
import type { Transport } from './rpc/transport';

/** What is reached on the way to a connection; each can come twice, when a start is repeated. */
export type ConnectStage =
  | { readonly kind: 'programFound'; readonly program: FoundProgram }
  | { readonly kind: 'processStarted'; readonly pid: number }
  /** A package manager is at work, or is so no more; the time for the start stands still meanwhile. */
  | { readonly kind: 'installing'; readonly isInstalling: boolean };

export interface ConnectOptions extends EraOptions {
  readonly clientInfo: ClientInfo;
  readonly log: ConnectionLog;
  /** Each absent one is {@link defaultLimits}'. */
  readonly limits?: Partial<ConnectionLimits>;
  /** What came on stdout and was no message: untrusted, at most 4,096 characters. */
  readonly onGarbage?: (line: string) => void;
  /** Answers what the server asks the person or the host; absent: it is told that nobody does. */
  readonly input?: InputHandler;
  /** Told what was reached on the way to a connection, in the order in which it is. */
  readonly onStage?: (stage: ConnectStage) => void;
  /** From which level on the server is asked for log messages; absent: it is not asked. */
  readonly logLevel?: LogLevel;
}

/** What is known of the way to the server, beside the transport itself. */
export interface Way {
  readonly isHttp: boolean;
  /** One for every try to reach the server. */
  readonly detection: EraDetection;
  /** Enters a session that is open already, in place of finding out what the server speaks. */
  readonly join?: (context: EraContext) => Era;
  /** Of the whole start. Default: it runs from here on. */
  readonly clock?: StartClock;
  /** Told how the deadlines of all requests are stopped, before the first is sent. */
  readonly onPausable?: (pauseRequests: () => () => void) => void;
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
  way: Way = { isHttp: false, detection: new EraDetection(options) },
): Promise<McpClient> {
  const events = new ServerEvents(options.log);
  const context = toContext(transport, options, events, way);
  const { rpc, limits } = context;
  const cancelled = token?.onCancellationRequested(() =>
    rpc.end(new McpError('cancelled'), 'atOnce'),
  );
  way.onPausable?.(() => rpc.pauseDeadlines());
  const pausing = way.clock?.pausing(() => rpc.pauseDeadlines());
  try {
    const era = way.join?.(context) ?? (await way.detection.open(context, limits, way.clock));
    rpc.onDidEnd(() => era.dispose());
    const { serverInfo, revision } = era.session;
    options.log.info(`connected to ${serverInfo.name} ${serverInfo.version}, ${revision}`);
    return new ConnectedClient(transport, rpc, era, events);
  } catch (error) {
    const failure = startFailure(toMcpError(error), transport);
    rpc.end(failure, 'atOnce');
    await transport.close('atOnce');
    throw failure;
  } finally {
    pausing?.();
    cancelled?.dispose();
  }
}

function toContext(
  transport: Transport,
  options: ConnectOptions,
  events: ServerEvents,
  { isHttp }: Way,
): EraContext {
  const { log, clientInfo, input, logLevel, onGarbage } = options;
  const { untilSignedIn, session: transportSession } = transport;
  const limits: ConnectionLimits = { ...defaultLimits, ...options.limits };
  let sink: EraSink = beforeEra(events);
  const rpc = new Rpc(transport, {
    log,
    limits,
    onNotification: (method, params) => sink.take(method, params),
    answerRequest: (method, params, token) => sink.answer(method, params, token),
    onGarbage: onGarbage ?? (() => undefined),
  });
  // Until it is known whether the server may ask at all.
  rpc.handleRequests('hold');
  return {
    rpc,
    log,
    limits,
    clientInfo,
    events,
    isHttp,
    ...(untilSignedIn === undefined ? {} : { untilSignedIn }),
    ...(transportSession === undefined ? {} : { transportSession }),
    ...(input === undefined ? {} : { input: new ElicitationBroker(input) }),
    ...(logLevel === undefined ? {} : { logLevel }),
    enter: (entered, requests) => {
      sink = entered;
      rpc.handleRequests(requests);
    },
  };
}

/** While the server's era is not known, only what it logs is understood. */
function beforeEra(events: ServerEvents): EraSink {
  return {
    take: (method, params) => {
      if (method === 'notifications/message') events.logged(params);
    },
    answer: () => {
      throw new McpError('internal', { detail: 'requests are held until the era is known' });
    },
  };
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
  const stdoutTail = error.facts.misframed === undefined ? (transport.unfinished?.() ?? '') : '';
  return new McpError(code, {
    ...error.facts,
    ...(stderrTail === '' ? {} : { stderrTail }),
    ...(stdoutTail === '' ? {} : { stdoutTail }),
    cause: error,
  });
}

/** What to start, with which environment, and how it was found. */
export interface FoundProgram {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  /** `given`: the command is a path. `folder`: one where programs usually are, not on PATH. */
  readonly foundBy: 'given' | 'path' | 'loginShell' | 'folder';
  readonly folder?: string;
}
