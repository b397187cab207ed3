import assert from 'node:assert/strict';
import { createServer, request as requestHttp, type Server } from 'node:http';
import net from 'node:net';
import { HttpServer, stateful } from '../servers/httpServer';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** A proxy that reaches every name at one server, and notes what it was asked for. */
class NamingProxy {
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

const handler = () => stateful();

describe('A server behind a proxy, on the command line', () => {
  for (const scheme of ['http', 'https'] as const) {
    it(`is reached as the environment says: ${scheme}`, async () => {
      const server =
        scheme === 'http'
          ? await HttpServer.start(handler())
          : await HttpServer.startSecure(handler());
      const proxy = new NamingProxy(Number(new URL(server.url).port));
      const url = await proxy.start();
      // No name server knows it.
      const folder = workspace({
        '.mcp.json': { mcpServers: { far: { type: 'http', url: `${scheme}://mcp.invalid/mcp` } } },
      });
      const variable = `${scheme.toUpperCase()}_PROXY`;
      try {
        const { host } = new URL(url);
        for (const env of [
          { [variable]: url },
          { [variable.toLowerCase()]: url },
          { ALL_PROXY: url },
          { [variable]: host, ALL_PROXY: 'http://127.0.0.1:1' },
          { all_proxy: host, no_proxy: 'other' },
        ]) {
          proxy.asked.splice(0);
          const { stderr } = await runCommand(folder, ['list', 'far'], env);
          assert.ok(proxy.asked.length > 0, stderr);
          const wanted =
            scheme === 'http'
              ? /^(?:POST|GET|DELETE) http:\/\/mcp\.invalid\//
              : /^CONNECT mcp\.invalid:443$/;
          assert.ok(
            proxy.asked.every((line) => wanted.test(line)),
            proxy.asked.join(),
          );
          if (scheme === 'http') assert.ok(server.log.includes('POST initialize'), stderr);
        }
        for (const name of [
          'mcp.invalid',
          '.invalid',
          '*',
          'other, mcp.invalid',
          'other  mcp.invalid',
        ]) {
          proxy.asked.splice(0);
          const env = { [variable]: url, no_proxy: name };
          const { code, stderr } = await runCommand(folder, ['list', 'far'], env);
          assert.equal(code, 5);
          assert.match(stderr, /cannot be reached/);
          assert.deepEqual(proxy.asked, [], name);
        }
      } finally {
        proxy.stop();
        await server.stop();
      }
    });
  }

  it('is reached without one where the environment names none that can be used', async () => {
    const server = await HttpServer.start(handler());
    const folder = workspace({
      '.mcp.json': { mcpServers: { near: { type: 'http', url: server.url } } },
    });
    try {
      for (const proxy of ['', 'nonsense', 'http://127.0.0.1:1']) {
        await runCommand(folder, ['list', 'near'], { HTTP_PROXY: proxy });
      }
      assert.equal(server.log.filter((line) => line === 'POST initialize').length, 3);
    } finally {
      await server.stop();
    }
  });
});
