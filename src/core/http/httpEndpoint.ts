import http from 'node:http';
import type { LookupFunction } from 'node:net';
import { McpError } from '../errors';
import { isNeverProxied } from '../localHost';

/** The URL of a server, with what identifies the user in redirects. */
export interface HttpEndpoint {
  readonly url: URL;
  /** Path of the pipe or Unix socket, if the server is not reached over TCP. */
  readonly socketPath?: string;
  /** Set if nothing in the configuration identifies the user: no header, user name or query. */
  readonly isAnonymous?: true;
  /** Defaults to the global agent of Node's module. */
  readonly agent?: http.Agent;
  /** Replaces the system's lookup where resolved addresses are checked; not used behind a proxy. */
  readonly lookup?: LookupFunction;
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

/** True for the same scheme, host and port; on a socket every path is the same server. */
export function isSameOrigin(endpoint: HttpEndpoint, url: URL): boolean {
  return url.origin === endpoint.url.origin;
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
