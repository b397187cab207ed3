import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { McpError } from '../../src/core/errors';
import { eventOf, resultFor, sendEvents, sendJson } from '../servers/httpServer';
import type { Handler, Received } from '../servers/httpServer';
import { useHttpWires } from './httpWire';
import { whileStopped } from './stoppedClock';
import { failureOf, outcome } from './wire';

const { wired } = useHttpWires();

const revision = '2026-07-28';
const meta = { 'io.modelcontextprotocol/protocolVersion': revision };
const withMeta = (params: object = {}) => ({ ...params, _meta: meta });
const fine: Handler = (request, response) =>
  sendJson(response, resultFor(request, {}), { 'Mcp-Session-Id': 'not-wanted' });

const mcpHeaders = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^mcp-|^last-/.test(name)));

describe('Streamable HTTP: the stateless era', () => {
  for (const [method, params, name] of [
    ['server/discover', {}, undefined],
    ['tools/list', { name: 'not this' }, undefined],
    ['tools/call', { name: 'echo' }, 'echo'],
    ['tools/call', { name: 'Hello, 世界' }, '=?base64?SGVsbG8sIOS4lueVjA==?='],
    ['prompts/get', { name: 'p' }, 'p'],
    ['resources/read', { uri: 'file:///a b' }, 'file:///a b'],
    ['tasks/get', { taskId: 't1' }, 't1'],
  ] as const) {
    it(`mirrors ${method} ${JSON.stringify(params)} into headers, without a session`, async () => {
      const { wire, server } = await wired(fine);
      await wire.request(method, withMeta(params));
      await wire.request(method, withMeta(params));
      for (const request of server.received) {
        assert.deepEqual(mcpHeaders(request), {
          'mcp-protocol-version': revision,
          'mcp-method': method,
          ...(name === undefined ? {} : { 'mcp-name': name }),
        });
      }
      await wire.end();
      assert.deepEqual(server.log, [`POST ${method}`, `POST ${method}`]);
    });
  }

  it('adds the headers of parameters, computed from the sent message', async () => {
    const { wire, server } = await wired(fine, {
      paramHeaders: (message) => ({
        'Mcp-Param-Region': /"region":"([^"]*)"/.exec(JSON.stringify(message))?.[1] ?? '',
      }),
    });
    await wire.request('tools/call', withMeta({ name: 'a', arguments: { region: 'eu-1' } }));
    assert.equal(server.received[0]?.headers['mcp-param-region'], 'eu-1');
  });

  it('sends nothing if an argument has no header form', async () => {
    const { wire, server } = await wired(fine, {
      paramHeaders: () => {
        throw new McpError('invalidArguments', { detail: '1.5' });
      },
    });
    const call = outcome(wire.request('tools/call', withMeta({ name: 'a' })));
    assert.equal(await call, 'invalidArguments 1.5');
    assert.deepEqual(server.log, []);
  });

  it('cancels by closing the request, and sends no notification', async () => {
    const { wire, server } = await wired((_request, response) =>
      sendEvents(response, ': alive\n\n'),
    );
    const source = new CancellationTokenSource();
    const params = withMeta({ name: 'a' });
    const call = outcome(wire.request('tools/call', params, { token: source.token }));
    const { closed } = await server.arrival(() => true);
    source.cancel();
    assert.equal(await call, 'cancelled');
    await closed;
    assert.deepEqual(server.log, ['POST tools/call']);
  });

  it('cancels a request without any answer in the same way', async () => {
    const { wire, server } = await wired(() => undefined);
    await whileStopped(async (clock) => {
      const call = outcome(wire.request('tools/list', withMeta(), { timeoutMs: 30 }));
      const { closed } = await server.arrival(() => true);
      clock.advance(30);
      assert.equal(await call, 'timeout');
      await closed;
    });
    assert.deepEqual(server.log, ['POST tools/list']);
  });

  it('treats a broken stream as the loss of its request, with event ids or without', async () => {
    const { wire, server } = await wired((request, response) => {
      const note = { jsonrpc: '2.0', method: 'notifications/message' };
      sendEvents(response, `retry: 1\n${eventOf(note, 'id-1')}`);
      if (request.message.method === 'tools/call') response.end();
    });
    const call = outcome(wire.request('tools/call', withMeta({ name: 'a' })));
    assert.equal(await call, 'connectionLost');
    assert.deepEqual(wire.notifications, ['notifications/message']);
    assert.deepEqual(server.log, ['POST tools/call']);
  });

  it('never answers a request of the server', async () => {
    const { wire, server } = await wired((request, response) => {
      sendEvents(response, eventOf({ jsonrpc: '2.0', id: 1, method: 'roots/list' }));
      response.end(eventOf(resultFor(request, {})));
    });
    await wire.request('tools/list', withMeta());
    await wire.request('tools/list', withMeta());
    assert.deepEqual(server.log, ['POST tools/list', 'POST tools/list']);
  });

  for (const [status, id, code] of [
    [400, null, -32022],
    [404, undefined, -32601],
    [500, 0, -32603],
  ] as const) {
    it(`fails the request with the error in the body of ${status}, whose id is ${id}`, async () => {
      const { wire } = await wired((_request, response) => {
        response.writeHead(status, { 'Content-Type': 'application/json' });
        const error = { code, message: 'no', data: { supported: ['x'] } };
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      });
      assert.deepEqual(await failureOf(wire.request('server/discover', withMeta())), [
        'serverError',
        { detail: 'no', rpcCode: code, rpcData: { supported: ['x'] }, httpStatus: status },
      ]);
    });
  }

  it('fails the request with an error without id in an answer of 200, as JSON and as event', async () => {
    const { wire } = await wired((request, response) => {
      const error = { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no' } };
      if (request.message.method === 'ping') sendJson(response, error);
      else {
        sendEvents(response);
        response.end(eventOf(error));
      }
    });
    assert.equal(await outcome(wire.request('ping', withMeta())), 'serverError -32601 no');
    const list = outcome(wire.request('tools/list', withMeta()));
    assert.equal(await list, 'serverError -32601 no');
  });
});
