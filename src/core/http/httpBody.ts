import { McpError, type McpErrorFacts } from '../errors';
import { JsonAssembler } from '../json/jsonAssembler';
import { NotJson, parseJson } from '../json/parseJson';
import { tooLarge, type MessageLimits } from '../rpc/messageLimits';
import { ReadingTurns } from '../rpc/readingTurns';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { serverError } from '../rpc/incoming';
import { isObject } from '../json/shapes';
import { pipeline, type Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';

/**
 * Limit for bodies that are only excerpted: error pages, and answers to notifications and
 * responses.
 */
const maxShownBytes = 64 * 1024;

/**
 * Returns the media type of an answer without parameters, in lower case; `''` without one.
 * Reads the raw list: Node builds its headers object on first use, and most answers never need it.
 */
export function mediaTypeOf(message: HttpBody): string {
  const [type = ''] = (headerOf(message, 'content-type') ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/**
 * Reads the whole body as one JSON value. Very large texts and base64 are extracted as they arrive,
 * as `JsonAssembler` describes.
 * @throws {McpError} answerTooLarge, and the connection is closed | connectionLost | invalidResult
 */
export function readJson(
  message: HttpBody,
  { maxMessageBytes: maxBytes, maxMessageValues: maxValues }: MessageLimits,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const body = new JsonAssembler({ maxBytes, maxValues });
    const turns = new ReadingTurns(message);
    const refuse = (error: McpError) => {
      body.reset();
      reject(error);
      message.destroy();
    };
    message.on('data', (chunk: Buffer) => {
      if (body.byteLength + chunk.length > maxBytes) {
        refuse(new McpError('answerTooLarge', { limit: maxBytes }));
        return;
      }
      turns.begin();
      try {
        body.push(chunk);
        turns.took(chunk);
      } catch (error) {
        refuse(tooLarge('answerTooLarge', error));
      }
    });
    message.on('end', () => {
      try {
        resolve(body.end());
      } catch (error) {
        reject(error instanceof NotJson ? notJson(error) : tooLarge('answerTooLarge', error));
      }
    });
    const lost = () => reject(new McpError('connectionLost'));
    if (message.destroyed) lost();
    else message.on('error', lost);
  });
}

function notJson({ excerpt }: NotJson): McpError {
  return new McpError('invalidResult', { detail: answerExcerpt('application/json', excerpt) });
}

/** Reads the beginning of a body as text and ignores errors in the rest. Never rejects. */
export function readBodyStart(message: HttpBody, maxBytes = maxShownBytes): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) message.destroy();
    });
    whenClosed(message, () => resolve(Buffer.concat(chunks).toString('utf8', 0, maxBytes)));
  });
}

/** Reads and discards a body, up to a limit, so that its connection can be reused. */
export async function discardBody(message: HttpBody): Promise<void> {
  // A stream may never end.
  if (mediaTypeOf(message) === 'text/event-stream') message.destroy();
  else await readBodyStart(message);
}

/** Calls back when the connection of `message` is closed, also if it already was. */
export function whenClosed(message: HttpBody, callback: () => void): void {
  if (message.closed) callback();
  else message.once('close', callback);
}

/** Creates the error for an answer with an unexpected content type. */
export async function unexpectedType(message: HttpBody): Promise<McpError> {
  const type = message.headers['content-type'];
  const excerpt = answerExcerpt(type, await readBodyStart(message));
  const detail = [type ?? 'no content type', excerpt].filter((part) => part !== '').join('; ');
  return new McpError('unexpectedContentType', {
    ...(message.statusCode === undefined ? {} : { httpStatus: message.statusCode }),
    detail,
  });
}

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

/** An answer that is being read: the head of the message, and its decoded body. */
export interface HttpBody extends Readable, Pick<IncomingMessage, 'headers' | 'rawHeaders'> {
  readonly statusCode?: number | undefined;
  /** True if the body ended without being cut off. */
  readonly complete: boolean;
}

/** More encodings than this are not decoded. */
const maxEncodings = 3;

/**
 * Returns the body of `message` decoded according to its `Content-Encoding`: some servers and
 * proxies compress although we did not ask for it. A body in an unknown encoding, or in too many,
 * is returned unchanged. Decoding runs off the event loop and no faster than the body is read, so a
 * reader that counts bytes is safe from a small body that expands to a very large one. Closing the
 * body closes the connection.
 */
export function decodedBody(message: IncomingMessage): HttpBody {
  const written = headerOf(message, 'content-encoding');
  if (written === undefined) return message;
  const names = written.split(',', maxEncodings + 1).map((name) => name.trim().toLowerCase());
  const decoders = names.toReversed().map((name) => decoderFor(name));
  const known = decoders.filter((decoder) => decoder !== undefined);
  if (known.length < decoders.length || known.length > maxEncodings) return message;
  let body: Readable = message;
  for (const decoder of known) body = pipeline(body, decoder, ignore);
  body.on('error', ignore);
  return withHead(body, message);
}

/** Returns the first header with this lower-case name from the raw list. */
export function headerOf(
  { rawHeaders }: Pick<HttpBody, 'rawHeaders'>,
  wanted: string,
): string | undefined {
  const at = rawHeaders.findIndex(
    (name, index) =>
      index % 2 === 0 && name.length === wanted.length && name.toLowerCase() === wanted,
  );
  return at === -1 ? undefined : rawHeaders[at + 1];
}

function withHead(body: Readable, message: IncomingMessage): HttpBody {
  const { statusCode, headers, rawHeaders, complete } = message;
  const whole = Object.assign(body, { statusCode, headers, rawHeaders, complete });
  return Object.defineProperty(whole, 'complete', {
    get: () => message.complete && body.errored === null,
  });
}

function decoderFor(name: string): Transform | undefined {
  // Received data is passed on at once, and a missing end is no error, as in browsers.
  const { Z_SYNC_FLUSH: sync, BROTLI_OPERATION_FLUSH: flush } = zlib.constants;
  if (name === 'gzip' || name === 'x-gzip') {
    return zlib.createGunzip({ flush: sync, finishFlush: sync });
  }
  if (name === 'deflate') return zlib.createInflate({ flush: sync, finishFlush: sync });
  if (name === 'br') return zlib.createBrotliDecompress({ flush, finishFlush: flush });
  return undefined;
}

function ignore(): void {
  // The reader of the body gets the error too.
}
