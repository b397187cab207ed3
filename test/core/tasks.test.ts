import assert from 'node:assert/strict';
import path from 'node:path';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CallOptions, McpClient } from '../../src/core/client';
import type { ElicitationRequest } from '../../src/core/input/elicitation';
import type { InputHandler } from '../../src/core/input/inputHandler';
import type { TaskState } from '../../src/core/tasks/taskState';
import type { Script } from '../servers/scripted';
import { Connections, receivedBy, textOf } from './connections';
import { assertValidMessage } from './mcpSchema';
import { outcome } from './wire';

const connections = new Connections();
const modules = path.resolve(__dirname, '../../node_modules/@modelcontextprotocol');
const everything = {
  command: process.execPath,
  args: [path.join(modules, 'server-everything/dist/index.js'), 'stdio'],
  env: {},
};

/** Accepts every question with the same content. */
class Answers implements InputHandler {
  readonly asked: ElicitationRequest[] = [];
  constructor(readonly content: Readonly<Record<string, string>>) {}
  async elicit(request: ElicitationRequest) {
    this.asked.push(request);
    return { action: 'accept' as const, content: this.content };
  }
}

/** Calls `tool` as a task and keeps what the server said of the task. */
function followed(client: McpClient, tool: string, options: CallOptions = {}) {
  const states: TaskState[] = [];
  const onTask = (task: TaskState) => states.push(task);
  return { states, result: client.callTool(tool, {}, { isTask: true, onTask, ...options }) };
}

/** The error of a call, in one line. */
const failure = async (call: Promise<unknown>) => JSON.stringify(await outcome(call));

const methodsOf = (messages: Awaited<ReturnType<typeof receivedBy>>) =>
  messages.map(({ method = 'answer' }) => method).filter((method) => method.startsWith('t'));

/** A server of 2025-11-25 whose tools are named after what becomes of their tasks. */
const stateful: Script = (server) => {
  const tasks = new Map<string, { polls: number; name: string }>();
  server.capabilities = {
    tools: {},
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  };
  const state = (taskId: string, status: string, more = {}) => ({
    taskId,
    status,
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttl: null,
    pollInterval: 500,
    ...more,
  });
  server.on('tools/call', (message) => {
    const { name = '', task, _meta: meta } = Object(message.params);
    if (name === 'received') return server.text(message, JSON.stringify(server.received));
    if (task === undefined) return server.text(message, 'called plainly');
    if (name === 'at once') return server.text(message, 'answered at once');
    const taskId = `task ${tasks.size}`;
    tasks.set(taskId, { polls: 0, name });
    server.send({ method: 'notifications/tasks/status', params: state(taskId, 'working') });
    server.reply(message, { task: state(taskId, 'working', { statusMessage: 'begun' }) });
    if (name === 'reports') {
      const { progressToken } = meta;
      server.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    }
    return undefined;
  });
  server.on('tasks/get', (message) => {
    const { taskId } = Object(message.params);
    const task = tasks.get(taskId);
    if (task === undefined) return server.fail(message, -32602, 'unknown task');
    task.polls += 1;
    const ends: Record<string, string> = { broken: 'failed', sad: 'failed', dropped: 'cancelled' };
    if (task.name === 'foreign') return server.reply(message, state('other', 'working'));
    if (task.name === 'odd') return server.reply(message, state(taskId, 'sleeping'));
    if (task.name === 'gone' || task.name === 'slow') {
      if (task.name === 'gone') tasks.delete(taskId);
      return server.reply(message, state(taskId, 'working', { pollInterval: 0 }));
    }
    return server.reply(message, state(taskId, ends[task.name] ?? 'completed'));
  });
  server.on('tasks/result', (message) => {
    const { taskId } = Object(message.params);
    const { name = '' } = tasks.get(taskId) ?? {};
    if (name === 'broken') return server.fail(message, -32000, 'it broke');
    const related = { 'io.modelcontextprotocol/related-task': { taskId } };
    const content = [{ type: 'text', text: `result of ${name}` }];
    return server.reply(message, { content, isError: name === 'sad', _meta: related });
  });
  server.on('tasks/cancel', (message) => {
    const { taskId } = Object(message.params);
    server.reply(message, state(taskId, 'cancelled'));
  });
};

describe('A call that runs as a task of 2025-11-25', function () {
  this.timeout(30_000);
  afterEach(() => connections.close());

  it('brings the result of a real server, which asks a question in between', async () => {
    const input = new Answers({ interpretation: 'technical' });
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

  it('is created, polled and fetched with messages of the schema; progress goes on', async () => {
    const client = await connections.to(stateful);
    const progress: number[] = [];
    const { states, result } = followed(client, 'reports', {
      onProgress: (report) => progress.push(report.progress),
    });
    assert.equal(await textOf(result), 'result of reports');
    assert.deepEqual(
      states.map(({ status, statusMessage }) => [status, statusMessage]),
      [
        ['working', 'begun'],
        ['completed', undefined],
      ],
    );
    assert.deepEqual(progress, [1]);
    // Behind the question which era it is.
    const received = (await receivedBy(client)).slice(1);
    for (const message of received) assertValidMessage('2025-11-25', message);
    assert.deepEqual(methodsOf(received).slice(0, 3), ['tools/call', 'tasks/get', 'tasks/result']);
  });

  it('keeps what a tool said as it failed, and the error of one that broke', async () => {
    const client = await connections.to(stateful);
    const sad = await followed(client, 'sad').result;
    assert.equal(sad.isError, true);
    assert.match(await failure(followed(client, 'broken').result), /serverError.*it broke/);
    assert.match(await failure(followed(client, 'dropped').result), /taskCancelled/);
  });

  it('is refused where the server speaks of another task, of an unknown state or of none', async () => {
    const client = await connections.to(stateful);
    assert.match(await failure(followed(client, 'foreign').result), /invalidResult.*another task/);
    assert.match(await failure(followed(client, 'odd').result), /invalidResult.*sleeping/);
    assert.match(await failure(followed(client, 'gone').result), /taskLost/);
  });

  it('is an ordinary call for a server that answers at once, or takes no tasks', async () => {
    const client = await connections.to(stateful);
    assert.equal(await textOf(followed(client, 'at once').result), 'answered at once');
    const plain = await connections.to((server) => {
      server.capabilities = { tools: {}, tasks: { list: {} } };
    });
    await followed(plain, 'x').result;
    const calls = (await receivedBy(plain)).filter(({ method }) => method === 'tools/call');
    assert.equal(Object(calls[0]?.params).task, undefined);
  });

  it('is cancelled at the server when nobody wants it any more, and when its time is over', async () => {
    const client = await connections.to(stateful);
    const source = new CancellationTokenSource();
    const onTask = () => source.cancel();
    const { result } = followed(client, 'slow', { token: source.token, onTask });
    assert.match(await failure(result), /cancelled/);
    assert.match(await failure(followed(client, 'slow', { taskLimitMs: 50 }).result), /timeout/);
    const cancels = (await receivedBy(client)).filter(({ method }) => method === 'tasks/cancel');
    assert.deepEqual(
      cancels.map(({ params }) => params?.['taskId']),
      ['task 0', 'task 1'],
    );
  });
});

/** A server of 2026-07-28 that makes tasks of calls, by the names of its tools. */
const stateless: Script = (server) => {
  const tasks = new Map<string, { polls: number; name: string; answers: object[] }>();
  server.speakStateless();
  const state = (taskId: string, status: string, more = {}) => ({
    taskId,
    status,
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttlMs: null,
    pollIntervalMs: 500,
    ...more,
  });
  const question = (message: string) => ({
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
  });
  server.on('tools/call', (message) => {
    const { name = '' } = Object(message.params);
    if (name === 'received') return server.text(message, JSON.stringify(server.received));
    if (name === 'plain') return server.text(message, 'no task');
    const taskId = `task ${tasks.size}`;
    tasks.set(taskId, { polls: 0, name, answers: [] });
    const status = name === 'finished' ? 'completed' : 'working';
    const reply = () => server.reply(message, { resultType: 'task', ...state(taskId, status) });
    if (name === 'late') setTimeout(reply, 300);
    else reply();
    return undefined;
  });
  const openQuestions = (name: string, polls: number): object => {
    if (name === 'reused') return { one: question(polls === 1 ? 'Who?' : 'Who else?') };
    return { one: question('Who?'), ...(polls > 1 ? { two: question('And who?') } : {}) };
  };
  server.on('tasks/get', (message) => {
    const { taskId } = Object(message.params);
    const task = tasks.get(taskId);
    if (task === undefined) return server.fail(message, -32602, 'unknown task');
    task.polls += 1;
    const { polls, name, answers } = task;
    const say = (status: string, more = {}) =>
      server.reply(message, { resultType: 'complete', ...state(taskId, status, more) });
    const keys = answers.flatMap((each) => Object.keys(each));
    if (name === 'slow') return say('working');
    if (name === 'asks' || name === 'reused') {
      if (keys.length < 2)
        return say('input_required', { inputRequests: openQuestions(name, polls) });
      return say('completed', {
        result: { content: [{ type: 'text', text: JSON.stringify(answers) }] },
      });
    }
    if (name === 'failed') return say('failed', { error: { code: -32000, message: 'it broke' } });
    if (name === 'sad') return say('completed', { result: { content: [], isError: true } });
    if (name === 'draft') {
      const result = { content: [{ type: 'text', text: 'as in the draft' }] };
      return server.reply(message, {
        resultType: 'task',
        ...state(taskId, 'completed', { result }),
      });
    }
    return say('completed', { result: { content: [{ type: 'text', text: `result of ${name}` }] } });
  });
  server.on('tasks/update', (message) => {
    const { taskId, inputResponses } = Object(message.params);
    tasks.get(taskId)?.answers.push(inputResponses);
    server.reply(message, { resultType: 'complete' });
  });
  server.on('tasks/cancel', (message) => server.reply(message, { resultType: 'complete' }));
};

describe('A call of which a server of 2026-07-28 makes a task', function () {
  this.timeout(30_000);
  afterEach(() => connections.close());

  it('brings the result that comes with the last state, whichever answer came first', async () => {
    const client = await connections.to(stateless);
    assert.equal(await textOf(client.callTool('plain', {})), 'no task');
    assert.equal(await textOf(client.callTool('usual', {})), 'result of usual');
    assert.equal(await textOf(client.callTool('finished', {})), 'result of finished');
    assert.equal(await textOf(client.callTool('draft', {})), 'as in the draft');
    assert.equal((await client.callTool('sad', {})).isError, true);
    assert.match(await failure(client.callTool('failed', {})), /serverError.*it broke/);
    const received = await receivedBy(client);
    for (const { method, params } of received) {
      if (method?.startsWith('ta') !== true && method !== 'tools/call') continue;
      const declared = Object(params)['_meta']['io.modelcontextprotocol/clientCapabilities'];
      assert.deepEqual(declared.extensions, { 'io.modelcontextprotocol/tasks': {} });
    }
  });

  it('answers each question once, also while the server repeats it', async () => {
    const input = new Answers({ name: 'Ada' });
    const client = await connections.to(stateless, { input });
    const answer = { action: 'accept', content: { name: 'Ada' } };
    assert.deepEqual(JSON.parse(await textOf(client.callTool('asks', {}))), [
      { one: answer },
      { two: answer },
    ]);
    assert.deepEqual(
      input.asked.map((request) => [request.message, request.tool]),
      [
        ['Who?', 'asks'],
        ['And who?', 'asks'],
      ],
    );
    assert.match(await failure(client.callTool('reused', {})), /invalidResult.*two questions/);
  });

  it('is cancelled at the server, also where the task is created after the call was cancelled', async () => {
    const client = await connections.to(stateless);
    const source = new CancellationTokenSource();
    const late = client.callTool('late', {}, { token: source.token });
    source.cancel();
    assert.match(await failure(late), /cancelled/);
    const other = new CancellationTokenSource();
    const onTask = () => other.cancel();
    const slow = client.callTool('slow', {}, { token: other.token, onTask });
    assert.match(await failure(slow), /cancelled/);
    let cancels: unknown[] = [];
    while (cancels.length < 2) {
      const received = await receivedBy(client);
      cancels = received
        .filter(({ method }) => method === 'tasks/cancel')
        .map(({ params }) => params?.['taskId']);
    }
    assert.deepEqual(new Set(cancels), new Set(['task 0', 'task 1']));
  });

  it('is no task where a late creation makes no sense, and the answer is told all the same', async () => {
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

  it('is an invalid answer to anything else than a call', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      server.on('resources/read', (message) =>
        server.reply(message, { resultType: 'task', taskId: 'x', status: 'working', ttlMs: null }),
      );
    });
    assert.match(await failure(client.readResource('x:y')), /invalidResult/);
  });
});
