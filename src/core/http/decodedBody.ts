import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';

/** An answer as it is read: the head of the message, and its body without encodings. */
export interface HttpBody extends Readable, Pick<IncomingMessage, 'headers' | 'rawHeaders'> {
  readonly statusCode?: number | undefined;
  /** Whether the body ended in order. */
  readonly complete: boolean;
}

/** Nobody needs more than one. */
const maxEncodings = 3;

/**
 * The body of `message` decoded as its `Content-Encoding` says: some servers and proxies compress though
 * nobody asked for it. What is in no known encoding, or in too many, comes as it is. Decoding happens
 * outside of the event loop and no faster than the body is read, so whoever counts what comes is safe from a
 * small body that becomes a very large one. Closing the body closes the connection.
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

/** The first header of this name, which is in lower case, from the list as it came. */
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
  // What has come so far is handed on at once, and a missing end is no error, as in browsers.
  const { Z_SYNC_FLUSH: sync, BROTLI_OPERATION_FLUSH: flush } = zlib.constants;
  if (name === 'gzip' || name === 'x-gzip') {
    return zlib.createGunzip({ flush: sync, finishFlush: sync });
  }
  if (name === 'deflate') return zlib.createInflate({ flush: sync, finishFlush: sync });
  if (name === 'br') return zlib.createBrotliDecompress({ flush, finishFlush: flush });
  return undefined;
}

function ignore(): void {
  // Whoever reads the body hears of it too.
}
