import { isMcpError, McpError } from '../errors';
import { readStart } from './httpBody';
import type { HttpAnswer } from './httpExchange';
import { statusFailure } from './httpFailure';
import type { SseStream } from './sseStream';

/** Of error bodies: room for the data of a JSON-RPC error. */
const maxErrorBytes = 1024 * 1024;

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;
/** So that `retry: 0` is no loop at full speed. */
const minDelayMs = 10;

/** The error that an answer with a status from 300 is. */
export async function refusalOf(answer: HttpAnswer): Promise<McpError> {
  const { status, message, wasAnonymous } = answer;
  const body = await readStart(message, maxErrorBytes);
  const failure = statusFailure(status, message.headers, body);
  if (status !== 401 || !wasAnonymous) return failure;
  return new McpError(failure.code, { ...failure.facts, wasAnonymous: true });
}

/**
 * How long to wait before a stream is asked for again: exactly what the server said,
 * otherwise longer after each failure, with some chance in it, and never sooner than `failure`
 * allows.
 */
export function resumeDelayMs(stream: SseStream, failures: number, failure?: unknown): number {
  if (stream.retryMs !== undefined) return Math.max(stream.retryMs, minDelayMs);
  const delayMs = Math.min(firstDelayMs * 2 ** failures, maxDelayMs);
  const afterMs = isMcpError(failure) ? (failure.facts.retryAfterMs ?? 0) : 0;
  return Math.max(failures === 0 ? delayMs : delayMs * (0.75 + Math.random() / 2), afterMs);
}
