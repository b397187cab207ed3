import assert from 'node:assert/strict';
import { Connections, receivedBy } from './connections';
import { outcome } from './wire';

const connections = new Connections();

describe('ConnectedClient', () => {
  afterEach(() => connections.close());

  it('sends a server only requests for declared capabilities', async () => {
    const client = await connections.to((server) => {
      server.capabilities = {};
    });
    assert.deepEqual(await client.listTools(), { tools: [], problems: [] });
    assert.equal(await outcome(client.callTool('a', {})), 'unsupportedFeature tools');
    assert.equal(await outcome(client.readResource('a:b')), 'unsupportedFeature resources');
    assert.deepEqual(await client.listPrompts(), { prompts: [], problems: [] });
    assert.equal(await outcome(client.getPrompt('a', undefined)), 'unsupportedFeature prompts');
  });

  it('sends arguments exactly as given, and none if there are none', async () => {
    const client = await connections.to(() => undefined);
    const given = { n: -0.5, empty: '', nothing: null, list: [], nested: { b: false } };
    await client.callTool('a', given);
    await client.callTool('b', undefined);
    await client.callTool('c', {});
    const calls = (await receivedBy(client)).filter((it) => it.method === 'tools/call');
    assert.deepEqual(
      calls.slice(0, 3).map((it) => it.params),
      [{ name: 'a', arguments: given }, { name: 'b' }, { name: 'c', arguments: {} }],
    );
  });

  it('fails one call with an invalid result, and the next works', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', (message) => {
        if (message.params?.name === 'null') server.reply(message, null);
        else server.text(message, 'fine');
      });
    });
    assert.match(String(await outcome(client.callTool('null', {}))), /^invalidResult /);
    assert.equal((await client.callTool('ok', {})).content.length, 1);
  });

  it('reports changed tools and log messages, whatever their data is', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', (message) => {
        const log = (params: unknown) => server.send({ method: 'notifications/message', params });
        log({ level: 'warning', logger: 'db', data: 'slow' });
        log({ level: 'error', data: { code: 5 } });
        log(null);
        server.send({ method: 'notifications/tools/list_changed' });
        server.send({ method: 'notifications/unheard/of', params: 5 });
        server.text(message, 'done');
      });
    });
    const seen: string[] = [];
    Object.assign(connections.log, {
      fromServer: (level: string, text: string) => void seen.push(`${level} ${text}`),
    });
    client.onDidChangeTools(() => seen.push('changed'));
    await client.callTool('a', {});
    assert.deepEqual(seen, ['warning [warning] db: slow', 'error [error] {"code":5}', 'changed']);
  });

  it('restarts a list, once, if the server forgot its cursor (R-437)', async () => {
    const client = await connections.to((server) => {
      let refusals = 0;
      server.on('tools/list', (message) => {
        const cursor = message.params?.cursor;
        if (cursor === undefined)
          server.reply(message, { tools: [{ name: 'first', inputSchema: {} }], nextCursor: 'c' });
        else if (refusals++ === 0) server.fail(message, -32602, 'Invalid cursor');
        else server.reply(message, { tools: [{ name: 'second', inputSchema: {} }] });
      });
    });
    const { tools, problems } = await client.listTools();
    assert.deepEqual([tools.map((tool) => tool.name), problems], [['first', 'second'], []]);
  });

  it('keeps the received pages if the server rejects its cursor again', async () => {
    const client = await connections.to((server) => {
      server.on('tools/list', (message) => {
        if (message.params?.cursor === undefined) {
          server.reply(message, { tools: [{ name: 'a', inputSchema: {} }], nextCursor: 'c' });
        } else server.fail(message, -32602, 'Invalid cursor');
      });
    });
    const { tools, problems } = await client.listTools();
    assert.deepEqual(
      [tools.length, problems],
      [1, [{ code: 'pageFailed', detail: 'serverError: Invalid cursor' }]],
    );
  });

  it('rejects a list if the server exits between pages', async () => {
    const client = await connections.to((server) => {
      server.on('tools/list', (message) => {
        if (message.params?.cursor !== undefined) process.exit(1);
        server.reply(message, { tools: [], nextCursor: 'c' });
      });
    });
    assert.equal(await outcome(client.listTools()), 'connectionClosed');
  });

  it('answers pings of the server during a call', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', (message) => {
        server.send({ id: 7, method: 'ping' });
        const wait = setInterval(() => {
          const pong = server.received.find((it) => it.id === 7 && it.method === undefined);
          if (pong === undefined) return;
          clearInterval(wait);
          server.text(message, JSON.stringify(pong));
        }, 1);
      });
    });
    assert.deepEqual(await client.callTool('a', {}), {
      content: [{ type: 'text', text: '{"jsonrpc":"2.0","id":7,"result":{}}' }],
      isError: false,
    });
  });
});
