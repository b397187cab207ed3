import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { certificate, privateKey } from './httpsCertificate';

/** One request as it arrived. */
export interface Received {
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON-RPC message; an empty object where there is no body. */
  readonly message: {
    readonly id?: unknown;
    readonly method?: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly result?: unknown;
    readonly error?: unknown;
  };
  /** Settles when the connection of its answer closed. */
  readonly closed: Promise<unknown>;
}

export type Handler = (request: Received, response: ServerResponse) => void;

/** A real HTTP server in this process: every test says what it answers. */
export class HttpServer {
  readonly received: Received[] = [];
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();
  readonly #isSecure: boolean;
  #socketPath: string | undefined;

  private constructor(handler: Handler, isSecure: boolean) {
    this.#isSecure = isSecure;
    const listener: http.RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const received: Received = {
          httpMethod: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          message: JSON.parse(body || '{}'),
          closed: once(response, 'close'),
        };
        this.received.push(received);
        handler(received, response);
        for (const look of this.#waiting) look();
      });
    };
    this.#server = isSecure
      ? https.createServer({ key: privateKey, cert: certificate }, listener)
      : http.createServer(listener);
  }

  static async start(handler: Handler, listenOn: number | string = 0): Promise<HttpServer> {
    const server = new HttpServer(handler, false);
    await server.#listen(listenOn);
    return server;
  }

  static async startSecure(handler: Handler): Promise<HttpServer> {
    const server = new HttpServer(handler, true);
    await server.#listen(0);
    return server;
  }

  get url(): string {
    if (this.#socketPath !== undefined) return `unix://${this.#socketPath}#/mcp`;
    return `${this.#isSecure ? 'https' : 'http'}://127.0.0.1:${this.port}/mcp`;
  }

  get port(): number {
    const address = this.#server.address();
    return isAddress(address) ? address.port : 0;
  }

  /** What arrived, as `POST initialize`, `GET`, `POST (answer)`. */
  get log(): string[] {
    return this.received.map(({ httpMethod, message }) =>
      httpMethod === 'POST' ? `POST ${message.method ?? '(answer)'}` : httpMethod,
    );
  }

  /** The first request that fits, as soon as there is one. */
  async arrival(fits: (request: Received) => boolean): Promise<Received> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.received.find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Resolves when the connection of the first request that fits has closed. */
  async closed(fits: (request: Received) => boolean): Promise<void> {
    await (
      await this.arrival(fits)
    ).closed;
  }

  /** Closes no connection that is not used: the client has to. */
  keepConnections(): void {
    this.#server.keepAliveTimeout = 0;
  }

  /** How many connections are open. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
  }

  /** Breaks every connection. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #listen(listenOn: number | string): Promise<void> {
    if (typeof listenOn === 'string') {
      this.#socketPath = listenOn;
      this.#server.listen(listenOn);
    } else {
      this.#server.listen(listenOn, '127.0.0.1');
    }
    await once(this.#server, 'listening');
  }
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

export function sendJson(
  response: ServerResponse,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** The beginning of a stream of events; `text` is sent as it is. */
export function sendEvents(
  response: ServerResponse,
  text = '',
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', ...headers });
  response.flushHeaders();
  if (text !== '') response.write(text);
}

export function eventOf(value: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
}

export const resultFor = ({ message }: Received, result: unknown = {}) => ({
  jsonrpc: '2.0',
  id: message.id,
  result,
});

/** What a call of the tool `echo` gets: one text. */
export const textFor = (request: Received, text: string) =>
  resultFor(request, { content: [{ type: 'text', text }] });

export interface StatefulOptions {
  readonly session?: string;
  readonly revision?: string;
  readonly capabilities?: object;
  /** How it answers calls of tools, and the GET for its stream. */
  readonly onCall?: Handler;
  readonly onGet?: Handler;
  /** Each one that returns true has taken the request. */
  readonly take?: (request: Received, response: ServerResponse) => boolean;
}

/** A stateful server as simple as the protocol allows; `options` make it special. */
export function stateful(options: StatefulOptions = {}): Handler {
  const { session, revision = '2025-11-25' } = options;
  return (request, response) => {
    if (options.take?.(request, response) === true) return;
    const own = isCall(request) ? options.onCall : isGet(request) ? options.onGet : undefined;
    if (own !== undefined) return own(request, response);
    const { httpMethod, message } = request;
    if (httpMethod !== 'POST') response.writeHead(httpMethod === 'GET' ? 405 : 200).end();
    else if (message.method === 'initialize') {
      const result = {
        protocolVersion: revision,
        capabilities: options.capabilities ?? { tools: {} },
        serverInfo: { name: 'scripted', version: '1' },
      };
      const headers = session === undefined ? undefined : { 'Mcp-Session-Id': session };
      sendJson(response, resultFor(request, result), headers);
    } else if (message.id === undefined || message.method === undefined) {
      response.writeHead(202).end();
    } else if (message.method === 'tools/call') {
      sendJson(response, textFor(request, 'fine'));
    } else sendJson(response, resultFor(request));
  };
}

export const isCall = ({ message }: Received): boolean => message.method === 'tools/call';
export const isGet = ({ httpMethod }: Received): boolean => httpMethod === 'GET';
