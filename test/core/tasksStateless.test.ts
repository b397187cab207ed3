import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { Script } from '../servers/scripted';
import { receivedBy, textOf } from './connections';
import { TaskScene, transports } from './taskScenes';
import { outcome } from './wire';

interface Story {
  /** What each call of the tool is answered with: a task that is so, or at once. */
  readonly created?: readonly (object | 'at once')[];
  /** What each `tasks/get` is answered with, a state or a code; the last for ever. */
  readonly polls?: readonly (object | number)[];
  /** Of the questions in that many polls; then their answers are the result. */
  readonly asks?: readonly (readonly string[])[];
  /** What is told without a poll, once the client listens. */
  readonly told?: readonly object[];
  /** The server answers every `tasks/update` with this error code. */
  readonly refusesAnswers?: number;
  /** Every second poll has the members of each question in another order. */
  readonly isReordered?: true;
}

/** A server of 2026-07-28 that makes tasks of calls; its tools are named after what becomes of them. */
const script: Script = (server) => {
  const result = (text: string, more = {}) => ({
    status: 'completed',
    result: { resultType: 'complete', content: [{ type: 'text', text }], ...more },
  });
  const stories: Record<string, Story> = {
    usual: {},
    'is sometimes a task': { created: ['at once', {}, 'at once'] },
    'ends at its creation': { created: [{ status: 'completed' }] },
    'fails with a result': { polls: [result('no', { isError: true })] },
    'fails without one': {
      polls: [{ status: 'failed', error: { code: -32000, message: 'broke' } }],
    },
    'fails in silence': { polls: [{ status: 'failed', statusMessage: 'said before' }] },
    'is cancelled by the server': { polls: [{ status: 'cancelled' }] },
    'is as in the draft': { polls: [{ resultType: 'task', ...result('draft') }] },
    'is unknown at the third look': { polls: [{}, {}, -32602] },
    'cannot be polled': { polls: [-32603] },
    'refuses the headers of a poll': { polls: [-32020] },
    'is another': { polls: [{ taskId: 'another' }] },
    sleeps: { polls: [{ status: 'sleeping' }] },
    'has no result': { polls: [{ status: 'completed' }] },
    'asks in its result': {
      polls: [{ status: 'completed', result: { resultType: 'input_required', requestState: 's' } }],
    },
    'is structured': { polls: [result('three', { structuredContent: { count: 3 } })] },
    'changes its interval': { polls: [{ pollIntervalMs: 700 }, { pollIntervalMs: 600_000 }, {}] },
    asks: { asks: [['one'], ['one'], ['one', 'two'], ['two'], []] },
    'asks two at once': { asks: [['one', 'two'], ['two'], []] },
    'ends while it is asked': { asks: [['one'], ['one'], []], refusesAnswers: -32602 },
    'asks until it is answered': { asks: Array.from({ length: 50 }, () => ['one']) },
    'takes no answer': { asks: Array.from({ length: 20 }, () => ['one']), refusesAnswers: -32602 },
    'asks in another order': { asks: [['one'], ['one'], ['one'], []], isReordered: true },
    'asks for what it knows': { asks: [['one'], ['one as another'], []] },
    'asks nothing': { polls: [{ status: 'input_required' }] },
    'wants a model': {
      polls: [
        {
          status: 'input_required',
          inputRequests: { one: { method: 'sampling/createMessage', params: {} } },
        },
      ],
    },
    'asks without end': {
      asks: Array.from({ length: 200 }, (_, poll) =>
        Array.from({ length: 15 }, (_key, at) => `${poll}-${at}`),
      ),
    },
    'tells by itself': {
      polls: [{ pollIntervalMs: 30_000 }],
      told: [
        { statusMessage: 'half' },
        { taskId: 'another', status: 'completed' },
        result('told'),
        {},
      ],
    },
    'tells its end without a result': {
      polls: [result('polled')],
      told: [{ status: 'completed' }],
      created: [{ pollIntervalMs: 30_000 }],
    },
    'tells its failure without an error': {
      polls: [result('polled')],
      told: [{}, { status: 'failed', statusMessage: 'said' }],
      created: [{ pollIntervalMs: 30_000 }],
    },
    'tells that it asks without a question': {
      polls: [result('polled')],
      told: [{ status: 'input_required' }],
      created: [{ pollIntervalMs: 30_000 }],
    },
    'has no end': { polls: [{}] },
    'is large': { polls: [result('x'.repeat(2 ** 26))] },
    'is late': { polls: [{}] },
    'ends all the same': { polls: [{}, result('too late')] },
  };
  const tasks = new Map<
    unknown,
    { polls: number; name: string; answers: Record<string, unknown> }
  >();
  const listens = new Map<unknown, unknown>();
  const calls = new Map<string, number>();
  server.speakStateless();
  server.capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const state = (taskId: unknown, more: object = {}) => ({
    taskId,
    status: 'working',
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttlMs: null,
    pollIntervalMs: 500,
    ...more,
  });
  const notify = (taskId: unknown) => {
    const { told = [] } = stories[tasks.get(taskId)?.name ?? ''] ?? {};
    for (const each of told) {
      server.notify(listens.get(taskId), 'notifications/tasks', state(taskId, each));
    }
  };
  server.on('subscriptions/listen', (message) => {
    const { notifications } = Object(message.params);
    server.acknowledge(message);
    for (const taskId of notifications.taskIds ?? []) {
      listens.set(taskId, message.id);
      notify(taskId);
    }
  });
  server.on('tools/call', (message) => {
    const { name = '' } = Object(message.params);
    const { created = [{}] } = stories[name] ?? {};
    const count = calls.get(name) ?? 0;
    calls.set(name, count + 1);
    const how = created[Math.min(count, created.length - 1)] ?? {};
    if (how === 'at once') return server.text(message, `result of ${name}`);
    const taskId = `täsk ${tasks.size}`;
    tasks.set(taskId, { polls: 0, name, answers: {} });
    const reply = () => server.reply(message, { resultType: 'task', ...state(taskId, how) });
    if (name === 'is late') setTimeout(reply, 300);
    else reply();
    return undefined;
  });
  const question = (message: string) => ({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
  });
  const reordered = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, member]) => [key, reordered(member)]),
        )
      : value;
  server.on('tasks/get', (message) => {
    const { taskId } = Object(message.params);
    const task = tasks.get(taskId) ?? { polls: 0, name: '', answers: {} };
    const { polls = [result(`result of ${task.name}`)], asks } = stories[task.name] ?? {};
    const at = task.polls;
    task.polls += 1;
    const isAnswered = Object.keys(task.answers).length > 0;
    const open = task.name === 'asks until it is answered' && isAnswered ? [] : asks?.[at];
    if (open !== undefined && open.length > 0) {
      const entries = open.map((key) => [key.split(' ')[0], question(`${task.name}: ${key}?`)]);
      const isReordered = stories[task.name]?.isReordered === true && at % 2 === 1;
      const inputRequests = Object.fromEntries(
        isReordered ? entries.map(([key, asked]) => [key, reordered(asked)]) : entries,
      );
      const more = { status: 'input_required', inputRequests };
      return server.reply(message, { resultType: 'complete', ...state(taskId, more) });
    }
    const said = polls[Math.min(at, polls.length - 1)] ?? {};
    if (typeof said === 'number') return server.fail(message, said, 'no such task');
    const more = asks === undefined ? said : result(JSON.stringify(task.answers));
    return server.reply(message, { resultType: 'complete', ...state(taskId, more) });
  });
  server.on('tasks/update', (message) => {
    const { taskId, inputResponses } = Object(message.params);
    const { refusesAnswers } = stories[tasks.get(taskId)?.name ?? ''] ?? {};
    if (refusesAnswers !== undefined) return server.fail(message, refusesAnswers, 'too late');
    Object.assign(tasks.get(taskId)?.answers ?? {}, inputResponses);
    return server.reply(message, { resultType: 'complete' });
  });
  server.on('tasks/cancel', (message) => server.reply(message, { resultType: 'complete' }));
};

/** How calls end, by the names of the tools. */
const ends: Readonly<Record<string, string>> = {
  usual: 'result of usual',
  'ends at its creation': 'result of ends at its creation',
  'fails with a result': 'isError no',
  'fails without one': 'serverError -32000 broke',
  'fails in silence': 'serverError said before',
  'is cancelled by the server': 'taskCancelled',
  'is as in the draft': 'draft',
  'is unknown at the third look': 'taskLost -32602 no such task',
  'cannot be polled': 'taskLost -32603 no such task',
  'refuses the headers of a poll': 'taskLost -32020 no such task',
  'is another': 'invalidResult the state of another task',
  sleeps: 'invalidResult a task with the status "sleeping"',
  'has no result': 'invalidResult the result is no object: undefined',
  'asks in its result': 'invalidResult resultType is "input_required"',
  'is structured': 'three',
  'ends while it is asked': '{}',
  'takes no answer': 'serverError -32602 too late',
  'asks in another order': '{"one":{"action":"accept","content":{"name":"Ada"}}}',
  'asks nothing': 'invalidResult a task wants input and asks nothing',
  'asks for what it knows': 'invalidResult one key for two questions',
  'wants a model': 'inputNotPossible "sampling/createMessage"',
};

for (const transport of transports.filter((it) => it !== 'HTTP with GET')) {
  describe(`A task of 2026-07-28 over ${transport}`, () => {
    const scene = new TaskScene();
    before(() => scene.open(transport, script));
    after(() => scene.close());
    const sent = async (method: string) =>
      (await receivedBy(scene.client))
        .filter((message) => message.method === method)
        .map(({ params }) => Object(params));
    const answer = { action: 'accept', content: { name: 'Ada' } };

    it('ends with the status of its server', async () => {
      const names = Object.keys(ends);
      const told = await Promise.all(names.map(async (name) => [name, await scene.endOf(name)]));
      assert.deepEqual(Object.fromEntries(told), ends);
      const calls = (await sent('tools/call')).map(({ name }) => name);
      assert.deepEqual(calls.slice(0, names.length), names);
      assert.equal(calls.length, names.length + 1, 'nothing was called again');
    });

    it('can be created by a call or not, as the server decides', async () => {
      for (const count of [0, 1, 0]) {
        const { states, result } = scene.call('is sometimes a task');
        assert.equal(await textOf(result), 'result of is sometimes a task');
        assert.equal(states.length > 0 ? 1 : 0, count);
      }
      const { structuredContent } = await scene.call('is structured').result;
      assert.deepEqual(structuredContent, { count: 3 });
    });

    it('is polled at the interval that its server named last', async () => {
      const source = new CancellationTokenSource();
      const onTask = ({ pollMs }: { pollMs: number }) => {
        if (pollMs === 30_000) source.cancel();
      };
      const { states, result } = scene.call('changes its interval', {
        token: source.token,
        onTask,
      });
      assert.equal(await outcome(result), 'cancelled');
      assert.deepEqual(
        states.map(({ pollMs }) => pollMs),
        [500, 700, 30_000],
      );
    });

    it('asks each question once, and gets the answers in parts', async () => {
      scene.person.asked.length = 0;
      const all = await Promise.all(['asks', 'asks two at once'].map((name) => scene.endOf(name)));
      for (const end of all) assert.deepEqual(JSON.parse(end), { one: answer, two: answer });
      assert.deepEqual(
        scene.person.asked.map(({ message, tool }) => `${message} ${tool}`).toSorted(),
        [
          'asks two at once: one? asks two at once',
          'asks two at once: two? asks two at once',
          'asks: one? asks',
          'asks: two? asks',
        ],
      );
    });

    it(`can return 64 MiB${transport === 'stdio' ? '' : ' @slow'}`, async () => {
      assert.equal((await textOf(scene.call('is large').result)).length, 2 ** 26);
    });

    it('can send its status instead of being polled', async () => {
      const { states, result } = scene.call('tells by itself');
      assert.equal(await textOf(result), 'told');
      assert.deepEqual(states.map(({ status }) => status).at(-1), 'completed');
      const polls = (await sent('tasks/get')).filter(({ taskId }) => taskId === states[0]?.taskId);
      assert.ok(polls.length < 2, 'the end was not polled for');
    });

    it('is polled if its server sends a status without what belongs to it', async () => {
      for (const name of [
        'tells its end without a result',
        'tells its failure without an error',
        'tells that it asks without a question',
      ]) {
        assert.equal(await textOf(scene.call(name).result), 'polled', name);
      }
    });

    it('is cancelled at its server when it is no longer needed, whatever the server answers', async () => {
      const cancelled = async () => (await sent('tasks/cancel')).map(({ taskId }) => taskId);
      const before = (await cancelled()).length;
      for (const name of ['has no end', 'ends all the same']) {
        const source = new CancellationTokenSource();
        const onTask = () => source.cancel();
        const { states, result } = scene.call(name, { token: source.token, onTask });
        assert.equal(await outcome(result), 'cancelled');
        assert.equal((await cancelled()).at(-1), states[0]?.taskId);
      }
      assert.equal(await scene.endOf('has no end', { taskLimitMs: 50 }), 'timeout');
      assert.equal((await cancelled()).length, before + 3);
    });

    it('is declared wherever it is allowed, and nowhere else', async () => {
      const received = await receivedBy(scene.client);
      const told = received.flatMap(({ method = '', params }) => {
        const meta = Object(params)['_meta'];
        const { extensions } = Object(meta?.['io.modelcontextprotocol/clientCapabilities']);
        return meta === undefined ? [] : [`${method} ${Object.keys(extensions ?? {}).join()}`];
      });
      const extension = 'io.modelcontextprotocol/tasks';
      assert.deepEqual([...new Set(told)].toSorted(), [
        'server/discover ',
        `subscriptions/listen ${extension}`,
        `tasks/cancel ${extension}`,
        `tasks/get ${extension}`,
        `tasks/update ${extension}`,
        `tools/call ${extension}`,
      ]);
    });

    if (transport === 'HTTP') {
      it('gets an answer that its server could not take at once', async () => {
        const { host } = scene;
        assert.ok(host);
        host.unavailable = 'tasks/update';
        assert.deepEqual(JSON.parse(await scene.endOf('asks until it is answered')), {
          one: answer,
        });
        assert.equal(host.unavailable, undefined);
      });
    }

    if (transport === 'stdio') {
      it('is cancelled even if it is created after the call was cancelled', async () => {
        const before = (await sent('tasks/cancel')).length;
        const source = new CancellationTokenSource();
        const late = scene.call('is late', { token: source.token });
        source.cancel();
        assert.equal(await outcome(late.result), 'cancelled');
        while ((await sent('tasks/cancel')).length === before);
      });
    }
  });
}

describe('A task of 2026-07-28 that asks without end', () => {
  const scene = new TaskScene();
  after(() => scene.close());

  it('fails the call after 30 questions in a minute, and is cancelled', async () => {
    await scene.open('stdio', script);
    assert.equal(await scene.endOf('asks without end'), 'inputNotPossible too many questions');
    assert.equal(scene.person.asked.length, 30);
    const methods = (await receivedBy(scene.client)).map(({ method }) => method);
    assert.equal(methods.filter((method) => method === 'tasks/cancel').length, 1);
  });
});
