import type { JsonObject } from './json/jsonValue';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from './client';
import { ConnectedClient } from './connectedClient';
import { type ConnectionLimits, defaultLimits } from './eras/connectionLimits';
import { type ClientInfo, type Era, type EraContext, type EraSink, ServerEvents } from './eras/era';
import { EraDetection } from './eras/eraDetection';
import type { StartClock } from './eras/startClock';
import type { EraOptions } from './eras/eraDetection';
import { McpError, toMcpError } from './errors';
import type { McpErrorCode } from './errors';
import { ElicitationBroker } from './input/elicitationBroker';
import type { InputHandler } from './input/inputHandler';
import type { ConnectionLog, LogLevel } from './log';
import { Rpc } from './rpc/rpc';
import type { Transport } from './rpc/transport';
import type { ClaimedCapabilities } from './types';

/** A step in connecting. Steps are repeated if a start is repeated. */
export type ConnectStage =
  | { readonly kind: 'programFound'; readonly program: FoundProgram }
  | { readonly kind: 'processStarted'; readonly pid: number }
  /**
   * A package manager has started or finished its work. The time limit of the start is paused
   * meanwhile.
   */
  | { readonly kind: 'installing'; readonly isInstalling: boolean }
  /** It has not answered for a while, but wrote this to stdout. Untrusted. */
  | { readonly kind: 'printed'; readonly text: string };

export interface ConnectOptions extends EraOptions {
  readonly clientInfo: ClientInfo;
  readonly log: ConnectionLog;
  /** Missing limits default to {@link defaultLimits}. */
  readonly limits?: Partial<ConnectionLimits>;
  /**
   * Called with output on stdout that is not a message. Untrusted, at most 4,096 characters
   * (R-116).
   */
  readonly onGarbage?: (line: string) => void;
  /**
   * Answers the server's requests to the user or the host. If absent, the server is told that this
   * is not supported.
   */
  readonly input?: InputHandler;
  /** If absent, the client declares what it can do. */
  readonly claimed?: ClaimedCapabilities;
  /** Called for each step, in order. */
  readonly onStage?: (stage: ConnectStage) => void;
  /** The lowest level of log messages to request. If absent, none are requested. */
  readonly logLevel?: LogLevel;
  /** Extensions that the client declares to support. Defaults to none. */
  readonly extensions?: JsonObject;
}

/** How to connect, besides the transport. */
export interface ConnectContext {
  readonly isHttp: boolean;
  /** Shared by all attempts to connect to the server. */
  readonly detection: EraDetection;
  /** Resumes an existing session instead of detecting the server's era. */
  readonly join?: (context: EraContext) => Era;
  /** For the whole start. Defaults to a clock that starts now. */
  readonly clock?: StartClock;
  /** Called before the first request, with a function that pauses all deadlines. */
  readonly onPausable?: (pauseRequests: () => () => void) => void;
}

/**
 * Negotiates a revision with the server behind `transport`. Owns the transport: it is closed if
 * this rejects.
 * @throws {McpError} exitedEarly | handshakeTimeout | handshakeFailed | unsupportedRevision |
 * messageTooLarge | cancelled
 */
export async function connectTransport(
  transport: Transport,
  options: ConnectOptions,
  token?: CancellationToken,
  way: ConnectContext = { isHttp: false, detection: new EraDetection(options) },
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
  { isHttp }: ConnectContext,
): EraContext {
  const { log, clientInfo, input, claimed, logLevel, extensions, onGarbage } = options;
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
  // Requests are held until it is known whether the server may send any.
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
    ...(input === undefined ? {} : { input: new ElicitationBroker(input, claimed) }),
    ...(claimed === undefined ? {} : { claimed }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(extensions === undefined ? {} : { extensions }),
    enter: (entered, requests) => {
      sink = entered;
      rpc.handleRequests(requests);
    },
  };
}

/** Until the era is known, only log messages are handled. */
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

/** Converts an error that comes before the end of the handshake. */
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

/** The program to start, its environment, and how it was found. */
export interface FoundProgram {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  /** `given`: the command is a path. `folder`: it is in a usual folder that is not on PATH. */
  readonly foundBy: 'given' | 'path' | 'loginShell' | 'folder';
  readonly folder?: string;
}
