import { isMcpError, McpError } from '../errors';
import { readBodyStart } from './httpBody';
import type { HttpAnswer } from './httpExchange';
import { statusFailure } from './httpFailure';
import type { SseStream } from './sseStream';

/** Limit for error bodies: room for the data of a JSON-RPC error. */
const maxErrorBytes = 1024 * 1024;

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;
/** Keeps `retry: 0` from becoming a busy loop. */
const minDelayMs = 10;

/** Returns the error for an answer with a status from 300. */
export async function httpErrorOf(answer: HttpAnswer): Promise<McpError> {
  const { status, message, wasAnonymous } = answer;
  const body = await readBodyStart(message, maxErrorBytes);
  const failure = statusFailure(status, message.headers, body);
  if (status !== 401 || !wasAnonymous) return failure;
  return new McpError(failure.code, { ...failure.facts, wasAnonymous: true });
}

/**
 * Returns the delay before a stream is requested again: exactly the server's value,
 * otherwise a random delay that grows with each failure, and never less than `failure` allows
 * (R-224).
 */
export function resumeDelayMs(stream: SseStream, failures: number, failure?: unknown): number {
  if (stream.retryMs !== undefined) return Math.max(stream.retryMs, minDelayMs);
  const delayMs = Math.min(firstDelayMs * 2 ** failures, maxDelayMs);
  const afterMs = isMcpError(failure) ? (failure.facts.retryAfterMs ?? 0) : 0;
  return Math.max(failures === 0 ? delayMs : delayMs * (0.75 + Math.random() / 2), afterMs);
}
