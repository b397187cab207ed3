import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { McpClient } from '../../src/core/client';
import {
  eventOf,
  isCall,
  isGet,
  sendEvents,
  sendJson,
  stateful,
  textFor,
} from '../servers/httpServer';
import type { Handler, HttpServer, Received } from '../servers/httpServer';
import { until } from '../waiting';
import { textOf } from './connections';
import { useHttpWires } from './httpWire';
import { useHttpClients } from './reached';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';

const { opened } = useHttpWires();

const { served, connected } = useHttpClients();

const session = 's1';
/** Whatever was planned would have begun. */
const longMs = 3_600_000;
const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

/** A stateful server with an answer of its own to calls, and to the GET for its stream. */
const answering = (onCall: Handler, onGet: Handler): Handler =>
  stateful({ session, onCall, onGet });
const noStream: Handler = (_request, response) => response.writeHead(405).end();
const listening = (call: Handler, get = noStream) =>
  opened(answering(call, get), { requestTimeoutMs: 5_000 });

describe('An answer on the server’s stream', () => {
  /** Ends the POST in the given way, and answers on the stream that the GET opened. */
  const elsewhere = (end: (response: ServerResponse, request: Received) => void): Handler => {
    let stream: ServerResponse | undefined;
    const waiting: Received[] = [];
    const answer = () => {
      for (const request of waiting.splice(0)) {
        stream?.write(eventOf(textFor(request, 'elsewhere')));
      }
    };
    return answering(
      (request, response) => {
        end(response, request);
        waiting.push(request);
        setTimeout(() => stream && answer(), 10);
      },
      (_request, response) => {
        // Head and first event come together: nothing is flushed before.
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        stream = response;
        if (waiting.length > 0) answer();
      },
    );
  };

  const ends: readonly (readonly [
    string,
    (response: ServerResponse, request: Received) => void,
  ])[] = [
    ['an empty 202', (response) => response.writeHead(202).end()],
    ['a 202 with words', (response) => response.writeHead(202).end('Accepted')],
    [
      'a 202 with JSON that is no message',
      (response) =>
        response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"status":"ok"}'),
    ],
    [
      'a 202 that says JSON and has none',
      (response) => response.writeHead(202, { 'Content-Type': 'application/json' }).end(),
    ],
    ['a 204', (response) => response.writeHead(204).end()],
    ['an empty 200', (response) => response.writeHead(200, { 'Content-Length': '0' }).end()],
    [
      'a stream that ends at once',
      (response) => {
        sendEvents(response);
        response.end();
      },
    ],
  ];
  for (const [what, end] of ends) {
    it(`is accepted after ${what}`, async () => {
      const { wire } = await opened(elsewhere(end), { requestTimeoutMs: 5_000 });
      const calls = [wire.call('a'), wire.call('b')];
      assert.deepEqual(await Promise.all(calls), [text('elsewhere'), text('elsewhere')]);
    });
  }

  it('is accepted after the stream broke and was opened again', async () => {
    let gets = 0;
    const accept: Handler = (_request, response) => response.writeHead(202).end();
    const { wire, server } = await listening(accept, (_request, response) => {
      gets += 1;
      sendEvents(response, 'retry: 20\n\n');
      if (gets === 1) setTimeout(() => response.destroy(), 50);
      else void server.arrival(isCall).then((it) => response.write(eventOf(textFor(it, 'late'))));
    });
    assert.deepEqual(await wire.call(), text('late'));
  });

  it('in a 202 response counts', async () => {
    const { wire } = await listening((request, response) => {
      response.writeHead(202, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(textFor(request, 'at once')));
    });
    assert.deepEqual(await wire.call(), text('at once'));
  });

  it('can arrive in the body of another request', async () => {
    let first: { readonly request: Received; readonly response: ServerResponse } | undefined;
    const { wire, server } = await listening((request, response) => {
      if (first === undefined) first = { request, response };
      else {
        sendJson(response, textFor(first.request, 'for the first'));
        sendJson(first.response, textFor(request, 'for the second'));
      }
    });
    const one = wire.call('1');
    await server.arrival(isCall);
    const other = wire.call('2');
    assert.deepEqual([await one, await other], [text('for the first'), text('for the second')]);
  });

  for (const status of [404, 405, 400, 501]) {
    it(`that can no longer arrive fails the request at once (GET ${status})`, async () => {
      const { wire } = await listening(
        (_request, response) => response.writeHead(202).end(),
        (_request, response) => response.writeHead(status).end(),
      );
      assert.match(String(await outcome(wire.call())), /^connectionLost/);
      assert.deepEqual(await wire.request('ping'), {});
    });
  }

  it('that does not arrive keeps the time limit, and a cancelled call leaves nothing', async () => {
    const { wire } = await listening(
      (_request, response) => response.writeHead(202).end(),
      (_request, response) => sendEvents(response),
    );
    assert.match(String(await outcome(wire.call('', { timeoutMs: 100 }))), /^timeout/);
    assert.deepEqual(await wire.request('ping'), {});
  });
});

describe('A stream that the server refuses with 404', () => {
  /** Its stream is there for the first `streams` GETs, ends at once, and is refused after that. */
  const refusing = (streams: number, call?: Handler): Handler => {
    let gets = 0;
    return answering(
      call ?? ((request, response) => sendJson(response, textFor(request, 'fine'))),
      (_request, response) => {
        gets += 1;
        if (gets > streams) response.writeHead(404).end();
        else {
          sendEvents(response, 'retry: 1\n\n');
          response.end();
        }
      },
    );
  };
  const handshakes = (server: HttpServer) =>
    server.log.filter((line) => line === 'POST initialize').length;

  const streams = (server: HttpServer) => server.log.filter((line) => line === 'GET').length;
  const isFine = async (client: McpClient) =>
    assert.equal(await textOf(client.callTool('a', {})), 'fine');

  it('does not exist, and the session continues', async () => {
    const { server, connect } = await served(refusing(0));
    await whileStopped(async (clock) => {
      const { client, log } = await connect();
      await server.closed(isGet);
      await isFine(client);
      clock.advance(longMs);
      await isFine(client);
      assert.deepEqual([handshakes(server), streams(server)], [1, 1]);
      assert.ok(!log.lines.some((line) => /warn|error/.test(line)), log.lines.join('\n'));
    });
  });

  it('leads to a new session if it existed before, but not repeatedly while its requests work', async () => {
    const { server, connect } = await served(refusing(1));
    await whileStopped(async (clock) => {
      const { client } = await connect();
      let isClosed = false;
      client.onDidClose(() => (isClosed = true));
      await until(() => {
        clock.advance(10);
        return streams(server) === 3;
      });
      await isFine(client);
      clock.advance(longMs);
      await isFine(client);
      assert.deepEqual([isClosed, handshakes(server), streams(server)], [false, 2, 3]);
    });
  });

  it('does not fail a running call', async () => {
    const { server, client } = await connected(
      refusing(1, (request, response) => {
        sendEvents(response);
        setTimeout(() => response.end(eventOf(textFor(request, 'slow'))), 600);
      }),
    );
    assert.equal(await textOf(client.callTool('a', {})), 'slow');
    assert.equal(handshakes(server), 1);
  });

  it('loses only the call that expects its answer there', async () => {
    const { server, client } = await connected(
      refusing(1, (_request, response) => response.writeHead(202).end()),
    );
    assert.match(String(await outcome(client.callTool('a', {}))), /^connectionLost/);
    await client.ping();
    assert.equal(server.log.filter((line) => line === 'POST tools/call').length, 1);
  });
});
