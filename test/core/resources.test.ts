import assert from 'node:assert/strict';
import path from 'node:path';
import type { Event } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../src/core/client';
import { bundled } from '../servers/bundled';
import { Connections, receivedBy } from './connections';
import { assertValidMessage } from './mcpSchema';
import { outcome } from './wire';
import type { ScriptedServer } from '../servers/scripted';

const connections = new Connections();
const once = <T>(event: Event<T>) =>
  new Promise<T>((resolve) => {
    const listener = event((value) => {
      listener.dispose();
      resolve(value);
    });
  });
const watching = async (client: McpClient, ...uris: readonly string[]) => {
  client.resources.watch(new Set(uris));
  const isWatched = () => uris.every((uri) => client.resources.watched.has(uri));
  while (!isWatched()) await once(client.resources.onDidChangeWatched);
};
const names = async (client: McpClient) =>
  (await client.resources.list()).resources.map(({ name }) => name);
/** The requests about resources: method and what matters of the params. */
const asked = async (client: McpClient) =>
  (await receivedBy(client)).flatMap(({ method, params }) => {
    const { notifications } = params ?? {};
    if (method === 'subscriptions/listen') return [`listen ${JSON.stringify(notifications)}`];
    const about = params?.uri ?? params?.cursor;
    return method?.startsWith('resources/') ? [[method, about].filter(Boolean).join(' ')] : [];
  });

/** Two pages of resources; the tool `news` sends what its arguments say. */
const garden = (server: ScriptedServer) => {
  server.capabilities = {
    tools: {},
    resources: { listChanged: true, subscribe: true },
    completions: {},
  };
  let reads = 0;
  server.on('resources/list', (message) =>
    server.reply(
      message,
      message.params?.cursor === undefined
        ? {
            resources: [
              { uri: 'a:1', name: 'one', size: 12, mimeType: 'text/plain', icons: [{ src: 'x' }] },
              { name: 'no address' },
              5,
            ],
            nextCursor: '',
            ttlMs: 60_000,
          }
        : { resources: [{ uri: 'a:2', name: 'two', title: 'Two' }], ttlMs: 60_000 },
    ),
  );
  server.on('resources/read', (message) => {
    reads += 1;
    const { uri } = message.params ?? {};
    const others = uri === 'a:large' ? { notes: 'x'.repeat(2 ** 21) } : {};
    server.reply(message, { contents: [{ uri, text: `read ${reads}` }], ttlMs: 60_000, ...others });
  });
  server.on('tools/call', (message) => {
    const { arguments: news } = message.params ?? {};
    const { method, params } = Object(news);
    const id = server.listening.at(-1);
    if (id === undefined) server.send({ method, params });
    else if (method === 'end') server.reply({ ...message, id }, {});
    // By the subscription that wants it.
    else for (const each of server.listening) server.notify(each, method, params);
    server.text(message, 'told');
  });
};
/** The same in the stateless era. */
const eternal = `(server) => { server.speakStateless(); (${String(garden)})(server); }`;
const stateful = `(server) => {
    (${String(garden)})(server);
    for (const method of ['resources/subscribe', 'resources/unsubscribe'])
      server.on(method, (message) => server.reply(message, {}));
  }`;
const eras = [
  ['stateful', stateful],
  ['stateless', eternal],
] as const;
const notify = (client: McpClient, method: string, params: object = {}) =>
  client.callTool('news', { method, params });

describe('Resources', () => {
  afterEach(() => connections.close());

  for (const [era, script] of eras) {
    describe(`in the ${era} era`, () => {
      it('are listed over all pages, and an invalid entry hides no valid one', async () => {
        const client = await connections.to(script);
        const { resources, problems } = await client.resources.list();
        assert.deepEqual(resources, [
          { uri: 'a:1', name: 'one', size: 12, mimeType: 'text/plain', icons: [{ src: 'x' }] },
          { uri: 'a:2', name: 'two', title: 'Two' },
        ]);
        assert.deepEqual(problems, [{ code: 'unusableEntries', count: 2 }]);
      });

      it('have templates, or none if the server does not know the method', async () => {
        const client = await connections.to(script);
        assert.deepEqual(await client.resources.listTemplates(), { templates: [], problems: [] });
        await client.resources.listTemplates();
        const lists = (await asked(client)).filter((it) => it === 'resources/templates/list');
        assert.equal(lists.length, 1);
      });

      it('are read again after the server reported a change, and of a part of it (R-419, R-428)', async () => {
        const client = await connections.to(script);
        await watching(client, 'a:1');
        const read = async () => (await client.readResource('a:1')).contents[0]?.text;
        assert.equal(await read(), 'read 1');
        const updated = once(client.resources.onDidUpdate);
        await notify(client, 'notifications/resources/updated', { uri: 'a:1/part' });
        assert.equal(await updated, 'a:1/part');
        assert.equal(await read(), 'read 2');
        assert.equal(
          (await client.readResource('a:1', { isRefresh: true })).contents[0]?.text,
          'read 3',
        );
      });

      it('are read again each time if what is read is large, also beside the contents', async () => {
        const client = await connections.to(script);
        const read = async () => (await client.readResource('a:large')).contents[0]?.text;
        assert.equal(await read(), 'read 1');
        assert.equal(await read(), 'read 2');
      });

      it('are listed again after the server reported a changed list', async () => {
        const client = await connections.to(script);
        await client.resources.list();
        const changed = once(client.resources.onDidChange);
        await notify(client, 'notifications/resources/list_changed');
        await changed;
        await client.resources.list();
        const lists = (await asked(client)).filter((it) => it.startsWith('resources/list'));
        assert.equal(lists.length, 4);
      });

      it('send only what the schema allows', async () => {
        const client = await connections.to(script);
        await client.resources.list();
        await client.resources.listTemplates();
        await watching(client, 'a:1');
        await client.readResource('a:1');
        const request = {
          of: { uriTemplate: 'a:{x}' },
          argument: 'x',
          value: '',
          known: { y: '1' },
        };
        await client.complete(request);
        client.resources.watch(new Set());
        for (const message of await receivedBy(client)) {
          // The question which era it is.
          if (era === 'stateful' && message.method === 'server/discover') continue;
          assertValidMessage(client.revision, message);
        }
      });
    });
  }

  it('are followed by one subscription that is replaced when the wanted resources change (R-416)', async () => {
    const client = await connections.to(eternal);
    await watching(client, 'a:1');
    await watching(client, 'a:1', 'a:2');
    client.resources.watch(new Set());
    const received = await receivedBy(client);
    const listens = received.filter(({ method }) => method === 'subscriptions/listen');
    assert.deepEqual(
      listens.map(({ params }) => params?.notifications),
      [
        { resourcesListChanged: true },
        { resourceSubscriptions: ['a:1'] },
        { resourceSubscriptions: ['a:1', 'a:2'] },
      ],
    );
    const ended = received.filter(({ method }) => method === 'notifications/cancelled');
    assert.deepEqual(
      ended.map(({ params }) => params?.requestId),
      [listens[1]?.id, listens[2]?.id],
    );
    assert.deepEqual([...client.resources.watched], []);
  });

  it('count as changed when a lost subscription is open again (R-415)', async () => {
    const limits = { subscriptionRetryMs: 10 };
    const client = await connections.to(eternal, { limits });
    await watching(client, 'a:1');
    const updated = once(client.resources.onDidUpdate);
    await notify(client, 'end');
    assert.equal(await updated, 'a:1');
    assert.deepEqual([...client.resources.watched], ['a:1']);
  });

  it('count as changed when another subscription replaces a lost one (R-415)', async () => {
    const limits = { subscriptionRetryMs: 60_000 };
    const client = await connections.to(eternal, { limits });
    await watching(client, 'a:1');
    const updates: string[] = [];
    client.resources.onDidUpdate((uri) => updates.push(uri));
    await notify(client, 'end');
    while (client.resources.watched.size > 0) await once(client.resources.onDidChangeWatched);
    await watching(client, 'a:1', 'a:2');
    assert.deepEqual(updates, ['a:1']);
  });

  it('are subscribed to one by one, and no longer than necessary (R-448)', async () => {
    const client = await connections.to(stateful);
    await watching(client, 'a:1', 'a:2');
    client.resources.watch(new Set(['a:2']));
    while (client.resources.watched.size > 1) await once(client.resources.onDidChangeWatched);
    assert.deepEqual(await asked(client), [
      'resources/subscribe a:1',
      'resources/subscribe a:2',
      'resources/unsubscribe a:1',
    ]);
  });

  it('are not followed if the server does not declare it (R-404)', async () => {
    for (const isStateless of [false, true]) {
      const script = `(server) => {
        if (${isStateless}) server.speakStateless();
        server.capabilities = { tools: {}, resources: {} };
      }`;
      const client = await connections.to(script);
      client.resources.watch(new Set(['a:1']));
      assert.deepEqual(await asked(client), []);
    }
  });

  it('are listed although the server cannot list its templates, and that is a problem of the list', async () => {
    const client = await connections.to((server) => {
      server.capabilities = { tools: {}, resources: {} };
      server.on('resources/list', (message) =>
        server.reply(message, { resources: [{ uri: 'a:1', name: 'one' }] }),
      );
      server.on('resources/templates/list', (message) => server.fail(message, -32603, 'broken'));
    });
    const { templates, problems } = await client.resources.listTemplates();
    assert.deepEqual(templates, []);
    assert.match(JSON.stringify(problems), /pageFailed.*broken/);
    assert.equal((await client.resources.list()).resources.length, 1);
  });

  it('are not requested if the server has none (R-005)', async () => {
    const client = await connections.to((server) => {
      server.capabilities = { tools: {} };
    });
    assert.deepEqual(await client.resources.list(), { resources: [], problems: [] });
    assert.deepEqual(await client.resources.listTemplates(), { templates: [], problems: [] });
    client.resources.watch(new Set(['a:1']));
    assert.deepEqual(await asked(client), []);
  });
});

describe('Completion', () => {
  afterEach(() => connections.close());
  const request = { of: { uriTemplate: 'a:{x}' }, argument: 'x', value: 'n', known: { y: '1' } };

  for (const [revision, params] of [
    ['2025-11-25', { context: { arguments: { y: '1' } } }],
    ['2025-03-26', {}],
    ['2024-11-05', {}],
  ] as const) {
    it(`sends in ${revision} what that revision defines (R-535, R-536)`, async () => {
      const client = await connections.to(
        `(server) => {
            server.revision = '${revision}';
            server.capabilities = { tools: {}, resources: {},
              ...('${revision}' === '2024-11-05' ? {} : { completions: {} }) };
            const values = Array.from({ length: 150 }, (_, index) => 'v' + index);
            server.on('completion/complete', (message) =>
              server.reply(message, { completion: { values } }));
          }`,
      );
      const { values, hasMore } = await client.complete(request);
      assert.deepEqual([values.length, hasMore], [100, true]);
      const sent = (await receivedBy(client)).find(({ method }) => method?.startsWith('compl'));
      assert.deepEqual(sent?.params, {
        ref: { type: 'ref/resource', uri: 'a:{x}' },
        argument: { name: 'x', value: 'n' },
        ...params,
      });
      const ofPrompt = await client.complete({ ...request, of: { prompt: 'ask' } });
      assert.equal(ofPrompt.values.length, 100);
      const message = (await receivedBy(client)).findLast(({ method }) => method?.startsWith('co'));
      assert.deepEqual(message?.params?.ref, { type: 'ref/prompt', name: 'ask' });
      assertValidMessage(revision, message);
    });
  }

  it('is requested once from a server that does not know it, and never from one that says so', async () => {
    const old = await connections.to((server) => {
      server.revision = '2024-11-05';
    });
    const none = await connections.to((server) => server.speakStateless());
    for (const client of [old, none]) {
      for (let count = 0; count < 2; count += 1) {
        assert.deepEqual(await client.complete(request), { values: [], hasMore: false });
      }
    }
    const count = async (client: McpClient) =>
      (await receivedBy(client)).filter(({ method }) => method === 'completion/complete').length;
    assert.deepEqual([await count(old), await count(none)], [1, 0]);
  });

  it('reports an error of the server', async () => {
    const client = await connections.to((server) => {
      server.capabilities = { tools: {}, resources: {}, completions: {} };
      server.on('completion/complete', (message) => server.fail(message, -32602, 'no template'));
    });
    assert.match(String(await outcome(client.complete(request))), /no template/);
  });
});

describe('Resources of real servers', () => {
  afterEach(() => connections.close());
  const server = path.resolve(__dirname, '../servers/resources2.ts');

  for (const [era, revision] of [
    ['stateless', '2026-07-28'],
    ['stateful', '2025-11-25'],
  ] as const) {
    it(`of the official SDK 2.x in ${revision}`, async () => {
      const client = await connections.toCommand(
        { command: process.execPath, args: [bundled(server)], env: {} },
        { era },
      );
      assert.equal(client.revision, revision);
      assert.deepEqual(await names(client), ['counter']);
      const { templates } = await client.resources.listTemplates();
      assert.deepEqual(
        templates.map(({ uriTemplate, title }) => [uriTemplate, title]),
        [['garden:///{bed}/{plant}', 'A bed']],
      );
      const { uriTemplate = '' } = templates[0] ?? {};
      const complete = (argument: string, value: string, known: Record<string, string>) =>
        client.complete({ of: { uriTemplate }, argument, value, known });
      assert.deepEqual((await complete('bed', 'n', {})).values, ['north']);
      assert.deepEqual((await complete('plant', '', { bed: 'south' })).values, ['south rose']);

      await watching(client, 'count:///one');
      const read = async () => (await client.readResource('count:///one')).contents[0]?.text;
      assert.equal(await read(), '1');
      const updated = once(client.resources.onDidUpdate);
      await client.callTool('grow', {});
      assert.equal(await updated, 'count:///one');
      assert.equal(await read(), '2');

      const changed = once(client.resources.onDidChange);
      await client.callTool('plant', {});
      await changed;
      assert.deepEqual(await names(client), ['counter', 'planted']);
    });
  }

  it('of server-everything, of the official SDK 1.x', async () => {
    const bin = path.resolve(__dirname, '../../node_modules/.bin/mcp-server-everything');
    const client = await connections.toCommand({ command: bin, args: ['stdio'], env: {} });
    const { resources } = await client.resources.list();
    const [first] = resources;
    assert.ok(first !== undefined && resources.length >= 7);
    assert.equal(first.mimeType, 'text/markdown');
    const { templates } = await client.resources.listTemplates();
    assert.deepEqual(
      templates.map(({ uriTemplate }) => uriTemplate),
      ['demo://resource/dynamic/text/{resourceId}', 'demo://resource/dynamic/blob/{resourceId}'],
    );
    const { uriTemplate = '' } = templates[0] ?? {};
    const request = { of: { uriTemplate }, argument: 'resourceId', value: '7', known: {} };
    assert.deepEqual((await client.complete(request)).values, ['7']);

    await watching(client, first.uri);
    const updated = once(client.resources.onDidUpdate);
    await client.callTool('toggle-subscriber-updates', {});
    assert.equal(await updated, first.uri);
  });
});
