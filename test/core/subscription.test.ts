import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { McpClient } from '../../src/core/client';
import { Connections, receivedBy, textOf } from './connections';
import { whileStopped } from './stoppedClock';

const connections = new Connections();
const times = { subscriptionRetryMs: 10, subscriptionAckMs: 5_000 };
const listensOf = async (client: McpClient) =>
  (await receivedBy(client)).filter((it) => it.method === 'subscriptions/listen');
const nextChange = (client: McpClient) =>
  new Promise<void>((resolve) => {
    const listener = client.onDidChangeTools(() => {
      listener.dispose();
      resolve();
    });
  });

describe('The subscription to changes of tools', () => {
  afterEach(() => connections.close());

  it('is open before the first list is requested, once', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.on('subscriptions/listen', (message) => {
        // The list must not be asked for meanwhile.
        setTimeout(() => server.acknowledge(message), 50);
      });
      server.on('tools/list', (message) => {
        const tools = server.listening.map((id) => ({ name: `after ${id}`, inputSchema: {} }));
        server.reply(message, { tools });
      });
    });
    let changes = 0;
    client.onDidChangeTools(() => (changes += 1));
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    assert.deepEqual(names, ['after 1']);
    assert.deepEqual(
      (await listensOf(client)).map((it) => it.params?.notifications),
      [{ toolsListChanged: true }],
    );
    assert.equal(changes, 0);
  });

  it('is not requested if the server does not declare it', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.capabilities = { tools: {} };
    });
    await client.listTools();
    assert.deepEqual(await listensOf(client), []);
  });

  it('ignores messages for another subscription, with another type of id, without one, or not requested', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.on('tools/call', (message) => {
        const method = 'notifications/tools/list_changed';
        for (const id of ['1', 99, null]) server.notify(id, method);
        server.send({ method });
        server.send({ method: 'notifications/cancelled', params: { requestId: 99 } });
        server.send({ method: 'notifications/cancelled' });
        server.notify(server.listening[0], 'notifications/prompts/list_changed');
        server.text(message, '[]');
      });
    });
    let changes = 0;
    client.onDidChangeTools(() => (changes += 1));
    await client.listTools();
    await client.callTool('noise', {});
    assert.equal(changes, 0);
    assert.deepEqual(
      connections.log.lines.filter((line) => line.startsWith('warn dropped')),
      [
        'warn dropped notifications/tools/list_changed of an unknown subscription',
        'warn dropped notifications/prompts/list_changed that was not asked for',
      ],
    );
  });

  for (const [how, end] of [
    ['an orderly end', "server.reply({ id }, { resultType: 'complete' })"],
    [
      "the server's cancellation",
      "server.send({ method: 'notifications/cancelled', params: { requestId: id } })",
    ],
    ['an error', "server.fail({ id }, -32603, 'lost')"],
  ] as const) {
    it(`is opened again after ${how}, and the list is outdated then (R-412 to R-415)`, async () => {
      const script = `(server) => {
        server.speakStateless();
        server.on('tools/list', (message) =>
          server.reply(message, { tools: [], ttlMs: 60000 }));
        server.on('tools/call', (message) => {
          if (message.params.name === 'end') { const id = server.listening.at(-1); ${end}; }
          server.text(message, JSON.stringify(server.received));
        });
      }`;
      const client = await connections.to(script, { limits: times });
      await client.listTools();
      const changed = nextChange(client);
      await client.callTool('end', {});
      await changed;
      await client.listTools();
      const received = await receivedBy(client);
      const ids = received.filter((it) => it.method === 'subscriptions/listen').map((it) => it.id);
      assert.equal(ids.length, 2);
      assert.notEqual(ids[0], ids[1]);
      assert.equal(received.filter((it) => it.method === 'tools/list').length, 2);
      assert.ok(!received.some((it) => it.method === 'notifications/cancelled'));
    });
  }

  it('outdates each list that was requested before it opened (R-415)', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      const declared = { listChanged: true };
      server.capabilities = { tools: declared, resources: declared, prompts: declared };
      let held: Parameters<typeof server.acknowledge>[0] | undefined;
      server.on('subscriptions/listen', (message) => {
        held = message;
      });
      for (const kind of ['tools', 'resources', 'prompts']) {
        server.on(kind + '/list', (message) =>
          server.reply(message, { [kind]: [], ttlMs: 60_000 }),
        );
      }
      server.on('tools/call', (message) => {
        if (message.params?.name === 'open' && held !== undefined) server.acknowledge(held);
        server.text(message, JSON.stringify(server.received));
      });
    });
    const list = () =>
      Promise.all([client.listTools(), client.resources.list(), client.listPrompts()]);
    await list();
    const changed: string[] = [];
    client.onDidChangeTools(() => changed.push('tools'));
    client.resources.onDidChange(() => changed.push('resources'));
    client.onDidChangePrompts(() => changed.push('prompts'));
    await client.callTool('open', {});
    assert.deepEqual(changed, ['tools', 'resources', 'prompts']);
    await list();
    const methods = (await receivedBy(client)).map(({ method }) => method);
    for (const kind of ['tools', 'resources', 'prompts']) {
      assert.equal(methods.filter((it) => it === `${kind}/list`).length, 2, kind);
    }
  });

  it('is opened again however often the server ends it in order (R-412)', async () => {
    const client = await connections.to(
      (server) => {
        server.speakStateless();
        server.on('subscriptions/listen', (message) => {
          server.acknowledge(message);
          server.reply(message, { resultType: 'complete' });
        });
      },
      { limits: { ...times, subscriptionRetryMs: 1e-9 } },
    );
    await client.listTools();
    while ((await listensOf(client)).length < 25) {
      assert.ok(!connections.log.lines.some((line) => line.includes('ended too often')));
    }
  });

  it('is cancelled and requested again if it is not acknowledged in time', async () => {
    const client = await whileStopped(async (clock) => {
      const connected = await connections.to(
        (server) => {
          server.speakStateless();
          let count = 0;
          server.on('subscriptions/listen', (message) => {
            count += 1;
            if (count === 2) server.acknowledge(message);
          });
        },
        { limits: { ...times, subscriptionAckMs: 50 } },
      );
      const listed = connected.listTools();
      await clock.untilWaiting(50);
      clock.advance(50);
      await nextTurn();
      clock.advance(times.subscriptionRetryMs);
      // Now it has all the time that it needs.
      await listed;
      return connected;
    });
    const received = (await receivedBy(client)).flatMap(({ method, params }) =>
      /listen|cancelled/.test(method ?? '') ? `${method} ${String(params?.requestId)}` : [],
    );
    assert.deepEqual(received, [
      'subscriptions/listen undefined',
      'notifications/cancelled 1',
      'subscriptions/listen undefined',
    ]);
  });

  for (const [what, act] of [
    ['refused', "server.fail(message, -32601, 'Method not found')"],
    [
      'granted without what was asked for',
      "server.notify(message.id, 'notifications/subscriptions/acknowledged', { notifications: {} })",
    ],
    ['answered at once', 'server.reply(message, {})'],
  ] as const) {
    it(`that is ${what} is not requested again, and the tools are listed`, async () => {
      const script = `(server) => {
        server.speakStateless();
        server.on('subscriptions/listen', (message) => ${act});
      }`;
      const client = await connections.to(script, { limits: { subscriptionRetryMs: 1 } });
      await client.listTools();
      for (let turn = 0; turn < 5; turn += 1) await client.ping();
      assert.equal((await listensOf(client)).length, 1);
    });
  }

  it('does not delay the end of a connection', async () => {
    const client = await connections.to((server) => server.speakStateless());
    assert.equal((await textOf(client.callTool('x', {}))).length > 0, true);
    await client.close();
  });
});
