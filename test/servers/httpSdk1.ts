import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { StreamableHTTPServerTransportOptions } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { z } from 'zod';

export type Sdk1Kind = 'stateful' | 'statefulJson' | 'stateless' | 'sse';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

/** A server of the official SDK 1.x, in this process, on a real port. */
export class Sdk1Server {
  /** What was asked for, as `POST`, `GET`, `DELETE`. */
  readonly methods: string[] = [];
  cancelled = 0;
  readonly #kind: Sdk1Kind;
  readonly #server: Server;
  #sessions = new Map<string, StreamableHTTPServerTransport>();
  readonly #streams = new Map<string, SSEServerTransport>();

  private constructor(kind: Sdk1Kind) {
    this.#kind = kind;
    this.#server = createServer((request, response) => {
      this.methods.push(request.method ?? '');
      void this.#answer(request, response);
    });
  }

  static async start(kind: Sdk1Kind): Promise<Sdk1Server> {
    const server = new Sdk1Server(kind);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return `http://127.0.0.1:${port}/mcp`;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** As after a restart. */
  forgetSessions(): void {
    this.#sessions = new Map();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#kind === 'sse') return this.#answerSse(request, response);
    if (this.#kind === 'stateless') {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const transport = new StreamableHTTPServerTransport({});
      return this.#serve(transport, request, response);
    }
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const known = this.#sessions.get(id);
      if (known !== undefined) return known.handleRequest(request, response);
      return void response.writeHead(404).end();
    }
    const options: StreamableHTTPServerTransportOptions = {
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void this.#sessions.set(session, transport),
      onsessionclosed: (session) => void this.#sessions.delete(session),
      enableJsonResponse: this.#kind === 'statefulJson',
      ...(this.#kind === 'stateful' ? { eventStore: new InMemoryEventStore() } : {}),
      retryInterval: 20,
    };
    const transport = new StreamableHTTPServerTransport(options);
    return this.#serve(transport, request, response);
  }

  async #serve(
    transport: StreamableHTTPServerTransport,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    await this.#makeServer().connect(transport);
    await transport.handleRequest(request, response);
  }

  async #answerSse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      this.#streams.set(transport.sessionId, transport);
      return this.#makeServer().connect(transport);
    }
    const transport = this.#streams.get(url.searchParams.get('sessionId') ?? '');
    if (transport === undefined) return void response.writeHead(404).end();
    return transport.handlePostMessage(request, response);
  }

  #makeServer(): McpServer {
    const server = new McpServer(
      { name: 'sdk1', version: '1' },
      { capabilities: { logging: {}, tools: { listChanged: true } } },
    );
    server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text: said }) =>
      text(said),
    );
    server.registerTool('grow', {}, () => {
      server.registerTool('grown', {}, () => text('grown'));
      return text('grown');
    });
    // Closes the stream of its own call before the answer is there (SEP-1699).
    server.registerTool('later', {}, async ({ closeSSEStream }) => {
      closeSSEStream?.();
      await new Promise((resolve) => setTimeout(resolve, 40));
      return text('later');
    });
    server.registerTool('hang', {}, async ({ signal }) => {
      await once(signal, 'abort');
      this.cancelled += 1;
      return text('never');
    });
    return server;
  }
}
