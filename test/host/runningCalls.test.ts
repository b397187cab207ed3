import assert from 'node:assert/strict';
import { CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import { textOf } from '../../src/core/content/textKind';
import { CallDeadline } from '../../src/core/rpc/callDeadline';
import type { CallAnswer, CallOutcome, CallRequest } from '../../src/host/calls/call';
import { ConcurrencyLimiter } from '../../src/host/connections/concurrencyLimiter';
import type { RunningCall } from '../../src/host/calls/runningCall';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { timeLimitOf, type CallLimits } from '../../src/host/calls/timeLimits';
import type { Gate } from '../../src/host/calls/gate';
import { whileStopped } from '../core/stoppedClock';
import { scripted, type Script } from '../servers/scripted';
import { leftForFullCollection } from '../oldGeneration';
import { until } from '../waiting';
import { assertEach } from '../assertions';
import { callLimits } from './callLimits';
import { grantOf, ruleOf, SteeredConsent } from './steeredConsent';
import { SteeredServers } from './steeredServers';
import { gateWith } from './steeredGate';

/** Never answers `never`, reports progress of `steps` when told, notes cancellations. */
const stateful: Script = (server) => {
  const inputSchema = { type: 'object' };
  const reads = { readOnlyHint: true };
  server.tools = [
    { name: 'never', inputSchema },
    { name: 'reads', inputSchema, annotations: reads },
    { name: 'quick', inputSchema },
    { name: 'answerLate', inputSchema },
    { name: 'cancelled calls', inputSchema },
    { name: 'progress', inputSchema },
    { name: 'die', inputSchema },
  ];
  const waiting: Parameters<typeof server.text>[0][] = [];
  server.on('tools/call', (message) => {
    const name = String(message.params?.['name']);
    if (name === 'quick') server.text(message, 'done');
    else if (name === 'die') process.exit(3);
    else if (name === 'cancelled calls') {
      const cancelled = server.received.filter((one) => one.method === 'notifications/cancelled');
      server.text(message, JSON.stringify(cancelled.map(({ params }) => params?.['reason'])));
    } else if (name === 'answerLate') {
      for (const one of waiting) server.text(one, 'late');
      server.text(message, 'done');
    } else if (name === 'progress') {
      for (const one of waiting) {
        const { progressToken } = Object(one.params?.['_meta']);
        const params = { progressToken, progress: 1, total: 4, message: 'a quarter' };
        server.send({ method: 'notifications/progress', params });
      }
      server.text(message, 'done');
    } else waiting.push(message);
  });
};

const stateless: Script = (server) => {
  server.speakStateless();
  const inputSchema = { type: 'object' };
  server.tools = ['never', 'cancelled calls'].map((name) => ({ name, inputSchema }));
  server.on('tools/list', (message) =>
    server.reply(message, {
      resultType: 'complete',
      tools: server.tools,
      ttlMs: 0,
      cacheScope: 'private',
    }),
  );
  server.on('tools/call', (message) => {
    if (message.params?.['name'] !== 'cancelled calls') return;
    const cancelled = server.received.filter((one) => one.method === 'notifications/cancelled');
    const text = JSON.stringify(cancelled.map(({ params }) => params?.['reason']));
    server.reply(message, { resultType: 'complete', content: [{ type: 'text', text }] });
  });
};

describe('Running calls', () => {
  let servers: SteeredServers;
  let calls: RunningCalls;
  let limits: CallLimits;
  let steered: SteeredConsent;
  let answer: () => Promise<CallAnswer>;
  let gate: Gate;

  before(async () => {
    servers = new SteeredServers();
    const configure = (id: string, script: Script) => {
      const { command, args } = scripted(script);
      const config = servers.config(id);
      return { ...config, transport: { kind: 'stdio' as const, command, args, env: {} } };
    };
    servers.configure(configure('a', stateful), configure('b', stateless));
    await Promise.all(['a', 'b'].map((id) => servers.registry.start(id)));
  });
  after(() => servers.end());
  beforeEach(async () => {
    await servers.registry.start('a');
    calls = new RunningCalls();
    limits = callLimits(60_000);
    steered = new SteeredConsent();
    steered.rules = [ruleOf('allow')];
    answer = () => Promise.resolve({ kind: 'run' });
    gate = gateWith(steered, {
      registry: servers.registry,
      confirm: () => answer(),
      calls,
      limits: () => limits,
    });
  });
  afterEach(() => calls.dispose());

  function call(
    tool: string,
    more: Partial<CallRequest> = {},
    token?: CancellationToken,
  ): Promise<CallOutcome> {
    return gate.call({ server: 'a', tool, origin: 'api', ...more }, { token });
  }
  const told = (outcome: CallOutcome) =>
    outcome.kind === 'failed' ? `failed ${outcome.error.code}` : outcome.kind;
  const phases = () => calls.running.map(({ tool, phase }) => `${tool} ${phase}`);

  async function only(phase: string): Promise<RunningCall> {
    await until(() => calls.running.some((each) => each.phase === phase));
    const found = calls.running.find((each) => each.phase === phase);
    assert.ok(found);
    return found;
  }
  async function cancellations(server: string): Promise<string> {
    const outcome = await gate.call({ server, tool: 'cancelled calls', origin: 'api' });
    assert.ok(outcome.kind === 'result');
    const [block] = outcome.result.content;
    return block?.type === 'text' ? textOf(block.text) : '';
  }

  it('are listed from the question on, and can be cancelled while the user is asked', async () => {
    steered.rules = [];
    answer = () => new Promise(() => undefined);
    const outcome = call('quick');
    await until(() => calls.running[0]?.entry !== undefined);
    assert.deepEqual(phases(), ['quick asking']);
    assert.equal(calls.cancel(calls.running[0]?.id ?? ''), 'cancelled');
    assert.equal(told(await outcome), 'cancelled');
    assertEach(calls.ended, ({ tool, outcome: how, sentAt }) => [tool, how, sentAt], [
      ['quick', 'cancelled', undefined],
    ]);
  });

  it('are cancelled at once from anywhere, and the server is notified in both eras', async () => {
    for (const server of ['a', 'b']) {
      const before = JSON.parse(await cancellations(server)).length;
      const outcome = call('never', { server });
      const { id } = await only('running');
      calls.cancel(id);
      assert.deepEqual(phases(), ['never cancelling']);
      assert.equal(told(await outcome), 'cancelled');
      assert.deepEqual(phases(), []);
      assert.deepEqual(JSON.parse(await cancellations(server)).slice(before), ['Cancelled']);
    }
  });

  it('wait in the queue, in order, and can be cancelled there', async () => {
    limits = callLimits(60_000, { maxCallsPerServer: 1 });
    const outcomes = ['never', 'never', 'quick'].map((tool) => call(tool));
    await until(() => phases().join() === 'never running,never waiting,quick waiting');
    const [first, second] = calls.running;
    calls.cancel(second?.id ?? '');
    assert.equal(told((await outcomes[1]) ?? assert.fail()), 'cancelled');
    assert.equal(calls.ended[0]?.sentAt, undefined);
    calls.cancel(first?.id ?? '');
    assert.equal(told((await outcomes[2]) ?? assert.fail()), 'result');
  });

  it('are evaluated again at their turn', async () => {
    limits = callLimits(60_000, { maxCallsPerServer: 1 });
    const first = call('never');
    await only('running');
    const denied = call('quick');
    const asked = call('quick');
    await until(() => phases().join() === 'never running,quick waiting,quick waiting');
    steered.rules = [ruleOf('deny')];
    calls.cancel(calls.running[0]?.id ?? '');
    await first;
    assert.equal(told(await denied), 'denied');
    assert.equal(told(await asked), 'denied');
    assertEach(calls.ended.slice(0, 2), ({ decision }) => decision?.effect, ['deny', 'deny']);
  });

  it('have the reason that allowed them at their turn, in the list and in the journal', async () => {
    limits = callLimits(60_000, { maxCallsPerServer: 1 });
    const first = call('never');
    const { id } = await only('running');
    const second = call('quick');
    await only('waiting');
    steered.rules = [];
    steered.grant = grantOf();
    calls.cancel(id);
    await first;
    assert.equal(told(await second), 'result');
    const recorded = steered.recorded.at(-1);
    assert.deepEqual(
      [calls.ended[0]?.decision?.cause.kind, recorded?.decision.cause.kind, recorded?.answer],
      ['grant', 'grant', undefined],
    );
  });

  it('are asked about if nothing allows them at their turn', async () => {
    limits = callLimits(60_000, { maxCallsPerServer: 1 });
    const first = call('never');
    const { id } = await only('running');
    const second = call('quick');
    await only('waiting');
    steered.rules = [];
    let questions = 0;
    answer = () => Promise.resolve(questions++ === 0 ? { kind: 'no' } : { kind: 'run' });
    calls.cancel(id);
    await first;
    assert.equal(told(await second), 'denied');
    assert.equal(questions, 1);
  });

  it('end at their time limit, with the setting that applied, and the server is notified', async () => {
    for (const server of ['a', 'b']) {
      const before = JSON.parse(await cancellations(server)).length;
      limits = callLimits(60_000, { callTimeouts: new Map([[`${server}/never`, 20_000]]) });
      await whileStopped(async (clock) => {
        const outcome = call('never', { server });
        await only('running');
        await clock.untilWaiting(20_000);
        clock.advance(20_000);
        const end = await outcome;
        assert.ok(end.kind === 'failed');
        assert.deepEqual(
          [end.error.code, end.error.facts.limit, end.error.facts.timeLimit],
          ['timeout', 20_000, { kind: 'own', key: `${server}/never` }],
        );
        assert.equal(end.error.facts.outcomeUnknown, true);
      });
      assert.deepEqual(JSON.parse(await cancellations(server)).slice(before), ['Timed out']);
    }
  });

  it('have their whole time again when the user waits longer, beyond the ceiling too', () =>
    whileStopped(async (clock) => {
      limits = callLimits(20_000, { callCeilingMs: 20_000 });
      const outcome = call('never');
      const running = await only('running');
      await clock.untilWaiting(20_000);
      clock.advance(19_000);
      assert.equal(running.deadline?.remainingMs, 1_000);
      assert.equal(calls.waitLonger(running.id), true);
      assert.equal(running.deadline.remainingMs, 20_000);
      clock.advance(19_000);
      assert.deepEqual(phases(), ['never running']);
      clock.advance(1_000);
      assert.equal(told(await outcome), 'failed timeout');
      assert.equal(calls.waitLonger(running.id), false);
    }));

  it('are extended by progress up to the ceiling, which is then named', () =>
    whileStopped(async (clock) => {
      limits = callLimits(20_000, { callCeilingMs: 50_000 });
      const outcome = call('never');
      const running = await only('running');
      await clock.untilWaiting(20_000);
      for (let step = 0; step < 3; step++) {
        clock.advance(15_000);
        await call('progress');
      }
      assert.equal(running.progress?.message, 'a quarter');
      assert.equal(running.deadline?.remainingMs, 5_000);
      clock.advance(5_000);
      const end = await outcome;
      assert.ok(end.kind === 'failed');
      assert.deepEqual(
        [end.error.facts.limit, end.error.facts.timeLimit],
        [50_000, { kind: 'ceiling' }],
      );
    }));

  it('report changes at most ten times a second, and always the last one', () =>
    whileStopped(async (clock) => {
      let changes = 0;
      calls.onDidChange(() => (changes += 1));
      const { token } = new CancellationTokenSource();
      const request = { server: 'a', tool: 'x', origin: 'api' } as const;
      const one = calls.begin('1', request, token);
      for (let n = 0; n < 1_000; n++) one.progressed({ progress: n });
      assert.equal(changes, 1);
      clock.advance(100);
      assert.equal(changes, 2);
      clock.advance(1_000);
      assert.equal(changes, 2);
    }));

  it('have an unknown outcome after a lost answer, unless they are read-only', async () => {
    const changing = call('never');
    const reading = call('reads');
    await until(() => phases().filter((phase) => phase.endsWith('running')).length === 2);
    await call('die');
    const facts = [];
    for (const end of [await changing, await reading]) {
      assert.ok(end.kind === 'failed');
      facts.push([end.error.code, end.error.facts.outcomeUnknown]);
    }
    assert.deepEqual(facts, [
      ['connectionClosed', true],
      ['connectionClosed', undefined],
    ]);
  });

  it('stay marked as unanswered after they were cancelled, until the server answers', async () => {
    const outcome = call('never');
    const { id } = await only('running');
    calls.cancel(id);
    assert.equal(calls.cancel(id), 'cancelled');
    await outcome;
    assert.equal(calls.cancel(id), 'over');
    await whileStopped(async (clock) => {
      clock.advance(2_000);
      assert.equal(calls.cancel(id), 'unanswered');
      await call('answerLate');
      assert.equal(calls.cancel(id), 'over');
    });
  });

  it('include the last 50 that ended, the newest first', () => {
    const { token } = new CancellationTokenSource();
    for (let n = 0; n < 60; n++) {
      const one = calls.begin(`${n}`, { server: 'a', tool: 'x', origin: 'api' }, token);
      calls.end(one, { kind: 'cancelled', durationMs: 0 });
    }
    assert.deepEqual(
      [calls.ended.length, calls.ended[0]?.id, calls.ended.at(-1)?.id, calls.running.length],
      [50, '59', '10', 0],
    );
  });

  it('include the last 50 of agents and the last 50 of others separately', () => {
    const { token } = new CancellationTokenSource();
    const end = (id: string, origin: CallRequest['origin']): void => {
      const one = calls.begin(id, { server: 'a', tool: 'x', origin }, token);
      calls.end(one, { kind: 'denied', durationMs: 0 });
    };
    for (let n = 0; n < 10; n++) end(`own ${n}`, 'command');
    for (let n = 0; n < 120; n++) end(`agent ${n}`, 'agent');
    for (let n = 10; n < 20; n++) end(`own ${n}`, 'tree');
    const ids = calls.ended.map(({ id }) => id);
    assert.deepEqual([ids.length, ids[0], ids.at(-1)], [70, 'own 19', 'own 0']);
    assert.deepEqual([ids[10], ids[59]], ['agent 119', 'agent 70']);
  });
});

describe('Ended calls', () => {
  it('leave nothing in memory except the latest', () => {
    const calls = new RunningCalls();
    const request = { server: 'a', tool: 'quick', origin: 'api' } as const;
    const bytes = leftForFullCollection(() => {
      for (let made = 0; made < 10_000; made += 1) {
        const call = calls.begin(String(made), request, CancellationToken.None);
        call.sending(new CallDeadline(1_000, 1_000), () => true);
        calls.end(call, { kind: 'cancelled', durationMs: 0 });
      }
    });
    calls.dispose();
    assert.ok(bytes < 5_000_000, `${bytes} bytes`);
  });
});

describe('Time limits', () => {
  it('are those of the call, or else of the tool, the server, or the default', () => {
    const limits = callLimits(1_000, {
      callTimeouts: new Map([
        ['a', 2_000],
        ['a/b', 3_000],
      ]),
    });
    const of = (server: string, tool: string, timeoutMs?: number) => {
      const { ms, source } = timeLimitOf(
        { server, tool, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
        limits,
      );
      return [ms, source.kind];
    };
    assert.deepEqual(
      [of('x', 'b'), of('a', 'x'), of('a', 'b'), of('a', 'b', 4_000), of('constructor', 'x')],
      [
        [1_000, 'default'],
        [2_000, 'own'],
        [3_000, 'own'],
        [4_000, 'call'],
        [1_000, 'default'],
      ],
    );
  });
});

describe('The number of simultaneous calls', () => {
  it('follows the current setting', async () => {
    let most = 1;
    const places = new ConcurrencyLimiter(() => most);
    const { token } = new CancellationTokenSource();
    const taken: string[] = [];
    const take = (name: string) =>
      places.take('a', token, () => undefined).then((leave) => (taken.push(name), leave));
    const first = await take('first');
    void take('second');
    void take('third');
    await places.take('other', token, () => assert.fail('another server has its own'));
    assert.deepEqual(taken, ['first']);
    most = 2;
    first();
    first();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(taken, ['first', 'second', 'third']);
  });
});
