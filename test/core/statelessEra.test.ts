import assert from 'node:assert/strict';
import { CancellationTokenSource, Emitter } from 'vscode-jsonrpc/node';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { clientInfo, Connections, receivedBy, textOf } from './connections';
import { assertValidMessage } from './mcpSchema';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';

const connections = new Connections();

/** Answers every question with the next of `results`, and keeps the questions. */
class Answers implements InputHandler {
  readonly asked: ElicitationRequest[] = [];
  readonly #results: ElicitationResult[];

  constructor(...results: readonly ElicitationResult[]) {
    this.#results = [...results];
  }

  async elicit(request: ElicitationRequest): Promise<ElicitationResult> {
    this.asked.push(request);
    return this.#results.shift() ?? { action: 'cancel' };
  }

  async roots() {
    return [{ uri: 'file:///work', name: 'work' }];
  }
}

describe('The stateless era', () => {
  afterEach(() => connections.close());

  it('sends only messages that match its schema, with the same metadata in each request', async () => {
    const client = await connections.to(
      (server) => {
        server.speakStateless();
        server.on('tools/list', (message) =>
          server.reply(
            message,
            message.params?.cursor === undefined
              ? { resultType: 'complete', tools: [{ name: 'a', inputSchema: {} }], nextCursor: '' }
              : { tools: [{ name: 'b', inputSchema: { type: 'object' } }] },
          ),
        );
        server.on('resources/read', (message) =>
          server.reply(message, { resultType: 'complete', contents: [{ uri: 'x:y', text: 'z' }] }),
        );
      },
      { input: new Answers(), logLevel: 'warning' },
    );
    assert.equal(client.revision, '2026-07-28');
    assert.deepEqual(client.serverInfo, { name: 'scripted', version: '1.2.3' });
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    assert.deepEqual(names, ['a', 'b']);
    await client.callTool('a', { x: [1] }, { onProgress: () => undefined });
    await client.readResource('x:y');
    await client.ping();
    const received = await receivedBy(client);
    for (const message of received) assertValidMessage('2026-07-28', message);
    assert.deepEqual(
      received.map(({ id, method }) => `${id} ${method}`),
      [
        '0 server/discover',
        '1 subscriptions/listen',
        '2 tools/list',
        '3 tools/list',
        '4 tools/call',
        '5 resources/read',
        '6 server/discover',
        '7 tools/call',
      ],
    );
    const metas = received.map(({ params }) => Object(params)['_meta']);
    assert.deepEqual(metas[0], {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: { form: {}, url: {} },
        roots: {},
      },
      'io.modelcontextprotocol/logLevel': 'warning',
    });
    for (const index of [1, 2, 3, 5, 6]) assert.deepEqual(metas[index], metas[0]);
    // A call may be answered with a task.
    const key = 'io.modelcontextprotocol/clientCapabilities';
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    assert.deepEqual(metas[4], {
      ...metas[0],
      [key]: { ...metas[0][key], extensions },
      progressToken: 0,
    });
  });

  it('declares no capability if no user can be asked', async () => {
    const client = await connections.to((server) => server.speakStateless());
    const [probe] = await receivedBy(client);
    const meta = Object(probe?.params)['_meta'];
    assert.deepEqual(meta['io.modelcontextprotocol/clientCapabilities'], {});
    assert.equal('io.modelcontextprotocol/logLevel' in meta, false);
  });

  it('never answers a request of the server, whatever it is (R-087, R-088)', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.send({ id: 'before', method: 'ping' });
      server.on('tools/call', (message) => {
        server.send({ id: 5, method: 'ping' });
        server.send({ id: 6, method: 'elicitation/create', params: {} });
        server.text(message, 'done');
      });
    });
    await client.callTool('a', {});
    assert.deepEqual(
      (await receivedBy(client)).filter((message) => message.method === undefined),
      [],
    );
    assert.match(connections.log.lines.join('\n'), /a request where it must not: elicitation/);
  });

  it('accepts only results of the type complete', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.on('tools/list', (message) =>
        server.reply(message, { resultType: 'input_required', requestState: 's' }),
      );
      server.on('tools/call', (message) => {
        const { name } = message.params ?? {};
        server.reply(message, { resultType: name === 'null' ? null : name, content: [] });
      });
    });
    assert.equal(await outcome(client.listTools()), 'invalidResult resultType is "input_required"');
    assert.match(
      String(await outcome(client.callTool('task', {}))),
      /^invalidResult a task without/,
    );
    assert.equal(await outcome(client.callTool('odd', {})), 'invalidResult resultType is "odd"');
    assert.equal(await outcome(client.callTool('null', {})), 'invalidResult resultType is null');
    assert.deepEqual((await client.callTool('complete', {})).content, []);
  });

  it('accepts structured content of every JSON type (R-364)', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.on('tools/call', (message) =>
        server.reply(message, {
          content: [],
          structuredContent: Object(message.params?.arguments).it,
        }),
      );
    });
    for (const it of [null, 0, false, '', [1], 'text', { a: 1 }]) {
      const { structuredContent, hasBareStructure } = await client.callTool('a', { it });
      assert.deepEqual([structuredContent, hasBareStructure], [it, undefined]);
    }
    assert.equal((await client.callTool('a', {})).structuredContent, undefined);
  });

  it('cancels by a notification on stdio (R-133)', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.on('tools/call', () => undefined);
    });
    const source = new CancellationTokenSource();
    const call = outcome(client.callTool('slow', {}, { token: source.token }));
    source.cancel();
    assert.equal(await call, 'cancelled');
    const received = await receivedBy(client);
    const cancelled = received.find((it) => it.method === 'notifications/cancelled');
    const slow = received.find((it) => it.params?.name === 'slow');
    assert.deepEqual(cancelled?.params, { requestId: slow?.id, reason: 'Cancelled' });
    assertValidMessage('2026-07-28', cancelled ?? { jsonrpc: '2.0' });
  });

  it('repeats a request once after -32022, and names the capability that a server requires', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      let refused = 0;
      server.on('tools/call', (message) => {
        const { name } = message.params ?? {};
        if (name === 'needy') {
          const data = { requiredCapabilities: { sampling: {} } };
          server.fail(message, -32021, 'Missing capability', data);
        } else if (name === 'moody' && (refused += 1) > 1) server.text(message, 'done');
        else server.fail(message, -32022, 'no', { supported: ['2026-07-28'], requested: 'x' });
      });
    });
    assert.equal(await textOf(client.callTool('moody', {})), 'done');
    assert.match(
      String(await outcome(client.callTool('never', {}))),
      /^unsupportedRevision server: 2026-07-28; client: /,
    );
    assert.equal(await outcome(client.callTool('needy', {})), 'capabilityRequired sampling');
    const calls = (await receivedBy(client)).filter((it) => it.method === 'tools/call');
    const names = calls.map((it) => it.params?.name);
    assert.deepEqual(names, ['moody', 'moody', 'never', 'never', 'needy', 'received']);
  });

  describe('keeps a list as long as the server says', () => {
    it('and requests it again for a refresh, after a change, and when it expires', async () => {
      const client = await connections.to((server) => {
        server.speakStateless();
        let lists = 0;
        server.on('tools/list', (message) => {
          lists += 1;
          const tools = [{ name: `list${lists}`, inputSchema: { type: 'object' } }];
          const ttlMs = lists < 4 ? 60_000 : [0, -1, 'x', null][lists - 4];
          server.reply(message, { tools, ttlMs, cacheScope: 'public' });
        });
        server.on('tools/call', (message) => {
          server.notify(server.listening[0], 'notifications/tools/list_changed');
          server.text(message, 'told');
        });
      });
      const name = async (isRefresh = false) =>
        (await client.listTools({ isRefresh })).tools[0]?.name;
      assert.deepEqual([await name(), await name()], ['list1', 'list1']);
      assert.deepEqual([await name(true), await name()], ['list2', 'list2']);
      await client.callTool('change', {});
      assert.deepEqual([await name(), await name()], ['list3', 'list3']);
      await client.callTool('change', {});
      const names = [await name(), await name(), await name(), await name(), await name()];
      assert.deepEqual(names, ['list4', 'list5', 'list6', 'list7', 'list8']);
    });

    it('and if pages repeat earlier entries, which another list would do again', async () => {
      const client = await connections.to((server) => {
        server.speakStateless();
        let lists = 0;
        server.on('tools/list', (message) => {
          const isFirst = message.params?.cursor === undefined;
          if (isFirst) lists += 1;
          const names = isFirst ? ['a'] : ['a', `list${lists}`];
          const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
          const next = isFirst ? { nextCursor: 'x' } : {};
          server.reply(message, { tools, ttlMs: 60_000, cacheScope: 'public', ...next });
        });
      });
      const first = await client.listTools();
      assert.deepEqual(first.problems, [{ code: 'repeatedEntries', count: 1 }]);
      assert.deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        ['a', 'list1'],
      );
    });

    it('and also what was read of resources', async () => {
      const client = await connections.to((server) => {
        server.speakStateless();
        let reads = 0;
        server.on('resources/read', (message) => {
          const uri = String(message.params?.uri);
          const ttlMs = uri === 'x:kept' ? 60_000 : 0;
          server.reply(message, { contents: [{ uri, text: `${(reads += 1)}` }], ttlMs });
        });
      });
      const read = async (uri: string) => (await client.readResource(uri)).contents[0]?.text;
      assert.deepEqual([await read('x:kept'), await read('x:kept')], ['1', '1']);
      assert.deepEqual([await read('x:other'), await read('x:other')], ['2', '3']);
    });
  });
});

/** Answers calls with these requests, until it has what a person said, which may never be enough. */
function inputRequired(answer: object, isEverEnough = true) {
  return `(server) => {
    server.speakStateless();
    server.on('tools/call', (message) => {
      const { name, inputResponses } = message.params;
      if (${isEverEnough} && inputResponses !== undefined) server.text(message, 'done');
      else server.reply(message, { resultType: 'input_required', ...${JSON.stringify(answer)} });
    });
  }`;
}
const elicit = (params: object) => ({
  inputRequests: { a: { method: 'elicitation/create', params } },
});
const openPage = elicit({ message: 'm', mode: 'url', url: 'https://a.example/' });

describe('A call in several rounds', () => {
  afterEach(() => connections.close());

  it('ends with an error if the client hides the required capability', async () => {
    const input: InputHandler = {
      elicit: () => assert.fail('the user was asked'),
      roots: () => assert.fail('roots were read'),
    };
    const rounds = [openPage, { inputRequests: { a: { method: 'roots/list' } } }];
    for (const [index, round] of rounds.entries()) {
      const claimed = index === 0 ? { elicitation: false } : { roots: false };
      const client = await connections.to(inputRequired(round), { input, claimed });
      assert.match(String(await outcome(client.callTool('a', {}))), /^inputNotPossible/);
    }
  });

  it('accepts no task as an answer if the client hides its support for tasks', async () => {
    const script = `(server) => {
      server.speakStateless();
      server.on('tools/call', (message) => server.reply(message, {
        resultType: 'task', taskId: 't', status: 'working', createdAt: '2026-07-28T00:00:00Z',
        lastUpdatedAt: '2026-07-28T00:00:00Z', ttlMs: null,
      }));
    }`;
    const client = await connections.to(script, { claimed: { tasks: false } });
    assert.match(
      String(await outcome(client.callTool('a', {}))),
      /^invalidResult resultType is "task"/,
    );
  });

  it('is repeated unchanged, with answers by key and the state byte for byte', async () => {
    const states = ['{"n" : 1}', '', ' \t\u2028é"\\', '\ud83d', 'x'.repeat(70_000)];
    const input = new Answers(
      { action: 'accept', content: { yes: true } },
      { action: 'decline' },
      { action: 'cancel' },
    );
    const script = `(server) => {
      server.speakStateless();
      const states = ${JSON.stringify(states)};
      const schema = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };
      const ask = (key) => ({ method: 'elicitation/create', params: { message: key, requestedSchema: schema } });
      const answers = [
        { inputRequests: { ok: ask('first'), 'ro ots': { method: 'roots/list' } }, requestState: states[0] },
        { inputRequests: { again: ask('second') } },
        { requestState: states[1] },
        { inputRequests: { ['__proto__']: ask('third') }, requestState: states[2] },
        { requestState: states[3] },
        { inputRequests: {}, requestState: states[4] },
      ];
      server.on('tools/call', (message) => {
        const answer = answers.shift();
        if (answer === undefined) server.text(message, 'done');
        else server.reply(message, { resultType: 'input_required', ...answer });
      });
    }`;
    const client = await connections.to(script, { input });
    assert.equal(await textOf(client.callTool('wipe', { dir: 'a' })), 'done');
    assert.deepEqual(
      input.asked.map(({ message, tool }) => `${tool}: ${message}`),
      ['wipe: first', 'wipe: second', 'wipe: third'],
    );
    const rounds = (await receivedBy(client)).filter((it) => it.params?.name === 'wipe');
    for (const round of rounds) assertValidMessage('2026-07-28', round);
    assert.equal(new Set(rounds.map((round) => round.id)).size, rounds.length);
    const added = rounds.map(({ params }) => {
      const { _meta: meta, name, arguments: given, ...rest } = params ?? {};
      assert.deepEqual([meta, name, given], [rounds[0]?.params?.['_meta'], 'wipe', { dir: 'a' }]);
      return JSON.stringify(rest);
    });
    const ok = { action: 'accept', content: { yes: true } };
    const roots = { roots: [{ uri: 'file:///work', name: 'work' }] };
    assert.deepEqual(added, [
      '{}',
      JSON.stringify({ inputResponses: { ok, 'ro ots': roots }, requestState: states[0] }),
      JSON.stringify({ inputResponses: { again: { action: 'decline' } } }),
      JSON.stringify({ requestState: states[1] }),
      `{"inputResponses":{"__proto__":{"action":"cancel"}},"requestState":${JSON.stringify(states[2])}}`,
      JSON.stringify({ requestState: states[3] }),
      JSON.stringify({ inputResponses: {}, requestState: states[4] }),
    ]);
  });

  for (const [what, answer, expected] of [
    ['neither requests nor state', {}, 'invalidResult neither inputRequests nor requestState'],
    [
      'a state that is no string',
      { requestState: 1 },
      'invalidResult requestState is not a string',
    ],
    [
      'requests that are no object',
      { inputRequests: [1] },
      'invalidResult inputRequests is not an object',
    ],
    [
      'sampling',
      { inputRequests: { a: { method: 'sampling/createMessage' } } },
      'inputNotPossible "sampling/createMessage"',
    ],
    [
      'a method that nobody knows',
      { inputRequests: { a: { method: 'x/y' } } },
      'inputNotPossible "x/y"',
    ],
    ['a request that is none', { inputRequests: { a: null } }, 'inputNotPossible null'],
    [
      'a form that is more than a form',
      elicit({ message: 'm', requestedSchema: { type: 'object', properties: { o: 5 } } }),
      'inputNotPossible o: not a schema',
    ],
    ['an unknown mode', elicit({ message: 'm', mode: 'voice' }), 'inputNotPossible unknown mode'],
  ] as const) {
    it(`fails locally, without sending anything, at ${what}`, async () => {
      const input = new Answers();
      const client = await connections.to(inputRequired(answer), { input });
      assert.equal(await outcome(client.callTool('a', {})), expected);
      assert.deepEqual(input.asked, []);
      const calls = (await receivedBy(client)).filter((it) => it.method === 'tools/call');
      assert.equal(calls.length, 2);
    });
  }

  it('leaves neither its state nor the user’s answer in the trace (R-484)', async () => {
    const input = new Answers({ action: 'accept', content: { pin: 'person-secret' } });
    connections.log.isOn = true;
    const { log } = connections;
    const form = elicit({ message: 'm', requestedSchema: { type: 'object' } });
    const script = inputRequired({ ...form, requestState: 'server-secret' });
    const client = await connections.to(script, { input });
    assert.equal(await textOf(client.callTool('a', {})), 'done');
    assert.ok(!log.traces.some((line) => line.includes('-secret')));
    assert.equal(log.traces.filter((line) => line.includes('(hidden)')).length, 2);
  });

  it('asks no question if no user can be asked', async () => {
    const client = await connections.to(inputRequired(elicit({})));
    assert.equal(await outcome(client.callTool('a', {})), 'inputNotPossible "elicitation/create"');
  });

  for (const [what, answer] of [
    ['a state alone', { requestState: 's' }],
    ['no questions', { inputRequests: {}, requestState: 's' }],
  ] as const) {
    it(`waits longer each time before it is repeated for ${what} (R-384)`, async () => {
      await whileStopped(async (clock) => {
        const client = await connections.to(inputRequired(answer, false));
        const source = new CancellationTokenSource();
        const call = outcome(client.callTool('a', {}, { token: source.token }));
        for (const delayMs of [250, 500, 1_000]) {
          await clock.untilWaiting(delayMs);
          clock.advance(delayMs);
        }
        source.cancel();
        assert.equal(await call, 'cancelled');
      });
    });
  }

  it('ends if the server asks without end', async () => {
    const endless = inputRequired({ inputRequests: { a: { method: 'roots/list' } } }, false);
    const client = await connections.to(endless, { input: new Answers() });
    assert.equal(await outcome(client.callTool('a', {})), 'tooManyRounds');
  });

  it('closes the question and sends nothing if it is cancelled while the user is asked', async () => {
    const asking = new Emitter<void>();
    let isTakenAway = false;
    const input: InputHandler = {
      elicit: (_request, token) => {
        asking.fire();
        return new Promise(() => token.onCancellationRequested(() => (isTakenAway = true)));
      },
    };
    const client = await connections.to(inputRequired(openPage), { input });
    const source = new CancellationTokenSource();
    const call = outcome(client.callTool('a', {}, { token: source.token }));
    await new Promise<void>((resolve) => asking.event(() => resolve()));
    source.cancel();
    assert.equal(await call, 'cancelled');
    assert.equal(isTakenAway, true);
    const received = await receivedBy(client);
    assert.ok(!received.some((it) => it.method === 'notifications/cancelled'));
  });

  it('has no time limit while the user decides', async () => {
    await whileStopped(async (clock) => {
      const input: InputHandler = {
        elicit: async () => {
          clock.advance(600);
          return { action: 'accept' };
        },
      };
      const limits = { callCeilingMs: 500 };
      const client = await connections.to(inputRequired(openPage), { input, limits });
      assert.equal(await textOf(client.callTool('a', {}, { timeoutMs: 500 })), 'done');
    });
  });
});
