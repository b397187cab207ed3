import { headerOf, type HttpBody } from './decodedBody';
import { McpError } from '../errors';
import { excerptOf } from './httpFailure';
import { JsonAssembler } from '../json/jsonAssembler';
import { NotJson } from '../json/parseJson';
import { tooLarge } from '../rpc/messageLimits';
import type { MessageLimits } from '../rpc/messageLimits';
import { ReadingTurns } from '../rpc/readingTurns';

/** Of bodies that are only looked at: error pages, and answers to what has no answer. */
const maxShownBytes = 64 * 1024;

/**
 * Media type of an answer, without parameters, in lower case; `''` without one. Reads the
 * list as it came: Node makes its object of headers on first use, which most answers never need.
 */
export function mediaTypeOf(message: HttpBody): string {
  const [type = ''] = (headerOf(message, 'content-type') ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/**
 * The whole body as one JSON value; very large texts and base64 in it are taken out as they come,
 * as `JsonAssembler` says.
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
  return new McpError('invalidResult', { detail: excerptOf('application/json', excerpt) });
}

/** The beginning of a body as text; whatever is wrong with the rest is not. Never rejects. */
export function readStart(message: HttpBody, maxBytes = maxShownBytes): Promise<string> {
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

/** Lets a body pass that nobody reads, so that its connection can be used again; bounded. */
export async function discardBody(message: HttpBody): Promise<void> {
  // A stream may have no end at all.
  if (mediaTypeOf(message) === 'text/event-stream') message.destroy();
  else await readStart(message);
}

/** Calls back when the connection has gone from `message`, or had before anybody could listen. */
export function whenClosed(message: HttpBody, callback: () => void): void {
  if (message.closed) callback();
  else message.once('close', callback);
}

/** The error for an answer of a kind that no MCP server sends. */
export async function unexpectedType(message: HttpBody): Promise<McpError> {
  const type = message.headers['content-type'];
  const excerpt = excerptOf(type, await readStart(message));
  const detail = [type ?? 'no content type', excerpt].filter((part) => part !== '').join('; ');
  return new McpError('unexpectedContentType', {
    ...(message.statusCode === undefined ? {} : { httpStatus: message.statusCode }),
    detail,
  });
}
