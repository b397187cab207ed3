import type { IncomingHttpHeaders } from 'node:http';
import { McpError } from '../errors';
import type { HttpBody } from './decodedBody';
import type { McpErrorFacts } from '../errors';
import { parseJson } from '../json/parseJson';
import { serverError } from '../rpc/incoming';
import { isObject } from '../json/shapes';

const maxExcerptChars = 500;
/** Maximum number of characters of a page's source that are searched for an error message. */
const maxPageChars = 8_192;
const maxChallengeChars = 8_192;

const tlsCodes =
  /^(?:ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|ERROR_IN_CERT|PATH_LENGTH|EPROTO)/;

/**
 * Converts an error of Node's HTTP client; `hadSocket` tells whether the request may have been
 * sent.
 */
export function networkFailure(error: Error, hadSocket: boolean): McpError {
  // A host with several addresses gives one error for each.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const {
    code = '',
    syscall,
    message,
  }: NodeJS.ErrnoException = first instanceof Error ? first : error;
  const facts = { detail: message || code || error.name, cause: error };
  if (tlsCodes.test(code)) return new McpError('tlsError', facts);
  // The peer speaks another protocol, or sends more headers than Node allows.
  if (code.startsWith('HPE_')) return new McpError('unexpectedContentType', facts);
  const wasConnecting =
    syscall === 'connect' || syscall === 'getaddrinfo' || /before secure TLS/.test(message);
  return new McpError(hadSocket && !wasConnecting ? 'connectionLost' : 'unreachable', facts);
}

/**
 * Creates the error for an answer with a status from 300. A JSON-RPC error in its body takes
 * precedence and becomes `serverError`, whatever id it has; 401 and 403 keep their
 * codes, because authorization handles them.
 */
export function statusFailure(
  status: number,
  headers: IncomingHttpHeaders,
  body: string,
): McpError {
  const rpcError = rpcErrorOf(body);
  const facts: McpErrorFacts = { httpStatus: status, ...challengeOf(headers), ...delayOf(headers) };
  if (rpcError !== undefined && status !== 401 && status !== 403) {
    return new McpError('serverError', { ...serverError(rpcError).facts, ...facts });
  }
  const said = rpcError === undefined ? undefined : serverError(rpcError).facts.detail;
  const detail = said ?? answerExcerpt(headers['content-type'], body);
  return new McpError(status === 401 ? 'unauthorized' : 'httpError', {
    ...facts,
    ...(detail === '' ? {} : { detail }),
  });
}

/** Returns a short excerpt of a server's answer as text, without HTML tags. Untrusted. */
export function answerExcerpt(contentType: string | undefined, body: string): string {
  const isPage = /html/i.test(contentType ?? '') || /^\s*<(?:!doctype|html)/i.test(body);
  const start = body.slice(0, maxPageChars);
  const text = (isPage ? pageText(start) : start).replace(/\s+/g, ' ').trim();
  return text.length > maxExcerptChars ? `${text.slice(0, maxExcerptChars)}…` : text;
}

function pageText(html: string): string {
  return html
    .replace(/<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/&nbsp;/g, ' ');
}

/** Returns the `error` of a JSON-RPC error. Other error bodies have a string there, or nothing. */
function rpcErrorOf(body: string): unknown {
  try {
    const value = parseJson(body);
    if (!isObject(value) || !isObject(value.error)) return undefined;
    const { code, message } = value.error;
    return typeof code === 'number' && typeof message === 'string' ? value.error : undefined;
  } catch {
    // The body is not JSON, or is nested too deeply to be an error message.
    return undefined;
  }
}

/** Returns each `WWW-Authenticate` header separately; at most 8,192 characters in all. */
export function authenticateHeaders({
  rawHeaders,
}: Pick<HttpBody, 'rawHeaders'>): readonly string[] {
  const found: string[] = [];
  let left = maxChallengeChars;
  for (let index = 0; index + 1 < rawHeaders.length && left > 0; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'www-authenticate') continue;
    const value = rawHeaders[index + 1]?.slice(0, left) ?? '';
    found.push(value);
    left -= value.length;
  }
  return found;
}

function challengeOf(headers: IncomingHttpHeaders): McpErrorFacts {
  const challenge = headers['www-authenticate'];
  return challenge === undefined ? {} : { wwwAuthenticate: challenge.slice(0, maxChallengeChars) };
}

/** `Retry-After` is a number of seconds or a date. */
function delayOf(headers: IncomingHttpHeaders): McpErrorFacts {
  const text = headers['retry-after'];
  if (text === undefined) return {};
  const delayMs = /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(delayMs) ? { retryAfterMs: Math.max(delayMs, 0) } : {};
}
