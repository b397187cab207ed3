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

/** Streams in a row that brought nothing; after them we ask only while somebody uses the server. */
const maxIdleStreams = 8;
/** Between those, at least. */
const minUsedDelayMs = 1_000;
/** Of refusals that another try may not find: someone else holds the stream, or it is too early. */
const temporaryStatuses: ReadonlySet<number | undefined> = new Set([408, 409, 423, 425]);
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
  const stream = messageStream(host.limits, host);
  const tries: Tries = { idle: 0 };
  try {
    for (;;) {
      host.listening(true);
      const end = await untilRefused(host, stream, tries);
      if (end === 'idle') {
        host.listening(false);
        const delayMs = resumeDelayMs(stream, tries.idle, tries.failure);
        await host.link.waitForUse(Math.max(delayMs, minUsedDelayMs));
        continue;
      }
      const needsSignIn = isSignInFailure(end);
      host.listening(false, needsSignIn ? undefined : end);
      if (!needsSignIn) return;
      host.log.info(`listening: ${end?.message}; again after a sign-in`);
      await host.link.untilSignedIn();
    }
  } catch {
    // The link was closed.
  }
}

/** What became of the streams so far. */
interface Tries {
  /** How many in a row brought nothing. */
  idle: number;
  failure?: McpError | undefined;
}

/**
 * Resolves with why there is none any more, where somebody has to know: it may have been an answer.
 * `idle`: the server has one, and keeps closing it.
 */
async function untilRefused(
  host: ListenerHost,
  stream: SseStream,
  tries: Tries,
): Promise<McpError | 'idle' | undefined> {
  for (;;) {
    const startedAt = performance.now();
    const eventsBefore = stream.events;
    try {
      tries.failure = undefined;
      await follow(host, stream);
    } catch (error) {
      const failure = toMcpError(error);
      tries.failure = failure;
      if (host.link.isClosed || host.endsSession(failure)) return undefined;
      if (isSignInFailure(failure)) return failure;
      if (!isTransient(failure) && !temporaryStatuses.has(failure.facts.httpStatus)) {
        if (!saysNoStream(failure)) host.log.warn(`listening: ${failure.message}`);
        return isMcpError(failure, 'answerTooLarge') ? failure : undefined;
      }
    }
    const wasOfUse = stream.events > eventsBefore || performance.now() - startedAt > longStreamMs;
    tries.idle = wasOfUse ? 0 : tries.idle + 1;
    if (tries.idle === maxIdleStreams) {
      host.log.warn(
        'the server keeps closing the stream for its own messages; again when it is used',
      );
    }
    if (tries.idle >= maxIdleStreams) return 'idle';
    await host.link.wait(resumeDelayMs(stream, tries.idle, tries.failure), true);
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
