import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../src/core/client';
import { connectHttp } from '../../src/core/http/connectHttp';
import { Sdk1Server } from '../servers/httpSdk1';
import type { Sdk1Kind } from '../servers/httpSdk1';
import { clientInfo, textOf } from './connections';
import { outcome, RecordingLog } from './wire';

async function on(
  kind: Sdk1Kind,
  act: (client: McpClient, server: Sdk1Server) => Promise<void>,
): Promise<void> {
  const server = await Sdk1Server.start(kind);
  try {
    const client = await connectHttp({ url: server.url, clientInfo, log: new RecordingLog() });
    await act(client, server);
    await client.close();
    assert.equal(server.sessions, 0);
  } finally {
    await server.stop();
  }
}

describe('Servers of the official SDK 1 over HTTP', () => {
  for (const kind of ['stateful', 'statefulJson', 'stateless', 'sse'] as const) {
    it(`list, call and fail, sixteen at once: ${kind}`, () =>
      on(kind, async (client) => {
        assert.equal(client.revision, '2025-11-25');
        assert.equal(client.serverInfo.name, 'sdk1');
        const { tools } = await client.listTools();
        const names = tools.map(({ name }) => name);
        assert.deepEqual(names, ['echo', 'grow', 'later', 'hang']);
        const said = Array.from({ length: 16 }, (_, index) => `grüße ${index}`);
        const calls = said.map((text) => textOf(client.callTool('echo', { text })));
        assert.deepEqual(await Promise.all(calls), said);
        assert.equal((await client.callTool('echo', {})).isError, true);
        await client.ping();
      }));
  }

  // Over streams they do it in the matrix.
  it('report changed tools, even if they answer as JSON', () =>
    on('statefulJson', async (client, server) => {
      const changed = new Promise<void>((resolve) => client.onDidChangeTools(() => resolve()));
      // The stream on which it is said is open soon after the handshake.
      while (!server.methods.includes('GET')) await client.ping();
      await client.callTool('grow', {});
      await changed;
      assert.equal((await client.listTools()).tools.at(-1)?.name, 'grown');
    }));

  it('are told of a cancelled call, even if they answer as JSON', () =>
    on('statefulJson', async (client, server) => {
      const source = new CancellationTokenSource();
      const call = outcome(client.callTool('hang', {}, { token: source.token }));
      await client.ping();
      source.cancel();
      assert.equal(await call, 'cancelled');
      while (server.cancelled === 0) await client.ping();
    }));

  it('may close the stream of a call, which continues by polling', () =>
    on('stateful', async (client, server) => {
      const gets = server.methods.filter((method) => method === 'GET').length;
      assert.equal(await textOf(client.callTool('later', {})), 'later');
      assert.ok(server.methods.filter((method) => method === 'GET').length > gets);
    }));

  it('that forgot the session get a new one, and the affected call is made there', () =>
    on('stateful', async (client, server) => {
      const changed = new Promise<void>((resolve) => client.onDidChangeTools(() => resolve()));
      server.forgetSessions();
      assert.equal(await textOf(client.callTool('echo', { text: 'a' })), 'a');
      await changed;
      assert.equal(server.sessions, 1);
    }));
});
