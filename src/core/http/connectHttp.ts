import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../client';
import { connectTransport } from '../connect';
import { defaultLimits } from '../eras/connectionLimits';
import type { ConnectOptions } from '../connect';
import { EraDetection, indicatesEra } from '../eras/eraDetection';
import { StatefulEra } from '../eras/statefulEra';
import { newestStateful } from '../eras/statefulHandshake';
import { McpError, isMcpError } from '../errors';
import type { HttpHeaders } from './httpMessage';
import { HttpSseTransport } from './httpSseTransport';
import { isSessionId } from './httpSession';
import { HttpTransport } from './httpTransport';
import { RenewingClient } from './renewingClient';
import type { RequestAuthorization } from './authorizedExchange';
import { StartClock } from '../eras/startClock';
import { StreamLosses } from './sseStream';
import { isObject } from '../json/shapes';
import { hasStatelessCode } from '../eras/statelessMeta';
import { extraHeaders, type Transport, type TransportSession } from '../rpc/transport';
import { eraOf, isStatefulRevision, type EraKind, type PinnedEra } from '../types';
import { randomUUID } from 'node:crypto';
import type { Message, MessageReader, MessageWriter } from 'vscode-jsonrpc/node';
import { isAnswer, isRequestId } from '../rpc/incoming';
import { ForwardingWriter } from '../rpc/innerStreams';
import type { ServerFloods } from '../rpc/serverFloods';
import { HttpInbox } from './httpInbox';

export interface ConnectHttpOptions extends ConnectOptions {
  readonly url: string;
  /** Headers from the configuration, sent with every request. */
  readonly headers?: HttpHeaders;
  /** If absent, requests carry only the configured headers. */
  readonly authorization?: RequestAuthorization;
  /**
   * Defaults to Streamable HTTP, with HTTP+SSE as the fallback for older servers.
   */
  readonly transport?: 'sse';
}

/**
 * Agrees on a revision with an HTTP server over whichever transport it supports. When it rejects,
 * nothing is left open; cancelling rejects with `cancelled`.
 * @throws {McpError} handshakeTimeout | handshakeFailed | unsupportedRevision | messageTooLarge |
 * cancelled | invalidConfiguration | any code of a server that is reached over HTTP
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
    // Later sessions use the era of the first one.
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
      // Report the error of the newer transport, because the user can act on that one.
      throw isMcpError(other, 'cancelled') ? other : error;
    });
  }
}

/** The revision from the configuration is offered first, even if another one is known. */
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

/** Continues a session that is already open at the server; sends no request for it. */
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

/** Headers that the era attached to the params of a request. */
function paramHeaders(message: Message): HttpHeaders {
  const params: unknown = 'params' in message ? message.params : undefined;
  const headers: unknown = isObject(params) ? Reflect.get(params, extraHeaders) : undefined;
  return isHeaders(headers) ? headers : noHeaders;
}

const noHeaders: HttpHeaders = {};

/** Only our own eras have the key, so the shape is known. */
function isHeaders(value: unknown): value is HttpHeaders {
  return isObject(value);
}

/**
 * True if the server refused the handshake the way an HTTP+SSE server does. Some revisions treat
 * every 4xx as that sign; statuses with another meaning are excluded.
 */
function isRefusedHandshake(error: unknown): boolean {
  if (!isMcpError(error, 'httpError') && !isMcpError(error, 'handshakeFailed')) return false;
  const { httpStatus = 0 } = error.facts;
  return httpStatus >= 400 && indicatesEra(httpStatus) && !hasStatelessCode(error);
}

/** True if the server may have answered with something other than an event stream. */
function mayHaveOther(error: unknown): boolean {
  const codes = ['httpError', 'unexpectedContentType', 'invalidResult', 'handshakeFailed'] as const;
  return codes.some((code) => isMcpError(error, code));
}

/** Maximum time for which all sign-ins together may pause the timeout of a start. */
const maxSignInMs = 30 * 60_000;

/** Pauses the timeouts of one connection while the user signs in. */
class SignInPause {
  readonly #clock: StartClock;
  #waits = 0;
  #pauseRequests: (() => () => void) | undefined;

  /** @param clock the timeout of the start */
  constructor(clock: StartClock) {
    this.#clock = clock;
  }

  /** From now on the request timeouts of the connection pause too. */
  covers(pauseRequests: () => () => void): void {
    this.#pauseRequests = pauseRequests;
  }

  /** Pauses the timeouts until the returned function is called. */
  readonly begin = (): (() => void) => {
    const resume = this.#pauseRequests?.();
    this.#waits += 1;
    this.#clock.hold();
    return () => {
      this.#waits -= 1;
      if (this.#waits === 0) this.#clock.release();
      resume?.();
    };
  };
}

/**
 * The transport of a session that another connection began. Its requests use ids that the other
 * connection did not use: the server may still answer requests of that connection, and such an
 * answer must match no request here.
 */
class JoinedTransport implements Transport {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  readonly session: TransportSession;
  readonly floods: ServerFloods;
  readonly untilSignedIn: () => Promise<void>;
  readonly #inner: HttpTransport;
  readonly #prefix = `${randomUUID()} `;

  constructor(inner: HttpTransport) {
    this.#inner = inner;
    this.session = inner.session;
    this.floods = inner.floods;
    this.untilSignedIn = inner.untilSignedIn;
    this.writer = new ForwardingWriter((message) => inner.writer.write(this.#outgoing(message)));
    const inbox = new HttpInbox();
    this.reader = inbox;
    inner.reader.onClose(() => inbox.close());
    inner.reader.listen((value) =>
      inbox.deliver(
        Array.isArray(value) ? value.map((item) => this.#incoming(item)) : this.#incoming(value),
      ),
    );
  }

  explainEnd(): Promise<McpError> {
    return this.#inner.explainEnd();
  }

  close(manner: 'orderly' | 'atOnce'): Promise<void> {
    return this.#inner.close(manner);
  }

  #outgoing(message: Message): Message {
    if (!('method' in message)) return message;
    if ('id' in message)
      return { ...message, id: `${this.#prefix}${String(message.id)}` } as Message;
    const params: unknown = 'params' in message ? message.params : undefined;
    if (!isObject(params) || !isRequestId(params.requestId)) return message;
    const requestId = `${this.#prefix}${params.requestId}`;
    return { ...message, params: { ...params, requestId } } as Message;
  }

  #incoming(value: unknown): unknown {
    if (!isObject(value) || !isAnswer(value) || value.id === undefined) return value;
    const { id } = value;
    const isOwn = typeof id === 'string' && id.startsWith(this.#prefix);
    return {
      ...value,
      id: isOwn ? Number(id.slice(this.#prefix.length)) : 'of another connection',
    };
  }
}
