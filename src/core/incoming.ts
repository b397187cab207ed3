import type { RequestMessage } from 'vscode-jsonrpc/node';
import { McpError } from './errors';
import type { McpErrorFacts } from './errors';
import { boundedJson, isObject } from './shapes';
import type { UnknownObject } from './shapes';

export type RequestId = string | number;

/** What {@link sortIncoming} tells; exactly one is called per message. */
export interface IncomingSink {
  /** A result or an error for one of our requests; `id` may be nobody's. */
  answer(id: unknown, outcome: IncomingAnswer, message: UnknownObject): void;
  request(message: RequestMessage): void;
  notification(method: string, params: unknown): void;
  /** JSON that is no JSON-RPC message; bounded. */
  garbage(json: string): void;
}

export type IncomingAnswer = { readonly ok: true } | { readonly ok: false; error: McpError };

const answered: IncomingAnswer = { ok: true };
const maxGarbageChars = 4096;

/**
 * Tells what kind of message a parsed line is. Arrays are batches and are taken apart, in whatever
 * revision: an array is never anything else. `$/` methods are of other protocols
 * and are dropped: vscode-jsonrpc would act on them.
 */
export function sortIncoming(value: unknown, sink: IncomingSink): void {
  if (Array.isArray(value)) {
    for (const item of value) {
      if (Array.isArray(item)) sink.garbage(boundedJson(item, maxGarbageChars));
      else sortIncoming(item, sink);
    }
    return;
  }
  if (!isObject(value)) {
    sink.garbage(boundedJson(value, maxGarbageChars));
    return;
  }
  const { method } = value;
  if (typeof method === 'string') sortCall(value, method, sink);
  else if (isId(value.id) || value.jsonrpc === '2.0') {
    sink.answer(value.id, outcomeOf(value), value);
  } else sink.garbage(boundedJson(value, maxGarbageChars));
}

function sortCall(value: UnknownObject, method: string, sink: IncomingSink): void {
  // Log lines in JSON often have a `method` too.
  if (value.jsonrpc !== '2.0') sink.garbage(boundedJson(value, maxGarbageChars));
  else if (method.startsWith('$/')) return;
  else if (value.id === undefined) sink.notification(method, value.params);
  else if (isId(value.id)) sink.request(value as unknown as RequestMessage);
  else sink.garbage(boundedJson(value, maxGarbageChars));
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'number' || typeof id === 'string';
}

/**
 * Exactly one of `result` and `error`. A `null` beside the other counts as absent: many
 * JSON libraries write out empty fields.
 */
function outcomeOf(message: UnknownObject): IncomingAnswer {
  const { result, error } = message;
  const hasError = error !== undefined && error !== null;
  const hasResult = hasError ? result !== undefined && result !== null : result !== undefined;
  if (message.jsonrpc !== '2.0') return invalid('"jsonrpc" is not "2.0"');
  if (hasResult) return hasError ? invalid('it has both "result" and "error"') : answered;
  if (!hasError) return invalid('it has neither "result" nor "error"');
  return { ok: false, error: serverError(error) };
}

function invalid(detail: string): IncomingAnswer {
  return { ok: false, error: new McpError('invalidResult', { detail }) };
}

/** The server's error as it came; a code that is no number is left out. */
function serverError(error: unknown): McpError {
  if (!isObject(error)) {
    return new McpError('serverError', { detail: boundedJson(error, maxGarbageChars) });
  }
  const facts: { -readonly [Fact in keyof McpErrorFacts]: McpErrorFacts[Fact] } = {
    detail: typeof error.message === 'string' ? error.message : boundedJson(error, maxGarbageChars),
  };
  if (typeof error.code === 'number') facts.rpcCode = error.code;
  if (error.data !== undefined) facts.rpcData = error.data;
  return new McpError('serverError', facts);
}
