import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import {
  eventOf,
  HttpServer,
  isCall,
  isGet,
  sendEvents,
  stateful,
  textFor,
} from '../servers/httpServer';
import type { Received } from '../servers/httpServer';
import { eventually } from '../waiting';
import { HttpWire, wiredTo } from './httpWire';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';

const session = 's1';
const note = (method: string) => ({ jsonrpc: '2.0', method });
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

type Get = (request: Received, response: ServerResponse, count: number) => void;

/** A server whose calls begin a stream and end it, and whose GETs are the test's. */
async function polled(
  callEvents: string,
  get: Get,
  act: (wire: HttpWire, server: HttpServer, call: () => Received | undefined) => Promise<void>,
): Promise<void> {
  let gets = 0;
  const handler = stateful({
    session,
    take: (request, response) => {
      if (isCall(request)) {
        sendEvents(response, callEvents);
        setImmediate(() => response.end());
        return true;
      }
      if (!isGet(request) || request.headers['last-event-id'] === undefined) return false;
      get(request, response, gets++);
      return true;
    },
  });
  await wiredTo(handler, async (wire, server) => {
    await wire.open();
    await act(wire, server, () => server.received.find(isCall));
  });
}

const lastIds = (server: HttpServer) =>
  server.received.map(({ headers }) => headers['last-event-id']).filter((id) => id !== undefined);

describe('Streamable HTTP: a stream that ends before the answer', () => {
  it('continues by a GET with its last event id, not before the time that the server requests', async () => {
    let at = 0;
    await polled(
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
      async (wire, server) => {
        const startedAt = performance.now();
        assert.deepEqual(await wire.call(), text('late'));
        assert.deepEqual(lastIds(server), ['s1-0']);
        assert.ok(at - startedAt > 195, `waited ${at - startedAt} ms`);
      },
    );
  });

  it('continues as often as needed, each time from the last received event', () =>
    polled(
      'id: a\nretry: 1\ndata:\n\n',
      (_request, response, count) => {
        sendEvents(response, eventOf(note(`n${count}`), `b${count}`));
        if (count < 3) setImmediate(() => response.end());
        else response.end(eventOf({ jsonrpc: '2.0', id: 1, result: text('4th') }));
      },
      async (wire, server) => {
        assert.deepEqual(await wire.call(), text('4th'));
        assert.deepEqual(lastIds(server), ['a', 'b0', 'b1', 'b2']);
        assert.deepEqual(wire.notifications, ['n0', 'n1', 'n2', 'n3']);
      },
    ));

  it('is tried again while the server is unreachable', () =>
    polled(
      'id: a\nretry: 1\ndata:\n\n',
      (_request, response, count) => {
        if (count === 0) response.socket?.destroy();
        else if (count === 1) response.writeHead(503).end();
        else {
          sendEvents(response);
          response.end(eventOf({ jsonrpc: '2.0', id: 1, result: text('back') }));
        }
      },
      async (wire, server) => {
        assert.deepEqual(await wire.call(), text('back'));
        assert.deepEqual(lastIds(server).length >= 3, true);
      },
    ));

  it('fails its request if the server does not continue it', () =>
    polled(
      'id: a\nretry: 1\ndata:\n\n',
      (_request, response) => response.writeHead(405).end(),
      async (wire) => {
        assert.match(String(await outcome(wire.call())), /^connectionLost/);
        assert.deepEqual(await wire.request('ping'), {});
      },
    ));

  for (const status of [404, 405]) {
    it(`fails only its request if the server has no such stream (${status}), which does not affect the session`, () =>
      polled(
        'id: a\nretry: 1\ndata:\n\n',
        (_request, response) => response.writeHead(status).end(),
        async (wire) => {
          assert.match(String(await outcome(wire.call())), /^connectionLost/);
          assert.deepEqual(await wire.request('ping'), {});
        },
      ));
  }

  it('fails its request at once if no event had an id', () =>
    polled(
      eventOf(note('n')),
      () => assert.fail('there is nothing to resume'),
      async (wire) => assert.equal(await outcome(wire.call()), 'connectionLost'),
    ));

  it('does not continue if the answer arrived on another stream', () =>
    whileStopped(async (clock) => {
      let listening: ServerResponse | undefined;
      const server = await HttpServer.start(
        stateful({
          session,
          take: (request, response) => {
            if (isCall(request)) {
              sendEvents(response, 'id: a\nretry: 400\ndata:\n\n');
              response.end();
              response.on('close', () => listening?.write(eventOf(textFor(request, 'elsewhere'))));
              return true;
            }
            if (request.httpMethod !== 'GET') return false;
            listening = response;
            sendEvents(response);
            return true;
          },
        }),
      );
      const wire = HttpWire.to(server.url);
      await wire.open();
      await server.arrival(({ httpMethod }) => httpMethod === 'GET');
      assert.deepEqual(await wire.call(), text('elsewhere'));
      clock.advance(60_000);
      assert.deepEqual(await wire.request('ping'), {});
      assert.deepEqual(lastIds(server), []);
      await wire.end();
      await server.stop();
    }));
});

describe('Streamable HTTP: the stream for the server’s messages', () => {
  it('is opened after the handshake, and again from its last event', async () => {
    let gets = 0;
    const server = await HttpServer.start(
      stateful({
        session,
        take: ({ httpMethod }, response) => {
          if (httpMethod !== 'GET') return false;
          sendEvents(response, `retry: 1\n${eventOf(note(`n${gets}`), `id${gets}`)}`);
          gets += 1;
          if (gets < 3) setImmediate(() => response.end());
          return true;
        },
      }),
    );
    const wire = HttpWire.to(server.url);
    await wire.open();
    await server.arrival(({ headers }) => headers['last-event-id'] === 'id1');
    assert.deepEqual(server.log.slice(0, 3), [
      'POST initialize',
      'POST notifications/initialized',
      'GET',
    ]);
    assert.deepEqual(wire.notifications.slice(0, 2), ['n0', 'n1']);
    await wire.end();
    await server.stop();
    assert.deepEqual(server.log.filter((line) => line === 'GET').length, 3);
  });

  for (const [how, status] of [
    ['closed without a word', 200],
    ['refused because another client has it', 409],
  ] as const) {
    it(`is requested after each use, without end, if it is ${how}`, async () => {
      let isUseful = false;
      const server = await HttpServer.start(
        stateful({
          take: ({ httpMethod }, response) => {
            if (httpMethod !== 'GET') return false;
            // The first one says how soon to come again.
            if (!isUseful && gets() > 1 && status !== 200) response.writeHead(status).end();
            else sendEvents(response, 'retry: 1\n\n');
            if (isUseful) response.write(eventOf({ jsonrpc: '2.0', method: 'news' }));
            else response.end();
            return true;
          },
        }),
      );
      const gets = () => server.log.filter((line) => line === 'GET').length;
      const wire = HttpWire.to(server.url);
      await wire.open();
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
      await eventually(
        () => wire.notifications,
        (seen) => seen.includes('news'),
      );
      await wire.end();
      await server.stop();
    });
  }

  for (const status of [408, 409, 423, 425, 429, 503]) {
    it(`is requested again later if it is refused for now (${status})`, async () => {
      let gets = 0;
      const server = await HttpServer.start(
        stateful({
          take: ({ httpMethod }, response) => {
            if (httpMethod !== 'GET') return false;
            gets += 1;
            if (gets === 1) response.writeHead(status).end();
            else sendEvents(response, eventOf({ jsonrpc: '2.0', method: 'news' }));
            return true;
          },
        }),
      );
      const wire = HttpWire.to(server.url);
      await wire.open();
      await eventually(
        () => wire.notifications,
        (seen) => seen.includes('news'),
      );
      await wire.end();
      await server.stop();
    });
  }

  it('ends the connection if it existed, and the server now says that the session is lost', async () => {
    let gets = 0;
    const server = await HttpServer.start(
      stateful({
        session,
        take: ({ httpMethod }, response) => {
          if (httpMethod !== 'GET') return false;
          gets += 1;
          if (gets === 1) sendEvents(response, 'retry: 1\n\n');
          else response.writeHead(404);
          response.end();
          return true;
        },
      }),
    );
    const wire = HttpWire.to(server.url);
    await wire.open();
    assert.equal((await wire.ended)?.code, 'sessionLost');
    await wire.end();
    await server.stop();
  });

  for (const status of [404, 405]) {
    it(`is not required (${status})`, async () => {
      const server = await HttpServer.start(
        stateful({
          take: ({ httpMethod }, response) => {
            if (httpMethod === 'GET') response.writeHead(status).end();
            return httpMethod === 'GET';
          },
        }),
      );
      const wire = HttpWire.to(server.url);
      await wire.open();
      await (
        await server.arrival(({ httpMethod }) => httpMethod === 'GET')
      ).closed;
      await wire.call();
      assert.deepEqual(wire.log.lines, []);
      await wire.end();
      await server.stop();
    });
  }
});
