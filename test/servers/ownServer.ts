import { once } from 'node:events';
import http from 'node:http';
import type { RequestListener } from 'node:http';

/** A server whose pages a test writes; everything else is 404. */
export class OwnServer {
  /** What was asked for, without queries. */
  readonly paths: string[] = [];
  /** The bodies that came along, by path. */
  readonly bodies = new Map<string, string[]>();
  readonly #server: http.Server;
  readonly #pages = new Map<string, RequestListener>();

  private constructor() {
    this.#server = http.createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      this.paths.push(pathname);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const bodies = this.bodies.get(pathname) ?? [];
        this.bodies.set(pathname, [...bodies, Buffer.concat(chunks).toString()]);
        const page = this.#pages.get(pathname);
        if (page === undefined) response.writeHead(404).end('no such page');
        else page(request, response);
      });
    });
  }

  static async start(): Promise<OwnServer> {
    const server = new OwnServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get origin(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  handle(path: string, page: RequestListener): void {
    this.#pages.set(path, page);
  }

  answer(path: string, value: unknown, status = 200): void {
    this.handle(path, (_request, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(value));
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, 'close');
  }
}
