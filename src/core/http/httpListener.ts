import type { HttpBody } from './decodedBody';
import { isMcpError, isSignInFailure, isTransient, toMcpError } from '../errors';
import type { McpError } from '../errors';
import { discardBody, mediaTypeOf } from './httpBody';
import type { HttpHeaders } from './httpEndpoint';
import type { HttpLink } from './httpLink';
import { refusalOf, resumeDelayMs } from './httpResume';
import { messageStream } from './messageStream';
import type { MessageSink } from './messageStream';
import type { ConnectionLog } from '../log';
import type { MessageLimits } from '../rpc/messageLimits';
import type { SseStream } from './sseStream';

/** Streams in a row that brought nothing; after them we stop asking. */
const maxIdleStreams = 8;
/** One that lasted longer was closed by something that limits time, and is worth another. */
const longStreamMs = 10_000;

/** What the stream for messages outside of requests needs from its transport. */
export interface ListenerHost extends MessageSink {
  readonly link: HttpLink;
  readonly log: ConnectionLog;
  readonly limits: MessageLimits;
  getHeaders(): HttpHeaders;
  /** From the first try until there is no stream any more; with what was too large, if anything. */
  listening(is: boolean, reason?: McpError): void;
  /** The server has such a stream, and it is open. */
  opened(): void;
  /** Whether `error` means that the session is lost; then the host has ended the connection. */
  endsSession(error: McpError): boolean;
}

/**
 * Keeps the stream open on which a stateful server may send what belongs to no request, until the
 * link is closed or the server does not offer one. While there can be none for want of a sign-in it
 * waits for that, as nobody is asked for its sake. Never rejects.
 *
 * Spec: 2025-11-25 basic/transports#listening-for-messages-from-the-server
 */
export async function listenForMessages(host: ListenerHost): Promise<void> {
  for (;;) {
    host.listening(true);
    const end = await untilRefused(host);
    const needsSignIn = isSignInFailure(end);
    host.listening(false, needsSignIn ? undefined : end);
    if (!needsSignIn) return;
    host.log.info(`listening: ${end?.message}; again after a sign-in`);
    try {
      await host.link.untilSignedIn();
    } catch {
      // The link was closed.
      return;
    }
  }
}

/** Resolves with why there is none any more, where somebody has to know: it may have been an answer. */
async function untilRefused(host: ListenerHost): Promise<McpError | undefined> {
  const stream = messageStream(host.limits, host);
  let idleStreams = 0;
  let failure: McpError | undefined;
  for (;;) {
    const startedAt = performance.now();
    const eventsBefore = stream.events;
    try {
      failure = undefined;
      await follow(host, stream);
    } catch (error) {
      failure = toMcpError(error);
      if (host.link.isClosed || host.endsSession(failure)) return undefined;
      if (isSignInFailure(failure)) return failure;
      if (!isTransient(failure)) {
        if (!saysNoStream(failure)) host.log.warn(`listening: ${failure.message}`);
        return isMcpError(failure, 'answerTooLarge') ? failure : undefined;
      }
    }
    const wasOfUse = stream.events > eventsBefore || performance.now() - startedAt > longStreamMs;
    idleStreams = wasOfUse ? 0 : idleStreams + 1;
    if (idleStreams >= maxIdleStreams) {
      host.log.warn('the server keeps closing the stream for its own messages; not reopened');
      return undefined;
    }
    try {
      await host.link.wait(resumeDelayMs(stream, idleStreams, failure), true);
    } catch {
      // The link was closed.
      return undefined;
    }
  }
}

async function follow(host: ListenerHost, stream: SseStream): Promise<void> {
  const { lastEventId } = stream;
  const exchange = host.link.open({
    method: 'GET',
    headers: {
      ...host.getHeaders(),
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    },
    isRepeatable: true,
    isBackground: true,
  });
  try {
    const answer = await exchange.answer;
    if (answer.status >= 300) throw await refusalOf(answer);
    await read(answer.message, stream, host);
  } finally {
    host.link.release(exchange);
  }
}

async function read(message: HttpBody, stream: SseStream, host: ListenerHost): Promise<void> {
  if (mediaTypeOf(message) === 'text/event-stream') {
    host.opened();
    await stream.read(message);
    return;
  }
  await discardBody(message);
  host.log.warn(`listening: the server answers with ${mediaTypeOf(message) || 'no content type'}`);
}

/** Servers without such a stream say so in these ways; that is no failure. */
function saysNoStream(error: McpError): boolean {
  const { httpStatus } = error.facts;
  return httpStatus === 404 || httpStatus === 405;
}
