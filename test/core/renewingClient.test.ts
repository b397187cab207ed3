import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { resultFor, sendEvents, sendJson, stateful } from '../servers/httpServer';
import type { Handler } from '../servers/httpServer';
import { textOf } from './connections';
import { useHttpClients } from './reached';
import { outcome } from './wire';

const { connected } = useHttpClients();

const notFound: Handler = (_request, response) => response.writeHead(404).end();

/** As python-sdk does, with either status; or a gateway that has lost the session behind it. */
const inWords =
  (status: number, id?: string): Handler =>
  (request, response) => {
    const error = { code: -32600, message: 'Session not found' };
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: id ?? request.message.id, error }));
  };

/**
 * Gives each session a number, and forgets all of them when the tool `forget` is called; answers
 * no handshake after `maxSessions`.
 */
function forgetful(maxSessions = Infinity, deny = notFound): Handler {
  let count = 0;
  let current = '';
  const plain = stateful();
  return (request, response) => {
    const { method, params } = request.message;
    if (method === 'server/discover') {
      response.writeHead(404).end();
    } else if (method === 'initialize' && count === maxSessions) {
      sendEvents(response);
    } else if (method === 'initialize') {
      current = `session-${(count += 1)}`;
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} } };
      sendJson(response, resultFor(request, result), { 'Mcp-Session-Id': current });
    } else if (request.httpMethod === 'POST' && request.headers['mcp-session-id'] !== current) {
      deny(request, response);
    } else if (method === 'tools/call' && params?.['name'] === 'hang') sendEvents(response);
    else if (method === 'tools/call') {
      if (params?.['name'] === 'forget') current = '';
      sendJson(response, resultFor(request, { content: [{ type: 'text', text: `in ${count}` }] }));
    } else plain(request, response);
  };
}

describe('A session that the server forgot', () => {
  /** When each request came. */
  const times: number[] = [];

  it('is replaced by another, for all refused requests, and reported as a change', async () => {
    const { server, client } = await connected(forgetful());
    let changes = 0;
    client.onDidChangeTools(() => (changes += 1));
    assert.equal(await textOf(client.callTool('forget', {})), 'in 1');
    const calls = [1, 2, 3].map((it) => textOf(client.callTool(`call ${it}`, {})));
    assert.deepEqual(await Promise.all(calls), ['in 2', 'in 2', 'in 2']);
    assert.equal(changes, 1);
    assert.equal(server.log.filter((line) => line === 'POST initialize').length, 2);
  });

  for (const status of [400, 200]) {
    it(`as its message says, with HTTP status ${status}, is replaced, and the call is sent again`, async () => {
      const { server, client } = await connected(
        forgetful(Infinity, inWords(status, 'server-error')),
      );
      await client.callTool('forget', {});
      assert.equal(await textOf(client.callTool('next', {})), 'in 2');
      assert.equal(server.log.filter((line) => line === 'POST initialize').length, 2);
    });
  }

  it('as the answer of the call itself says is replaced, and that call is sent once', async () => {
    const { server, client } = await connected(forgetful(Infinity, inWords(200)));
    await client.callTool('forget', {});
    assert.match(String(await outcome(client.callTool('next', {}))), /^connectionLost/);
    assert.equal(await textOf(client.callTool('last', {})), 'in 2');
    const nexts = server.received.filter(({ message }) => message.params?.['name'] === 'next');
    assert.equal(nexts.length, 1);
  });

  it('during each call, again and again, ends the connection instead of failing each of them', async () => {
    const handler = forgetful();
    const { server, client } = await connected((request, response) => {
      if (request.message.method === 'tools/call') inWords(400)(request, response);
      else handler(request, response);
    });
    const closed = new Promise((resolve) => client.onDidClose((error) => resolve(error?.code)));
    for (const name of ['a', 'b']) {
      assert.match(String(await outcome(client.callTool(name, {}))), /^sessionLost/);
    }
    assert.equal(await closed, 'sessionLost');
    const calls = server.log.filter((line) => line === 'POST tools/call');
    assert.ok(calls.length <= 4, String(calls.length));
  });

  it('fails a running call, which may have had an effect', async () => {
    const { server, client } = await connected(forgetful());
    const hanging = outcome(client.callTool('hang', {}));
    await server.arrival(({ message }) => message.params?.['name'] === 'hang');
    await client.callTool('forget', {});
    assert.equal(await textOf(client.callTool('next', {})), 'in 2');
    assert.match(String(await hanging), /^connectionLost/);
    const hangs = server.received.filter(({ message }) => message.params?.['name'] === 'hang');
    assert.equal(hangs.length, 1);
  });

  it('lets a call be cancelled while another session begins, which continues for the rest (R-466)', async () => {
    const { server, client } = await connected(forgetful(1));
    const source = new CancellationTokenSource();
    await client.callTool('forget', {});
    const call = outcome(client.callTool('a', {}, { token: source.token }));
    const isSecond = () => server.log.filter((line) => line === 'POST initialize').length === 2;
    await server.arrival(isSecond);
    source.cancel();
    assert.equal(await call, 'cancelled');
  });

  it('repeatedly is replaced with growing pauses, and then ends the connection', async () => {
    times.length = 0;
    const handler = forgetful();
    const { server, client } = await connected((request, response) => {
      times.push(performance.now());
      handler(request, response);
    });
    const closed = new Promise((resolve) => client.onDidClose((error) => resolve(error?.code)));
    for (let session = 1; session <= 6; session += 1) {
      assert.equal(await textOf(client.callTool('forget', {})), `in ${session}`);
    }
    assert.match(String(await outcome(client.callTool('a', {}))), /^sessionLost/);
    assert.equal(await closed, 'sessionLost');
    const begun = server.received.flatMap(({ message }, index) =>
      message.method === 'initialize' ? [times[index] ?? 0] : [],
    );
    const pauses = begun.slice(2).map((at, index) => at - (begun[index + 1] ?? 0));
    // From the second renewal on each waits twice as long as the one before.
    assert.ok(
      [200, 400, 800, 1_600].every((least, index) => (pauses[index] ?? 0) >= least),
      pauses.join(),
    );
  });
});
