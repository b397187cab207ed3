import type { Message } from 'vscode-jsonrpc/node';
import { McpError } from './errors';
import { encodeHeaderValue } from './headerValue';
import type { HttpHeaders } from './httpEndpoint';
import type { RequestId } from './incoming';
import { isObject } from './shapes';
import type { UnknownObject } from './shapes';

/** Marks every request of the stateless era, and holds its revision. */
export const revisionKey = 'io.modelcontextprotocol/protocolVersion';

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
]);

/** A message on its way out, with what the transport has to know of it. */
export interface OutgoingMessage {
  readonly kind: 'request' | 'notification' | 'answer';
  readonly body: string;
  /** Of a request. */
  readonly id?: RequestId;
  /** `''` for an answer. */
  readonly method: string;
  readonly params: UnknownObject;
  /** Of the stateless era, told from the message itself. */
  readonly revision: string | undefined;
  readonly isRepeatable: boolean;
}

/** @throws {McpError} writeFailed when no JSON can be made of it */
export function toOutgoing(message: Message): OutgoingMessage {
  const { id, method, params } = readMembers(message);
  const meta = params['_meta'];
  const revision = isObject(meta) ? meta[revisionKey] : undefined;
  const common = {
    body: toJson(message),
    params,
    revision: typeof revision === 'string' ? revision : undefined,
  };
  if (method === undefined) return { ...common, kind: 'answer', method: '', isRepeatable: true };
  if (id === undefined) return { ...common, kind: 'notification', method, isRepeatable: true };
  return { ...common, kind: 'request', id, method, isRepeatable: repeatableMethods.has(method) };
}

function readMembers(message: unknown): {
  id: RequestId | undefined;
  method: string | undefined;
  params: UnknownObject;
} {
  const { id, method, params } = isObject(message) ? message : {};
  return {
    id: typeof id === 'number' || typeof id === 'string' ? id : undefined,
    method: typeof method === 'string' ? method : undefined,
    params: isObject(params) ? params : {},
  };
}

function toJson(message: Message): string {
  try {
    return JSON.stringify(message);
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
