import type { Message } from 'vscode-jsonrpc/node';
import { McpError } from '../errors';
import { encodeHeaderValue } from '../eras/statelessMeta';
import { isRequestId, type RequestId } from '../rpc/incoming';
import { isObject, type UnknownObject } from '../json/shapes';
import { stringifyExactly } from '../json/writtenNumber';
import http from 'node:http';
import type { LookupFunction } from 'node:net';
import { isNeverProxied } from '../localHost';
import { percentDecoded } from '../percentDecoded';

/** Key that marks every request of the stateless era and holds its revision. */
const revisionKey = 'io.modelcontextprotocol/protocolVersion';

/** The parameter of each method that is mirrored into `Mcp-Name`. */
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
  // At most an unused session is left behind.
  'initialize',
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

/** An outgoing message with the facts that the transport needs. */
export interface OutgoingMessage {
  readonly kind: 'request' | 'notification' | 'answer';
  readonly body: string;
  /** Set for requests. */
  readonly id: RequestId | undefined;
  /** `''` for an answer. */
  readonly method: string;
  readonly params: UnknownObject;
  /** Revision in a message of the stateless era, read from the message itself. */
  readonly revision: string | undefined;
  readonly isRepeatable: boolean;
}

/** @throws {McpError} writeFailed when it cannot be written as JSON */
export function toOutgoingMessage(message: Message): OutgoingMessage {
  const { id, method, params } = membersOf(message);
  const isCall = typeof method === 'string';
  const isRequest = isCall && isRequestId(id);
  const given = isObject(params) ? params : noParams;
  const meta = given['_meta'];
  const revision = isObject(meta) ? meta[revisionKey] : undefined;
  // Written out without spreads, because every call goes through here.
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

/** Returns the method of a message; for a call with the name of the tool. */
export function operationName({ method, params: { name } }: OutgoingMessage): string {
  return method === 'tools/call' && typeof name === 'string' ? `${method} ${name}` : method;
}

/** True if no caller waits for the answer to a message. */
export function hasNoWaiter({ kind, method }: OutgoingMessage): boolean {
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
 * Headers that mirror a message of the stateless era, without its parameters.
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

/** The URL of a server, with what identifies the user in redirects. */
export interface HttpEndpoint {
  readonly url: URL;
  /** Path of the pipe or Unix socket, if the server is not reached over TCP. */
  readonly socketPath?: string;
  /** Set if nothing in the configuration identifies the user: no header, user name or query. */
  readonly isAnonymous?: true;
  /** Defaults to the global agent of Node's module. */
  readonly agent?: http.Agent;
  /** Set where resolved addresses are checked. */
  readonly addressCheck?: AddressCheck;
}

/** Decides which addresses new connections may be made to. */
export interface AddressCheck {
  /** Replaces the system's lookup; not used behind a proxy. */
  readonly lookup: LookupFunction;
  /** At most 32 bytes. Only connections made under this id are used again. */
  readonly poolId: string;
}

/** Headers by name, in the form that Node accepts. */
export type HttpHeaders = Readonly<Record<string, string>>;

/**
 * Parses a configured URL: `http:`, `https:`, and VS Code's forms for servers that are not on the
 * network, `unix:///path#/sub/path` and `pipe:///pipe/name#/sub/path`.
 * @throws {McpError} invalidConfiguration
 */
export function parseEndpoint(text: string): HttpEndpoint {
  if (!URL.canParse(text)) throw new McpError('invalidConfiguration', { detail: 'url' });
  const url = new URL(text);
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      url.hash = '';
      return { url };
    case 'unix:':
      return { url: pathOnSocket(url), socketPath: percentDecoded(url.pathname) };
    case 'pipe:':
      return { url: pathOnSocket(url), socketPath: pipeName(percentDecoded(url.pathname)) };
    default:
      throw new McpError('invalidConfiguration', { detail: 'url' });
  }
}

function pathOnSocket(url: URL): URL {
  return new URL(url.hash.slice(1) || '/', 'http://localhost');
}

function pipeName(path: string): string {
  return `\\\\.${path.replaceAll('/', '\\')}`;
}

/** True if neither the editor's proxy nor its certificate settings apply to this endpoint. */
export function bypassesProxy({ url, socketPath }: HttpEndpoint): boolean {
  return socketPath !== undefined || (url.protocol === 'http:' && isNeverProxied(url.hostname));
}

/**
 * Returns the endpoint, marked as anonymous if neither `headers` nor its URL could identify the
 * user.
 */
export function markAnonymous(endpoint: HttpEndpoint, headers: HttpHeaders): HttpEndpoint {
  const { username, password, search } = endpoint.url;
  const isNamed = Object.keys(headers).length > 0 || `${username}${password}${search}` !== '';
  return isNamed ? endpoint : { ...endpoint, isAnonymous: true };
}

/**
 * Returns a URL that the server named, with the configured user name and password; undefined if it
 * has another scheme, host or port, or a user name or password that the server chose. On a
 * socket every path is the same server.
 */
export function urlAtEndpoint({ url }: HttpEndpoint, named: URL): URL | undefined {
  if (named.origin !== url.origin) return undefined;
  const target = new URL(named);
  if (!hasUserInfo(named)) {
    target.username = url.username;
    target.password = url.password;
  }
  const isConfigured = target.username === url.username && target.password === url.password;
  return isConfigured ? target : undefined;
}

/** Returns the user name and the password of a URL, with a colon between; absent if it has none. */
export function userInfoOf(url: URL): string | undefined {
  if (!hasUserInfo(url)) return undefined;
  return [url.username, url.password].map(percentDecoded).join(':');
}

export function hasUserInfo({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/**
 * Returns `headers` in a form that can be sent.
 * @throws {McpError} invalidConfiguration that names the header, never its value
 */
export function checkedHeaders(headers: HttpHeaders): HttpHeaders {
  for (const [name, value] of Object.entries(headers)) {
    try {
      http.validateHeaderName(name);
      http.validateHeaderValue(name, value);
    } catch {
      throw new McpError('invalidConfiguration', { detail: `headers: ${name}` });
    }
  }
  return headers;
}
