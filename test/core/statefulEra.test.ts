import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { statefulRevisions } from '../../src/core/types';
import type { ReceivedMessage } from '../servers/scripted';
import { clientInfo, Connections, receivedBy, textOf } from './connections';
import { assertValidMessage } from './mcpSchema';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';

/** The handshake itself, without the question which era a server speaks. */
const connections = new Connections({ era: 'stateful' });
const initializeWith = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo },
});
const withoutId = ({ id: _id, ...message }: ReceivedMessage) => message;

describe('The handshake', () => {
  afterEach(() => connections.close());

  it('is initialize with the newest revision, its answer, initialized, and then the rest', async () => {
    const client = await connections.to(() => undefined);
    const [initialize, ...rest] = await receivedBy(client);
    assert.deepEqual(initialize, { ...initializeWith('2025-11-25'), id: 0 });
    const methods = rest.map((message) => message.method);
    assert.deepEqual(methods, ['notifications/initialized', 'tools/call']);
  });

  it('rejects an unsupported revision, naming both sides', async () => {
    const failing = connections.to((server) => {
      server.revision = '2099-01-01';
    });
    assert.equal(
      await outcome(failing),
      'unsupportedRevision server: 2099-01-01; client: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
    );
    assert.deepEqual(connections.processes.pids, []);
  });

  it('is tried once more with a revision that the server offers in its error', async () => {
    const client = await connections.to((server) => {
      server.on('initialize', (message) => {
        if (message.params?.protocolVersion === '2025-03-26') {
          server.reply(message, { protocolVersion: '2025-03-26', capabilities: { tools: {} } });
        } else {
          const data = { supported: ['2024-10-07', '2025-03-26'], requested: '2025-11-25' };
          server.fail(message, -32602, 'Unsupported protocol version', data);
        }
      });
    });
    assert.equal(client.revision, '2025-03-26');
    assert.deepEqual((await receivedBy(client)).slice(0, 2).map(withoutId), [
      initializeWith('2025-11-25'),
      initializeWith('2025-03-26'),
    ]);
  });

  for (const [what, data, expected] of [
    [
      'offers only revisions we do not speak',
      { supported: ['1', 5] },
      /^unsupportedRevision server: 1, 5;/,
    ],
    ['offers nothing', undefined, /^handshakeFailed -32602 no$/],
  ] as const) {
    it(`fails if the server refuses and ${what}`, async () => {
      const script = `(server) => server.on('initialize', (message) => server.fail(message, -32602, 'no', ${JSON.stringify(data)}))`;
      const failing = connections.to(script);
      assert.match(String(await outcome(failing)), expected);
    });
  }

  it('fails if the server refuses twice', async () => {
    const failing = connections.to((server) => {
      server.on('initialize', (message) =>
        server.fail(message, -32602, 'no', { supported: ['2025-03-26'] }),
      );
    });
    assert.equal(await outcome(failing), 'handshakeFailed -32602 no');
  });

  it('fails if the answer is no initialize result', async () => {
    const failing = connections.to((server) =>
      server.on('initialize', (it) => server.reply(it, {})),
    );
    assert.equal(await outcome(failing), 'handshakeFailed protocolVersion is not a string');
  });

  it('answers the pings of a server before it has answered (R-048)', async () => {
    const client = await connections.to((server) => {
      server.on('initialize', (message) => {
        server.send({ method: 'notifications/message', params: { level: 'info', data: 'early' } });
        server.send({ id: 'early', method: 'ping' });
        const wait = setInterval(() => {
          if (server.received.every((it) => it.id !== 'early')) return;
          clearInterval(wait);
          server.reply(message, { protocolVersion: '2025-11-25', capabilities: { tools: {} } });
        }, 1);
      });
    });
    const [, answer] = await receivedBy(client);
    assert.deepEqual(answer, { jsonrpc: '2.0', id: 'early', result: {} });
  });

  for (const [how, expected] of [
    ['when its time is over', 'handshakeTimeout'],
    ['when the person cancels', 'cancelled'],
  ] as const) {
    it(`is never cancelled on the wire: the process is ended instead, ${how} (R-050)`, () =>
      whileStopped(async (clock) => {
        const source = new CancellationTokenSource();
        const { log } = connections;
        log.stderr = (line) => {
          log.stderrLines.push(line);
          if (expected === 'cancelled') source.cancel();
          else clock.advance(300);
          // The process gets the time that it needs.
          clock.release();
        };
        const failing = connections.to(
          (server) => {
            server.on('initialize', () => process.stderr.write('asked\n'));
            server.on('notifications/cancelled', () => process.stderr.write('cancelled\n'));
            // So that it lives to read the last message, if there is one.
            process.on('SIGTERM', () => undefined);
          },
          { limits: { startTimeoutMs: 300 } },
          source.token,
        );
        assert.equal(String(await outcome(failing)).split(' ')[0], expected);
        assert.deepEqual(log.stderrLines, ['asked']);
      }));
  }
});

describe('Structured content that is not an object', () => {
  afterEach(() => connections.close());

  it('is noted for servers whose revision does not allow it', async () => {
    const client = await connections.to((server) => {
      server.tools = [{ name: 'a', inputSchema: { type: 'object' } }];
      server.on('tools/call', (message) =>
        server.reply(message, { content: [], ...Object(message.params?.arguments) }),
      );
    });
    const rows = Array.from({ length: 150_000 }, () => [1]);
    for (const [it, expected] of [
      [{ structuredContent: [1] }, true],
      [{ structuredContent: 'a' }, true],
      [{ structuredContent: null }, true],
      [{ structuredContent: rows }, true],
      [{ structuredContent: { rows } }, undefined],
      [{ structuredContent: { a: [1] } }, undefined],
      [{}, undefined],
      [{ toolResult: [1] }, undefined],
    ] as const) {
      const { hasBareStructure } = await client.callTool('a', it);
      assert.equal(hasBareStructure, expected, JSON.stringify(it).slice(0, 50));
    }
  });
});

for (const revision of statefulRevisions) {
  describe(`Revision ${revision}`, () => {
    afterEach(() => connections.close());

    it('is accepted, and all sent messages match its schema', async () => {
      const script = `(server) => {
        server.revision = '${revision}';
        server.on('tools/list', (message) => server.reply(message, message.params.cursor === undefined
          ? { tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: 'next' }
          : { tools: [{ name: 'b', inputSchema: { type: 'object' } }] }));
        server.on('resources/read', (message) =>
          server.reply(message, { contents: [{ uri: message.params.uri, text: 'read' }] }));
        server.on('tools/call', (message) => {
          const { name, _meta } = message.params;
          if (name === 'slow') return;
          server.send({ id: 99, method: 'ping' });
          server.send({ id: 'r', method: 'roots/list' });
          const params = { progressToken: _meta.progressToken, progress: 1, total: 2 };
          server.send({ method: 'notifications/progress', params });
          server.text(message, 'done');
        });
      }`;
      const client = await connections.to(script);
      assert.equal(client.revision, revision);
      const names = (await client.listTools()).tools.map((tool) => tool.name);
      assert.deepEqual(names, ['a', 'b']);
      const progress: unknown[] = [];
      const options = { onProgress: (report: unknown) => progress.push(report) };
      assert.equal(await textOf(client.callTool('a', { x: [1] }, options)), 'done');
      assert.deepEqual(progress, [{ progress: 1, total: 2 }]);
      assert.deepEqual(await client.readResource('file:///a%20b'), {
        contents: [{ uri: 'file:///a%20b', text: 'read' }],
      });
      await client.ping();
      assert.equal(await outcome(client.callTool('slow', {}, { timeoutMs: 20 })), 'timeout');

      const received = await receivedBy(client);
      for (const message of received) assertValidMessage(revision, message);
      assert.deepEqual(
        received.flatMap((message) => message.method ?? []),
        [
          'initialize',
          'notifications/initialized',
          'tools/list',
          'tools/list',
          'tools/call',
          'resources/read',
          'ping',
          'tools/call',
          'notifications/cancelled',
          'tools/call',
        ],
      );
      assert.deepEqual(
        received.filter((message) => message.method === undefined),
        [
          { jsonrpc: '2.0', id: 99, result: {} },
          { jsonrpc: '2.0', id: 'r', error: { code: -32601, message: 'Roots are not supported' } },
        ],
      );
      const ids = received.flatMap((it) => (it.method === undefined ? [] : (it.id ?? [])));
      assert.equal(new Set(ids).size, ids.length);
    });
  });
}
