import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { isObject } from '../../core/json/shapes';
import { jsonOrAbsent } from '../../core/json/parseJson';
import type { AgentCalls } from './agentCall';
import { isToken } from './agentEndpoint';
import { AgentBudget, agentsBudgetLimits } from './agentLimits';
import { serverFromPath, serverPath, isOwnRequest } from './agentProtocol';
import { malformedRequestAnswer, withIntegerIds } from './agentRefusal';
import { newAgentServer } from './agentServer';
import { agentTransportLimits, RequestPlaces } from './agentTransport';

export interface AgentHttpOptions {
  /** Returns the calls of the agents on the path of a server, or of all servers. */
  readonly callsOf: (server: string | undefined) => AgentCalls;
  readonly isExposed: (server: string) => boolean;
  /** Every request has it as its bearer token. */
  readonly token: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly version: string;
  /** Called with errors in the agents' messages, for the log. */
  readonly onError: (error: Error) => void;
}

const host = '127.0.0.1';
const maxConnections = 64;
const maxSubscriptions = 32;
const requestMs = 30_000;
const tooLarge = Symbol('too large');

/**
 * Serves several agents over Streamable HTTP, on this machine only. Web pages cannot reach it: a request
 * needs the token, and a local `Host` and `Origin`. No request depends on an earlier one, so there are no
 * sessions and no tasks, and only agents of the stateless era hear that tools have changed.
 */
export class AgentHttpServer {
  readonly #options: AgentHttpOptions;
  readonly #http: Server;
  /** One for each server and not for each URL, because URLs can encode a name in many ways. */
  readonly #handlers = new Map<string | undefined, McpHttpHandler>();
  readonly #places = new RequestPlaces(agentTransportLimits.maxRequests);
  readonly #budget = new AgentBudget(agentsBudgetLimits);
  readonly #connections = new Set<Socket>();
  /** Connections that have not sent the token, the oldest first. */
  readonly #unproven = new Set<Socket>();

  private constructor(options: AgentHttpOptions) {
    this.#options = options;
    this.#http = createServer({ requestTimeout: requestMs }, (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        options.onError(error instanceof Error ? error : new Error(String(error)));
        response.destroy();
      });
    });
    this.#http.on('connection', (socket: Socket) => this.#limitConnections(socket));
  }

  /** Ends the oldest connection without the token, so that such connections keep no agent out. */
  #limitConnections(socket: Socket): void {
    this.#connections.add(socket);
    this.#unproven.add(socket);
    socket.once('close', () => this.#forget(socket));
    if (this.#connections.size <= maxConnections) return;
    const [oldest = socket] = this.#unproven;
    this.#forget(oldest);
    oldest.destroy();
  }

  #forget(socket: Socket): void {
    this.#connections.delete(socket);
    this.#unproven.delete(socket);
  }

  /** @throws what the system throws, such as `EADDRINUSE` */
  static async open(options: AgentHttpOptions): Promise<AgentHttpServer> {
    const opened = new AgentHttpServer(options);
    await once(opened.#http.listen(options.port, host), 'listening');
    return opened;
  }

  /** The URL of the tools of all servers. */
  get url(): string {
    const address = this.#http.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return `http://${host}:${port}${serverPath(undefined)}`;
  }

  /** Announces that the tools may have changed. */
  announce(): void {
    for (const handler of this.#handlers.values()) handler.notify.toolsChanged();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    await Promise.allSettled([...this.#handlers.values()].map((handler) => handler.close()));
    this.#http.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const status = this.#refusal(request);
    if (status !== undefined) {
      response.writeHead(status, { connection: 'close' }).end();
      return;
    }
    this.#unproven.delete(request.socket);
    const { method = '', url = '', headers } = request;
    const body = method === 'POST' ? await readBody(request) : '';
    if (body === tooLarge) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    const parsedBody = withIntegerIds(jsonOrAbsent(body));
    if (isRefused(parsedBody, body, response)) return;
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const startedAt = performance.now();
    const answer = await this.#handlerOf(url).fetch(
      new Request(new URL(url, this.url), {
        method,
        headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
        signal: abort.signal,
        ...(method === 'POST' ? { body } : {}),
      }),
      parsedBody === undefined ? {} : { parsedBody },
    );
    this.#budget.spend(Buffer.byteLength(body), Math.min(performance.now() - startedAt, workMs));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    if (answer.body === null) response.end();
    // The agent may leave at any time.
    else await pipeline(Readable.from(answer.body), response).catch(() => undefined);
  }

  /** Returns the status of a refusal. A request without the token learns nothing more. */
  #refusal({ url = '', headers }: IncomingMessage): number | undefined {
    const isLocal =
      validateHostHeader(headers.host, localhostAllowedHostnames()).ok &&
      validateOriginHeader(headers.origin, localhostAllowedOrigins()).ok;
    if (!isLocal) return 403;
    if (!isToken(headers.authorization, this.#options.token)) return 401;
    const target = serverFromPath(url);
    if (target === undefined) return 404;
    if (target.server !== undefined && !this.#options.isExposed(target.server)) return 404;
    return this.#budget.waitMs > 0 ? 429 : undefined;
  }

  #handlerOf(url: string): McpHttpHandler {
    const server = serverFromPath(url)?.server;
    const known = this.#handlers.get(server);
    if (known !== undefined) return known;
    const { callsOf, version, onError } = this.#options;
    const calls = callsOf(server);
    const handler = createMcpHandler(
      () => newAgentServer({ calls, version, places: this.#places }),
      { onerror: onError, maxSubscriptions },
    );
    this.#handlers.set(server, handler);
    return handler;
  }
}

/** The wait for a server's answer is no work of this process, so at most this time is charged. */
const workMs = 5;

/** Answers a request that the SDK must not get; returns true if it was one. */
function isRefused(message: unknown, body: string, response: ServerResponse): boolean {
  if (isObject(message) && isOwnRequest(message)) {
    response.writeHead(403).end('Toolgate does not use itself as a server.\n');
    return true;
  }
  const malformed = malformedRequestAnswer(message, body);
  if (malformed === undefined) return false;
  response.writeHead(400, { 'content-type': 'application/json' }).end(malformed);
  return true;
}

async function readBody(request: IncomingMessage): Promise<string | typeof tooLarge> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const own = Buffer.from(chunk);
    bytes += own.length;
    if (bytes > agentTransportLimits.maxMessageBytes) return tooLarge;
    chunks.push(own);
  }
  return Buffer.concat(chunks).toString('utf8');
}
