import type { ServerResponse } from 'node:http';
import { eventOf, HttpServer, sendEvents, sendJson, type Received } from './httpServer';
import type { Script } from './scripted';
import { Server } from './scriptedServer.mjs';

const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId';

/** The parameter that a method has mirrored into `Mcp-Name`. */
const nameParams: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * A script over Streamable HTTP: what would be a server on stdio runs here behind an address. It is
 * strict about headers: those of the stateless era have to say what the message says, and requests
 * of the other era carry the session.
 */
export class ScriptedHttp {
  /** Where requests and notifications of the server go: with an open request, or by the GET stream. */
  via: 'post' | 'get' = 'post';
  /** The next request of this method is answered with status 503. */
  unavailable: string | undefined;
  readonly http: HttpServer;
  readonly #server: Server;
  /** Requests without their answers, the newest last. */
  readonly #open = new Map<unknown, ServerResponse>();
  #get: ServerResponse | undefined;
  #session = 0;
  #isStateful = false;

  private constructor(http: HttpServer, server: Server) {
    this.http = http;
    this.#server = server;
  }

  static async start(script: Script): Promise<ScriptedHttp> {
    const server = new Server((text) => host.#send(JSON.parse(text)));
    const http = await HttpServer.start((request, response) => host.#take(request, response));
    const host = new ScriptedHttp(http, server);
    await script(server);
    return host;
  }

  get url(): string {
    return this.http.url;
  }

  /** The session that runs is not known any more. */
  forgetSession(): void {
    this.#session += 1;
  }

  /** Resolves when the client has opened its GET stream. */
  async listened(): Promise<void> {
    await this.http.arrival(({ httpMethod }) => httpMethod === 'GET');
  }

  #take(request: Received, response: ServerResponse): void {
    const { httpMethod, message, headers } = request;
    if (httpMethod === 'DELETE') return void response.writeHead(200).end();
    if (httpMethod === 'GET') {
      this.#get = response;
      return sendEvents(response);
    }
    if (this.unavailable !== undefined && message.method === this.unavailable) {
      this.unavailable = undefined;
      return void response.writeHead(503).end();
    }
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) {
      const [status, code] = refusal;
      response.writeHead(status, { 'Content-Type': 'application/json' });
      const error = { code, message: JSON.stringify(headers) };
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id ?? null, error }));
    }
    if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else this.#open.set(message.id, response);
    response.on('close', () => this.#open.delete(message.id));
    if (message.method === 'initialize') {
      this.#isStateful = true;
      response.setHeader('Mcp-Session-Id', `session ${this.#session}`.replace(' ', '-'));
    }
    this.#server.take(JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message })));
    return undefined;
  }

  /** The status and code with which a request is refused; undefined: it is as it should be. */
  #refusalOf({ message, headers }: Received): readonly [number, number] | undefined {
    const { method = '', params = {} } = message;
    if (method === 'initialize') return undefined;
    const meta = Object(params['_meta']);
    if ('io.modelcontextprotocol/protocolVersion' in meta) {
      const name = nameParams[method];
      const isRight =
        headers['mcp-method'] === method &&
        decoded(headers['mcp-name']) === (name === undefined ? undefined : params[name]);
      return isRight ? undefined : [400, -32020];
    }
    if (!this.#isStateful || headers['mcp-session-id'] === `session-${this.#session}`)
      return undefined;
    return [404, -32001];
  }

  #send(message: {
    readonly id?: unknown;
    readonly method?: string;
    readonly params?: object;
  }): void {
    const { id, method, params } = message;
    if (method !== undefined) {
      const subscription = Object(Object(params)['_meta'])[subscriptionIdKey];
      const newest = [...this.#open.values()].at(-1);
      const stream = this.#open.get(subscription) ?? (this.via === 'get' ? this.#get : newest);
      if (stream === undefined) return;
      if (!stream.headersSent) sendEvents(stream);
      stream.write(eventOf(message));
      return;
    }
    const response = this.#open.get(id);
    this.#open.delete(id);
    if (response === undefined) return;
    if (response.headersSent) response.end(eventOf(message));
    else sendJson(response, message);
  }

  async stop(): Promise<void> {
    await this.http.stop();
  }
}

/** A header as it was before it was encoded. */
function decoded(value: string | readonly string[] | undefined): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(String(value))?.[1];
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString();
  return value === undefined ? undefined : String(value);
}
