import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { CancellationToken } from 'vscode-jsonrpc/node';
import { AgentCalls } from '../../src/host/agents/agentCall';
import type { CallAnswer } from '../../src/host/calls/call';
import { parseToolSets, toolPattern } from '../../src/host/agents/toolSets';
import { treeModelOf } from './treeModels';
import { connectAgent, eras, type Agent } from './agentClients';
import { AgentScene, messages } from './agentScene';
import { SetScene } from './setScene';
import { serverOf, Snapshots, toolOf } from './treeFixtures';

async function chosen(patterns: unknown): Promise<SetScene> {
  const scene = new SetScene();
  scene.write({ mine: patterns });
  await scene.toolSets.choose('mine');
  return scene;
}

describe('A tool set', () => {
  it('contains servers and tools as they are written, with wildcards as in rules', async () => {
    const { toolSets } = await chosen(['a', 'b/read_*', 'c/x?', 'io.github/me/run', 'd*/only']);
    const cases: readonly [server: string, tool: string, isIn: boolean][] = [
      ['a', 'whatever', true],
      ['A', 'whatever', false],
      ['ab', 'whatever', false],
      ['b', 'read_file', true],
      ['b', 'Read_file', false],
      ['b', 'write_file', false],
      ['c', 'x1', true],
      ['c', 'x', false],
      // Ids and names may hold slashes themselves.
      ['io.github/me', 'run', true],
      ['io.github', 'me/run', true],
      ['io.github/me', 'other', false],
      ['io.github', 'run', false],
      ['data', 'only', true],
      ['data', 'other', false],
    ];
    for (const [server, tool, isIn] of cases) {
      assert.equal(toolSets.holds(server, tool), isIn, `${server} ${tool}`);
    }
    const servers = ['a', 'b', 'c', 'io.github', 'io.github/me', 'data', 'e'];
    const possible = servers.filter((server) => toolSets.mayHoldOf(server));
    assert.deepEqual(possible, ['a', 'b', 'c', 'io.github', 'io.github/me', 'data']);
  });

  it('matches nothing with an invalid entry', async () => {
    const unreadable = [7, null, {}, [], '', '/', 'a/', '/a', 'x'.repeat(600), '/'.repeat(40)];
    const { sets, isWhole } = parseToolSets({ mine: unreadable });
    assert.deepEqual([sets.get('mine')?.patterns, isWhole], [[], false]);
    for (const value of [7, 'a', null, ['a'], { '': ['a'] }, { ['n'.repeat(61)]: ['a'] }]) {
      assert.deepEqual([parseToolSets(value).sets.size, parseToolSets(value).isWhole], [0, false]);
    }
    assert.equal((await chosen('a')).toolSets.holds('a', 'x'), false);
    assert.equal(parseToolSets(undefined).isWhole, true);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`set ${n}`, ['a']]));
    assert.deepEqual([parseToolSets(many).sets.size, parseToolSets(many).isWhole], [100, false]);
    const long = parseToolSets({ mine: Array.from({ length: 2_001 }, (_, n) => `server${n}`) });
    assert.deepEqual([long.sets.get('mine')?.patterns.length, long.isWhole], [2_000, false]);
  });

  it('contains no tool that none of its patterns matches', async () => {
    const letters = fc.constantFrom('a', 'b', '/', '*', '?');
    const word = fc.array(letters, { maxLength: 5 }).map((all) => all.join(''));
    const name = fc.array(fc.constantFrom('a', 'b', '/'), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(word), name, name, async (patterns, server, tool) => {
        const [id, called] = [server.join(''), tool.join('')];
        const { toolSets } = await chosen(patterns);
        const fits = (pattern: string, text: string): boolean => {
          const signs = pattern.replaceAll('*', '.*').replaceAll('?', '.');
          return pattern !== '' && new RegExp(`^(?:${signs})$`).test(text);
        };
        const isNamed = patterns.some(
          (pattern) =>
            fits(pattern, id) ||
            Array.from(pattern.matchAll(/\//g), ({ index }) => index).some(
              (at) => fits(pattern.slice(0, at), id) && fits(pattern.slice(at + 1), called),
            ),
        );
        const isHeld = toolSets.holds(id, called);
        assert.ok(!isHeld || isNamed, `${patterns.join(' ')}: ${id} ${called}`);
        // What a set holds is started for agents, too.
        assert.ok(!isHeld || toolSets.mayHoldOf(id));
      }),
    );
  });

  it('shows all tools if none is selected, and none if the selected one no longer exists', async () => {
    const scene = await chosen(['a']);
    let changes = 0;
    scene.toolSets.onDidChange(() => changes++);
    scene.write({ mine: ['a'], other: ['b'] });
    assert.equal(changes, 1);
    scene.write({ mine: ['a'], other: ['b'] });
    assert.equal(changes, 1);
    scene.write({ other: ['a'] });
    assert.deepEqual([changes, scene.toolSets.holds('a', 'x')], [2, false]);
    assert.equal(scene.toolSets.mayHoldOf('a'), false);
    await scene.toolSets.choose(undefined);
    assert.deepEqual([changes, scene.toolSets.holds('a', 'x')], [3, true]);
    // What was kept by another version counts as none.
    const odd = new SetScene([['toolSet', { name: 'mine' }]]);
    assert.deepEqual([odd.toolSets.chosen, odd.toolSets.holds('a', 'x')], [undefined, true]);
  });

  it('has a pattern for one tool, or none if that would match more', () => {
    assert.equal(toolPattern('a', 'x'), 'a/x');
    for (const [server, tool] of [
      ['a', '*'],
      ['a?', 'x'],
      ['a', ''],
      ['a', 'x'.repeat(600)],
    ] as const) {
      assert.equal(toolPattern(server, tool), undefined);
    }
  });
});

describe('The tree and a tool set', () => {
  it('shows only its tools, and says where there are none', async () => {
    const scene = await chosen(['a/one', 'c']);
    const source = new Snapshots([
      serverOf('a', [toolOf('one'), toolOf('two')]),
      serverOf('b', [toolOf('one')]),
      serverOf('c', [toolOf('three')]),
    ]);
    const { toolSets } = scene;
    const model = treeModelOf(source, {
      isInSet: ({ serverId, tool }) => toolSets.holds(serverId, tool.name),
    });
    const shown = (): string[] =>
      model.roots().flatMap((row) =>
        model.children(row).map((each) => {
          if (each.kind === 'noMatch') return `${each.serverId}: none because of ${each.because}`;
          return each.kind === 'tool' ? `${each.serverId}/${each.toolName}` : each.kind;
        }),
      );
    assert.deepEqual(shown(), ['a/one', 'b: none because of toolSet', 'c/three']);
    assert.deepEqual(model.totals(), { shown: 2, all: 4 });
    const filter = { text: 'three', levels: new Set<never>(), closedWorldOnly: false };
    model.filter = filter;
    assert.deepEqual(shown(), [
      'a: none because of filter',
      'b: none because of toolSet',
      'c/three',
    ]);
    await toolSets.choose(undefined);
    model.filter = { ...filter };
    assert.deepEqual(shown(), [
      'a: none because of filter',
      'b: none because of filter',
      'c/three',
    ]);
  });
});

describe('Agents with a tool set', () => {
  let scene: AgentScene;
  const agents: Agent[] = [];
  const yes: CallAnswer = { kind: 'run' };
  const names = async (of: Agent): Promise<string[]> => (await of.tools()).map(({ name }) => name);

  async function agent(era: (typeof eras)[number], server?: string): Promise<Agent> {
    const way = await scene.connect(server === undefined ? {} : { server });
    const connected = await connectAgent(era, way);
    agents.push(connected);
    return connected;
  }

  beforeEach(async () => {
    const user = [{ effect: 'ask', origin: 'agent', tool: 'never' }];
    scene = new AgentScene({ exposed: ['a', 'b'], user });
    scene.answer = async () => yes;
    await scene.open('a', 'b');
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((each) => each.close()));
    await scene.end();
  });

  for (const era of eras) {
    it(`see its tools alone, are notified of a change, and are refused any other: ${era}`, async () => {
      const robot = await agent(era);
      assert.deepEqual(await names(robot), ['a__echo', 'a__never', 'b__echo', 'b__never']);
      scene.sets.write({ mine: ['a/echo'] });
      const changed = robot.listChanged();
      await scene.sets.toolSets.choose('mine');
      // At once, whether or not the agent has listed again.
      assert.deepEqual(await robot.call('b__echo', { n: 1 }), {
        text: 'left out b__echo',
        isError: true,
      });
      await changed;
      assert.deepEqual(await names(robot), ['a__echo']);
      assert.equal((await robot.call('a__echo', { n: 2 })).isError, false);
      // What it was never told of, it is not told of either.
      assert.equal((await robot.call('b__steer', {})).text, 'no tool b__steer');
      assert.equal(scene.questions.length, 1);
      const again = robot.listChanged();
      await scene.sets.toolSets.choose(undefined);
      await again;
      assert.equal((await robot.call('b__echo', { n: 3 })).isError, false);
    });
  }

  it('start no server without a tool in it', async () => {
    scene.sets.write({ mine: ['b/echo'] });
    await scene.sets.toolSets.choose('mine');
    const robot = await agent('SDK 1');
    assert.deepEqual(await names(robot), ['b__echo']);
    assert.equal(scene.servers.connects, 1);
    const other = await agent('SDK 1', 'a');
    assert.deepEqual(await names(other), []);
    assert.equal((await other.call('echo', { n: 1 })).text, 'no tool echo');
    assert.equal(scene.servers.connects, 1);
  });

  it('are refused an excluded tool while it is looked up, even if they never listed it', async () => {
    scene.sets.write({ mine: ['a', 'b'] });
    await scene.sets.toolSets.choose('mine');
    assert.equal((await names(await agent('SDK 1'))).length, 4);
    const calls = new AgentCalls({
      access: scene.access,
      gate: scene.gate,
      floods: { ask: () => () => undefined, call: () => undefined },
      messages,
      answerWithinMs: () => 10_000,
      keep: async () => undefined,
      drafts: scene.drafts,
    });
    scene.pinOf = () => {
      scene.sets.write({ mine: ['b'] });
      return { kind: 'known' };
    };
    // What was listed is looked up anew.
    scene.sets.write({ mine: ['a'] });
    const wish = { name: 'a__echo', arguments: { n: 1 }, client: 'robot', report: () => undefined };
    const answer = await calls.call(wish, CancellationToken.None);
    assert.match(JSON.stringify(answer), /left out a__echo/);
    assert.deepEqual(scene.questions, []);
  });

  it('see nothing if the selected one no longer exists', async () => {
    scene.sets.write({ mine: ['a'] });
    await scene.sets.toolSets.choose('mine');
    const robot = await agent('SDK 1');
    assert.deepEqual(await names(robot), ['a__echo', 'a__never']);
    scene.sets.write({});
    assert.deepEqual(await names(robot), []);
    assert.equal((await robot.call('a__echo', { n: 1 })).text, 'left out a__echo');
    assert.deepEqual(scene.questions, []);
  });
});
