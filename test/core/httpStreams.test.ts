import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { eventOf, isCall, isGet, sendEvents, textFor } from '../servers/httpServer';
import type { Received, HttpServer } from '../servers/httpServer';
import { until } from '../waiting';
import { useHttpWires } from './httpWire';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';

const { opened } = useHttpWires();

const session = 's1';
const note = (method: string) => ({ jsonrpc: '2.0', method });
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

type Get = (request: Received, response: ServerResponse, count: number) => void;

/** A server whose calls begin a stream and end it, and whose GETs are the test's. */
function polled(callEvents: string, get: Get) {
  let gets = 0;
  return opened({
    session,
    onCall: (_request, response) => {
      sendEvents(response, callEvents);
      setImmediate(() => response.end());
    },
    onGet: (request, response) => {
      if (request.headers['last-event-id'] === undefined) response.writeHead(405).end();
      else get(request, response, gets++);
    },
  });
}

const lastIds = (server: HttpServer) =>
  server.received.map(({ headers }) => headers['last-event-id']).filter((id) => id !== undefined);

describe('Streamable HTTP: a stream that ends before the answer', () => {
  it('continues by a GET with its last event id, not before the time that the server requests', async () => {
    let at = 0;
    const { wire, server } = await polled(
      'id: s1-0\nretry: 200\ndata:\n\n',
      (request, response) => {
        at = performance.now();
        assert.deepEqual(
          [request.headers['mcp-session-id'], request.headers['mcp-protocol-version']],
          [session, '2025-11-25'],
        );
        sendEvents(response);
        response.end(eventOf({ jsonrpc: '2.0', id: 1, result: text('late') }));
      },
    );
    const startedAt = performance.now();
    assert.deepEqual(await wire.call(), text('late'));
    assert.deepEqual(lastIds(server), ['s1-0']);
    assert.ok(at - startedAt > 195, `waited ${at - startedAt} ms`);
  });

  it('continues as often as needed, each time from the last received event', async () => {
    const { wire, server } = await polled(
      'id: a\nretry: 1\ndata:\n\n',
      (_request, response, count) => {
        sendEvents(response, eventOf(note(`n${count}`), `b${count}`));
        if (count < 3) setImmediate(() => response.end());
        else response.end(eventOf({ jsonrpc: '2.0', id: 1, result: text('4th') }));
      },
    );
    assert.deepEqual(await wire.call(), text('4th'));
    assert.deepEqual(lastIds(server), ['a', 'b0', 'b1', 'b2']);
    assert.deepEqual(wire.notifications, ['n0', 'n1', 'n2', 'n3']);
  });

  it('is tried again while the server is unreachable', async () => {
    const { wire, server } = await polled(
      'id: a\nretry: 1\ndata:\n\n',
      (_request, response, count) => {
        if (count === 0) response.socket?.destroy();
        else if (count === 1) response.writeHead(503).end();
        else {
          sendEvents(response);
          response.end(eventOf({ jsonrpc: '2.0', id: 1, result: text('back') }));
        }
      },
    );
    assert.deepEqual(await wire.call(), text('back'));
    assert.deepEqual(lastIds(server).length >= 3, true);
  });

  it('is tried again when the server asks for that, even if its stream named a shorter time', async () => {
    const at: number[] = [];
    const { wire } = await polled('id: a\nretry: 1\ndata:\n\n', (_request, response, count) => {
      at.push(performance.now());
      if (count === 0) return response.writeHead(503, { 'Retry-After': '1' }).end();
      sendEvents(response);
      return response.end(eventOf({ jsonrpc: '2.0', id: 1, result: text('back') }));
    });
    assert.deepEqual(await wire.call(), text('back'));
    const [refusedAt = 0, againAt = 0] = at;
    assert.ok(againAt - refusedAt > 995, `waited ${againAt - refusedAt} ms`);
  });

  for (const status of [404, 405]) {
    it(`fails only its request if the server has no such stream (${status}), which does not affect the session`, async () => {
      const { wire } = await polled('id: a\nretry: 1\ndata:\n\n', (_request, response) =>
        response.writeHead(status).end(),
      );
      assert.match(String(await outcome(wire.call())), /^connectionLost/);
      assert.deepEqual(await wire.request('ping'), {});
    });
  }

  it('fails its request at once if no event had an id', async () => {
    const { wire } = await polled(eventOf(note('n')), () =>
      assert.fail('there is nothing to resume'),
    );
    assert.equal(await outcome(wire.call()), 'connectionLost');
  });

  it('no longer waits when its request is cancelled, however long the server wants it to', async () => {
    const { wire, server } = await polled('id: a\nretry: 3600000\ndata:\n\n', () => undefined);
    const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout');
    const before = timers().length;
    const source = new CancellationTokenSource();
    const call = outcome(wire.call('', { token: source.token }));
    await server.closed(isCall);
    await until(() => timers().length > before);
    source.cancel();
    assert.equal(await call, 'cancelled');
    await until(() => timers().length <= before);
  });

  it('does not continue if the answer arrived on another stream', () =>
    whileStopped(async (clock) => {
      let listening: ServerResponse | undefined;
      const { server, wire } = await opened({
        session,
        onCall: (request, response) => {
          sendEvents(response, 'id: a\nretry: 400\ndata:\n\n');
          response.end();
          response.on('close', () => listening?.write(eventOf(textFor(request, 'elsewhere'))));
        },
        onGet: (_request, response) => {
          listening = response;
          sendEvents(response);
        },
      });
      await server.arrival(isGet);
      assert.deepEqual(await wire.call(), text('elsewhere'));
      clock.advance(60_000);
      assert.deepEqual(await wire.request('ping'), {});
      assert.deepEqual(lastIds(server), []);
    }));
});

describe('Streamable HTTP: the stream for the server’s messages', () => {
  it('is opened after the handshake, and again from its last event', async () => {
    let gets = 0;
    const { server, wire } = await opened({
      session,
      onGet: (_request, response) => {
        sendEvents(response, `retry: 1\n${eventOf(note(`n${gets}`), `id${gets}`)}`);
        gets += 1;
        if (gets < 3) setImmediate(() => response.end());
      },
    });
    await server.arrival(({ headers }) => headers['last-event-id'] === 'id1');
    assert.deepEqual(server.log.slice(0, 3), [
      'POST initialize',
      'POST notifications/initialized',
      'GET',
    ]);
    assert.deepEqual(wire.notifications.slice(0, 2), ['n0', 'n1']);
    await wire.end();
    assert.deepEqual(server.log.filter((line) => line === 'GET').length, 3);
  });

  it('is there before a tool is called, because servers drop what they send before', async () => {
    let stream: ServerResponse | undefined;
    let open = (): void => undefined;
    const { server, wire } = await opened({
      onGet: (_request, response) => {
        open = () => sendEvents((stream = response));
      },
      onCall: (request, response) => {
        stream?.write(eventOf(note('asked')));
        sendEvents(response);
        response.end(eventOf(textFor(request, 'done')));
      },
    });
    const call = wire.call();
    await server.arrival(isGet);
    // Others do not wait for it.
    await wire.request('ping');
    assert.ok(!server.received.some(isCall));
    open();
    assert.deepEqual(await call, text('done'));
    await until(() => wire.notifications.includes('asked'));
  });

  it('is not waited for without end before a tool is called', async () => {
    const { wire } = await opened({ onGet: () => undefined });
    await wire.call();
  });

  it('is not waited for by a call that is cancelled', async () => {
    const { server, wire } = await opened({ onGet: () => undefined });
    const source = new CancellationTokenSource();
    const call = outcome(wire.call('', { token: source.token }));
    await server.arrival(isGet);
    source.cancel();
    assert.equal(await call, 'cancelled');
    await wire.call();
    assert.equal(server.received.filter(isCall).length, 1);
  });

  for (const [how, status] of [
    ['closed without a word', 200],
    ['refused because another client has it', 409],
  ] as const) {
    it(`is requested after each use, without end, if it is ${how}`, async () => {
      let isUseful = false;
      const { server, wire } = await opened({
        onGet: (_request, response) => {
          // The first one says how soon to come again.
          if (!isUseful && gets() > 1 && status !== 200) response.writeHead(status).end();
          else sendEvents(response, 'retry: 1\n\n');
          if (isUseful) response.write(eventOf({ jsonrpc: '2.0', method: 'news' }));
          else response.end();
        },
      });
      const gets = () => server.log.filter((line) => line === 'GET').length;
      const warned = new Promise<string>((resolve) => {
        wire.log.warn = resolve;
      });
      assert.match(await warned, /keeps closing the stream/);
      assert.equal(gets(), 8);
      // What came before the pause counts once, and then each use.
      for (const streams of [9, 10, 11]) {
        await server.arrival(() => gets() >= streams);
        assert.equal(gets(), streams);
        await wire.call();
      }
      isUseful = true;
      await wire.call();
      await server.arrival(() => gets() >= 12);
      await until(() => wire.notifications.includes('news'));
    });
  }

  for (const status of [408, 409, 423, 425, 429, 503]) {
    it(`is requested again later if it is refused for now (${status}), which the log says`, async () => {
      let gets = 0;
      const { wire } = await opened({
        onGet: (_request, response) => {
          gets += 1;
          if (gets === 1) response.writeHead(status).end();
          else sendEvents(response, eventOf({ jsonrpc: '2.0', method: 'news' }));
        },
      });
      await until(() => wire.notifications.includes('news'));
      assert.match(
        wire.log.lines.join('\n'),
        new RegExp(`^info listening: .*${status}.*; again in`),
      );
    });
  }

  it('ends the connection if it existed, and the server now says that the session is lost', async () => {
    let gets = 0;
    const { wire } = await opened({
      session,
      onGet: (_request, response) => {
        gets += 1;
        if (gets === 1) sendEvents(response, 'retry: 1\n\n');
        else response.writeHead(404);
        response.end();
      },
    });
    assert.equal((await wire.ended)?.code, 'sessionLost');
  });

  for (const status of [404, 405]) {
    it(`is not required (${status})`, async () => {
      const { server, wire } = await opened({
        onGet: (_request, response) => response.writeHead(status).end(),
      });
      await server.closed(({ httpMethod }) => httpMethod === 'GET');
      await wire.call();
      assert.deepEqual(wire.log.lines, []);
    });
  }
});
