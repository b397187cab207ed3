import assert from 'node:assert/strict';
import { createInterface, type Interface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CancellationToken } from 'vscode-jsonrpc/node';
import { AgentTasks } from '../../src/host/agents/agentTasks';
import type { CallAnswer } from '../../src/host/calls/call';
import { scripted, type Script } from '../servers/scripted';
import { assertEach } from '../assertions';
import { AgentScene } from './agentScene';

const prefix = 'io.modelcontextprotocol/';
const extensions = { [`${prefix}tasks`]: {} };
const yes: CallAnswer = { kind: 'run' };

/** A server of 2025-11-25 whose tasks end as their tools are named, at the second look. */
const script: Script = (server) => {
  const tasks = new Map<unknown, { name: string; polls: number; progressToken?: unknown }>();
  server.capabilities = {
    tools: {},
    tasks: { cancel: {}, requests: { tools: { call: {} } } },
  };
  server.tools = ['completed', 'endless', 'plain'].map((name) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
    ...(name === 'plain' ? {} : { execution: { taskSupport: 'required' } }),
  }));
  const state = (taskId: unknown, status: string) => ({
    taskId,
    status,
    ttl: null,
    pollInterval: 500,
  });
  server.on('tools/call', (message) => {
    const { name, task, _meta: meta } = Object(message.params);
    if (task === undefined) return server.text(message, 'answered at once');
    const taskId = `secret of the server ${tasks.size}`;
    tasks.set(taskId, { name, polls: 0, progressToken: meta?.progressToken });
    const created = { ...state(taskId, 'working'), statusMessage: 'half\u202E done' };
    return server.reply(message, { task: created });
  });
  server.on('tasks/get', (message) => {
    const { taskId } = Object(message.params);
    const task = tasks.get(taskId) ?? { name: 'completed', polls: 0 };
    task.polls += 1;
    const { progressToken, polls: progress } = task;
    const params = { progressToken, progress };
    if (progressToken !== undefined) server.send({ method: 'notifications/progress', params });
    const isOver = task.name === 'completed' && task.polls > 1;
    server.reply(message, state(taskId, isOver ? 'completed' : 'working'));
  });
  server.on('tasks/result', (message) => server.text(message, 'the result'));
  server.on('tasks/cancel', (message) => {
    process.stderr.write('a task was cancelled\n');
    server.reply(message, state(Object(message.params).taskId, 'cancelled'));
  });
};

/** An agent that writes its messages itself: no SDK of today knows the extension. */
class RawAgent {
  readonly #stream: Duplex;
  readonly #lines: Interface;
  readonly #name: string;
  /** The progress that was reported to it. */
  readonly progress: unknown[] = [];
  #id = 0;

  constructor(stream: Duplex, name = 'robot') {
    this.#stream = stream;
    this.#name = name;
    this.#lines = createInterface({ input: stream });
  }

  async ask(method: string, params: object, capabilities: object = { extensions }) {
    this.#id += 1;
    const id = this.#id;
    const meta = {
      [`${prefix}protocolVersion`]: '2026-07-28',
      [`${prefix}clientInfo`]: { name: this.#name, version: '1' },
      [`${prefix}clientCapabilities`]: capabilities,
      ...(method === 'tools/call' ? { progressToken: id } : {}),
    };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
    // Several lines may come at once.
    const answered = new Promise<ReturnType<typeof JSON.parse>>((resolve) => {
      const take = (line: string) => {
        const answer = JSON.parse(line);
        if (answer.method === 'notifications/progress') this.progress.push(answer.params);
        if (answer.id !== id) return;
        this.#lines.off('line', take);
        resolve(answer);
      };
      this.#lines.on('line', take);
    });
    this.#stream.write(`${JSON.stringify(message)}\n`);
    return answered;
  }

  /** Looks again and again until the task has ended. */
  async untilEnd(taskId: string) {
    for (;;) {
      const { result, error } = await this.ask('tasks/get', { taskId });
      if (error !== undefined || result.status !== 'working') return result ?? error;
      await delay(50);
    }
  }

  leave(): void {
    this.#stream.destroy();
  }
}

describe('A task of an agent', () => {
  let scene: AgentScene;
  const agents: RawAgent[] = [];
  beforeEach(async () => {
    scene = new AgentScene();
    scene.answer = async () => yes;
    await scene.open('a');
    const { command, args } = scripted(script);
    const transport = { kind: 'stdio', command, args, env: { ELECTRON_RUN_AS_NODE: '1' } } as const;
    scene.servers.configure({ ...scene.servers.config('a'), transport });
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.leave();
    await scene.end();
  });
  const agent = async (name?: string, path: { server?: string } = { server: 'a' }) => {
    const made = new RawAgent(await scene.connect(path), name);
    agents.push(made);
    return made;
  };

  it('is returned as an own handle, which also works on a later connection', async () => {
    const first = await agent();
    const { result: discovered } = await first.ask('server/discover', {});
    assert.deepEqual(discovered.capabilities.extensions, extensions);
    const { result: created } = await first.ask('tools/call', { name: 'completed', arguments: {} });
    assert.deepEqual(
      [created.resultType, created.status, created.statusMessage, created.ttlMs, created.content],
      ['task', 'working', 'half\\u{202E} done', null, undefined],
    );
    assert.doesNotMatch(JSON.stringify(created), /secret of the server/);
    first.leave();
    const { taskId } = created;
    // Others know nothing of it, whatever they call themselves or are connected to.
    const refused = [await agent('other'), await agent('robot', {})];
    for (const other of refused) {
      assert.equal((await other.ask('tasks/get', { taskId })).error.code, -32602);
      assert.equal((await other.ask('tasks/cancel', { taskId })).error.code, -32602);
    }
    const again = await agent();
    const undeclared = await again.ask('tasks/get', { taskId }, {});
    assert.equal(undeclared.error.code, -32021);
    const ended = await again.untilEnd(taskId);
    assert.deepEqual(
      [ended.resultType, ended.status, ended.result.content],
      ['complete', 'completed', [{ type: 'text', text: 'the result' }]],
    );
    assert.ok(ended.ttlMs > 0);
    assert.equal(scene.questions.length, 1);
    assertEach(scene.kept, ({ kind }) => kind, ['result']);
  });

  it('is awaited if the agent does not support tasks, or the server creates none', async () => {
    const one = await agent();
    const waited = await one.ask('tools/call', { name: 'completed', arguments: {} }, {});
    assert.equal(waited.result.content[0].text, 'the result');
    const plain = await one.ask('tools/call', { name: 'plain', arguments: {} });
    assert.equal(plain.result.content[0].text, 'answered at once');
  });

  it('reports no progress after its handle (R-461)', async () => {
    const robot = await agent();
    const { result: created } = await robot.ask('tools/call', { name: 'completed', arguments: {} });
    // It was reported that the user is asked.
    const before = robot.progress.length;
    assert.equal((await robot.untilEnd(created.taskId)).status, 'completed');
    assert.equal(robot.progress.length, before);
  });

  it('is cancelled by its agent, and with the endpoint', async () => {
    const one = await agent();
    const call = () => one.ask('tools/call', { name: 'endless', arguments: {} });
    const { taskId } = (await call()).result;
    assert.deepEqual((await one.ask('tasks/cancel', { taskId })).result, {
      resultType: 'complete',
    });
    const { status, result } = await one.untilEnd(taskId);
    assert.deepEqual([status, result], ['cancelled', undefined]);
    await call();
    assert.equal(scene.running.running.length, 1);
    await scene.endpoint.close();
    while (scene.running.running.length > 0) await delay(10);
  });
});

describe('Tasks of agents', () => {
  const working = { taskId: 'x', status: 'working', pollMs: 500 } as const;
  const textOf = (text: string) => ({ content: [{ type: 'text' as const, text }] });

  it('are limited in number, in time and in stored results', async () => {
    let now = 0;
    const limits = { maxPerAgent: 2, maxTasks: 3, keptMs: 1_000, maxKeptChars: 100 };
    const tasks = new AgentTasks(limits, () => now);
    const ends: (() => void)[] = [];
    const begin = async (owner: string, text = 'done') => {
      const made = await tasks.begin(owner, CancellationToken.None, async (_, onTask) => {
        const ended = new Promise<void>((resolve) => ends.push(resolve));
        onTask(working);
        if (ends.length < 4) await ended;
        return textOf(text);
      });
      return 'task' in made ? String(made.task['taskId']) : undefined;
    };
    const [first = '', second = ''] = [await begin('a'), await begin('a', 'x'.repeat(200))];
    const third = await begin('b');
    assert.ok(first !== '' && second !== '' && third !== undefined);
    // No room: the agent waits for the answer.
    assert.equal(await begin('a'), undefined);
    for (const end of ends) end();
    await delay(0);
    assert.equal(tasks.get('b', second), undefined);
    assert.equal(tasks.get('a', first), undefined, 'what is too much pushes the oldest out');
    assert.equal(tasks.get('b', third)?.['status'], 'completed');
    now += 1_001;
    assert.equal(tasks.get('b', third), undefined);
  });
});
