import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';

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
