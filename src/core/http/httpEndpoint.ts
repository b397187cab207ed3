import http from 'node:http';
import type { LookupFunction } from 'node:net';
import { McpError } from '../errors';
import { isNeverProxied } from '../thisMachine';

/** Where a server is reached, and what identifies it for redirects. */
export interface HttpEndpoint {
  readonly url: URL;
  /** The pipe or Unix socket on which HTTP is spoken, if it is not TCP. */
  readonly socketPath?: string;
  /** Nothing of the configuration could identify the user: no header, user name or query. */
  readonly isAnonymous?: true;
  /** Absent: the one that Node's module holds. */
  readonly agent?: http.Agent;
  /** In place of the system's, where the addresses of a name are to be checked; no proxy asks it. */
  readonly lookup?: LookupFunction;
}

/** Headers by name, as Node takes them. */
export type HttpHeaders = Readonly<Record<string, string>>;

/**
 * The endpoint that a configured URL means: `http:` and `https:`, and the forms of VS Code for
 * servers that are not on the network, `unix:///path#/sub/path` and `pipe:///pipe/name#/sub/path`.
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
      return { url: pathOnSocket(url), socketPath: decodeURIComponent(url.pathname) };
    case 'pipe:':
      return { url: pathOnSocket(url), socketPath: pipeName(decodeURIComponent(url.pathname)) };
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

/** Whether neither a proxy nor a certificate of the editor's settings has a part in reaching it. */
export function isReachedDirectly({ url, socketPath }: HttpEndpoint): boolean {
  return socketPath !== undefined || (url.protocol === 'http:' && isNeverProxied(url.hostname));
}

/** The endpoint with whether `headers`, as configured, or its address could identify the user. */
export function withIdentity(endpoint: HttpEndpoint, headers: HttpHeaders): HttpEndpoint {
  const { username, password, search } = endpoint.url;
  const isNamed = Object.keys(headers).length > 0 || `${username}${password}${search}` !== '';
  return isNamed ? endpoint : { ...endpoint, isAnonymous: true };
}

/** Same scheme, host and port; on a socket every path is the same server. */
export function isSameOrigin(endpoint: HttpEndpoint, url: URL): boolean {
  return url.origin === endpoint.url.origin;
}

/**
 * `headers` as they can be sent.
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
