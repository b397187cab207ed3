import { headerOf, type HttpBody } from './decodedBody';
import { McpError } from '../errors';
import { answerExcerpt } from './httpFailure';
import { JsonAssembler } from '../json/jsonAssembler';
import { NotJson } from '../json/parseJson';
import { tooLarge } from '../rpc/messageLimits';
import type { MessageLimits } from '../rpc/messageLimits';
import { ReadingTurns } from '../rpc/readingTurns';

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
