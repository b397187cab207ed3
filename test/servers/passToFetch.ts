import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Lets a handler of the Fetch API answer a request of Node. */
export async function passToFetch(
  answer: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const { method = 'GET' } = request;
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  const answered = await answer(
    new Request(`http://localhost${request.url}`, {
      method,
      headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      signal: abort.signal,
      ...(method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.flushHeaders();
  if (answered.body === null) response.end();
  // The client may go away at any time.
  else await pipeline(Readable.from(answered.body), response).catch(() => undefined);
}
