import { type HttpBody, discardBody, mediaTypeOf } from './httpBody';
import { isMcpError, isSignInFailure, isTransient, toMcpError } from '../errors';
import type { McpError } from '../errors';
import type { HttpHeaders } from './httpMessage';
import type { HttpLink } from './httpLink';
import { httpErrorOf, resumeDelayMs, type SseStream } from './sseStream';
import { messageStream, type MessageSink } from './httpInbox';
import type { ConnectionLog } from '../log';
import type { MessageLimits } from '../rpc/messageLimits';

/**
 * Maximum number of consecutive streams without an event; then retries happen only while the server
 * is in use.
 */
const maxIdleStreams = 8;
/** Minimum delay between those retries. */
const minUsedDelayMs = 1_000;
/**
 * Statuses that may not recur on the next try: another connection holds the stream, or it is too
 * early.
 */
const temporaryStatuses: ReadonlySet<number | undefined> = new Set([408, 409, 423, 425]);
/** A stream that lasted longer was probably closed by a time limit, so it is reopened. */
const longStreamMs = 10_000;

/** The parts of the transport that the stream for messages outside of requests needs. */
export interface ListenerHost extends MessageSink {
  readonly link: HttpLink;
  readonly log: ConnectionLog;
  readonly limits: MessageLimits;
  getHeaders(): HttpHeaders;
  /**
   * Called with true at the first try and with false when there is no longer a stream; `reason` is
   * set if a message was too large.
   */
  listening(is: boolean, reason?: McpError): void;
  /** Called when the server has answered a GET for it, with a stream or otherwise. */
  answered(): void;
  /** Called when the server has opened such a stream. */
  opened(): void;
  /**
   * Returns true if `error` means that the session is lost; the host has then ended the connection.
   */
  endsSession(error: McpError): boolean;
}

/**
 * Keeps the stream open on which a stateful server may send messages outside of requests, until the
 * link is closed or the server does not offer one. If the stream needs a sign-in, it waits for one
 * without asking the user. Never rejects.
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

/** Results of the streams so far. */
interface Tries {
  /** Number of consecutive streams without an event. */
  idle: number;
  failure?: McpError | undefined;
}

/**
 * Resolves when the stream is given up; with the error if a message was too large, because that may
 * have been an answer. `idle` means that the server offers the stream but keeps closing it.
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
    const delayMs = Math.round(resumeDelayMs(stream, tries.idle, tries.failure));
    if (tries.failure !== undefined) {
      // Some servers drop what they send meanwhile, and their authors look for the reason here.
      host.log.info(`listening: ${tries.failure.message}; again in ${delayMs} ms`);
    }
    await host.link.wait(delayMs, true);
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
    host.answered();
    if (answer.status >= 300) throw await httpErrorOf(answer);
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

/** Servers without such a stream answer in these ways; that is no failure. */
function saysNoStream(error: McpError): boolean {
  const { httpStatus } = error.facts;
  return httpStatus === 404 || httpStatus === 405;
}
