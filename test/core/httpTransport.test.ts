import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError } from '../../src/core/errors';
import { bypassesProxy, parseEndpoint } from '../../src/core/http/httpMessage';
import {
  eventOf,
  HttpServer,
  isCall,
  isGet,
  resultFor,
  sendEvents,
  sendJson,
  stateful,
  textFor,
} from '../servers/httpServer';
import type { Handler, Received } from '../servers/httpServer';
import { HttpWire, useHttpWires } from './httpWire';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';
import { until } from '../waiting';

const { wired, opened } = useHttpWires();

const session = 'secret.session-id.1';

/** Asks for the roots on the stream of a call, and answers the call when it knows them. */
function asksWithinACall(): Handler {
  const held: (() => void)[] = [];
  return stateful({
    take: (request, response) => {
      if (isCall(request)) {
        const ask = { jsonrpc: '2.0', id: 'ask-1', method: 'roots/list' };
        const note = { jsonrpc: '2.0', method: 'notifications/message', params: {} };
        sendEvents(response, eventOf([note, ask]));
        held.push(() => response.end(eventOf(textFor(request, 'done'))));
        return true;
      }
      if (request.message.method !== undefined || request.httpMethod !== 'POST') return false;
      response.writeHead(202).end();
      for (const finish of held) finish();
      return true;
    },
  });
}

function headersOf({ headers }: Received): Record<string, unknown> {
  const told = ['accept', 'content-type', 'mcp-session-id', 'mcp-protocol-version', 'x-mine'];
  const given = told.filter((name) => headers[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, headers[name]]));
}

describe('Streamable HTTP: a stateful session', () => {
  it('is read from the answer to initialize, sent with everything after, and ended by DELETE', async () => {
    const { server, wire } = await opened(
      { session },
      {
        headers: { 'X-Mine': '1', Accept: 'text/html' },
      },
    );
    await wire.call();
    await server.arrival(isGet);
    await wire.end();
    const accept = 'application/json, text/event-stream';
    const own = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    const post = { accept, 'content-type': 'application/json', 'x-mine': '1' };
    const byKind = new Map(server.received.map((r, i) => [server.log[i], headersOf(r)]));
    assert.deepEqual(Object.fromEntries(byKind), {
      'POST initialize': post,
      'POST notifications/initialized': { ...post, ...own },
      'POST tools/call': { ...post, ...own },
      GET: { accept: 'text/event-stream', 'x-mine': '1', ...own },
      DELETE: { 'x-mine': '1', ...own },
    });
    assert.deepEqual(wire.log.lines, ['warn configured headers that are ours to set: Accept']);
  });

  it('is read from a stream, too, and not sent if there is none', async () => {
    const { server, wire } = await opened({
      take: (request, response) => {
        if (request.message.method !== 'initialize') return false;
        const result = { protocolVersion: '2025-03-26' };
        sendEvents(response, `id: 1\nretry: 5\ndata:\n\n${eventOf(resultFor(request, result))}`);
        response.end();
        return true;
      },
    });
    await wire.call();
    await wire.end();
    const call = server.received.find(isCall);
    assert.deepEqual(call && headersOf(call), {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-03-26',
    });
    assert.equal(server.log.includes('DELETE'), false);
  });

  it('begins with the initialized notification, and no request overtakes it', async () => {
    const { wire, server } = await opened({
      take: ({ message }, response) => {
        if (message.method !== 'notifications/initialized') return false;
        setImmediate(() => response.writeHead(202).end());
        return true;
      },
    });
    let wasAnswered = false;
    const initialized = await server.arrival(
      ({ message }) => message.method === 'notifications/initialized',
    );
    const call = wire.call();
    void initialized.closed.then(() => (wasAnswered = true));
    await call;
    assert.deepEqual(
      server.log.filter((line) => line !== 'GET'),
      ['POST initialize', 'POST notifications/initialized', 'POST tools/call'],
    );
    assert.ok(wasAnswered);
  });

  it('continues if the server never answers the initialized notification', async () => {
    const { wire, server } = await opened({
      session,
      take: ({ message }) => message.method === 'notifications/initialized',
    });
    assert.deepEqual(await wire.request('ping'), {});
    await server.arrival(isGet);
  });

  it('ends the connection if the server forgot it, and the refused request says so', async () => {
    const { wire, server } = await opened({
      session,
      onCall: (_request, response) => {
        response.writeHead(404, { 'Content-Type': 'application/json' });
        const error = { code: -32001, message: 'Session not found' };
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      },
    });
    assert.equal(await outcome(wire.call()), 'sessionLost -32001 Session not found');
    assert.equal((await wire.ended)?.code, 'sessionLost');
    await wire.end();
    // There is nothing left to delete, and the secret is told to nobody.
    assert.equal(server.log.includes('DELETE'), false);
    assert.equal(wire.log.lines.join().includes(session), false);
  });

  const said = (id: unknown, code: number, message: string) =>
    JSON.stringify({
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      error: { code, message },
    });
  const ownId = Symbol('ownId');
  /** A server that answers calls so. */
  const answering = (status: number, id: unknown, code: number, words: string, type = '') =>
    stateful({
      session,
      onCall: (request, response) => {
        const body = said(id === ownId ? request.message.id : id, code, words);
        response.writeHead(status, { 'Content-Type': type || 'application/json' });
        response.end(type.includes('event') ? `data: ${body}\n\n` : body);
      },
    });

  for (const [what, handler, isSure] of [
    ['400', answering(400, null, -32000, 'Bad Request: Server not initialized'), true],
    ['400, as of python-sdk', answering(400, 'server-error', -32600, 'Session not found'), true],
    ['410', answering(410, undefined, -32001, 'Session has expired'), true],
    ['410 without words for it', answering(410, undefined, -32001, 'Gone'), true],
    ['400, as of HTTP+SSE', answering(400, null, -32000, 'No transport found for sessionId'), true],
    ['400, before', answering(400, ownId, -32602, 'Request before initialization'), true],
    ['400 as text', answering(400, ownId, -32600, 'Unknown session', 'text/plain'), true],
    ['200', answering(200, 'server-error', -32600, 'Session not found'), true],
    ['200 without an id', answering(200, null, -32600, 'No valid session ID provided'), true],
    [
      '200, in a stream',
      answering(200, 'server-error', -32600, 'Session not found', 'text/event-stream'),
      true,
    ],
    ['200, and the id of the call', answering(200, ownId, -32600, 'Session not found'), false],
    ['500', answering(500, null, -32600, 'Invalid session'), false],
    [
      '500 as text',
      answering(500, null, -32600, `Session ${session} not found`, 'text/plain'),
      false,
    ],
    ['400, with its id', answering(400, ownId, -32603, `Session ${session} not found`), true],
    [
      '200, before',
      answering(200, ownId, -32602, 'Received request before initialization was complete'),
      false,
    ],
    [
      '200, as of go-sdk',
      answering(200, ownId, 0, 'method "tools/call" is invalid during session initialization'),
      false,
    ],
  ] as const) {
    it(`is also lost if the server answers ${what} with a matching message`, async () => {
      const { wire } = await opened(handler);
      const error = await wire.call().catch((thrown: unknown) => thrown);
      assert.ok(isMcpError(error, 'sessionLost'), String(error));
      assert.equal(error.facts.hadNoEffect, isSure ? true : undefined);
      assert.equal((await wire.ended)?.code, 'sessionLost');
    });
  }

  for (const [what, handler] of [
    ['the id of the call and a code of its own', answering(200, ownId, -32602, 'Unknown session')],
    ['words about the tool', answering(400, ownId, -32600, 'The session starts at noon.')],
    [
      'words of JavaScript',
      answering(500, ownId, -32603, "Cannot access 'rows' before initialization"),
    ],
    ['words of a language server', answering(200, ownId, -32002, 'Server not initialized')],
    ['words about what is behind it', answering(500, ownId, -32000, 'Database not initialized')],
    ['a challenge', answering(401, null, -32600, 'Invalid session')],
    ['a limit', answering(429, null, -32600, 'No session left: limit of no valid session')],
  ] as const) {
    it(`is not lost by an error with ${what}`, async () => {
      const { wire } = await opened(handler);
      assert.doesNotMatch(String(await outcome(wire.call())), /^sessionLost/);
      assert.deepEqual(await wire.request('ping'), {});
    });
  }

  it('fails a call at once if its answer is not JSON, with the text, while its stream is open', async () => {
    const { wire } = await opened({
      onCall: (request, response) => {
        const { id } = request.message;
        sendEvents(response, `data: {"jsonrpc":"2.0","id":${String(id)},"result":NaN}\n\n`);
      },
    });
    assert.match(String(await outcome(wire.call())), /^invalidResult .*"result":NaN/);
  });

  it('is not lost by a 404 of a server that has none', async () => {
    const { wire } = await opened({
      onCall: (_request, response) => response.writeHead(404).end(),
    });
    assert.equal(await outcome(wire.call()), 'httpError');
    assert.deepEqual(await wire.request('ping'), {});
  });

  it('is not sent with a second handshake', async () => {
    const { server, wire } = await wired({ session });
    await wire.request('initialize', {});
    await wire.request('initialize', {});
    assert.deepEqual(
      server.received.map(({ headers }) => headers['mcp-session-id']),
      [undefined, undefined],
    );
  });

  it('fails the handshake if its id cannot be sent back', async () => {
    const { wire } = await wired({ session: 'a b' });
    assert.match(String(await outcome(wire.open())), /^invalidResult .*visible ASCII/);
  });
});

describe('Streamable HTTP: requests', () => {
  it('do not wait for each other', async () => {
    const held: (() => void)[] = [];
    const { wire } = await opened({
      onCall: (request, response) => {
        held.push(() => sendJson(response, textFor(request, String(held.length))));
        // Only when all sixteen are here is the first one answered.
        if (held.length === 16) for (const answer of held) answer();
      },
    });
    const calls = await Promise.all(Array.from({ length: 16 }, () => wire.call()));
    assert.equal(calls.length, 16);
  });

  it('receive very large images and texts as bytes, like other transports', async () => {
    const bytes = Buffer.alloc(300 * 1024, 'image');
    const text = 'grüße '.repeat(60_000);
    const imageOf = (data: unknown) => ({ type: 'image', data, mimeType: 'image/png' });
    const contentOf = (data: unknown, words: unknown) => [
      imageOf(data),
      { type: 'text', text: words },
    ];
    const { wire } = await opened(
      {
        onCall: (request, response) => {
          const content = contentOf(bytes.toString('base64'), text);
          sendJson(response, resultFor(request, { content }));
        },
      },
      { maxMessageBytes: 8_000_000 },
    );
    assert.deepEqual(await wire.call(), {
      content: contentOf(new Uint8Array(bytes), new Uint8Array(Buffer.from(text))),
    });
  });

  it('accept the server’s requests on their stream, answer by a POST, and get their answer', async () => {
    const { wire, server } = await opened(asksWithinACall(), {
      answerRequest: () => ({ roots: [] }),
    });
    assert.deepEqual(await wire.call(), { content: [{ type: 'text', text: 'done' }] });
    assert.deepEqual(wire.notifications, ['notifications/message']);
    const answer = await server.arrival(({ message }) => message.result !== undefined);
    assert.deepEqual(answer.message, { jsonrpc: '2.0', id: 'ask-1', result: { roots: [] } });
  });

  for (const [what, answer] of [
    ['is never answered', () => undefined],
    ['is accepted with a body that never ends', (response) => response.writeHead(202).write('o')],
    ['is refused with a body that never ends', (response) => response.writeHead(500).write('o')],
  ] satisfies readonly (readonly [string, (response: ServerResponse) => unknown])[]) {
    it(`close the POST of an answer that ${what}`, () =>
      whileStopped(async (clock) => {
        const isAnswer = ({ message }: Received) => message.result !== undefined;
        const ask = eventOf({ jsonrpc: '2.0', id: 'a', method: 'roots/list' });
        const { wire, server } = await opened({
          onCall: (_request, response) => sendEvents(response, ask),
          take: (request, response) => {
            if (isAnswer(request)) answer(response);
            return isAnswer(request);
          },
        });
        const call = outcome(wire.call());
        await server.arrival(isAnswer);
        await clock.untilWaiting(30_000);
        clock.advance(30_000);
        await server.closed(isAnswer);
        await wire.end();
        assert.equal(await call, 'connectionClosed');
      }));
  }

  it('that are cancelled say so in a POST of their own, and then close their stream', async () => {
    const { wire, server } = await opened({ onCall: (_request, response) => sendEvents(response) });
    const source = new CancellationTokenSource();
    const call = outcome(wire.call('', { token: source.token }));
    const arrived = await server.arrival(isCall);
    source.cancel();
    assert.equal(await call, 'cancelled');
    const note = await server.arrival(
      ({ message }) => message.method === 'notifications/cancelled',
    );
    assert.deepEqual(note.message.params, {
      requestId: arrived.message.id,
      reason: 'Cancelled',
    });
    await arrived.closed;
  });

  it('that are cancelled close their connections though the server never answers that POST', () =>
    whileStopped(async (clock) => {
      const isNote = ({ message }: Received) => message.method === 'notifications/cancelled';
      const { wire, server } = await opened({
        onCall: (_request, response) => sendEvents(response),
        take: isNote,
      });
      const source = new CancellationTokenSource();
      const call = outcome(wire.call('', { token: source.token }));
      await server.arrival(isCall);
      source.cancel();
      assert.equal(await call, 'cancelled');
      await server.arrival(isNote);
      await clock.untilWaiting(2_000);
      clock.advance(2_000);
      await Promise.all([server.closed(isCall), server.closed(isNote)]);
    }));

  it('end with their answer, even if the server keeps the stream open', async () => {
    const { wire, server } = await opened({
      onCall: (request, response) => sendEvents(response, eventOf(textFor(request, 'a'))),
    });
    assert.deepEqual(await wire.call(), { content: [{ type: 'text', text: 'a' }] });
    await server.closed(isCall);
  });

  it('leave no open connection when they end', async () => {
    const { wire, server } = await opened();
    server.keepConnections();
    await wire.call();
    assert.ok((await server.connections()) > 0);
    await wire.end();
    await until(async () => (await server.connections()) === 0);
  });

  it('have connections of their own only if that bypasses no proxy', () => {
    const urls = [
      'http://localhost:1/mcp',
      'http://127.0.0.1/',
      'http://[::1]:8080/',
      'unix:///tmp/a.sock#/mcp',
      'https://localhost/',
      'http://127.0.0.2/',
      'http://a.localhost/',
      'http://example.com/',
    ];
    const own = urls.filter((url) => bypassesProxy(parseEndpoint(url)));
    assert.deepEqual(own, urls.slice(0, 4));
  });

  it('reach a server on a Unix socket', async function () {
    if (process.platform === 'win32') this.skip();
    const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-'));
    const server = await HttpServer.start(stateful(), path.join(folder, 'a.sock'));
    const wire = HttpWire.to(server.url);
    await wire.open();
    await wire.call();
    assert.equal(server.received.find(isCall)?.path, '/mcp');
    await wire.end();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it('follow a few redirects that keep the method and the origin', async () => {
    const { wire } = await opened({
      take: ({ path: at, httpMethod }, response) => {
        if (httpMethod !== 'POST' || at === '/mcp/') return false;
        response.writeHead(at === '/mcp' ? 307 : 308, { Location: '/mcp/' }).end();
        return true;
      },
    });
    assert.deepEqual(await wire.call('x'), { content: [{ type: 'text', text: 'fine' }] });
  });

  it('without effects are sent again if the idle connection was closed', async () => {
    let connections = 0;
    // Answers the first request on a connection, and breaks it at the second.
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        const body = `{"jsonrpc":"2.0","id":${/"id":(\d+)/.exec(String(data))?.[1]},"result":{}}`;
        const type = 'Content-Type: application/json';
        socket.write(`HTTP/1.1 200 OK\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        socket.once('data', () => socket.resetAndDestroy());
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const wire = HttpWire.to(`http://127.0.0.1:${port}/`);
    await wire.request('ping');
    await wire.request('tools/list');
    assert.equal(connections, 2);
    // The handshake follows the question for the revision on the same connection.
    await wire.request('initialize');
    assert.equal(connections, 3);
    // A call might have had an effect.
    assert.match(String(await outcome(wire.call())), /^connectionLost/);
    assert.equal(connections, 3);
    await wire.end();
    server.close();
  });
});
