import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { mkdirSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listenLocally } from '../../src/host/agents/agentEndpoint';
import { AgentCalls, type AgentCallOptions } from '../../src/host/agents/agentCall';
import { AgentHttpServer } from '../../src/host/agents/agentHttp';
import {
  canAgentRequest,
  qualifiedToolName,
  toAgentTool,
  unqualifiedToolName,
  withUniqueNames,
} from '../../src/host/agents/agentTools';
import { toAgentAnswer } from '../../src/host/agents/agentResult';
import { serverPath, serverFromPath } from '../../src/host/agents/agentProtocol';
import { riskOf, riskOfTool, type RiskLevel } from '../../src/core/risk';
import { parseTool } from '../../src/core/parse/parseTool';
import { until } from '../waiting';
import { assertEach } from '../assertions';
import { connectAgent } from './agentClients';
import { AgentScene, type SceneOptions } from './agentScene';

describe('Input from agents', () => {
  let scene: AgentScene;

  async function open(options: SceneOptions = {}): Promise<void> {
    scene = new AgentScene(options);
    scene.answer = async () => ({ kind: 'run' });
    await scene.open('a');
  }
  afterEach(() => scene.end());

  /** Everything that comes until the connection ends. */
  async function untilEnd(stream: Duplex): Promise<string> {
    let said = '';
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => stream.once('close', resolve));
    return said;
  }

  /** An agent that has said hello, and may say anything from then on. */
  async function rawAgent() {
    const stream = await scene.connect({ server: 'a' });
    let said = '';
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const write = (text: string): boolean => stream.write(`${text}\n`);
    const send = (message: object): boolean =>
      write(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const untilSaid = async (pattern: RegExp): Promise<string> => {
      await until(() => pattern.test(said));
      return said;
    };
    const clientInfo = { name: 'x', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    send({ id: 0, method: 'initialize', params });
    await untilSaid(/"id":0/);
    send({ method: 'notifications/initialized' });
    return { send, write, untilSaid, end: () => stream.destroy() };
  }

  /** Whether the endpoint still serves whoever behaves. */
  async function serves(): Promise<boolean> {
    const robot = await connectAgent('SDK 1', await scene.connect());
    const tools = await robot.tools();
    await robot.close();
    return tools.length === 1;
  }

  it('may contain no message that is too large', async () => {
    await open();
    const stream = await scene.connect();
    const said = untilEnd(stream);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let count = 0; count < 256 && !stream.destroyed; count++) {
      if (!stream.write(chunk)) {
        await new Promise<void>((resolve) => {
          stream.once('drain', resolve);
          stream.once('close', resolve);
        });
      }
    }
    assert.match(await said, /A message to Toolgate may have 4194304 bytes/);
    assert.ok(await serves());
  });

  it('may contain no garbage', async () => {
    await open();
    const stream = await scene.connect();
    const said = untilEnd(stream);
    const lines = ['{', 'null', '[]', '7', '"x"', '{"jsonrpc":"1.0","id":1}', '\u0000', '{"a":1}'];
    for (let count = 0; count < 4; count++) stream.write(`${lines.join('\n')}\n`);
    assert.match(await said, /Too many lines were no messages of MCP/);
    assert.ok(await serves());
  });

  it('may contain a maximum of simultaneous requests', async () => {
    await open({ user: [{ effect: 'ask', origin: 'agent' }], limits: { maxRequests: 3 } });
    scene.answer = () => new Promise(() => undefined);
    const { send, untilSaid, end } = await rawAgent();
    for (const id of [1, 2, 3, 99]) {
      send({ id, method: 'tools/call', params: { name: 'never', arguments: {} } });
    }
    assert.match(await untilSaid(/"id":99/), /3 requests at the same time/);
    end();
  });

  it('may contain a maximum of requests per minute, besides calls', async () => {
    await open({
      user: [{ effect: 'allow', origin: 'agent' }],
      limits: { maxRequestsPerMinute: 5 },
    });
    const { send, untilSaid, end } = await rawAgent();
    for (const id of [1, 2, 3, 4, 5, 6]) {
      send({ id, method: id % 2 === 0 ? 'ping' : 'tools/list' });
      await untilSaid(new RegExp(`"id":${id}\\D`));
    }
    // What the list of tools brings may be announced meanwhile.
    const said = (await untilSaid(/./)).trim().split('\n');
    const answers = said.map((line) => JSON.parse(line)).filter(({ id }) => id >= 5);
    assertEach(answers, ({ id }) => id, [5, 6]);
    for (const { error } of answers) {
      assert.equal(error.code, -32_000);
      assert.match(error.message, /takes 5 requests within a minute .+ Wait a moment/);
    }
    send({ id: 7, method: 'tools/call', params: { name: 'echo', arguments: { n: 7 } } });
    assert.match(await untilSaid(/"id":7\D/), /\{\\"n\\":7\}/);
    end();
  });

  it('is answered if it is malformed, and takes no place then', async () => {
    await open({ limits: { maxRequests: 3 } });
    const { write, untilSaid, end } = await rawAgent();
    const malformed = [
      ['1', '"params":[1]'],
      ['2', '"params":{"_meta":5}'],
      ['3', '"params":{"_meta":{"progressToken":9007199254740993}}'],
      ['4', '"params":{"_meta":{"progressToken":true},"name":"echo","arguments":{"n":1.50}}'],
      ['5.5', '"params":{}'],
      ['9007199254740993', '"params":{}'],
      ['9007199254740995', '"params":{"name":"echo","arguments":{"n":1.50}}'],
    ] as const;
    for (const [id, params] of malformed) {
      write(`{"jsonrpc":"2.0","id":${id},"method":"ping",${params}}`);
    }
    write('{"jsonrpc":"2.0","id":99,"method":"ping"}');
    const said = await untilSaid(/"id":99/);
    assert.match(said, /"result":\{\},"jsonrpc":"2.0","id":99/);
    const refused = [...said.matchAll(/"id":([\d.]+),"error":\{"code":-32600,/g)];
    assert.deepEqual(
      refused.map(([, id]) => id),
      malformed.map(([id]) => id),
    );
    end();
  });

  it('may have numbers in any spelling as its id and as the token of its progress', async () => {
    await open({ user: [{ effect: 'allow', origin: 'agent' }] });
    const { write, untilSaid, end } = await rawAgent();
    write(
      '{"jsonrpc":"2.0","id":7.0,"method":"tools/call","params":{"_meta":{"progressToken":7.0},"name":"echo","arguments":{"n":1}}}',
    );
    write('{"jsonrpc":"2.0","id":8.0,"method":"ping"}');
    assert.doesNotMatch(await untilSaid(/"id":7\D/), /-32600/);
    assert.match(await untilSaid(/"id":8\D/), /"result":\{\},"jsonrpc":"2.0","id":8/);
    end();
  });

  it('is answered over HTTP with the id as written if JavaScript cannot hold it', async () => {
    await open();
    const calls = new AgentCalls({} as unknown as AgentCallOptions);
    const errors: Error[] = [];
    const server = await AgentHttpServer.open({
      callsOf: () => calls,
      isExposed: () => true,
      token: 'x',
      port: 0,
      version: '1',
      onError: (error) => errors.push(error),
    });
    const answer = await fetch(server.url, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}',
      headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /"id":9007199254740993,"error":\{"code":-32600,/);
    await server.close();
    assert.deepEqual(errors, []);
  });

  it('frees no place by a cancellation that ends nothing', async () => {
    await open({ user: [{ effect: 'ask', origin: 'agent' }], limits: { maxRequests: 3 } });
    scene.answer = () => new Promise(() => undefined);
    const { send, untilSaid, end } = await rawAgent();
    const call = (id: number) =>
      send({ id, method: 'tools/call', params: { name: 'echo', arguments: { n: id } } });
    const cancel = (params: object) => send({ method: 'notifications/cancelled', params });
    [1, 2, 3].forEach(call);
    await until(() => scene.questions.length === 3);
    for (const requestId of [1, 2, 3]) {
      for (const reason of [7, null, {}]) cancel({ requestId, reason });
      cancel({ requestId, _meta: 'x' });
      cancel({ requestId: String(requestId) });
      cancel({ requestId: [requestId] });
    }
    [4, 5, 6].forEach(call);
    const said = await untilSaid(/"id":6/);
    assert.equal(said.match(/3 requests at the same time/g)?.length, 3);
    assert.equal(scene.running.running.length, 3);
    cancel({ requestId: 2, reason: 'enough' });
    await until(() => scene.running.running.length === 2);
    call(7);
    await until(() => scene.questions.length === 4);
    end();
  });

  it('frees no place by a cancellation before its request has ended', async () => {
    await open({ limits: { maxRequests: 3 } });
    let letGo: () => void = () => undefined;
    scene.servers.holdBack = new Promise((resolve) => (letGo = resolve));
    const { send, untilSaid, end } = await rawAgent();
    for (const id of [1, 2, 3, 4, 5]) {
      send({ id, method: 'tools/list' });
      send({ method: 'notifications/cancelled', params: { requestId: id } });
    }
    send({ id: 99, method: 'tools/list' });
    assert.match(await untilSaid(/"id":99/), /3 requests at the same time/);
    letGo();
    scene.servers.holdBack = undefined;
    await scene.servers.until('a', ({ state }) => state.kind === 'running');
    let id = 100;
    do {
      send({ id: ++id, method: 'tools/list' });
      await untilSaid(new RegExp(`"id":${id}`));
    } while (!/"name":"echo"/.test(await untilSaid(/./)));
    end();
  });

  it('may come from a maximum of connections', async () => {
    await open();
    const { socket } = await scene.window();
    const all = Array.from({ length: 1_000 }, () => createConnection(socket));
    for (const each of all) each.on('error', () => undefined);
    await Promise.all(
      all.map(
        (each) =>
          new Promise((resolve) => {
            each.once('connect', resolve);
            each.once('error', resolve);
          }),
      ),
    );
    for (const each of all) each.destroy();
    await untilServed();
  });

  it('may come from a maximum of agents, each of which is told so in one sentence', async () => {
    await open({ limits: { maxConnections: 2 } });
    const held = [await scene.connect(), await scene.connect()];
    await assert.rejects(scene.connect(), /^Error: 503 +Too many agents are connected\.$/);
    for (const each of held) each.destroy();
    await untilServed();
    await scene.end();
    await open({ limits: { maxConnectionsPerMinute: 1 } });
    (await scene.connect()).destroy();
    await assert.rejects(scene.connect(), /503 +Too many/);
  });

  /** Places come free a moment after those who held them have left. */
  const untilServed = () =>
    until(() =>
      serves().catch((error: unknown) => {
        if (/503|ECONNRESET|socket hang up|EPIPE/.test(String(error))) return false;
        throw error;
      }),
    );

  it('leads no call past the decision, whatever it is and in any order', async () => {
    await open({ user: [{ effect: 'deny', tool: 'structured' }] });
    // The person says yes to whatever they are asked.
    await scene.servers.registry.start('a');
    const name = fc.constantFrom(
      'echo',
      'steer',
      'never',
      'structured',
      'a__steer',
      'unusable',
      '',
    );
    const args = fc.oneof(
      fc.record({ n: fc.integer() }),
      fc.constant({ die: 1 }),
      fc.constant({ n: 'x' }),
      fc.anything({ maxDepth: 1 }),
    );
    const call = fc.record({
      method: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'subscriptions/listen'),
      id: fc.option(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.string({ maxLength: 2 })), {
        nil: undefined,
      }),
      params: fc.oneof(
        fc.record({ name, arguments: args }),
        fc.record({ name, arguments: args, _meta: fc.anything({ maxDepth: 2 }) }),
        fc.anything({ maxDepth: 1 }),
      ),
    });
    const other = fc.oneof(
      fc.record({
        method: fc.constantFrom('notifications/cancelled', 'notifications/initialized', 'x'),
        params: fc.anything({ maxDepth: 2 }),
      }),
      fc.record({ id: fc.integer(), result: fc.anything({ maxDepth: 2 }) }),
    );
    const hello = {
      id: 'hello',
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'robot', version: '1' },
      },
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(call, other), { maxLength: 12 }),
        fc.boolean(),
        async (messages, isGreeted) => {
          const stream = await scene.connect({ server: 'a' });
          stream.on('error', () => undefined);
          stream.resume();
          const asked = scene.questions.length;
          for (const message of [...(isGreeted ? [hello] : []), ...messages]) {
            stream.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
          }
          stream.end();
          await new Promise((resolve) => stream.once('close', resolve));
          await scene.servers.registry.client('a').ping();
          // Of each that was sent somebody was asked, and it is the one tool that agents may ask for.
          const calls = scene.servers.received('a').filter((line) => line.startsWith('called '));
          assert.ok(
            calls.every((line) => /^called echo \{"n":-?\d+/.test(line)),
            calls.join(),
          );
          assert.ok(calls.length <= scene.questions.length);
          const now = scene.questions.slice(asked);
          assert.ok(
            now.every(({ entry, origin }) => entry.tool.name === 'echo' && origin === 'agent'),
          );
        },
      ),
      { numRuns: 60 },
    );
    await untilServed();
  });
});

describe('Output to agents', () => {
  const entryOf = (raw: object, level?: RiskLevel) => {
    const tool = parseTool({ name: 't', inputSchema: { type: 'object' }, ...raw });
    const risk = level === undefined ? riskOfTool(tool) : riskOf(tool.annotations, { level });
    return { serverId: 's', tool, risk };
  };

  it('is never less strict than the risk that applies, or than the server says', () => {
    const hintsOf = (annotations: object, level?: RiskLevel) => {
      const { definition } = toAgentTool(entryOf({ annotations }, level), 't');
      const { readOnlyHint, destructiveHint } = definition.annotations;
      return readOnlyHint ? 'readOnly' : destructiveHint ? 'destructive' : 'additive';
    };
    assert.equal(hintsOf({ readOnlyHint: true }), 'readOnly');
    assert.equal(hintsOf({}), 'destructive');
    assert.equal(hintsOf({ readOnlyHint: true }, 'destructive'), 'destructive');
    assert.equal(hintsOf({}, 'readOnly'), 'destructive');
    assert.equal(hintsOf({ destructiveHint: false }, 'readOnly'), 'additive');
  });

  it('contains no hidden characters, and says what was removed', () => {
    const tag = '\u{E0041}\u202E';
    const { definition } = toAgentTool(
      entryOf({
        title: `A${tag}`,
        description: `Reads${tag}.`,
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'string', description: `x${tag}`, enum: [`y${tag}`] } },
        },
      }),
      't',
    );
    assert.deepEqual(
      [definition.title, definition.description],
      ['A', 'Reads.\n\n(Toolgate has taken hidden characters out of what the server says here.)'],
    );
    assert.deepEqual(definition.inputSchema.properties, {
      a: { type: 'string', description: 'x', enum: [`y${tag}`] },
    });
  });

  it('contains no hidden characters in a schema, except in values for a validator', () => {
    const tag = '\u{E0041}';
    const inputSchema = {
      type: 'object',
      properties: {
        default: { type: 'string', description: `x${tag}` },
        enum: { items: { title: `y${tag}` } },
        pattern: { pattern: `^${tag}$`, 'x-hint': { [`a${tag}`]: [`z${tag}`] } },
      },
      $defs: { const: { description: `d${tag}`, default: `k${tag}` } },
    };
    const { definition } = toAgentTool(entryOf({ inputSchema }), 't');
    assert.match(definition.description ?? '', /^\(Toolgate has taken hidden characters out/);
    assert.deepEqual(definition.inputSchema, {
      type: 'object',
      properties: {
        default: { type: 'string', description: 'x' },
        enum: { items: { title: 'y' } },
        pattern: { pattern: `^${tag}$`, 'x-hint': { a: ['z'] } },
      },
      $defs: { const: { description: 'd', default: `k${tag}` } },
    });
  });

  it('contains nothing hidden beyond the checked part or depth', () => {
    const many = 'a\u200B'.repeat(12_000);
    let deep: object = { description: 'x\u200B' };
    for (let level = 0; level < 60; level++) deep = { items: deep };
    const { definition } = toAgentTool(
      entryOf({
        title: many,
        description: many,
        inputSchema: { type: 'object', properties: { many: { description: many }, deep } },
      }),
      't',
    );
    assert.doesNotMatch(JSON.stringify(definition), /\u200B|"x"/);
    assert.match(definition.description ?? '', /^a{12000}\n/);
  });

  it('gives each tool one unique name, in characters that clients accept', async () => {
    assert.equal(qualifiedToolName('files', 'read_file'), 'files__read_file');
    const odd = [
      ['my server', 'x'],
      ['my.server', 'x'],
      ['a__b', 'c'],
      ['a', 'x'.repeat(100)],
      ['ü', 'é/è'],
    ] as const;
    const made = odd.map(([server, tool]) => qualifiedToolName(server, tool));
    assert.ok(
      made.every((name) => /^[\w-]{1,64}$/.test(name)),
      made.join(),
    );
    assert.equal(new Set(made).size, odd.length);
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.string(), fc.string(), async (a, b, c, d) => {
        const tools = [
          [a, b],
          [c, d],
        ].map(([server = '', tool = '']) => {
          const entry = { ...entryOf({ name: tool || 'x' }), serverId: server };
          return toAgentTool(entry, qualifiedToolName(server, tool));
        });
        const unique = await withUniqueNames(tools);
        assert.equal(new Set(unique.map(({ definition }) => definition.name)).size, unique.length);
      }),
    );
  });

  it('gives the list of one server names that clients accept, shows the original, and hides no valid tool', async () => {
    const own = ['get.weather', 'a tool', 'x'.repeat(65), 'a\u200B', 'ü', 'plain', 'a'];
    const made = own.map((tool) => unqualifiedToolName('s', tool));
    assert.ok(
      made.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)),
      made.join(),
    );
    assert.equal(new Set(made).size, own.length);
    assert.deepEqual(made.slice(-2), ['plain', 'a']);
    const [first = ''] = made;
    // A tool whose own name is the changed name of another keeps it.
    const tools = [
      toAgentTool(entryOf({ name: 'get.weather' }), first, false),
      toAgentTool(entryOf({ name: first }), first),
    ];
    assert.match(tools[0]?.definition.description ?? '', /at the server is "get\.weather"/);
    const unique = await withUniqueNames(tools);
    assertEach(unique, ({ tool }) => tool, [first]);
  });

  it('contains no tool that its server keeps for an app', () => {
    const visible = (visibility: unknown) =>
      canAgentRequest(entryOf({ _meta: { ui: { visibility } } }, 'readOnly'), []);
    assert.deepEqual([['app'], [], ['app', 'model'], undefined].map(visible), [
      false,
      false,
      true,
      true,
    ]);
  });

  it('is created and read in turns, however many tools there are', async () => {
    const tools = Array.from({ length: 200 }, (_, at) => toAgentTool(entryOf({}), `t${at}`));
    const calls = new AgentCalls({
      access: { prepare: () => Promise.resolve(), toolsOf: () => Promise.resolve(tools) },
    } as unknown as AgentCallOptions);
    for (const work of [() => withUniqueNames(tools), () => calls.list()]) {
      assert.ok((await roundsOf(work)) >= tools.length, String(work));
    }
  });

  it('has a path for each server, and no other path leads to one', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (server) => {
        assert.deepEqual(serverFromPath(serverPath(server)), { server });
      }),
    );
    for (const odd of ['', '/', '/mcp/', '/mcpx', '/x/mcp', '/mcp/a/b', '/mcp/%', 'mcp']) {
      assert.equal(serverFromPath(odd), undefined, odd);
    }
  });

  it('is limited, and says in place what is withheld', () => {
    const short = 'x'.repeat(90);
    const long = 'x'.repeat(300);
    const answer = toAgentAnswer(
      {
        content: [
          { type: 'text', text: short },
          { type: 'text', text: long },
          { type: 'image', data: new Uint8Array(3), mimeType: 'image/png' },
          { type: 'unknown', raw: { type: 'video' }, reason: '' },
        ],
        structuredContent: { long },
        isError: true,
      },
      340,
    );
    const withheld = (what: string, size: number): string =>
      `(Toolgate has withheld ${what} (${size} characters or bytes) of this answer; the person has all of it in the editor.)`;
    assert.deepEqual(answer, {
      content: [
        { type: 'text', text: short },
        { type: 'text', text: withheld('a text', 300) },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'text', text: '{"type":"video"}' },
        { type: 'text', text: withheld('structured content', 311) },
      ],
      isError: true,
    });
  });

  it('is limited in links and in the description of the rest', () => {
    const uri = `file:///${'x'.repeat(100)}`;
    const link = { type: 'resource_link', uri, name: 'x' } as const;
    const content = Array.from({ length: 1_000 }, () => link);
    const answer = toAgentAnswer({ content, isError: false }, 400);
    assert.equal(answer.content.length, 23);
    assert.deepEqual(answer.content.slice(0, 2), [link, link]);
    assert.deepEqual(answer.content.at(-1), {
      type: 'text',
      text: '(Toolgate has withheld 978 more parts of this answer; the person has all of it in the editor.)',
    });
  });

  it('is a sentence if the path of a socket is too long', async function () {
    if (process.platform === 'win32') this.skip();
    const scene = new AgentScene();
    const long = path.join(scene.folder, 'x'.repeat(80));
    mkdirSync(long);
    await assert.rejects(
      listenLocally(createServer(), long),
      /The path of the socket for agents has \d+ bytes, and 103 is the most/,
    );
    const server = createServer();
    const listening = await listenLocally(server, scene.folder);
    await new Promise((resolve) => server.close(resolve));
    await listening.remove();
    await scene.end();
  });
});

/** How many turns of the event loop others get while each look at the clock finds that a turn took too long. */
async function roundsOf(work: () => Promise<unknown>): Promise<number> {
  const real = Object.getOwnPropertyDescriptor(performance, 'now');
  const state = { looks: 0, rounds: 0, isOver: false };
  performance.now = () => (state.looks += 1) * 10;
  const done = work().finally(() => (state.isOver = true));
  while (!state.isOver) {
    await nextTurn();
    state.rounds += 1;
  }
  if (real === undefined) Reflect.deleteProperty(performance, 'now');
  else Object.defineProperty(performance, 'now', real);
  await done;
  return state.rounds;
}
