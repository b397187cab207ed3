import assert from 'node:assert/strict';
import { eventOf, resultFor, sendEvents, sendJson } from '../servers/httpServer';
import { textOf } from './connections';
import { assertValidMessage } from './mcpSchema';
import { discovered, useHttpClients, sendError, stateless } from './reached';
import type { Answers } from './reached';
import { outcome } from './wire';

const { connected } = useHttpClients();

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

const tool = (name: string, properties: object = {}) => ({
  name,
  inputSchema: { type: 'object', properties },
});
const region = (annotation: unknown) => ({
  region: { type: 'string', 'x-mcp-header': annotation },
});

const called: Answers['x'] = (request, response) =>
  sendJson(response, resultFor(request, { content: [{ type: 'text', text: 'done' }] }));

describe('Arguments in headers', () => {
  it('are those of the newest list, and a tool with invalid annotations is not callable', async () => {
    const { server, client, log } = await connected(
      stateless({
        'tools/list': (request, response) =>
          sendJson(
            response,
            resultFor(request, {
              tools: [
                tool('good', region('Region')),
                tool('bad', region('Re gion')),
                tool('plain'),
              ],
            }),
          ),
        'tools/call': called,
      }),
    );
    await client.callTool('good', { region: 'unlisted' });
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, callable, problems }) => [name, callable, problems.map((it) => it.code)]),
      [
        ['good', true, []],
        ['bad', false, ['headerAnnotation']],
        ['plain', true, []],
      ],
    );
    assert.ok(log.lines.some((line) => line.startsWith('warn tool bad cannot be called')));
    await client.callTool('good', { region: 'grüße' }, { onProgress: () => undefined });
    await client.callTool('plain', { region: 'x' });
    const calls = server.received.filter(({ message }) => message.method === 'tools/call');
    assert.deepEqual(
      calls.map(({ headers }) => headers['mcp-param-region']),
      [undefined, '=?base64?Z3LDvMOfZQ==?=', undefined],
    );
    for (const { message } of calls)
      assertValidMessage('2026-07-28', JSON.parse(JSON.stringify({ ...message, jsonrpc: '2.0' })));
  });

  it('that the server misses are created from its list, once (R-156)', async () => {
    const { server, client } = await connected(
      stateless({
        'tools/list': (request, response) =>
          sendJson(response, resultFor(request, { tools: [tool('good', region('Region'))] })),
        'tools/call': (request, response) => {
          const isRight =
            request.headers['mcp-param-region'] === 'eu' &&
            request.message.params?.['name'] === 'good';
          if (isRight) called(request, response);
          else sendError(request, response, 400, -32020, 'Header mismatch');
        },
      }),
    );
    assert.equal(await textOf(client.callTool('good', { region: 'eu' })), 'done');
    assert.deepEqual(server.log, [
      'POST server/discover',
      'POST tools/call',
      'POST tools/list',
      'POST tools/call',
    ]);
    assert.equal(
      await outcome(client.callTool('good', { region: 'us' })),
      'serverError -32020 Header mismatch',
    );
    assert.equal(server.log.length, 7);
  });
});

describe('The subscription over HTTP', () => {
  it('has its own stream, is opened again if that breaks, and ends with the connection', async () => {
    let opened = 0;
    const { server, client } = await connected(
      stateless({
        'server/discover': (request, response) =>
          sendJson(
            response,
            resultFor(request, { ...discovered, capabilities: { tools: { listChanged: true } } }),
          ),
        'tools/list': (request, response) =>
          sendJson(response, resultFor(request, { tools: [tool(`list ${opened}`)] })),
        'subscriptions/listen': (request, response) => {
          opened += 1;
          const params = {
            notifications: { toolsListChanged: true },
            _meta: { [subscriptionId]: request.message.id },
          };
          sendEvents(
            response,
            eventOf({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }),
          );
          if (opened === 1) setTimeout(() => response.destroy(), 50);
        },
      }),
      { limits: { subscriptionRetryMs: 10 } },
    );
    const changed = new Promise<void>((resolve) => client.onDidChangeTools(() => resolve()));
    assert.equal((await client.listTools()).tools[0]?.name, 'list 1');
    await changed;
    assert.equal((await client.listTools()).tools[0]?.name, 'list 2');
    const listens = server.received.filter(
      ({ message }) => message.method === 'subscriptions/listen',
    );
    assert.equal(listens.length, 2);
    await client.close();
    await listens[1]?.closed;
  });
});
