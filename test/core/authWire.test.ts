import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../src/core/client';
import { isMcpError, McpError } from '../../src/core/errors';
import { connectHttp } from '../../src/core/http/connectHttp';
import type { ConnectHttpOptions } from '../../src/core/http/connectHttp';
import type {
  AuthorizationRefusal,
  RequestAuthorization,
} from '../../src/core/http/authorizedExchange';
import {
  eventOf,
  HttpServer,
  isGet,
  resultFor,
  sendEvents,
  sendJson,
  stateful,
  textFor,
} from '../servers/httpServer';
import type { Handler, Received } from '../servers/httpServer';
import { clientInfo, textOf } from './connections';
import { stateless } from './reached';
import { whileStopped } from './stoppedClock';
import { RecordingLog } from './wire';

/** Tokens that count up; what the server thinks of them is the test's. */
class CountingTokens implements RequestAuthorization {
  readonly refusals: AuthorizationRefusal[] = [];
  count = 0;
  onRefused: (refusal: AuthorizationRefusal) => Promise<void> | void = () => undefined;

  async headers() {
    return this.count === 0 ? {} : { Authorization: `Bearer ${this.count}` };
  }

  async refused(refusal: AuthorizationRefusal): Promise<void> {
    this.refusals.push(refusal);
    await this.onRefused(refusal);
    this.count += 1;
  }

  get operations(): string[] {
    return this.refusals.map(({ operation, status }) => `${operation} ${status}`);
  }
}

function takeList(request: Received, response: ServerResponse): boolean {
  if (request.message.method !== 'tools/list') return false;
  sendJson(response, resultFor(request, { tools: [] }));
  return true;
}

/** HTTP+SSE: answers come on the stream. */
function sse(): Handler {
  let stream: ServerResponse | undefined;
  const inner = stateful({ revision: '2024-11-05', take: takeList });
  return (request, response) => {
    if (request.httpMethod === 'GET') {
      stream = response;
      return sendEvents(response, 'event: endpoint\ndata: /mcp\n\n');
    }
    // Its answers are those of the other transport.
    const said: string[] = [];
    const taken = {
      writeHead: () => taken,
      end: (text = '') => said.push(text),
    };
    Reflect.apply(inner, undefined, [request, taken]);
    response.writeHead(202).end();
    for (const text of said) if (text !== '') stream?.write(eventOf(JSON.parse(text)));
  };
}

const newer = () =>
  stateless({
    'tools/list': (request, response) =>
      sendJson(response, resultFor(request, { resultType: 'complete', tools: [] })),
    'tools/call': (request, response) => sendJson(response, textFor(request, 'fine')),
  });

/** Takes every request at its second try only, each time with another token. */
function refusingOnce(inner: Handler, status = 401): Handler {
  let last = '';
  return (request, response) => {
    const { authorization = '' } = request.headers;
    if (authorization === last || authorization === '') {
      response.writeHead(status, { 'WWW-Authenticate': ['Basic realm="x"', 'Bearer scope="a"'] });
      response.end('who are you?');
      return;
    }
    last = authorization;
    inner(request, response);
  };
}

describe('A request that is refused with 401 or 403', () => {
  let server: HttpServer;
  let tokens: CountingTokens;
  let log: RecordingLog;
  const clients: McpClient[] = [];

  beforeEach(() => {
    tokens = new CountingTokens();
    log = new RecordingLog();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await server.stop();
  });

  async function connect(
    handler: Handler,
    options: Partial<ConnectHttpOptions> = {},
  ): Promise<McpClient> {
    server = await HttpServer.start(handler);
    const common = { url: server.url, clientInfo, log, authorization: tokens };
    const client = await connectHttp({ ...common, ...options });
    clients.push(client);
    return client;
  }

  for (const [kind, handler, options] of [
    ['a stateless server', newer, { era: 'stateless' }],
    ['a stateful server', () => stateful({ session: 's', take: takeList }), { era: 'stateful' }],
    ['a server of HTTP+SSE', sse, { transport: 'sse' }],
  ] as const) {
    for (const status of [401, 403]) {
      it(`is sent again after ${status} to ${kind}, whatever it is`, async () => {
        const client = await connect(refusingOnce(handler(), status), options);
        await client.listTools();
        assert.equal(await textOf(client.callTool('echo', {})), 'fine');
        assert.ok(tokens.operations.includes(`tools/list ${status}`), tokens.operations.join());
        assert.ok(tokens.operations.includes(`tools/call echo ${status}`));
        const first = kind === 'a server of HTTP+SSE' ? 'GET' : undefined;
        if (first !== undefined) assert.equal(tokens.operations[0], `${first} ${status}`);
        // Each header by itself.
        const [refusal] = tokens.refusals;
        assert.deepEqual(refusal?.challenges, ['Basic realm="x"', 'Bearer scope="a"']);
        assert.deepEqual(refusal.sent, {});
      });
    }
  }

  it('can be the era probe, too, and does not affect the result', async () => {
    const client = await connect(refusingOnce(newer()));
    assert.equal(client.revision, '2026-07-28');
    assert.equal(tokens.operations[0], 'server/discover 401');
  });

  it('is sent again four times at most, counted for each request', async () => {
    const refuseCalls = (request: Received) => request.message.method === 'tools/call';
    const client = await connect(
      stateful({
        take: (request, response) => {
          if (!refuseCalls(request)) return false;
          response.writeHead(401).end();
          return true;
        },
      }),
      { era: 'stateful' },
    );
    for (const before of [0, 4]) {
      await assert.rejects(client.callTool('echo', {}), (error) =>
        isMcpError(error, 'unauthorized'),
      );
      const own = tokens.refusals.slice(before).map(({ attempt }) => attempt);
      assert.deepEqual(own, [0, 1, 2, 3]);
    }
    assert.equal(server.received.filter(refuseCalls).length, 10);
  });

  it('keeps the server’s message if the authorization is not involved', async () => {
    tokens.onRefused = () => {
      throw new McpError('unauthorized');
    };
    const refuse: Handler = (_request, response) => {
      response.writeHead(403).end('Only from the office.');
    };
    await assert.rejects(
      connect(refuse, { era: 'stateful' }),
      (error) =>
        isMcpError(error, 'httpError') &&
        error.facts.httpStatus === 403 &&
        error.facts.detail === 'Only from the office.',
    );
    assert.equal(server.received.length, 1);
  });

  it('had no effect, and the error of a call says so', async () => {
    const client = await connect(
      stateful({
        onCall: (_request, response) => response.writeHead(401).end(),
      }),
      { era: 'stateful' },
    );
    tokens.onRefused = () => {
      throw new McpError('signInNeeded');
    };
    await assert.rejects(
      client.callTool('echo', {}),
      (error) => isMcpError(error, 'signInNeeded') && error.facts.hadNoEffect === true,
    );
  });

  it('stays refused if an Authorization header is configured', async () => {
    const handler: Handler = (_request, response) => response.writeHead(401).end();
    const headers = { authorization: 'Bearer configured' };
    await assert.rejects(connect(handler, { headers }), (error) =>
      isMcpError(error, 'unauthorized'),
    );
    assert.equal(tokens.refusals.length, 0);
    assert.ok(server.received.every((each) => each.headers.authorization === 'Bearer configured'));
  });

  it('is unchanged without an authorization', async () => {
    server = await HttpServer.start((_request, response) => response.writeHead(401).end());
    const connecting = connectHttp({ url: server.url, clientInfo, log });
    await assert.rejects(connecting, (error) => isMcpError(error, 'unauthorized'));
    assert.equal(server.received.length, 1);
  });

  it('can be a stream that no request waits for, which says so', async () => {
    await connect(
      stateful({
        onGet: (_request, response) => response.writeHead(401).end(),
      }),
      { era: 'stateful' },
    );
    await server.arrival(isGet);
    await server.arrival(
      ({ httpMethod, headers }) => httpMethod === 'GET' && headers.authorization === 'Bearer 1',
    );
    assert.equal(tokens.refusals[0]?.operation, 'GET');
    assert.equal(tokens.refusals[0].isBackground, true);
  });

  it('asks nothing at the end of a session', async () => {
    const client = await connect(
      stateful({
        session: 's',
        take: ({ httpMethod }, response) => {
          if (httpMethod !== 'DELETE') return false;
          response.writeHead(401).end();
          return true;
        },
      }),
      { era: 'stateful' },
    );
    tokens.count = 7;
    await client.close();
    const sessionEnds = server.received.filter(({ httpMethod }) => httpMethod === 'DELETE');
    assert.deepEqual(
      sessionEnds.map(({ headers }) => headers.authorization),
      ['Bearer 7'],
    );
    assert.deepEqual(tokens.refusals, []);
  });

  it('sends its token to no other origin', async () => {
    const other = await HttpServer.start((_request, response) => response.writeHead(404).end());
    try {
      tokens.count = 1;
      const handler: Handler = (_request, response) => {
        response.writeHead(307, { Location: other.url }).end();
      };
      await assert.rejects(connect(handler), (error) => isMcpError(error, 'redirectRefused'));
      assert.deepEqual(other.received, []);
    } finally {
      await other.stop();
    }
  });

  it('is not sent again if the call is cancelled while the user is asked', async () => {
    const client = await connect(
      stateful({
        onCall: (_request, response) => response.writeHead(401).end(),
      }),
      { era: 'stateful' },
    );
    const source = new CancellationTokenSource();
    let stopAsking: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      tokens.onRefused = () => {
        resolve();
        return new Promise((stop) => (stopAsking = stop));
      };
    });
    const call = client.callTool('echo', {}, { token: source.token });
    await asked;
    source.cancel();
    await assert.rejects(call, (error) => isMcpError(error, 'cancelled'));
    await client.ping();
    const calls = server.log.filter((line) => /tools\/call|cancelled/.test(line));
    assert.deepEqual(calls, ['POST tools/call']);
    stopAsking();
  });

  it('waits for the user without a limit: in a start, and in a call', () =>
    whileStopped(async (clock) => {
      tokens.onRefused = () => clock.advance(9 * 60_000);
      const client = await connect(refusingOnce(newer()), { era: 'stateless' });
      assert.equal(await textOf(client.callTool('echo', {}, { timeoutMs: 1_000 })), 'fine');
      assert.ok(tokens.refusals.length >= 2);
    }));
});
