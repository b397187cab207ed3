import type { CancellationToken, Message } from 'vscode-jsonrpc/node';
import type { McpClient } from '../client';
import { connectTransport } from '../connect';
import { defaultLimits } from '../eras/connectionLimits';
import type { ConnectOptions } from '../connect';
import { EraDetection } from '../eras/eraDetection';
import { StatefulEra } from '../eras/statefulEra';
import { newestStateful } from '../eras/statefulHandshake';
import { McpError, isMcpError } from '../errors';
import type { HttpHeaders } from './httpEndpoint';
import { HttpSseTransport } from './httpSseTransport';
import { isSessionId } from './httpSession';
import { HttpTransport } from './httpTransport';
import { JoinedTransport } from './joinedTransport';
import { tellsOfEra } from '../eras/judgeProbe';
import { RenewingClient } from './renewingClient';
import type { RequestAuthorization } from './requestAuthorization';
import { maxSignInMs, SignInPause } from './signInPause';
import { StartClock } from '../eras/startClock';
import { StreamLosses } from './streamLosses';
import { isObject } from '../json/shapes';
import { hasStatelessCode } from '../eras/statelessErrors';
import { extraHeaders } from '../rpc/transport';
import { eraOf, isStatefulRevision, type EraKind, type PinnedEra } from '../types';

export interface ConnectHttpOptions extends ConnectOptions {
  readonly url: string;
  /** For every request, as configured. */
  readonly headers?: HttpHeaders;
  /** Absent: a server that asks who we are gets the configured headers and nothing else. */
  readonly authorization?: RequestAuthorization;
  /** Absent: Streamable HTTP, and HTTP+SSE where the server has nothing newer. */
  readonly transport?: 'sse';
}

/**
 * Agrees with a server that is reached over HTTP on a revision, by whichever transport it has.
 * When it rejects, nothing is left open; cancelling rejects with `cancelled`.
 * @throws {McpError} handshakeTimeout | handshakeFailed | unsupportedRevision | messageTooLarge |
 *   cancelled | invalidConfiguration | any code of a server that is reached over HTTP
 */
export async function connectHttp(
  options: ConnectHttpOptions,
  token?: CancellationToken,
): Promise<McpClient> {
  if (token?.isCancellationRequested === true) throw new McpError('cancelled');
  const { startTimeoutMs } = { ...defaultLimits, ...options.limits };
  const clock = new StartClock(startTimeoutMs, maxSignInMs);
  if (options.transport === 'sse') return connectSse(options, clock, token);
  const isRemembered = (options.era ?? 'auto') === 'auto' && options.rememberedEra === 'sse';
  if (isRemembered) {
    try {
      return await connectSse(options, clock, token);
    } catch (error) {
      if (!mayHaveOther(error)) throw error;
      options.log.info('no HTTP+SSE any more; finding out what the server has now');
    }
  }
  try {
    const losses = new StreamLosses();
    const client = await connectStreamable(options, losses, clock, token);
    // What a session was made with holds for those that follow it.
    const again = { ...options, era: pinnedOr(eraOf(client.revision), options) };
    const newClock = () => new StartClock(startTimeoutMs, maxSignInMs);
    return new RenewingClient(
      client,
      (ending) => connectStreamable(again, losses, newClock(), ending),
      (sessionId, known) => joinSession(again, sessionId, known, newClock()),
    );
  } catch (error) {
    const isOver = isRemembered || options.era === 'stateless' || !isRefusedHandshake(error);
    if (isOver) throw error;
    options.log.info('no Streamable HTTP; trying HTTP+SSE');
    return connectSse(options, clock, token).catch((other: unknown) => {
      options.log.info(`no HTTP+SSE either: ${String(other)}`);
      // What the newer transport said is what the person can do something about.
      throw isMcpError(other, 'cancelled') ? other : error;
    });
  }
}

/** The revision that the configuration names is the first to be offered, whatever is known beside it. */
function pinnedOr(known: EraKind, { era }: ConnectHttpOptions): PinnedEra {
  return isStatefulRevision(era) ? era : known;
}

function connectStreamable(
  options: ConnectHttpOptions,
  streamLosses: StreamLosses,
  clock: StartClock,
  token: CancellationToken | undefined,
): Promise<McpClient> {
  const pause = new SignInPause(clock);
  const own = { paramHeaders, streamLosses };
  const transport = new HttpTransport({ ...transportOptions(options, pause), ...own });
  const way = { detection: new EraDetection(options), ...wayOf(clock, pause) };
  return connectTransport(transport, withTimeLeft(options, clock), token, way);
}

/** Goes on with a session that is open at the server already; sends nothing for it. */
function joinSession(
  options: ConnectHttpOptions,
  id: string,
  { revision, serverInfo, capabilities }: McpClient,
  clock: StartClock,
): Promise<McpClient> {
  const stateful = newestStateful([revision]);
  if (stateful === undefined || !isSessionId(id)) throw new McpError('taskLost');
  const pause = new SignInPause(clock);
  const joined = { id, revision };
  const transport = new HttpTransport({ ...transportOptions(options, pause), joined });
  return connectTransport(new JoinedTransport(transport), options, undefined, {
    detection: new EraDetection(options),
    ...wayOf(clock, pause),
    join: (context) => StatefulEra.join(context, { revision, serverInfo, capabilities }, stateful),
  });
}

async function connectSse(
  options: ConnectHttpOptions,
  clock: StartClock,
  token: CancellationToken | undefined,
): Promise<McpClient> {
  const { startTimeoutMs } = { ...defaultLimits, ...options.limits };
  const newClock = () => new StartClock(startTimeoutMs, maxSignInMs);
  return new RenewingClient(
    await openSse(options, clock, token),
    (ending) => openSse(options, newClock(), ending),
    () => Promise.reject(new McpError('taskLost')),
  );
}

async function openSse(
  options: ConnectHttpOptions,
  clock: StartClock,
  token: CancellationToken | undefined,
): Promise<McpClient> {
  const pause = new SignInPause(clock);
  const transport = await HttpSseTransport.open(transportOptions(options, pause), clock, token);
  const detection = new EraDetection({
    era: pinnedOr('stateful', options),
    onDidLearnEra: () => options.onDidLearnEra?.('sse'),
  });
  const way = { detection, ...wayOf(clock, pause) };
  return connectTransport(transport, withTimeLeft(options, clock), token, way);
}

function wayOf(clock: StartClock, pause: SignInPause) {
  const onPausable = (pauseRequests: () => () => void) => pause.covers(pauseRequests);
  return { isHttp: true, clock, onPausable };
}

function transportOptions(options: ConnectHttpOptions, pause: SignInPause) {
  const { url, headers, log, onGarbage, limits, authorization } = options;
  return {
    url,
    log,
    maxMessageBytes: limits?.maxMessageBytes ?? defaultLimits.maxMessageBytes,
    maxMessageValues: limits?.maxMessageValues ?? defaultLimits.maxMessageValues,
    ...(headers === undefined ? {} : { headers }),
    ...(authorization === undefined ? {} : { manner: { authorization, pause: pause.begin } }),
    ...(onGarbage === undefined ? {} : { onGarbage }),
  };
}

function withTimeLeft(options: ConnectHttpOptions, clock: StartClock): ConnectHttpOptions {
  return { ...options, limits: { ...options.limits, startTimeoutMs: clock.leftMs } };
}

/** What the era left beside the params of a request. */
function paramHeaders(message: Message): HttpHeaders {
  const params: unknown = 'params' in message ? message.params : undefined;
  const headers: unknown = isObject(params) ? Reflect.get(params, extraHeaders) : undefined;
  return isHeaders(headers) ? headers : noHeaders;
}

const noHeaders: HttpHeaders = {};

/** Nobody but an era of ours has the key. */
function isHeaders(value: unknown): value is HttpHeaders {
  return isObject(value);
}

/**
 * Whether the server refused the handshake in the way of one that knows only HTTP+SSE. Some
 * revisions take any 4xx as that sign; those that mean something else do not count.
 */
function isRefusedHandshake(error: unknown): boolean {
  if (!isMcpError(error, 'httpError') && !isMcpError(error, 'handshakeFailed')) return false;
  const { httpStatus = 0 } = error.facts;
  return httpStatus >= 400 && tellsOfEra(httpStatus) && !hasStatelessCode(error);
}

/** Whether it was there and had something else than an event stream. */
function mayHaveOther(error: unknown): boolean {
  const codes = ['httpError', 'unexpectedContentType', 'invalidResult', 'handshakeFailed'] as const;
  return codes.some((code) => isMcpError(error, code));
}
