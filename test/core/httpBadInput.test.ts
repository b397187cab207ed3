import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { McpError } from '../../src/core/errors';
import { HttpTransport } from '../../src/core/http/httpTransport';
import {
  eventOf,
  HttpServer,
  isCall,
  resultFor,
  sendEvents,
  sendJson,
  stateful,
  textFor,
} from '../servers/httpServer';
import type { Handler } from '../servers/httpServer';
import { until } from '../waiting';
import { HttpWire, useHttpWires } from './httpWire';
import type { HttpWireOptions } from './httpWire';
import { whileStopped } from './stoppedClock';
import { failureOf, outcome, RecordingLog } from './wire';

// A ping shows that nothing else is disturbed.
const { wired, opened } = useHttpWires(async (wire) =>
  assert.deepEqual(await wire.request('ping'), {}),
);

const fine = { content: [{ type: 'text', text: 'fine' }] };

/** Each case answers the call in its own way. */
const calling = (onCall: Handler, options?: HttpWireOptions) =>
  opened({ session: 's1', onCall }, options);

function transportTo(url: string, headers: Record<string, string>, log: RecordingLog) {
  return new HttpTransport({ url, headers, log, maxMessageBytes: 1, maxMessageValues: 500_000 });
}

const page = `<!DOCTYPE html><html><head><style>p{}</style><script>alert(1)</script></head>
  <body><h1>502 Bad Gateway</h1><p>nginx&nbsp;</p></body></html>`;

function sendPage(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' });
  response.end(page);
}

describe('Streamable HTTP, bad input: answers', () => {
  for (const [what, value, expected] of [
    ['to nothing', { jsonrpc: '2.0', id: 99, result: {} }, /^invalidResult it does not answer/],
    ['with an id of the wrong type', { jsonrpc: '2.0', id: {}, result: {} }, /^invalidResult/],
    ['that are no object', 7, /^invalidResult it does not answer the request: 7/],
    ['that are an empty list', [], /^invalidResult it does not answer the request: \[\]/],
    ['of a wrong shape', { jsonrpc: '2.0', id: 1 }, /^invalidResult .*neither/],
  ] as const) {
    it(`${what} fail the request at once`, async () => {
      const { wire } = await calling((_request, response) => sendJson(response, value));
      assert.match(String(await outcome(wire.call())), expected);
    });
  }

  it('with a number as a string are accepted, and the log says so', async () => {
    const { wire } = await calling((request, response) =>
      sendJson(response, { ...textFor(request, 'fine'), id: String(request.message.id) }),
    );
    assert.deepEqual(await wire.call(), fine);
    assert.match(wire.log.lines.join(), /strings for numbers/);
  });

  for (const [how, send] of [
    [
      'as JSON',
      (json: string, response: ServerResponse) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(json);
      },
    ],
    [
      'as an event',
      (json: string, response: ServerResponse) => {
        sendEvents(response, `data: ${json}\n\n`);
        response.end();
      },
    ],
  ] as const) {
    it(`with a fraction of zero in their id are accepted: ${how}`, async () => {
      const { wire } = await calling((request, response) => {
        const json = JSON.stringify({ ...textFor(request, 'fine'), id: 'ID' });
        send(json.replace('"ID"', `${String(request.message.id)}.0`), response);
      });
      assert.deepEqual(await wire.call(), fine);
    });
  }

  for (const id of ['', ' 1', '0x1', '1e0']) {
    it(`with another text as their id answer nothing: ${JSON.stringify(id)}`, async () => {
      const { wire } = await calling((request, response) =>
        sendJson(response, { ...textFor(request, 'fine'), id }),
      );
      assert.match(String(await outcome(wire.call())), /^invalidResult it does not answer/);
    });
  }

  it('with a null method settle their request, whose stream is then closed', async () => {
    const { wire, server } = await calling((request, response) =>
      sendEvents(response, eventOf({ ...textFor(request, 'fine'), method: null })),
    );
    assert.deepEqual(await wire.call(), fine);
    await server.closed(isCall);
  });

  it('that arrive twice count once', async () => {
    const { wire } = await calling((request, response) => {
      const answer = eventOf(textFor(request, 'fine'));
      sendEvents(response, answer + answer + eventOf({ jsonrpc: '2.0', id: 99, result: {} }));
      response.end();
    });
    assert.deepEqual(await wire.call(), fine);
  });

  it('that are not JSON fail the request with their beginning', async () => {
    const { wire } = await calling((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(`{"jsonrpc" ${'x'.repeat(10_000)}`);
    });
    const said = String(await outcome(wire.call()));
    assert.match(said, /^invalidResult \{"jsonrpc" x+…$/);
    assert.ok(said.length < 600);
  });

  it('that are an HTML page fail the request, with the text of the page but not its tags', async () => {
    const { wire } = await calling((_request, response) => sendPage(response, 200));
    const said = await outcome(wire.call());
    assert.equal(said, 'unexpectedContentType text/html; charset=utf-8; 502 Bad Gateway nginx');
  });

  it('with an error status and a page do the same', async () => {
    const { wire } = await calling((_request, response) => sendPage(response, 502));
    assert.deepEqual(await failureOf(wire.call()), [
      'httpError',
      { httpStatus: 502, detail: '502 Bad Gateway nginx' },
    ]);
  });

  for (const [type, expected] of [
    ['text/plain', 'unexpectedContentType text/plain; nope'],
    ['', 'unexpectedContentType no content type; nope'],
  ] as const) {
    it(`of the type ${JSON.stringify(type)} fail the request`, async () => {
      const { wire } = await calling((_request, response) => {
        response.writeHead(200, type === '' ? {} : { 'Content-Type': type });
        response.end('nope');
      });
      assert.equal(await outcome(wire.call()), expected);
    });
  }

  it('with parameters and capitals in the media type are read', async () => {
    const { wire } = await calling((request, response) => {
      response.writeHead(200, { 'content-TYPE': 'Application/JSON; charset="utf-8"' });
      response.end(`\uFEFF${JSON.stringify(textFor(request, 'fine'))}`);
    });
    assert.deepEqual(await wire.call(), fine);
  });

  it('that require credentials say who requires them', async () => {
    const { wire } = await calling((_request, response) => {
      response.writeHead(401, {
        'WWW-Authenticate': 'Bearer resource_metadata="https://a.example/r"',
        'Content-Type': 'application/json',
      });
      response.end('{"error":"invalid_token"}');
    });
    assert.deepEqual(await failureOf(wire.call()), [
      'unauthorized',
      {
        httpStatus: 401,
        wasAnonymous: true,
        wwwAuthenticate: 'Bearer resource_metadata="https://a.example/r"',
        detail: '{"error":"invalid_token"}',
      },
    ]);
  });

  for (const [status, expected] of [
    [401, 'unauthorized'],
    [403, 'httpError'],
  ] as const) {
    it(`that refuse with ${status} keep that status, whatever their body is`, async () => {
      const { wire } = await calling((_request, response) => {
        response.writeHead(status, { 'Content-Type': 'application/json' });
        const error = { code: -32001, message: 'not you' };
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      });
      assert.equal(await outcome(wire.call()), `${expected} not you`);
    });
  }

  it('with Retry-After say how long', async () => {
    const { wire } = await calling((_request, response) =>
      response.writeHead(429, { 'Retry-After': '7' }).end(),
    );
    await assert.rejects(wire.call(), (error: McpError) => {
      assert.deepEqual({ ...error.facts }, { httpStatus: 429, retryAfterMs: 7_000 });
      return true;
    });
  });

  for (const [what, begin] of [
    ['', (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"')],
    ['with an event ', (response) => sendEvents(response, 'data: "')],
  ] as const satisfies [string, (response: ServerResponse) => void][]) {
    it(`${what}larger than the limit are dropped, and their connection is closed`, async () => {
      const { wire, server } = await calling(
        (_request, response) => {
          begin(response);
          const more = (): void => {
            if (response.destroyed) return;
            response.write('x'.repeat(10_000));
            setImmediate(more);
          };
          more();
        },
        { maxMessageBytes: 100_000 },
      );
      assert.equal(await outcome(wire.call()), 'answerTooLarge');
      await server.closed(isCall);
    });
  }

  it('with too many headers are rejected', async () => {
    const { wire } = await calling((_request, response) =>
      response.writeHead(200, { 'X-Big': 'x'.repeat(40_000) }).end('{}'),
    );
    assert.equal(await outcome(wire.call()), 'unexpectedContentType Parse Error: Header overflow');
  });
});

describe('Streamable HTTP, bad input: streams', () => {
  it('that never end and never answer keep the time limit, and are closed then', async () => {
    const { wire, server } = await calling((_request, response) => {
      sendEvents(response);
      const more = setInterval(
        () => response.write(`: alive\n\n${eventOf({ jsonrpc: '2.0', method: 'n' })}`),
        5,
      );
      response.once('close', () => clearInterval(more));
    });
    await whileStopped(async (clock) => {
      const call = outcome(wire.call('', { timeoutMs: 60 }));
      const { closed } = await server.arrival(isCall);
      await until(() => wire.notifications.length > 1);
      clock.advance(60);
      assert.equal(await call, 'timeout');
      await closed;
    });
  });

  it('that end within an event drop it, and fail the request', async () => {
    const { wire } = await calling((request, response) => {
      sendEvents(response, `data: ${JSON.stringify(textFor(request, 'cut'))}\n`);
      setImmediate(() => response.end());
    });
    assert.equal(await outcome(wire.call()), 'connectionLost');
  });

  it('with events of other types and invalid JSON are read further', async () => {
    const { wire } = await calling((request, response) => {
      const odd = 'event: endpoint\ndata: /x\n\ndata: <html>\n\nevent: message\n';
      sendEvents(response, odd + eventOf(textFor(request, 'fine')));
      response.end();
    });
    assert.deepEqual(await wire.call(), fine);
    assert.deepEqual(wire.garbage, ['<html>']);
  });
});

describe('Streamable HTTP, bad input: the connection', () => {
  it('is lost with the request if a server exits within its answer', async () => {
    const { wire } = await calling((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      response.write('{"jsonrpc":');
      setImmediate(() => response.destroy());
    });
    assert.equal(await outcome(wire.call()), 'connectionLost');
  });

  it('is lost with the request if a server exits before its answer, and the request is not repeated', async () => {
    const { wire, server } = await calling((_request, response) => void response.socket?.destroy());
    assert.match(String(await outcome(wire.call())), /^connectionLost/);
    assert.equal(server.received.filter(isCall).length, 1);
  });

  it('is refused with an error, and the next request may succeed', async () => {
    const first = await HttpServer.start(stateful());
    const { port } = first;
    const wire = HttpWire.to(first.url);
    await wire.open();
    await first.stop();
    assert.match(String(await outcome(wire.call())), /^(unreachable|connectionLost)/);
    assert.match(String(await outcome(wire.call())), /^unreachable .*ECONNREFUSED/);
    const second = await HttpServer.start(stateful(), port);
    assert.deepEqual(await wire.call(), fine);
    await wire.end();
    await second.stop();
  });

  it('fails for a host that does not exist', async () => {
    const wire = HttpWire.to('http://no-such-host.invalid/mcp');
    assert.match(String(await outcome(wire.open())), /^unreachable/);
    await wire.end();
  });

  it('fails for an untrusted certificate with a message, and nothing is sent', async () => {
    const server = await HttpServer.startSecure(stateful());
    const wire = HttpWire.to(server.url);
    assert.match(String(await outcome(wire.open())), /^tlsError .*self.signed/);
    assert.deepEqual(server.log, []);
    await wire.end();
    await server.stop();
  });

  it('fails for a server that is not HTTP with a message', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('SSH-2.0-OpenSSH_9.2\r\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const wire = HttpWire.to(`http://127.0.0.1:${port}/`);
    assert.match(String(await outcome(wire.open())), /^unexpectedContentType Parse Error/);
    await wire.end();
    server.close();
  });

  it('follows no redirect to another origin, which gets neither headers nor message', async () => {
    const other = await HttpServer.start(stateful());
    const { server, wire } = await wired(
      (_request, response) => response.writeHead(307, { Location: other.url }).end(),
      { headers: { Authorization: 'Bearer secret' } },
    );
    assert.equal(await outcome(wire.open()), `redirectRefused ${other.url}`);
    assert.deepEqual(other.log, []);
    await wire.end();
    await Promise.all([server.stop(), other.stop()]);
  });

  for (const status of [301, 302, 303]) {
    it(`follows no redirect that would change the method (${status})`, async () => {
      const { server, wire } = await wired((_request, response) =>
        response.writeHead(status, { Location: '/other' }).end(),
      );
      assert.equal(await outcome(wire.open()), 'redirectRefused /other');
      assert.equal(server.log.length, 1);
    });
  }

  it('ends at a redirect loop', async () => {
    const { server, wire } = await wired((_request, response) =>
      response.writeHead(308, { Location: '/mcp' }).end(),
    );
    assert.equal(await outcome(wire.open()), 'redirectRefused /mcp');
    assert.equal(server.log.length, 4);
  });

  for (const [what, url, headers] of [
    ['an URL of another kind', 'ftp://a/', {}],
    ['no URL', 'a', {}],
    ['a header that cannot be sent', 'http://a/', { Key: 'secret\n' }],
  ] as const) {
    it(`is refused for ${what} before anything is sent, without showing a value`, () => {
      assert.throws(
        () => transportTo(url, headers, new RecordingLog()),
        (error: McpError) => {
          assert.equal(error.code, 'invalidConfiguration');
          assert.equal(JSON.stringify(error.facts).includes('secret'), false);
          return true;
        },
      );
    });
  }

  for (const [url, isWarned] of [
    ['http://a.example/', true],
    ['http://127.0.0.1.a.example/', true],
    ['https://a.example/', false],
    ['http://localhost/', false],
    ['http://127.0.0.1:1/', false],
    ['http://[::1]/', false],
  ] as const) {
    it(`with credentials for ${url} logs ${isWarned ? 'a' : 'no'} warning`, () => {
      const log = new RecordingLog();
      transportTo(url, { authorization: 'x' }, log);
      assert.deepEqual(
        log.lines.map((line) => /without encryption/.test(line)),
        isWarned ? [true] : [],
      );
    });
  }

  it('with credentials logs the name of their header, whatever it is', () => {
    const isWarned = (name: string) => {
      const log = new RecordingLog();
      transportTo('http://a.example/', { [name]: 'x' }, log);
      return log.lines.length > 0;
    };
    const secret = ['Authorization', 'X-API-Key', 'apikey', 'x-auth-token', 'Cookie', 'My-Secret'];
    assert.deepEqual(secret.filter(isWarned), secret);
    assert.deepEqual(['User-Agent', 'X-Tenant', 'X-Request-Id'].filter(isWarned), []);
  });

  it('logs an answer that cannot be delivered', async () => {
    const { wire } = await opened({
      take: (request, response) => {
        const { httpMethod, message } = request;
        if (isCall(request)) {
          sendEvents(response, eventOf({ jsonrpc: '2.0', id: 1, method: 'roots/list' }));
          setTimeout(() => response.end(eventOf(textFor(request, 'fine'))), 20);
          return true;
        }
        if (httpMethod !== 'POST' || message.method !== undefined) return false;
        response.writeHead(500).end();
        return true;
      },
    });
    await wire.call();
    // The refusal comes on a connection of its own.
    await until(() => wire.log.lines.length > 0);
    assert.deepEqual(wire.log.lines, ['warn answering the server: httpError: 500']);
  });
});

describe('Streamable HTTP, bad input: the handshake', () => {
  it('fails if a page answers in place of a server', async () => {
    const { wire } = await wired((_request, response) => sendPage(response, 200));
    assert.match(String(await outcome(wire.open())), /^unexpectedContentType text\/html/);
  });

  it('fails requests of a closed connection, and sends nothing', async () => {
    const { server, wire } = await wired((request, response) =>
      sendJson(response, resultFor(request)),
    );
    await wire.end();
    assert.equal(await outcome(wire.request('ping')), 'connectionClosed');
    assert.deepEqual(server.log, []);
  });
});

describe('Streamable HTTP: a request of the server', () => {
  it('is answered with its id as written', async () => {
    const answers: string[] = [];
    const server = createHttpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (body.includes('"tools/call"')) {
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          for (const id of ['9007199254740993', '1.0']) {
            response.write(`data: {"jsonrpc":"2.0","id":${id},"method":"ping"}\n\n`);
          }
          return;
        }
        if (request.method === 'POST') answers.push(body);
        response.writeHead(request.method === 'POST' ? 202 : 405).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const wire = HttpWire.to(`http://127.0.0.1:${address.port}/`);
    const call = outcome(wire.call());
    await until(() => answers.length === 2);
    assert.deepEqual(answers.toSorted(), [
      '{"jsonrpc":"2.0","id":1.0,"result":{}}',
      '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}',
    ]);
    await wire.end();
    await call;
    server.closeAllConnections();
    server.close();
  });
});
