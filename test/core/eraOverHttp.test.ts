import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { isMcpError } from '../../src/core/errors';
import { connectHttp } from '../../src/core/http/connectHttp';
import {
  eventOf,
  HttpServer,
  resultFor,
  sendEvents,
  sendJson,
  stateful,
} from '../servers/httpServer';
import type { Handler, Received } from '../servers/httpServer';
import { clientInfo, textOf } from './connections';
import { discovered, useHttpClients, sendError, stateless } from './reached';
import { outcome, RecordingLog } from './wire';

const { served, connected } = useHttpClients();

/** A stateful server that answers the probe, and only that, in its own way. */
const answeringProbe = (answer: (request: Received, response: ServerResponse) => void) => () =>
  stateful({
    take: (request, response) => {
      if (request.message.method !== 'server/discover') return false;
      answer(request, response);
      return true;
    },
  });

/** Shakes hands with nobody. */
const newOnly = () =>
  stateless({
    initialize: (request, response) =>
      sendError(request, response, 400, -32022, 'no', { supported: ['2026-07-28'] }),
  });

describe('The era of a server over HTTP', () => {
  it('is detected by one request', async () => {
    const { server, client, learned } = await connected(stateless());
    assert.equal(client.revision, '2026-07-28');
    assert.equal(client.serverInfo.name, 'fixture');
    assert.deepEqual(server.log, ['POST server/discover']);
    assert.deepEqual(learned, ['stateless']);
    const [probe] = server.received;
    assert.equal(probe?.headers['mcp-protocol-version'], '2026-07-28');
    assert.equal(probe?.headers['mcp-method'], 'server/discover');
  });

  for (const [what, answer] of [
    ['an empty 400', (_, response) => response.writeHead(400).end()],
    ['an empty 404', (_, response) => response.writeHead(404).end()],
    ['an empty 405', (_, response) => response.writeHead(405).end()],
    ['a 406', (_, response) => response.writeHead(406).end('{"error":"not acceptable"}')],
    [
      'a page with 400',
      (_, response) => response.writeHead(400, { 'Content-Type': 'text/html' }).end('<h1>no</h1>'),
    ],
    [
      'a 400 with -32000 and no id',
      (_, response) =>
        response
          .writeHead(400)
          .end(
            '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Server not initialized"},"id":null}',
          ),
    ],
    [
      'a 200 with -32601',
      (request, response) => sendError(request, response, 200, -32601, 'Method not found'),
    ],
    [
      'a 404 with -32601',
      (request, response) => sendError(request, response, 404, -32601, 'Method not found'),
    ],
    ['an empty result', (request, response) => sendJson(response, resultFor(request))],
    [
      'a result without versions, as an event',
      (request, response) => {
        sendEvents(response, eventOf(resultFor(request, { capabilities: {} })));
        response.end();
      },
    ],
  ] as readonly (readonly [string, (request: Received, response: ServerResponse) => void])[]) {
    it(`is stateful after ${what}`, async () => {
      const { server, client, learned } = await connected(answeringProbe(answer)());
      assert.equal(client.revision, '2025-11-25');
      assert.deepEqual(server.log.slice(0, 2), ['POST server/discover', 'POST initialize']);
      assert.equal(server.received[1]?.headers['mcp-method'], undefined);
      assert.deepEqual(learned, ['stateful']);
    });
  }

  for (const [status, expected] of [
    [401, 'unauthorized'],
    [403, 'httpError'],
    [407, 'httpError'],
    [429, 'httpError'],
  ] as const) {
    it(`is not detected by status ${status}`, async () => {
      const { server, connect } = await served(
        answeringProbe((_, response) => response.writeHead(status).end())(),
      );
      assert.equal(String(await outcome(connect())).split(' ')[0], expected);
      assert.deepEqual(server.log, ['POST server/discover']);
    });
  }

  const stumbles: readonly (readonly [
    string,
    (request: Received, response: ServerResponse) => void,
  ])[] = [
    ['an empty 500', (_, response) => response.writeHead(500).end()],
    [
      'a 500 with -32603',
      (request, response) => sendError(request, response, 500, -32603, 'Internal error'),
    ],
    [
      'a 500 with an error that has no id',
      (_, response) =>
        response.writeHead(500).end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"}}'),
    ],
    [
      'a page with 502',
      (_, response) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>no</h1>'),
    ],
    ['a 501', (_, response) => response.writeHead(501).end('Not Implemented')],
    ['a broken connection', (_, response) => response.destroy()],
    [
      'an answer that breaks off',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '99' });
        response.write('{', () => response.destroy());
      },
    ],
    [
      'a stream that ends at once',
      (_, response) => {
        sendEvents(response);
        response.end();
      },
    ],
  ];
  for (const [what, answer] of stumbles) {
    it(`is stateful for now after ${what}, if that works, and is not remembered (R-025)`, async () => {
      const { server, client, learned } = await connected(answeringProbe(answer)());
      assert.equal(client.revision, '2025-11-25');
      assert.equal(await textOf(client.callTool('a', {})), 'fine');
      const posts = server.log.filter((line) => line !== 'POST server/discover');
      assert.equal(posts[0], 'POST initialize');
      assert.deepEqual(learned, []);
    });
  }

  it('leads to an error with both answers if neither request succeeds', async () => {
    const { server, connect } = await served((request, response) => {
      const isProbe = request.message.method === 'server/discover';
      if (isProbe) response.writeHead(500).end('no such route');
      else sendError(request, response, 503, -32000, 'not ready');
    });
    const error: unknown = await connect().catch((thrown: unknown) => thrown);
    assert.ok(isMcpError(error, 'handshakeFailed'), String(error));
    const { httpStatus, detail, probeStatus, probeDetail } = error.facts;
    assert.deepEqual(
      [httpStatus, detail, probeStatus, probeDetail],
      [503, 'not ready', 500, 'no such route'],
    );
    assert.deepEqual(server.log, ['POST server/discover', 'POST initialize']);
  });

  it('that is remembered as stateless is requested anyway, and falls back', async () => {
    const { client, learned } = await connected(
      answeringProbe((_, response) => response.writeHead(500).end())(),
      { rememberedEra: 'stateless' },
    );
    assert.deepEqual([client.revision, learned], ['2025-11-25', []]);
  });

  it('stays unknown without a listening server', async () => {
    const server = await HttpServer.start(stateless());
    const { url } = server;
    await server.stop();
    const failing = connectHttp({ url, clientInfo, log: new RecordingLog() });
    assert.match(String(await outcome(failing)), /^unreachable/);
  });

  it('is requested again if a version is refused in body and header alike (R-032)', async () => {
    let count = 0;
    const { server, client } = await connected(
      stateless({
        'server/discover': (request, response) => {
          count += 1;
          const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
          if (count === 1) sendError(request, response, 400, -32022, 'no', data);
          else sendJson(response, resultFor(request, discovered));
        },
      }),
    );
    assert.equal(client.revision, '2026-07-28');
    const [first, second] = server.received;
    assert.notEqual(first?.message.id, second?.message.id);
    assert.deepEqual(first?.message.params, second?.message.params);
  });

  it('that is remembered is detected again if the server has changed', async () => {
    const { server, client, learned } = await connected(newOnly(), { rememberedEra: 'stateful' });
    assert.equal(client.revision, '2026-07-28');
    assert.deepEqual(server.log, ['POST initialize', 'POST server/discover']);
    assert.deepEqual(learned, ['stateless']);
  });

  it('that is set is not detected', async () => {
    const { server, connect } = await served(newOnly(), { era: 'stateful' });
    assert.match(String(await outcome(connect())), /^unsupportedRevision server: 2026-07-28;/);
    assert.deepEqual(server.log, ['POST initialize']);
  });
});

/** HTTP+SSE of 2024-11-05, on one path; everything else gets `status`. */
function oldServer(status: number): Handler {
  let stream: ServerResponse | undefined;
  return (request, response) => {
    if (request.httpMethod === 'GET' && request.path === '/mcp') {
      stream = response;
      sendEvents(response, 'event: endpoint\ndata: /messages?sessionId=1\n\n');
      return;
    }
    if (request.path === '/mcp') {
      response.writeHead(status).end();
      return;
    }
    response.writeHead(202).end();
    const { method } = request.message;
    if (method === 'initialize') {
      const result = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: {} };
      stream?.write(`event: message\n${eventOf(resultFor(request, result))}`);
    } else if (method === 'tools/call') {
      const result = { content: [{ type: 'text', text: 'old' }] };
      stream?.write(`event: message\n${eventOf(resultFor(request, result))}`);
    }
  };
}

describe('HTTP+SSE', () => {
  for (const status of [400, 404, 405, 415]) {
    it(`is the transport of a server that refuses the others with ${status} (R-030, R-031)`, async () => {
      const { server, client, learned } = await connected(oldServer(status));
      assert.equal(client.revision, '2024-11-05');
      assert.equal(await textOf(client.callTool('a', {})), 'old');
      assert.deepEqual(server.log.slice(0, 4), [
        'POST server/discover',
        'POST initialize',
        'GET',
        'POST initialize',
      ]);
      assert.deepEqual(learned, ['sse']);
    });
  }

  it('is tried first if it is remembered or configured (R-223)', async () => {
    const { server, client, learned } = await connected(oldServer(405), { rememberedEra: 'sse' });
    assert.equal(await textOf(client.callTool('a', {})), 'old');
    assert.deepEqual(server.log.slice(0, 2), ['GET', 'POST initialize']);
    assert.deepEqual(learned, ['sse']);
  });

  it('is no longer remembered if the server does not support it', async () => {
    const { client, learned } = await connected({}, { rememberedEra: 'sse' });
    assert.equal(client.revision, '2025-11-25');
    assert.deepEqual(learned, ['stateful']);
  });

  it('is not tried if the server is stateless, or only refuses', async () => {
    const { server, connect } = await served(
      stateless({
        'server/discover': (request, response) =>
          sendError(request, response, 400, -32021, 'no', {
            requiredCapabilities: { sampling: {} },
          }),
      }),
    );
    assert.equal(await outcome(connect()), 'capabilityRequired sampling');
    assert.deepEqual(server.log, ['POST server/discover']);
  });

  it('keeps the error of the newer transport if it is not supported either', async () => {
    const { connect } = await served((_, response) => {
      response.writeHead(404).end('nothing here');
    });
    assert.equal(await outcome(connect()), 'httpError nothing here');
  });
});
