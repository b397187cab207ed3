import assert from 'node:assert/strict';
import path from 'node:path';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { TaskRun } from '../../src/core/tasks/taskRun';
import type { TaskState } from '../../src/core/tasks/taskState';
import { Connections, receivedBy, textOf } from './connections';
import { whileStopped } from './stoppedClock';
import { Person } from './taskScenes';
import { outcome } from './wire';

const connections = new Connections();
const modules = path.resolve(__dirname, '../../node_modules/@modelcontextprotocol');
const everything = {
  command: process.execPath,
  args: [path.join(modules, 'server-everything/dist/index.js'), 'stdio'],
  env: {},
};

/** The error of a call, in one line. */
const failure = async (call: Promise<unknown>) => JSON.stringify(await outcome(call));

describe('The task support of a tool', () => {
  afterEach(() => connections.close());

  for (const [what, script, expected] of [
    [
      'counts',
      'server.capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } }',
      'required',
    ],
    ['does not count without the capability of its server (R-540)', '', undefined],
    [
      'does not count in 2026-07-28, where the server decides (R-558)',
      'server.speakStateless()',
      undefined,
    ],
  ] as const) {
    it(what, async () => {
      const client = await connections.to(`(server) => {
        ${script};
        server.on('tools/list', (message) => {
          const execution = { taskSupport: 'required' };
          const tools = [{ name: 'x', inputSchema: { type: 'object' }, execution }];
          server.reply(message, { tools });
        });
      }`);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name, taskSupport }) => [name, taskSupport]),
        [['x', expected]],
      );
    });
  }
});

describe('The polls of tasks', () => {
  it('are spread, so that many tasks do not ask at one time, and none asks too early (R-424)', async () => {
    const state: TaskState = { taskId: 't', status: 'working', pollMs: 1_000 };
    const { token } = new CancellationTokenSource();
    const options = { token, limitMs: 60_000, onTask: undefined, isWatched: () => true };
    const waits = await whileStopped(async (clock) => {
      const pauses = Array.from({ length: 20 }, () => new TaskRun(state, options).pause());
      const polls = clock.waits.filter((ms) => ms !== options.limitMs);
      clock.advance(2_000);
      await Promise.all(pauses);
      return polls;
    });
    assert.equal(waits.length, 20);
    assert.ok(
      waits.every((ms) => ms >= 1_000 && ms <= 1_100),
      waits.join(),
    );
    assert.ok(new Set(waits).size > 1, waits.join());
  });
});

describe('A call that runs as a task of 2025-11-25', () => {
  afterEach(() => connections.close());

  it('returns the result of a real server, which asks a question meanwhile', async () => {
    const input = new Person();
    input.content = { interpretation: 'technical' };
    const client = await connections.toCommand(everything, { input });
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === 'simulate-research-query');
    assert.equal(tool?.taskSupport, 'required');
    assert.equal(client.capabilities.taskCalls, true);
    const states: TaskState[] = [];
    const result = client.callTool(
      'simulate-research-query',
      { topic: 'python', ambiguous: true },
      { isTask: true, onTask: (task) => states.push(task), onProgress: () => undefined },
    );
    assert.match(await textOf(result), /clarification \("technical"\)/);
    assert.equal(input.asked.length, 1);
    assert.ok(states.some(({ status }) => status === 'input_required'));
    assert.equal(new Set(states.map(({ taskId }) => taskId)).size, 1);
  });

  it('is an ordinary call for a server that answers at once, or supports no tasks', async () => {
    const quick = await connections.to((server) => {
      server.capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
    });
    await quick.callTool('x', {}, { isTask: true, onTask: () => assert.fail() });
    const plain = await connections.to((server) => {
      server.capabilities = { tools: {}, tasks: { list: {} } };
    });
    await plain.callTool('x', {}, { isTask: true });
    const tasks = await Promise.all(
      [quick, plain].map(async (client) => {
        const received = await receivedBy(client);
        const call = received.find(({ method }) => method === 'tools/call');
        return Object(call?.params).task;
      }),
    );
    assert.deepEqual(tasks, [{}, undefined]);
  });

  it('cannot be requested by the server, whose questions are answered as usual', async () => {
    const input = new Person();
    const client = await connections.to(
      (server) => {
        server.on('tools/call', (message) => {
          const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
          const params = { message: 'Who?', requestedSchema, task: { ttl: 1_000 } };
          server.send({ id: 'asked', method: 'elicitation/create', params });
          server.on('answer', ({ result }) => server.text(message, JSON.stringify(result)));
        });
      },
      { input },
    );
    const answer = { action: 'accept', content: { name: 'Ada' } };
    assert.deepEqual(JSON.parse(await textOf(client.callTool('x', {}))), answer);
  });
});

describe('A call that a server of 2026-07-28 runs as a task', () => {
  afterEach(() => connections.close());

  it('is not a task if it is created too late, and the answer is returned anyway', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      let late: unknown;
      server.on('tools/call', (message) => {
        if (message.params?.['name'] === 'plain') server.text(message, 'still there');
        else late = message.id;
      });
      // The late answer comes in one piece with this one, before it.
      server.on('resources/read', (message) => {
        const answers = [
          { id: late, result: { resultType: 'task', taskId: 5 } },
          { id: message.id, result: { contents: [{ uri: 'x:y', text: 'z' }] } },
        ];
        server.raw(
          answers.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''),
        );
      });
    });
    const source = new CancellationTokenSource();
    let answers = 0;
    const onLateAnswer = () => (answers += 1);
    const late = client.callTool('late', {}, { token: source.token, onLateAnswer });
    source.cancel();
    assert.match(await failure(late), /cancelled/);
    await client.readResource('x:y');
    assert.equal(answers, 1);
    assert.equal(await textOf(client.callTool('plain', {})), 'still there');
  });

  it('is an invalid answer to any other request', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.on('resources/read', (message) =>
        server.reply(message, { resultType: 'task', taskId: 'x', status: 'working', ttlMs: null }),
      );
    });
    assert.match(await failure(client.readResource('x:y')), /invalidResult/);
  });
});
