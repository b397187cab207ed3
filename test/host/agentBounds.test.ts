import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CancellationToken } from 'vscode-jsonrpc/node';
import type { CallAnswer } from '../../src/host/calls/call';
import { isMcpError } from '../../src/core/errors';
import { AgentAccess } from '../../src/host/agents/agentAccess';
import { callOperation } from '../../src/host/authorization/signInTiming';
import { AgentRateLimit } from '../../src/host/agents/agentLimits';
import { until } from '../waiting';
import { connectAgent, type Agent } from './agentClients';
import { AgentScene, type SceneOptions } from './agentScene';

const yes: CallAnswer = { kind: 'run' };

describe('Agents without a question', () => {
  let scene: AgentScene;
  const agents: Agent[] = [];

  async function open(options: SceneOptions = {}): Promise<Agent> {
    scene = new AgentScene(options);
    await scene.open('a');
    return agent('a');
  }
  async function agent(server?: string): Promise<Agent> {
    const way = await scene.connect(server === undefined ? {} : { server });
    const connected = await connectAgent('SDK 1', way);
    agents.push(connected);
    return connected;
  }
  const names = async (of: Agent): Promise<string[]> => (await of.tools()).map(({ name }) => name);

  afterEach(async () => {
    await Promise.all(agents.splice(0).map((each) => each.close()));
    await scene.end();
  });

  it('start a server once for all listings, as long as its configuration is the same', async () => {
    const robot = await open();
    const { servers } = scene;
    assert.deepEqual(await names(robot), ['echo']);
    await servers.registry.stop('a');
    assert.deepEqual(await names(robot), []);
    assert.deepEqual(await names(await agent()), []);
    assert.equal(servers.connects, 1);
    servers.configure(servers.config('a', 'polite', { OTHER: 'x' }));
    assert.deepEqual(await names(robot), ['echo']);
    assert.equal(servers.connects, 2);
  });

  it('do not start a server that the user has stopped', async () => {
    const robot = await open();
    await scene.servers.registry.start('a');
    await scene.servers.registry.stop('a');
    assert.deepEqual(await names(robot), []);
    assert.equal(scene.servers.connects, 1);
  });

  it('start a server once within a minute by calls', async () => {
    const robot = await open();
    const { registry } = scene.servers;
    scene.answer = async () => yes;
    const called = async () => (await robot.call('echo', { n: 1 })).text;
    assert.equal(await called(), '{"n":1}');
    await registry.stop('a');
    assert.equal(await called(), 'failed a agentPaused');
    scene.laterMs = 60_000;
    assert.equal(await called(), '{"n":1}');
    assert.equal(scene.servers.connects, 2);
  });

  it('start a server once for simultaneous calls and listings', async () => {
    const robot = await open();
    scene.answer = async () => yes;
    const called = async (n: number) => (await robot.call('echo', { n })).text;
    assert.deepEqual(await Promise.all([called(1), called(2)]), ['{"n":1}', '{"n":2}']);
    const { servers } = scene;
    servers.configure(servers.config('a', 'polite', { OTHER: 'x' }));
    const listed = await Promise.all([names(robot), names(robot)]);
    assert.deepEqual(listed, [['echo'], ['echo']]);
    assert.equal(servers.connects, 2);
  });

  it('open no question about a server that changed while it was checked', async () => {
    await open();
    const { servers } = scene;
    const { registry } = servers;
    let asked = 0;
    let changes = 0;
    servers.approve = async () => ++asked > 0;
    const access = new AgentAccess({
      registry,
      exposed: () => ['a'],
      toolSets: scene.sets.toolSets,
      rules: () => [],
      pins: { stateOf: async () => ({ kind: 'known' }) },
      isTrusted: async () => true,
      isAnswered: async () => {
        servers.configure(servers.config('a', 'polite', { OTHER: String(++changes) }));
        return true;
      },
      startsOnUse: () => true,
      changes: [],
    });
    const start = access.start('a', CancellationToken.None);
    await assert.rejects(start, ({ code }) => code === 'notApproved');
    await access.prepare('a');
    assert.deepEqual([asked, servers.connects], [0, 0]);
    access.dispose();
  });

  it('are notified of changed tools only if they differ', async () => {
    await open();
    let onAsked: () => void = () => undefined;
    let changed: () => void = () => undefined;
    let announced = 0;
    const { registry } = scene.servers;
    await registry.start('a');
    await scene.servers.until('a', ({ tools }) => tools.length > 0);
    const access = new AgentAccess({
      // Changes come from this test alone, not from a server that goes on starting.
      registry: {
        servers: registry.servers,
        find: (id) => registry.find(id),
        start: (id, token) => registry.start(id, token),
        listAnnouncedTools: (id) => registry.listAnnouncedTools(id),
        onDidChange: () => ({ dispose: () => undefined }),
      },
      exposed: () => ['a'],
      toolSets: scene.sets.toolSets,
      rules: () => {
        onAsked();
        return scene.book.rules;
      },
      pins: { stateOf: async () => ({ kind: 'known' }) },
      isTrusted: async () => true,
      isAnswered: async () => true,
      startsOnUse: () => true,
      changes: [
        (listener) => {
          changed = listener;
          return { dispose: () => undefined };
        },
      ],
    });
    access.onDidChange(() => announced++);
    /** Resolves when it was looked at whether there is something to tell. */
    async function settle(change: () => void): Promise<number> {
      const asked = new Promise<void>((resolve) => (onAsked = resolve));
      change();
      await asked;
      await access.toolsOf();
      // A list of this length is looked at in the same turn.
      await nextTurn();
      return announced;
    }
    assert.equal(await settle(changed), 1);
    assert.equal(await settle(changed), 1);
    const denied = { user: [{ effect: 'deny' }], workspace: undefined, folders: [] };
    scene.book.setRules(denied);
    assert.equal(await settle(changed), 2);
    assert.equal(await settle(changed), 2);
    access.dispose();
  });

  it('make a maximum of calls per minute, whatever their outcome', async () => {
    const robot = await open({ floods: { calls: 3 } });
    const texts: string[] = [];
    for (let n = 0; n < 5; n++) texts.push((await robot.call('echo', { n: 'no number' })).text);
    assert.deepEqual(texts, [
      ...Array(3).fill('failed a invalidArguments'),
      ...Array(2).fill('failed a agentPaused'),
    ]);
    assert.deepEqual(scene.floodsOf, ['robot']);
    assert.equal(scene.running.ended.length, 3);
  });

  it('open no sign-in, unlike a call that the user has agreed to', async () => {
    const robot = await open();
    const isOpen = (tool: string) => scene.occasions.isOpen('a', callOperation(tool));
    const seen: string[] = [];
    const look = (when: string): void => void seen.push(`${when} ${isOpen('echo')}`);
    scene.running.onDidSend(() => look('sent'));
    const answers: CallAnswer[] = [{ kind: 'no' }, yes];
    scene.answer = async () => {
      look('asked');
      return answers.shift() ?? { kind: 'no' };
    };
    await robot.call('echo', { n: 1 });
    await robot.call('echo', { n: 2 });
    look('over');
    const allow = { effect: 'allow', origin: 'agent', server: 'a' };
    scene.book.setRules({ user: [allow], workspace: undefined, folders: [] });
    await robot.call('echo', { n: 3 });
    const expected = ['asked false', 'asked false', 'sent true', 'over false', 'sent false'];
    assert.deepEqual([seen, isOpen('never')], [expected, false]);
  });

  it('show one message for each agent that asks too often, however long it continues', async () => {
    await open();
    const told: string[] = [];
    let now = 0;
    const limits = { calls: 3, questions: 1, perMs: 60_000, waiting: 1 };
    const floods = new AgentRateLimit(
      (client) => told.push(client),
      limits,
      () => now,
    );
    const flood = (client: string): void => {
      for (let n = 0; n < 5; n++) {
        try {
          floods.call(client);
        } catch (error) {
          assert.ok(isMcpError(error, 'agentPaused'));
        }
      }
      now += 60_000;
    };
    for (let minute = 0; minute < 5; minute++) flood('robot');
    assert.deepEqual(told, ['robot']);
    flood('other');
    flood('robot');
    assert.deepEqual(told, ['robot', 'other']);
    // A name is only a claim.
    for (let n = 0; n < 100; n++) flood(`robot ${n}`);
    assert.equal(told.length, 10);
  });

  it('open one question that counts, even if the user changes the arguments', async () => {
    const robot = await open({ floods: { questions: 1 } });
    const answers: CallAnswer[] = [{ kind: 'edited', arguments: { n: 2 } }, yes];
    scene.answer = async () => answers.shift() ?? { kind: 'no' };
    assert.equal((await robot.call('echo', { n: 1 })).text, '{"n":2}');
    assert.deepEqual([scene.questions.length, scene.floodsOf], [2, []]);
  });

  it('do not end the window when their connections are reset', async () => {
    const robot = await open();
    const ask = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`;
    for (let n = 0; n < 5; n++) {
      const lost = await scene.connect();
      // What comes back is never read, and closing then is a reset.
      lost.pause();
      lost.write(ask.repeat(200));
      await new Promise((resolve) => setImmediate(resolve));
      lost.destroy();
    }
    assert.deepEqual(await names(robot), ['echo']);
  });

  it('do not end a call that was answered in time and waits for its turn', async () => {
    const robot = await open();
    await names(robot);
    scene.maxCallsPerServer = 0;
    scene.answerWithinMs = 50;
    scene.answer = async () => yes;
    const waits = robot.call('echo', { n: 1 });
    await until(() => scene.running.running.some(({ phase }) => phase === 'waiting'));
    // Its time is over after that of the first.
    scene.answer = () => new Promise(() => undefined);
    assert.match((await robot.call('echo', { n: 2 })).text, /nobody answered/);
    scene.maxCallsPerServer = 4;
    scene.answerWithinMs = 30_000;
    scene.answer = async () => yes;
    assert.equal((await robot.call('echo', { n: 3 })).text, '{"n":3}');
    assert.equal((await waits).text, '{"n":1}');
  });

  for (const isAsked of [true, false]) {
    const how = isAsked ? 'the person has agreed to' : 'a rule allows';
    it(`make no waiting call that ${how} while it is withdrawn from agents`, async () => {
      const allow = { effect: 'allow', origin: 'agent', server: 'a' };
      const robot = await open(isAsked ? {} : { user: [allow] });
      await names(robot);
      const { book, gate, running, servers } = scene;
      scene.answer = async () => yes;
      const user = isAsked ? [] : [allow];
      const humanOnly = { effect: 'deny', origin: 'agent', server: 'a', tool: 'echo' };
      const ways: readonly (readonly [() => unknown, string])[] = [
        [() => (scene.exposed = []), 'failed a notExposed'],
        [() => setRules([humanOnly, ...user]), 'denied rule'],
        [() => void scene.endpoint.close(), 'closed'],
      ];
      const setRules = (rules: readonly object[]): void =>
        book.setRules({ user: rules, workspace: undefined, folders: [] });
      for (const [takeBack, text] of ways) {
        scene.maxCallsPerServer = 0;
        const waits = robot.call('echo', { n: 1 }).catch(() => ({ text: 'closed' }));
        await until(() => running.running.some(({ phase }) => phase === 'waiting'));
        takeBack();
        scene.maxCallsPerServer = 4;
        const own = { server: 'a', tool: 'echo', arguments: { n: 2 }, origin: 'command' } as const;
        assert.equal((await gate.call(own)).kind, 'result');
        assert.equal((await waits).text, text);
        scene.exposed = ['a'];
        setRules(user);
      }
      assert.ok(servers.received('a').some((line) => line.includes('{"n":2}')));
      assert.ok(!servers.received('a').some((line) => line.includes('{"n":1}')));
    });
  }
});
