import type { Message } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import type { McpErrorFacts } from '../errors';
import { boundedJson } from '../json/boundedJson';
import { isObject } from '../json/shapes';
import type { UnknownObject } from '../json/shapes';
import { toExactNumber, WrittenNumber } from '../json/writtenNumber';
import type { ServerFloods } from './serverFloods';

export type RequestId = string | number;

/** A request of the server. Its id is sent back as written. */
export interface ServerRequest {
  readonly id: RequestId | WrittenNumber;
  readonly method: string;
  readonly params?: unknown;
}

/** An answer whose id may be unknown. */
export type AnswerMessage = Message & UnknownObject;

/** Receives the results of {@link classifyIncoming}. */
export interface IncomingSink {
  readonly floods: ServerFloods;
  /** Receives a result, or with `error` the failure of a request. */
  answer(message: AnswerMessage, error: McpError | undefined): void;
  request(message: ServerRequest): void;
  notification(method: string, params: unknown): void;
  /** Receives JSON that is not a JSON-RPC message; bounded. */
  garbage(json: string): void;
}

const maxGarbageChars = 4096;

/**
 * Classifies a parsed line. Arrays are batches in every revision, and are split.
 * `$/` methods belong to other protocols and are dropped, because vscode-jsonrpc would act on them
 * . What exceeds `sink.floods` is dropped, and the connection ends.
 */
export function classifyIncoming(value: unknown, sink: IncomingSink): void {
  if (!Array.isArray(value)) sortOne(value, sink);
  else if (sink.floods.takesBatch(value.length)) for (const item of value) sortOne(item, sink);
}

function sortOne(value: unknown, sink: IncomingSink): void {
  if (!isObject(value)) sortGarbage(value, sink);
  else if (typeof value.method === 'string') sortCall(value, value.method, sink);
  else if (isVersion2(value)) sink.answer(value, failureOf(value));
  else if (isRequestId(value.id)) {
    sink.answer({ ...value, jsonrpc: '2.0' }, invalid('"jsonrpc" is not "2.0"'));
  } else sortGarbage(value, sink);
}

function sortCall(value: UnknownObject, method: string, sink: IncomingSink): void {
  // Log lines in JSON often have a `method` too.
  if (!isVersion2(value)) sortGarbage(value, sink);
  else if (method.startsWith('$/')) return;
  else if (hasNoId(value, method)) sink.notification(method, value.params);
  else if (!isServerRequestId(value.id)) sortGarbage(value, sink);
  else if (sink.floods.takesRequest()) {
    sink.request({ id: value.id, method, params: value.params });
  }
}

/** Many JSON libraries write empty fields, so a notification may have `null` as its id. */
function hasNoId({ id }: UnknownObject, method: string): boolean {
  return id === undefined || (id === null && method.startsWith('notifications/'));
}

function sortGarbage(value: unknown, sink: IncomingSink): void {
  if (sink.floods.takesGarbage()) sink.garbage(boundedJson(value, maxGarbageChars));
}

function isVersion2(value: UnknownObject): value is AnswerMessage {
  return value.jsonrpc === '2.0';
}

export function isServerRequestId(id: unknown): id is ServerRequest['id'] {
  return isRequestId(id) || id instanceof WrittenNumber;
}

export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'number' || typeof id === 'string';
}

/** Returns a key that is the same for every spelling of an id, and for no other id. */
export function keyOfId(id: unknown): unknown {
  if (typeof id === 'string') return JSON.stringify(id);
  if (!(id instanceof WrittenNumber)) return id;
  const number = toExactNumber(id);
  return number instanceof WrittenNumber ? number.text : number;
}

/** True if `value` has no method, or `null` as one, which many JSON libraries write. */
export function isAnswer(value: UnknownObject): boolean {
  return typeof value.method !== 'string';
}

/** Returns the number that a server wrote as a text: some do that with ids. */
export function numberOfIdText(id: unknown): number | undefined {
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/**
 * Requires exactly one of `result` and `error`. A `null` beside the other counts as absent,
 * because many JSON libraries write empty fields.
 */
function failureOf({ result, error }: AnswerMessage): McpError | undefined {
  if (error === undefined || error === null) {
    return result === undefined ? invalid('it has neither "result" nor "error"') : undefined;
  }
  if (result !== undefined && result !== null) return invalid('it has both "result" and "error"');
  return serverError(error);
}

function invalid(detail: string): McpError {
  return new McpError('invalidResult', { detail });
}

/** Keeps the server's error as received, except for a code that is not a number. */
export function serverError(error: unknown): McpError {
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
