import { createServer, request as requestHttp, type Server } from 'node:http';
import net from 'node:net';

/** A proxy that reaches every name at one server, and notes what it was asked for. */
export class NamingProxy {
  readonly asked: string[] = [];
  readonly #server: Server;

  constructor(port: number) {
    this.#server = createServer((request, response) => {
      this.asked.push(`${request.method} ${request.url}`);
      const { method, headers } = request;
      const path = new URL(request.url ?? '').pathname;
      const onward = requestHttp({ host: '127.0.0.1', port, method, headers, path }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    });
    this.#server.on('connect', (request, socket: net.Socket) => {
      this.asked.push(`CONNECT ${request.url}`);
      const onward = net.connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const each of [onward, socket]) each.on('error', () => each.destroy());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
