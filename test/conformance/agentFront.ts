import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { randomUUID } from 'node:crypto';

// The official suite speaks Streamable HTTP, and the endpoint for agents lines over a socket. This
// carries messages between the two and knows nothing of what they say but ids and `initialize`.

/** One connection to the endpoint, with whoever waits for answers on it. */
class Session {
  readonly id = randomUUID();
  readonly #stream: Duplex;
  readonly #waiting = new Map<unknown, ServerResponse>();
  #rest = '';

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#pass(line);
    });
    stream.on('error', () => undefined);
  }

  send(message: object): void {
    this.#stream.write(`${JSON.stringify(message)}\n`);
  }

  /** What comes until the answer to `id` leaves by `response`. */
  wait(id: unknown, response: ServerResponse): void {
    this.#waiting.set(id, response);
  }

  end(): void {
    this.#stream.destroy();
  }

  #pass(line: string): void {
    const message: unknown = JSON.parse(line);
    const event = `event: message\ndata: ${line}\n\n`;
    const { id, method } = Object(message);
    if (method !== undefined) {
      for (const response of this.#waiting.values()) response.write(event);
      return;
    }
    this.#waiting.get(id)?.end(event);
    this.#waiting.delete(id);
  }
}

export interface AgentFront {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves on a port of this machine what `connect` leads to. For tests alone. */
export async function openFront(connect: () => Promise<Duplex>): Promise<AgentFront> {
  const sessions = new Map<string, Session>();
  const http: Server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (request.method === 'DELETE') known?.end();
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const message: object = JSON.parse(body);
    const { id, method } = Object(message);
    const session = known ?? new Session(await connect());
    // Without a session every request stands alone, as in the stateless era.
    if (method === 'initialize') sessions.set(session.id, session);
    const isAlone = known === undefined && method !== 'initialize';
    if (id === undefined) {
      session.send(message);
      response.writeHead(202).end();
      return;
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      ...(isAlone ? {} : { 'mcp-session-id': session.id }),
    });
    if (isAlone) response.on('close', () => session.end());
    session.wait(id, response);
    session.send(message);
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      for (const session of sessions.values()) session.end();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
