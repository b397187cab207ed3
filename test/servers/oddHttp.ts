import { once } from 'node:events';
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Exchange, Exchanging } from './oddExchanges';
import type { Framing } from './oddFraming';
import { answerTo, type OddMessage, type Place, type Saying } from './oddMessages';

export interface Odd {
  readonly saying?: Saying;
  readonly framing?: Framing;
  readonly exchanging?: Exchanging;
}

/** A server of this process with one oddity, at an address of its own. */
export class OddHttp {
  readonly #place: Place;
  readonly #odd: Odd;
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();
  readonly #take: (exchange: Exchange) => boolean;
  /** Of HTTP+SSE. */
  #stream: ServerResponse | undefined;

  private constructor(place: Place, odd: Odd) {
    this.#place = place;
    this.#odd = odd;
    this.#take = odd.exchanging?.make(place) ?? (() => false);
    this.#server = http.createServer((request, response) => void this.#handle(request, response));
    this.#server.on('connection', (socket: Socket) => this.#sockets.add(socket));
  }

  static async start(place: Place, odd: Odd): Promise<OddHttp> {
    const server = new OddHttp(place, odd);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return `http://127.0.0.1:${port}/mcp`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const message: OddMessage = body === '' ? {} : JSON.parse(body);
    const exchange: Exchange = {
      method: request.method ?? '',
      headers: request.headers,
      path: request.url ?? '',
      message,
      response,
      answer: answerTo(message, this.#place, this.#odd.saying),
      session: 'session-1',
      usual: () => this.#usual(exchange),
    };
    if (!this.#take(exchange)) this.#usual(exchange);
  }

  #usual(exchange: Exchange): void {
    if (this.#place === 'HTTP+SSE') this.#overStream(exchange);
    else this.#overPost(exchange);
  }

  #overPost({ method, message, response, answer, session }: Exchange): void {
    if (method !== 'POST') {
      response.writeHead(method === 'GET' ? 405 : 200).end();
      return;
    }
    if (answer === undefined) {
      response.writeHead(202).end();
      return;
    }
    const isStateless = this.#place.endsWith('stateless');
    if (message.method === 'initialize') response.setHeader('Mcp-Session-Id', session);
    const status = isStateless && 'error' in answer ? 404 : 200;
    const said = this.#odd.saying?.says?.(answer, message) ?? [answer];
    if (this.#place.startsWith('HTTP JSON')) {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(said[0]));
    } else {
      response.writeHead(status, { 'Content-Type': 'text/event-stream' });
      this.#write(response, said, true);
      response.end();
    }
  }

  #overStream({ method, path, message, response, answer }: Exchange): void {
    if (method === 'GET' && path === '/mcp') {
      this.#stream = response;
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const { before = '' } = this.#odd.framing ?? {};
      response.write(`${before}event: endpoint\ndata: /messages?sessionId=1\n\n`);
    } else if (method !== 'POST' || path === '/mcp') {
      response.writeHead(405).end();
    } else {
      response.writeHead(202).end('Accepted');
      if (answer === undefined || this.#stream === undefined) return;
      this.#write(this.#stream, this.#odd.saying?.says?.(answer, message) ?? [answer], false);
    }
  }

  #write(response: ServerResponse, said: readonly unknown[], isFirst: boolean): void {
    const { before = '', pieces } = this.#odd.framing ?? {};
    if (isFirst && before !== '') response.write(before);
    for (const each of said) {
      const json = JSON.stringify(each);
      for (const piece of pieces?.(json) ?? [`event: message\ndata: ${json}\n\n`]) {
        response.write(piece);
      }
    }
  }
}
