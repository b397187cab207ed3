import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { isMcpError } from '../../src/core/errors';
import { HttpExchange, type HttpRequest } from '../../src/core/http/httpExchange';
import { HttpServer, type Handler } from '../servers/httpServer';
import { until } from '../waiting';

const post: HttpRequest = { method: 'POST', headers: {}, body: '{}', isRepeatable: false };

const credentials = `Basic ${Buffer.from('me:pass word').toString('base64')}`;

function withUser(text: string): URL {
  return new URL(text.replace('//', '//me:pass%20word@'));
}

describe('A redirect', () => {
  const servers: HttpServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  /** Redirects `/mcp` in its own way, and accepts everything else. */
  async function redirecting(redirect: (response: ServerResponse, port: number) => unknown) {
    const handler: Handler = ({ path }, response) => {
      if (path === '/mcp') redirect(response, server.port);
      else response.writeHead(202).end();
    };
    const server = await HttpServer.start(handler);
    servers.push(server);
    return server;
  }

  async function follow(url: URL, request = post): Promise<number> {
    const { status, message } = await new HttpExchange({ url }, request, url).answer;
    for await (const chunk of message) assert.fail(String(chunk));
    return status;
  }

  for (const [what, userInfo] of [
    ['without a user name', ''],
    ['with the configured one', 'me:pass%20word@'],
  ] as const) {
    it(`to an absolute URL ${what} keeps the configured user name and password`, async () => {
      const server = await redirecting((response, port) => {
        response.writeHead(307, { Location: `http://${userInfo}127.0.0.1:${port}/other` }).end();
      });
      assert.equal(await follow(withUser(server.url)), 202);
      const sent = server.received.map(({ headers }) => headers.authorization);
      assert.deepEqual(sent, [credentials, credentials]);
    });
  }

  for (const userInfo of ['chosen:byserver@', 'me@', ':byserver@']) {
    it(`with a user name or password of the server is not followed: ${userInfo}`, async () => {
      const server = await redirecting((response, port) => {
        response.writeHead(307, { Location: `http://${userInfo}127.0.0.1:${port}/other` }).end();
      });
      for (const url of [new URL(server.url), withUser(server.url)]) {
        await assert.rejects(follow(url), (error) => isMcpError(error, 'redirectRefused'));
      }
      assert.equal(server.received.length, 2);
    });
  }

  it('with a body without end is followed, and its connection is closed', async () => {
    const server = await redirecting((response) => {
      response.writeHead(307, { Location: '/other' });
      response.on('drain', () => response.write('x'.repeat(100_000)));
      response.write('x'.repeat(100_000));
    });
    assert.equal(await follow(new URL(server.url)), 202);
    await server.closed(({ path }) => path === '/mcp');
  });

  it('whose connection breaks while the next request is signed is followed', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      const isFirst = sockets.length === 1;
      const head = isFirst ? '307 See\r\nLocation: /other' : '202 Accepted';
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`);
        // The rest of the first request is never read.
        if (isFirst) socket.pause();
        else socket.resume();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const sign = async () => {
      sockets[0]?.resetAndDestroy();
      await setTimeout(50);
      return {};
    };
    const request = { ...post, body: 'x'.repeat(10_000_000), sign };
    assert.equal(await follow(new URL(`http://127.0.0.1:${port}/mcp`), request), 202);
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('without a body keeps its connection', async () => {
    const server = await redirecting((response) => {
      response.writeHead(307, { Location: '/other', 'Content-Length': '0' }).end();
    });
    assert.equal(await follow(new URL(server.url)), 202);
    assert.equal(await follow(new URL(server.url)), 202);
    await until(async () => (await server.connections()) === 2);
  });
});
