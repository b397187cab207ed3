import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { StartClock } from '../../src/core/eras/startClock';
import { connectHttp } from '../../src/core/http/connectHttp';
import { HttpSseTransport } from '../../src/core/http/httpSseTransport';
import { eventOf, HttpServer, resultFor, sendEvents } from '../servers/httpServer';
import type { Handler, Received } from '../servers/httpServer';
import { clientInfo } from './connections';
import { HttpWire } from './httpWire';
import { outcome, RecordingLog } from './wire';

interface Far {
  readonly server: HttpServer;
  /** The stream, once it is open. */
  stream: ServerResponse | undefined;
}

/** A server of 2024-11-05 that answers every request on its stream; `take` makes it special. */
async function startServer(
  endpoint: string,
  take: (request: Received, response: ServerResponse, far: Far) => boolean = () => false,
): Promise<Far> {
  const handler: Handler = (request, response) => {
    if (take(request, response, far)) return;
    if (request.httpMethod === 'GET') {
      far.stream = response;
      sendEvents(response, `event: endpoint\ndata: ${endpoint}\n\n`);
      return;
    }
    response.writeHead(202).end('Accepted');
    if (request.message.id !== undefined && request.message.method !== undefined) {
      far.stream?.write(eventOf(resultFor(request, { at: request.path })));
    }
  };
  const far: Far = { server: await HttpServer.start(handler), stream: undefined };
  return far;
}

async function connect(url: string, timeoutMs = 5_000, source?: CancellationTokenSource) {
  const log = new RecordingLog();
  const garbage: string[] = [];
  const options = {
    url,
    log,
    headers: { 'X-Mine': '1' },
    maxMessageBytes: 1_000,
    maxMessageValues: 500_000,
    onGarbage: (text: string) => garbage.push(text),
  };
  const transport = await HttpSseTransport.open(options, new StartClock(timeoutMs), source?.token);
  return new HttpWire(transport, log, garbage, { answerRequest: () => ({ roots: [] }) });
}

describe('HTTP+SSE', () => {
  for (const [what, endpoint] of [
    ['a relative path', 'messages?sessionId=1'],
    ['an absolute path', '/messages?sessionId=1'],
  ] as const) {
    it(`sends to the endpoint, which is ${what}, and reads answers from the stream`, async () => {
      const far = await startServer(endpoint);
      const wire = await connect(far.server.url);
      assert.deepEqual(await wire.request('ping'), { at: '/messages?sessionId=1' });
      const [get, post] = far.server.received.map(({ headers }) => headers);
      assert.deepEqual(
        [get?.accept, get?.['x-mine'], post?.['x-mine'], post?.['content-type']],
        ['text/event-stream', '1', '1', 'application/json'],
      );
      assert.equal(post?.['mcp-protocol-version'], undefined);
      await wire.end();
      await far.server.stop();
    });
  }

  it('accepts notifications and requests of the server, and answers them by POST', async () => {
    const far = await startServer('/m');
    const wire = await connect(far.server.url);
    far.stream?.write(eventOf([{ jsonrpc: '2.0', method: 'n' }]));
    far.stream?.write(
      `data: <html>\n\n${eventOf({ jsonrpc: '2.0', id: 'a', method: 'roots/list' })}`,
    );
    const { message } = await far.server.arrival(({ httpMethod }) => httpMethod === 'POST');
    assert.deepEqual(message, { jsonrpc: '2.0', id: 'a', result: { roots: [] } });
    assert.deepEqual([wire.notifications, wire.garbage], [['n'], ['<html>']]);
    await wire.end();
    await far.server.stop();
  });

  it('closes its stream at the end', async () => {
    const far = await startServer('/m');
    const wire = await connect(far.server.url);
    const { closed } = await far.server.arrival(() => true);
    await wire.end();
    await closed;
    await far.server.stop();
  });

  for (const [what, act] of [
    ['the stream ends', (stream: ServerResponse | undefined) => stream?.end()],
    ['the stream breaks', (stream: ServerResponse | undefined) => stream?.destroy()],
    [
      'the server names a new endpoint',
      (stream: ServerResponse | undefined) => stream?.write('event: endpoint\ndata: /n\n\n'),
    ],
  ] as const) {
    it(`ends the connection when ${what}`, async () => {
      const far = await startServer('/m', ({ httpMethod }, response) => {
        if (httpMethod === 'POST') response.writeHead(202).end();
        return httpMethod === 'POST';
      });
      const wire = await connect(far.server.url);
      const request = outcome(wire.request('ping'));
      await far.server.arrival(({ httpMethod }) => httpMethod === 'POST');
      act(far.stream);
      assert.match(String(await request), /^connectionLost/);
      assert.equal((await wire.ended)?.code, 'connectionLost');
      await wire.end();
      await far.server.stop();
    });
  }

  it('fails a request at once if its answer is not JSON, with the text', async () => {
    const far = await startServer('/m', ({ httpMethod, message }, response, { stream }) => {
      if (httpMethod !== 'POST') return false;
      response.writeHead(202).end();
      stream?.write(`data: {"jsonrpc":"2.0","id":${String(message.id)},"result":NaN}\n\n`);
      return true;
    });
    const wire = await connect(far.server.url);
    assert.match(String(await outcome(wire.request('ping'))), /^invalidResult .*"result":NaN/);
    await wire.end();
    await far.server.stop();
  });

  for (const [what, begin] of [
    ['has no answer of its own', () => undefined],
    ['has an answer without an end', (r: ServerResponse) => void r.writeHead(202).write('Accept')],
  ] as const) {
    it(`closes a POST that ${what} when its request was answered on the stream`, async () => {
      const far = await startServer('/m', (request, response, { stream }) => {
        if (request.message.method !== 'ping') return false;
        begin(response);
        stream?.write(eventOf(resultFor(request, {})));
        return true;
      });
      const wire = await connect(far.server.url);
      assert.deepEqual(await wire.request('ping'), {});
      await far.server.closed(({ message }) => message.method === 'ping');
      assert.deepEqual(await wire.request('other'), { at: '/m' });
      await wire.end();
      await far.server.stop();
    });
  }

  it('closes a POST without an answer when its request was cancelled, after the server was told', async () => {
    const far = await startServer('/m', ({ message }) => message.method === 'ping');
    const wire = await connect(far.server.url);
    const source = new CancellationTokenSource();
    const request = outcome(wire.request('ping', {}, { token: source.token }));
    const { closed } = await far.server.arrival(({ message }) => message.method === 'ping');
    source.cancel();
    assert.equal(await request, 'cancelled');
    await closed;
    assert.equal(far.server.log.at(-1), 'POST notifications/cancelled');
    assert.deepEqual(await wire.request('other'), { at: '/m' });
    await wire.end();
    await far.server.stop();
  });

  it('fails a request whose POST is refused, and no other', async () => {
    let posts = 0;
    const far = await startServer('/m', ({ httpMethod }, response) => {
      if (httpMethod !== 'POST' || posts++ > 0) return false;
      response.writeHead(400).end('no');
      return true;
    });
    const wire = await connect(far.server.url);
    assert.equal(await outcome(wire.request('ping')), 'httpError no');
    assert.deepEqual(await wire.request('ping'), { at: '/m' });
    await wire.end();
    await far.server.stop();
  });

  for (const [status, words] of [
    [404, 'Session not found'],
    [404, ''],
    [410, 'Gone'],
    [400, 'No transport found for sessionId'],
  ] as const) {
    it(`starts again if its session is lost, reported by ${status} “${words}”`, async () => {
      let sessions = 0;
      let lost = 0;
      const calls: unknown[] = [];
      const streams = new Map<number, ServerResponse>();
      const server = await HttpServer.start((request, response) => {
        const { httpMethod, path, message } = request;
        if (httpMethod === 'GET') {
          streams.set((sessions += 1), response);
          sendEvents(response, `event: endpoint\ndata: /m?s=${sessions}\n\n`);
          return;
        }
        const session = Number(path.split('=')[1]);
        if (!path.startsWith('/m?')) response.writeHead(405).end();
        else if (session <= lost) response.writeHead(status).end(words);
        else {
          response.writeHead(202).end();
          if (message.method === 'tools/call') calls.push(session);
          if (message.id === undefined) return;
          const result =
            message.method === 'initialize'
              ? { protocolVersion: '2024-11-05', capabilities: { tools: {} } }
              : { content: [] };
          streams.get(session)?.write(eventOf(resultFor(request, result)));
        }
      });
      const log = new RecordingLog();
      const client = await connectHttp({ url: server.url, clientInfo, log });
      await client.callTool('a', {});
      lost = sessions;
      await client.callTool('a', {});
      assert.deepEqual(calls, [1, 2]);
      await client.close();
      await server.stop();
    });
  }

  it('keeps the configured user name and password for an endpoint that is an absolute URL', async () => {
    const far = await startServer('', ({ httpMethod, headers }, response, its) => {
      if (httpMethod !== 'GET') return false;
      its.stream = response;
      sendEvents(response, `event: endpoint\ndata: http://${headers.host}/m\n\n`);
      return true;
    });
    const wire = await connect(far.server.url.replace('//', '//me:word@'));
    assert.deepEqual(await wire.request('ping'), { at: '/m' });
    const sent = far.server.received.map(({ headers }) => headers.authorization);
    const basic = `Basic ${Buffer.from('me:word').toString('base64')}`;
    assert.deepEqual(sent, [basic, basic]);
    await wire.end();
    await far.server.stop();
  });

  it('refuses an endpoint with a user name or password of the server', async () => {
    const far = await startServer('', ({ headers }, response) => {
      sendEvents(response, `event: endpoint\ndata: http://chosen:word@${headers.host}/m\n\n`);
      return true;
    });
    for (const user of ['', 'me:word@']) {
      const said = await outcome(connect(far.server.url.replace('//', `//${user}`)));
      const origin = new URL(far.server.url).origin;
      assert.equal(said, `redirectRefused ${origin} with a user name or password`);
    }
    await far.server.stop();
  });

  for (const [what, handle, expected] of [
    ['an endpoint at another origin', 'http://127.0.0.1:1/m', 'redirectRefused http://127.0.0.1:1'],
    ['an endpoint that is no URL', 'http://', 'invalidResult endpoint: http://'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const far = await startServer(handle);
      assert.equal(await outcome(connect(far.server.url)), expected);
      await (
        await far.server.arrival(() => true)
      ).closed;
      await far.server.stop();
    });
  }

  for (const [what, answer, expected] of [
    ['that has no such stream', (r: ServerResponse) => r.writeHead(404).end(), 'httpError'],
    [
      'that answers with a page',
      (r: ServerResponse) => r.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Hi</p>'),
      'unexpectedContentType text/html; Hi',
    ],
    [
      'whose stream ends at once',
      (r: ServerResponse) => {
        sendEvents(r);
        r.end();
      },
      'connectionLost the stream ended',
    ],
    [
      'whose first event is too large',
      (r: ServerResponse) => sendEvents(r, `data: ${'x'.repeat(2_000)}`),
      'answerTooLarge',
    ],
  ] as const) {
    it(`is not opened to a server ${what}`, async () => {
      const server = await HttpServer.start((_request, response) => void answer(response));
      assert.equal(await outcome(connect(server.url)), expected);
      await server.stop();
    });
  }

  it('waits for its endpoint for a limited time, and not after a cancellation', async () => {
    const server = await HttpServer.start((_request, response) => sendEvents(response));
    assert.equal(await outcome(connect(server.url, 40)), 'handshakeTimeout');
    const source = new CancellationTokenSource();
    const opening = outcome(connect(server.url, 5_000, source));
    await server.arrival(() => server.received.length > 1);
    source.cancel();
    assert.equal(await opening, 'cancelled');
    await Promise.all(server.received.map(({ closed }) => closed));
    await server.stop();
  });
});
