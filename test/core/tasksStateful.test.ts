import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { connectHttp } from '../../src/core/http/connectHttp';
import { HttpServer, resultFor, sendJson, stateful, textFor } from '../servers/httpServer';
import type { ReceivedMessage, Script } from '../servers/scripted';
import { clientInfo, Connections, receivedBy, textOf } from './connections';
import { assertValidMessage } from './mcpSchema';
import { TaskScene, transports } from './taskScenes';
import { outcome, RecordingLog } from './wire';

interface Story {
  /** What is said of the task at its creation. */
  readonly created?: object;
  /** What each `tasks/get` is answered with, a state or a code; the last for ever. */
  readonly polls?: readonly (object | number)[];
  readonly result?: object;
  readonly code?: number;
  /** How many questions come before the result. */
  readonly questions?: number;
}

/** A server of 2025-11-25 whose tools are named after what becomes of their tasks. */
const script: Script = (server) => {
  const ended = { status: 'completed' };
  const asking = { status: 'input_required' };
  const stories: Record<string, Story> = {
    usual: {},
    reports: {},
    'fails with a result': { polls: [{ status: 'failed' }], result: { isError: true } },
    'fails without one': { polls: [{ status: 'failed' }], code: -32000 },
    'is cancelled by the server': { polls: [{ status: 'cancelled' }], code: -32603 },
    'is unknown at once': { polls: [-32602] },
    'is unknown soon': { polls: [{}, {}, -32602] },
    'is unknown at the end': { code: -32602 },
    'cannot be polled': { polls: [-32603] },
    'is another': { polls: [{ taskId: 'another' }] },
    'has the result of another': {
      result: { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'x' } } },
    },
    sleeps: { polls: [{ status: 'sleeping' }] },
    'is none': { polls: [{ taskId: 5 }] },
    'is structured': { result: { structuredContent: { count: 3 } } },
    'asks twice': { polls: [asking, asking, ended], questions: 2 },
    'asks and is cancelled': { polls: [asking, asking, { status: 'cancelled' }], code: -32603 },
    'keeps shorter': {
      created: { ttl: 60_000 },
      polls: [{ ttl: 1_000 }, { ttl: null }, { ttl: 0 }, { ...ended, ttl: -5 }],
    },
    hurries: { created: { pollInterval: 0 }, polls: [{}] },
    'has time': { created: { pollInterval: 600_000 }, polls: [{}] },
    'says nothing': { created: { pollInterval: undefined }, polls: [{}] },
    'has no end': { polls: [{}] },
    'holds a question': { polls: [asking], questions: 1 },
    'asks without end': { polls: [asking], questions: 200 },
    'has ended unseen': { polls: [{}] },
    'is large': { result: { content: [{ type: 'text', text: 'x'.repeat(2 ** 26) }] } },
  };
  const tasks = new Map<unknown, { polls: number; name: string }>();
  const questions = new Map<unknown, (answer: unknown) => void>();
  server.capabilities = {
    tools: {},
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  };
  const state = (taskId: unknown, more: object = {}) => ({
    taskId,
    status: 'working',
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttl: null,
    pollInterval: 500,
    ...more,
  });
  server.on('tools/call', (message) => {
    const { name = '', task, _meta: meta } = Object(message.params);
    if (task === undefined) return server.text(message, 'called plainly');
    const taskId = `täsk ${tasks.size}`;
    tasks.set(taskId, { polls: 0, name });
    // Servers of the official SDK tell of a task before they answer.
    server.send({ method: 'notifications/tasks/status', params: state(taskId) });
    const { progressToken } = meta ?? {};
    if (progressToken !== undefined) {
      server.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    }
    return server.reply(message, { task: state(taskId, stories[name]?.created) });
  });
  server.on('tasks/get', (message) => {
    const { taskId } = Object(message.params);
    const task = tasks.get(taskId) ?? { polls: 0, name: '' };
    const { polls = [{ status: 'completed' }] } = stories[task.name] ?? {};
    const said = polls[Math.min(task.polls, polls.length - 1)] ?? {};
    task.polls += 1;
    if (typeof said === 'number') server.fail(message, said, 'no such task');
    else server.reply(message, state(taskId, said));
  });
  const sendResult = async (message: ReceivedMessage) => {
    const { taskId } = Object(message.params);
    const { name } = tasks.get(taskId) ?? { name: '' };
    const { code, result, questions: count = 0 } = stories[name] ?? {};
    const meta = { 'io.modelcontextprotocol/related-task': { taskId } };
    const answers: unknown[] = [];
    for (let number = 0; number < count; number += 1) {
      const id = `${taskId}, question ${number}`;
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      const params = { message: `${name} ${number}?`, requestedSchema, _meta: meta };
      const answer = new Promise((resolve) => questions.set(id, resolve));
      server.send({ id, method: 'elicitation/create', params });
      answers.push(await answer);
    }
    if (code !== undefined) return server.fail(message, code, 'no result');
    const text = answers.length > 0 ? JSON.stringify(answers) : `result of ${name}`;
    return server.reply(message, { content: [{ type: 'text', text }], _meta: meta, ...result });
  };
  server.on('tasks/result', (message) => void sendResult(message));
  server.on('answer', ({ id, result }) => questions.get(id)?.(result));
  server.on('tasks/list', (message) => {
    const { cursor = '0' } = Object(message.params);
    const { length } = [...tasks.values()].filter(({ name }) => name.startsWith('of '));
    const total = length === 0 ? 25 : 10_000;
    const end = Math.min(Number(cursor) + (total === 25 ? 10 : 2_500), total);
    const listed = Array.from({ length: end - Number(cursor) }, (_, at) =>
      state(`${at}, ${cursor}`),
    );
    // What is none, and what was listed before.
    const page = [...listed, { taskId: 5 }, state('0, 0')];
    server.reply(message, { tasks: page, ...(end < total ? { nextCursor: String(end) } : {}) });
  });
  server.on('tasks/cancel', (message) => {
    const { taskId } = Object(message.params);
    if (tasks.get(taskId)?.name === 'has ended unseen') server.fail(message, -32602, 'it ended');
    else server.reply(message, state(taskId, { status: 'cancelled' }));
  });
};

/** How calls end, by the names of the tools. */
const ends: Readonly<Record<string, string>> = {
  usual: 'result of usual',
  'fails with a result': 'isError result of fails with a result',
  'fails without one': 'serverError -32000 no result',
  'is cancelled by the server': 'taskCancelled',
  'is unknown at once': 'taskLost -32602 no such task',
  'is unknown soon': 'taskLost -32602 no such task',
  'is unknown at the end': 'taskLost -32602 no result',
  'cannot be polled': 'taskLost -32603 no such task',
  'is another': 'invalidResult the state of another task',
  'has the result of another': 'invalidResult the result of another task',
  sleeps: 'invalidResult a task with the status "sleeping"',
  'is none': 'invalidResult a task without an id of 1 to 1,024 characters',
  'is structured': 'result of is structured',
  'asks and is cancelled': 'taskCancelled',
};

for (const transport of transports) {
  describe(`A task of 2025-11-25 over ${transport}`, () => {
    const scene = new TaskScene();
    before(() => scene.open(transport, script));
    after(() => scene.close());
    const cancelled = async () =>
      (await receivedBy(scene.client))
        .filter(({ method }) => method === 'tasks/cancel')
        .map(({ params }) => params?.['taskId']);

    it('ends with the status of its server', async () => {
      const names = Object.keys(ends);
      const told = await Promise.all(names.map(async (name) => [name, await scene.endOf(name)]));
      assert.deepEqual(Object.fromEntries(told), ends);
    });

    it('returns structured content, and reports progress from before its creation', async () => {
      const progress: number[] = [];
      const onProgress = (report: { progress: number }) => progress.push(report.progress);
      await scene.call('reports', { onProgress }).result;
      assert.deepEqual(progress, [1]);
      const { states, result } = scene.call('is structured');
      assert.deepEqual((await result).structuredContent, { count: 3 });
      const kept = JSON.stringify(await result);
      assert.ok(!kept.includes(states[0]?.taskId ?? assert.fail()), 'the id is a secret');
    });

    it('asks two questions, whose answers name their task', async () => {
      const answers: readonly object[] = JSON.parse(await scene.endOf('asks twice'));
      assert.deepEqual(
        answers.map((answer) => {
          const { action, content, _meta: meta } = Object(answer);
          return [action, content, Object.keys(meta)];
        }),
        [0, 1].map(() => ['accept', { name: 'Ada' }, ['io.modelcontextprotocol/related-task']]),
      );
      const asked = scene.person.asked.map(({ message, tool }) => [message, tool]);
      assert.deepEqual(asked, [
        ['asks twice 0?', 'asks twice'],
        ['asks twice 1?', 'asks twice'],
      ]);
    });

    it('is kept as long as its server says, and polled at a reasonable interval', async () => {
      const { states, result } = scene.call('keeps shorter');
      await result;
      assert.deepEqual(
        states.map(({ ttlMs }) => ttlMs),
        [60_000, 1_000, undefined, undefined, undefined],
      );
      const intervals = ['hurries', 'has time', 'says nothing'].map(async (name) => {
        const source = new CancellationTokenSource();
        const onTask = () => source.cancel();
        const call = scene.call(name, { token: source.token, onTask });
        assert.equal(await outcome(call.result), 'cancelled');
        return call.states[0]?.pollMs;
      });
      assert.deepEqual(await Promise.all(intervals), [500, 30_000, 1_000]);
    });

    it('is cancelled at its server when it is no longer needed, whatever the server answers', async () => {
      const before = new Set(await cancelled());
      const given = ['has no end', 'has ended unseen', 'holds a question'].map(async (name) => {
        const source = new CancellationTokenSource();
        scene.person.isAway = true;
        const onTask = ({ status }: { status: string }) => {
          if (name !== 'holds a question') source.cancel();
          else if (status === 'input_required')
            void scene.person.isAsked().then(() => source.cancel());
        };
        const { states, result } = scene.call(name, { token: source.token, onTask });
        assert.equal(await outcome(result), 'cancelled');
        return states[0]?.taskId;
      });
      const ids = await Promise.all(given);
      const answers = (await receivedBy(scene.client)).filter(
        ({ result }) => Object(result).action === 'cancel',
      );
      // Its answer names its task.
      assert.deepEqual(
        answers.map(({ result }) => Object.keys(Object(result)['_meta'] ?? {})),
        [['io.modelcontextprotocol/related-task']],
      );
      // A question of a task that nobody wants must not stay on the screen.
      assert.deepEqual(scene.person.withdrawn, ['holds a question 0?']);
      scene.person.isAway = false;
      assert.equal(await scene.endOf('has no end', { taskLimitMs: 50 }), 'timeout');
      const after = (await cancelled()).filter((id) => !before.has(id));
      assert.deepEqual(new Set(after.slice(0, 3)), new Set(ids));
      assert.equal(after.length, 4);
    });

    it('is listed, one of 25 or of 10,000, up to the first 1,000', async () => {
      const few = await scene.client.listTasks();
      assert.deepEqual(
        [few.tasks.length, few.problems],
        [25, [{ code: 'repeatedEntries', count: 2 }]],
      );
      await scene.call('of many').result;
      const many = await scene.client.listTasks();
      const problems = [{ code: 'tooManyTasks', limit: 1_000 }];
      assert.deepEqual([many.tasks.length, many.problems], [1_000, problems]);
    });

    it(`can return 64 MiB${transport === 'stdio' ? '' : ' @slow'}`, async () => {
      assert.equal((await textOf(scene.call('is large').result)).length, 2 ** 26);
    });

    it('uses only messages that match the schema', async () => {
      const received = (await receivedBy(scene.client)).filter(
        ({ method }) => method === 'tools/call' || method?.startsWith('tasks/') === true,
      );
      for (const message of received) assertValidMessage('2025-11-25', message);
      assert.ok(received.length > 40);
    });

    if (transport !== 'stdio') {
      it('is not called again if its session is lost', async () => {
        const count = () =>
          scene.host?.http.log.filter((entry) => entry === 'POST tools/call').length ?? 0;
        const before = count();
        const onTask = () => scene.host?.forgetSession();
        const { result } = scene.call('has no end', { onTask });
        assert.equal(
          await outcome(result)
            .then(String)
            .then((it) => it.split(' ')[0]),
          'taskLost',
        );
        assert.equal(count(), before + 1);
      });
    }
  });
}

describe('A task of 2025-11-25 that asks without end', () => {
  const scene = new TaskScene();
  after(() => scene.close());

  it('asks the user 30 questions in a minute, and the others are refused', async () => {
    await scene.open('stdio', script);
    const answers: readonly unknown[] = JSON.parse(await scene.endOf('asks without end'));
    assert.equal(answers.length, 200);
    assert.deepEqual(answers.filter((answer) => answer !== null).length, 30);
    assert.equal(scene.person.asked.length, 30);
  });
});

describe('A server of 2025-11-25 that only makes tasks', function () {
  const connections = new Connections();
  after(() => connections.close());

  it('gets no request for a list, and no cancellation', async () => {
    const client = await connections.to((server) => {
      server.capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
      server.on('tools/call', (message) => {
        server.reply(message, { task: { taskId: 'x', status: 'working', ttl: null } });
      });
    });
    assert.deepEqual(await client.listTasks(), { tasks: [], problems: [] });
    const source = new CancellationTokenSource();
    const onTask = () => source.cancel();
    const call = client.callTool('x', {}, { isTask: true, token: source.token, onTask });
    assert.equal(await outcome(call), 'cancelled');
    const handle = { wire: 'stateful', taskId: 'x', createdAt: 0, tool: 'x' } as const;
    const byHand = client.requestTask('tasks/cancel', handle);
    assert.equal(await outcome(byHand), 'unsupportedFeature tasks/cancel');
    const methods = (await receivedBy(client)).map(({ method }) => method);
    assert.deepEqual(methods.slice(-2), ['tools/call', 'tools/call']);
  });
});

describe('A task of 2025-11-25 whose result comes while its state is requested', () => {
  const state = { taskId: 'x', status: 'input_required', ttl: null, pollInterval: 500 };
  const connections = new Connections();
  after(() => connections.close());

  it('returns it, though the server forgets a task with the delivery', async () => {
    const client = await connections.to((server) => {
      server.capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
      let held: ReceivedMessage | undefined;
      const task = { taskId: 'x', status: 'input_required', ttl: null, pollInterval: 500 };
      server.on('tools/call', (message) => server.reply(message, { task }));
      server.on('tasks/result', (message) => (held = message));
      server.on('tasks/get', (message) => {
        if (held !== undefined) server.text(held, 'the result');
        server.fail(message, -32602, 'no such task');
      });
    });
    assert.equal(await textOf(client.callTool('x', {}, { isTask: true })), 'the result');
  });

  it('returns it, though the refusal of the state arrives before it', async () => {
    const client = await connections.to((server) => {
      server.capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
      let held: ReceivedMessage | undefined;
      const task = { taskId: 'x', status: 'input_required', ttl: null, pollInterval: 500 };
      server.on('tools/call', (message) => server.reply(message, { task }));
      server.on('tasks/result', (message) => (held = message));
      server.on('tasks/get', (message) => {
        server.fail(message, -32602, 'no such task');
        setTimeout(() => held !== undefined && server.text(held, 'the result'), 100);
      });
    });
    assert.equal(await textOf(client.callTool('x', {}, { isTask: true })), 'the result');
  });

  it('returns it, though the server is too busy to tell the state, and is asked only once', async () => {
    let held: (() => void) | undefined;
    const server = await HttpServer.start(
      stateful({
        capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
        onCall: (request, response) => sendJson(response, resultFor(request, { task: state })),
        take: (request, response) => {
          const { method } = request.message;
          if (method === 'tasks/result') {
            held = () => sendJson(response, textFor(request, 'the result'));
          } else if (method === 'tasks/get') {
            response.writeHead(held === undefined ? 400 : 503).end();
            held?.();
            held = undefined;
          } else return false;
          return true;
        },
      }),
    );
    const client = await connectHttp({ url: server.url, clientInfo, log: new RecordingLog() });
    const said = await outcome(textOf(client.callTool('x', {}, { isTask: true })));
    await client.close();
    await server.stop();
    assert.equal(said, 'the result');
    assert.equal(server.log.filter((line) => line === 'POST tasks/get').length, 1);
  });
});
