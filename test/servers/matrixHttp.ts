import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  legacyStatelessFallback,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StatefulRevision } from '../../src/core/types';
import { connectPinned, makeServer1 } from './matrixSdk1';
import { makeServer2 } from './matrixSdk2';
import { Offer } from './matrixTools';
import { passToFetch } from './passToFetch';
import type { Tell } from './matrixTools';

/** How one of the SDKs serves one transport over HTTP. */
interface Serving {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | void;
  stop(): Promise<unknown>;
}

/** The servers of the matrix over HTTP, each with the means that its SDK has for that. */
export const servings = {
  sessions1: (revision: StatefulRevision, notify: Tell): Serving => {
    const offer = new Offer();
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    return {
      async handle(request, response) {
        const known = sessions.get(String(request.headers['mcp-session-id']));
        if (known !== undefined) return known.handleRequest(request, response);
        const transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (id) => void sessions.set(id, transport),
          onsessionclosed: () => notify('left'),
        });
        await connectPinned(makeServer1(offer, notify), transport, revision);
        return transport.handleRequest(request, response);
      },
      stop: () => closeAll(sessions.values()),
    };
  },

  stateless1: (revision: StatefulRevision, notify: Tell): Serving => {
    const offer = new Offer();
    const transports = new Set<StreamableHTTPServerTransport>();
    return {
      async handle(request, response) {
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const transport = new StreamableHTTPServerTransport();
        transports.add(transport);
        await connectPinned(makeServer1(offer, notify), transport, revision);
        return transport.handleRequest(request, response);
      },
      stop: () => closeAll(transports),
    };
  },

  sse1: (revision: StatefulRevision, notify: Tell): Serving => {
    const offer = new Offer();
    const transports = new Map<string, SSEServerTransport>();
    return {
      async handle(request, response) {
        const { searchParams, pathname } = new URL(request.url ?? '', 'http://localhost');
        if (request.method === 'GET' && pathname === '/mcp') {
          const transport = new SSEServerTransport('/messages', response);
          transports.set(transport.sessionId, transport);
          response.on('close', () => notify('left'));
          return connectPinned(makeServer1(offer, notify), transport, revision);
        }
        const known = transports.get(searchParams.get('sessionId') ?? '');
        if (known !== undefined) return known.handlePostMessage(request, response);
        // As such servers do: they have nothing at this address but the stream.
        response.writeHead(404).end('Cannot POST /mcp');
      },
      stop: () => closeAll(transports.values()),
    };
  },

  sessions2: (revision: StatefulRevision, notify: Tell): Serving => {
    const offer = new Offer();
    const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
    const answer = async (request: Request): Promise<Response> => {
      const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
      if (known !== undefined) return known.handleRequest(request);
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
        onsessionclosed: () => notify('left'),
      });
      await makeServer2(offer, notify, revision).connect(transport);
      return transport.handleRequest(request);
    };
    return {
      handle: (request, response) => passToFetch(answer, request, response),
      stop: () => closeAll(sessions.values()),
    };
  },

  stateless2: (revision: StatefulRevision, notify: Tell): Serving => {
    const offer = new Offer();
    const answer = legacyStatelessFallback(() => makeServer2(offer, notify, revision));
    return {
      handle: (request, response) => passToFetch(answer, request, response),
      stop: () => Promise.resolve(),
    };
  },

  /** For both eras at one address. */
  bothEras2: (notify: Tell): Serving => {
    const offer = new Offer();
    const changed = () => handler.notify.toolsChanged();
    const handler = createMcpHandler(() => makeServer2(offer, notify, undefined, changed));
    return {
      handle(request, response) {
        response.on('close', () => {
          if (request.headers['mcp-method'] === 'subscriptions/listen') notify('left');
        });
        return passToFetch(handler.fetch, request, response);
      },
      stop: () => handler.close(),
    };
  },
};

async function closeAll(transports: Iterable<{ close(): Promise<void> }>): Promise<void> {
  await Promise.all([...transports].map((transport) => transport.close()));
}

/** Calls back when the stream is there: what the server sends from then on by itself will arrive. */
function onHead(response: ServerResponse, callback: () => void): void {
  const writeHead: unknown = Reflect.get(response, 'writeHead');
  response.writeHead = (...head: unknown[]) => {
    callback();
    if (typeof writeHead === 'function') Reflect.apply(writeHead, response, head);
    return response;
  };
}

/** A server of the matrix at an address of this process. */
export class MatrixHttp {
  readonly #server: http.Server;
  readonly #serving: Serving;
  readonly #open = new Set<ServerResponse>();

  private constructor(serving: Serving, notify: Tell) {
    this.#serving = serving;
    this.#server = http.createServer((request, response) => {
      this.#open.add(response);
      response.on('close', () => {
        this.#open.delete(response);
        if (this.#open.size === 0) notify('quiet');
      });
      if (request.method === 'GET') onHead(response, () => notify('listened to'));
      Promise.resolve(serving.handle(request, response)).catch((error: unknown) => {
        notify(String(error));
        response.destroy();
      });
    });
  }

  static async start(serving: Serving, notify: Tell): Promise<MatrixHttp> {
    const host = new MatrixHttp(serving, notify);
    host.#server.listen(0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  get url(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    return `http://127.0.0.1:${port}/mcp`;
  }

  /** Requests whose answers are not over. */
  get open(): number {
    return this.#open.size;
  }

  async stop(): Promise<void> {
    await this.#serving.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
