import type { Message } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import { encodeHeaderValue } from '../eras/headerValue';
import type { HttpHeaders } from './httpEndpoint';
import { isRequestId } from '../rpc/incoming';
import type { RequestId } from '../rpc/incoming';
import { isObject } from '../json/shapes';
import { stringifyExactly } from '../json/writtenNumber';
import type { UnknownObject } from '../json/shapes';

/** Marks every request of the stateless era, and holds its revision. */
const revisionKey = 'io.modelcontextprotocol/protocolVersion';

/** The parameter that a method has mirrored into `Mcp-Name`. */
const nameParams: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Requests without effects: they may be sent again when a connection was found closed. */
const repeatableMethods: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/result',
  'tasks/list',
]);

/** A message on its way out, with what the transport has to know of it. */
export interface OutgoingMessage {
  readonly kind: 'request' | 'notification' | 'answer';
  readonly body: string;
  /** Of a request. */
  readonly id: RequestId | undefined;
  /** `''` for an answer. */
  readonly method: string;
  readonly params: UnknownObject;
  /** Of the stateless era, told from the message itself. */
  readonly revision: string | undefined;
  readonly isRepeatable: boolean;
}

/** @throws {McpError} writeFailed when no JSON can be made of it */
export function toOutgoing(message: Message): OutgoingMessage {
  const { id, method, params } = membersOf(message);
  const isCall = typeof method === 'string';
  const isRequest = isCall && isRequestId(id);
  const given = isObject(params) ? params : noParams;
  const meta = given['_meta'];
  const revision = isObject(meta) ? meta[revisionKey] : undefined;
  // Written out, for this is the way of every call.
  return {
    kind: isRequest ? 'request' : isCall ? 'notification' : 'answer',
    body: toJson(message),
    id: isRequest ? id : undefined,
    method: isCall ? method : '',
    params: given,
    revision: typeof revision === 'string' ? revision : undefined,
    isRepeatable: !isRequest || repeatableMethods.has(method),
  };
}

/** What a message asks for, in words of the protocol: of a call with the name of the tool. */
export function operationOf({ method, params: { name } }: OutgoingMessage): string {
  return method === 'tools/call' && typeof name === 'string' ? `${method} ${name}` : method;
}

/** Whether nobody waits for the answer to a message. */
export function isUnawaited({ kind, method }: OutgoingMessage): boolean {
  return kind !== 'request' || method === 'subscriptions/listen';
}

const noParams: UnknownObject = {};

function membersOf(message: unknown): UnknownObject {
  return isObject(message) ? message : noParams;
}

function toJson(message: Message): string {
  try {
    return stringifyExactly(message);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new McpError('writeFailed', { detail, cause: error });
  }
}

/**
 * What a message of the stateless era has mirrored into headers, without its parameters
 * (R-138 to R-143).
 *
 * Spec: 2026-07-28 basic/transports/streamable-http#standard-request-headers
 */
export function statelessHeaders(revision: string, message: OutgoingMessage): HttpHeaders {
  const { method, params } = message;
  const nameParam = Object.hasOwn(nameParams, method) ? nameParams[method] : undefined;
  const name = nameParam === undefined ? undefined : params[nameParam];
  return {
    'MCP-Protocol-Version': revision,
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': encodeHeaderValue(name) } : {}),
  };
}
