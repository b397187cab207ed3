import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { riskOf, type RiskLevel } from '../../src/core/risk';
import type { Tool } from '../../src/core/types';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { ServerConfig, StdioServerTransport } from '../../src/host/configuration/serverConfig';
import type { Server, ToolEntry } from '../../src/host/connections/snapshot';
import type { CallFacts } from '../../src/host/consent/facts/callFacts';
import {
  grantDurations,
  grantScopes,
  type GrantScope,
  type GrantChoice,
} from '../../src/host/consent/grants/grant';
import { offeredGrants, type OfferTerms } from '../../src/host/consent/grants/grantCover';
import { Grants } from '../../src/host/consent/grants/grants';
import { StorageError, type StorageProblem } from '../../src/host/storage/recordStore';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { serverOf, toolOf } from './treeFixtures';
import { assertEach } from '../assertions';

const transport: StdioServerTransport = {
  kind: 'stdio',
  command: 'node',
  args: ['server.js'],
  env: { TOKEN: 'secret' },
  cwd: '/work',
};
const config: ServerConfig = {
  id: 'notes',
  label: 'Notes',
  source: { kind: 'setting' },
  transport,
};

function entryOf(tool: Tool, level: RiskLevel = 'readOnly'): ToolEntry {
  return { serverId: config.id, tool, risk: riskOf(tool.annotations, { level }) };
}

const read = toolOf('read', { description: 'Reads.' });
const write = toolOf('write', { description: 'Writes.' });
const find = toolOf('find', { description: 'Finds.' });

const facts: CallFacts = {
  config,
  entry: entryOf(read),
  arguments: { path: 'a', deep: [1] },
  origin: 'palette',
};

const withReach = (more: Partial<StdioServerTransport>): CallFacts => ({
  ...facts,
  config: { ...config, transport: { ...transport, ...more } },
});
const withTool = (more: Partial<Tool>): CallFacts => ({
  ...facts,
  entry: entryOf({ ...read, ...more }),
});
const ofTool = (tool: Tool, level?: RiskLevel, args: JsonObject = {}): CallFacts => ({
  config,
  entry: entryOf(tool, level),
  arguments: args,
  origin: 'tree',
});

describe('Grants', () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(path.join(tmpdir(), 'toolgate-grants-'));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const problems: StorageProblem[] = [];
  let allowsBroadDestructive = false;
  let servers: readonly Server[] = [];
  let now = 1_000;
  beforeEach(() => {
    problems.length = 0;
    allowsBroadDestructive = false;
    servers = [];
    now = 1_000;
  });

  /** A window; two of one workspace share both folders, and `''` has none. */
  function open(workspace = 'one'): Grants {
    return new Grants({
      globalStorage: path.join(base, 'global'),
      ...(workspace === '' ? {} : { workspaceStorage: path.join(base, workspace) }),
      onProblem: (problem) => problems.push(problem),
      changes: new SharedChanges(path.join(base, 'global', 'changes')),
      allowsBroadDestructive: () => allowsBroadDestructive,
      servers: () => servers,
      now: () => now,
    });
  }

  const give = (grants: Grants, wish: GrantChoice, given = facts) =>
    grants.remember(given, wish, 'palette', [
      entryOf(read),
      entryOf(find),
      entryOf(write, 'additive'),
    ]);

  /** `covers`, why it is suspended, or that nothing speaks of the call. */
  async function standing(grants: Grants, call: CallFacts): Promise<string> {
    const { grant, suspended } = await grants.covering(call);
    if (grant !== undefined) return 'covers';
    return suspended.map(({ reason }) => reason).join() || 'nothing';
  }

  const changes: readonly (readonly [
    what: string,
    call: CallFacts,
    expected: Readonly<Record<GrantScope, string>>,
  ])[] = [
    ['the same call', facts, all('covers')],
    [
      'the same arguments in another order',
      { ...facts, arguments: { deep: [1], path: 'a' } },
      all('covers'),
    ],
    [
      'other arguments',
      { ...facts, arguments: { path: 'b', deep: [1] } },
      { ...all('covers'), arguments: 'nothing' },
    ],
    [
      'one argument more',
      { ...facts, arguments: { ...facts.arguments, x: null } },
      argumentsOnly(),
    ],
    ['no arguments', { ...facts, arguments: {} }, argumentsOnly()],
    ['a call from elsewhere in this window', { ...facts, origin: 'tree' }, all('covers')],
    ['a call of another extension', { ...facts, origin: 'api' }, all('nothing')],
    ['a call of a command that anybody ran', { ...facts, origin: 'command' }, all('nothing')],
    ['another value of a variable', withReach({ env: { TOKEN: 'renewed' } }), all('covers')],
    ['another command', withReach({ command: 'bun' }), all('serverChanged')],
    ['another argument of the command', withReach({ args: ['other.js'] }), all('serverChanged')],
    ['another variable', withReach({ env: { TOKEN: 's', NODE: 'x' } }), all('serverChanged')],
    ['another working directory', withReach({ cwd: '/tmp' }), all('serverChanged')],
    [
      'another address',
      {
        ...facts,
        config: { ...config, transport: { kind: 'http', url: 'https://a', headers: {} } },
      },
      all('serverChanged'),
    ],
    [
      'a server configured alike elsewhere',
      {
        ...facts,
        config: { ...config, source: { kind: 'workspaceFile', path: '/w/mcp.json', folder: '/w' } },
      },
      all('serverChanged'),
    ],
    ['another server', { ...facts, config: { ...config, id: 'other' } }, all('nothing')],
    ['another label', { ...facts, config: { ...config, label: 'Other' } }, all('covers')],
    ['another description', withTool({ description: 'Deletes.' }), all('toolChanged')],
    ['another title', withTool({ title: 'Read' }), all('toolChanged')],
    ['another schema', withTool({ inputSchema: { type: 'object' } }), all('toolChanged')],
    ['another output schema', withTool({ outputSchema: true }), all('toolChanged')],
    ['other hints', withTool({ annotations: { openWorldHint: false } }), all('toolChanged')],
    [
      'the tool, seen as additive by now',
      ofTool(read, 'additive', { path: 'a', deep: [1] }),
      { ...all('covers'), readOnlyTools: 'riskRaised' },
    ],
    [
      'the tool, seen as destructive by now',
      ofTool(read, 'destructive', { path: 'a', deep: [1] }),
      { arguments: 'covers', tool: 'riskRaised', readOnlyTools: 'riskRaised' },
    ],
    [
      'another tool that was read-only',
      ofTool(find),
      { ...all('nothing'), readOnlyTools: 'covers' },
    ],
    ['a tool that was not read-only', ofTool(write), all('nothing')],
    ['a tool that was not there', ofTool(toolOf('later')), all('nothing')],
    ['a tool named __proto__', ofTool(toolOf('__proto__')), all('nothing')],
    ['a tool named constructor', ofTool(toolOf('constructor')), all('nothing')],
  ];

  function all(standingOfEach: string): Record<GrantScope, string> {
    return { arguments: standingOfEach, tool: standingOfEach, readOnlyTools: standingOfEach };
  }

  function argumentsOnly(): Record<GrantScope, string> {
    return { ...all('covers'), arguments: 'nothing' };
  }

  for (const duration of grantDurations) {
    for (const scope of grantScopes) {
      it(`for ${scope}, ${duration}, cover only that`, async () => {
        const grants = open();
        await give(grants, { scope, duration });
        const seen = await Promise.all(
          changes.map(async ([what, call]) => [what, await standing(grants, call)]),
        );
        assert.deepEqual(
          seen,
          changes.map(([what, , expected]) => [what, expected[scope]]),
        );
      });
    }
  }

  it('last as long as chosen: this window, this workspace, always', async () => {
    for (const duration of grantDurations) {
      await give(open(), { scope: 'tool', duration });
      const seen = {
        sameWorkspace: await standing(open(), facts),
        otherWorkspace: await standing(open('other'), facts),
        noWorkspace: await standing(open(''), facts),
      };
      const expected = {
        session: ['nothing', 'nothing', 'nothing'],
        workspace: ['covers', 'nothing', 'nothing'],
        always: ['covers', 'covers', 'covers'],
      }[duration];
      assert.deepEqual(Object.values(seen), expected, duration);
      await open().withdrawAll();
    }
  });

  it('that are withdrawn in one window do not apply in others at the next decision', async () => {
    const one = open();
    const other = open();
    for (const duration of ['workspace', 'always'] as const) {
      const { id } = await give(one, { scope: 'tool', duration });
      assert.equal(await standing(other, facts), 'covers');
      await other.withdraw(id);
      assert.equal(await standing(one, facts), 'nothing');
      await other.withdraw(id);
    }
  });

  it('stay withdrawn if another window records a use of them at that moment', async () => {
    const one = open();
    const other = open();
    const grant = await give(one, { scope: 'tool', duration: 'always' });
    assert.equal(await standing(other, facts), 'covers');
    const withdrawn = one.withdraw(grant.id);
    other.noteUse(grant);
    await withdrawn;
    now += 120_000;
    other.noteUse(grant);
    await other.all();
    assert.equal(await standing(one, facts), 'nothing');
    assert.deepEqual(await other.all(), []);
  });

  it('are all withdrawn at once, and leave no file', async () => {
    const grants = open();
    for (const duration of grantDurations) {
      grants.noteUse(await give(grants, { scope: 'tool', duration }));
    }
    let changed = 0;
    grants.onDidChange(() => (changed += 1));
    await grants.withdrawAll();
    assert.deepEqual(await grants.all(), []);
    assert.equal(await standing(grants, facts), 'nothing');
    assert.ok(changed > 0);
    const files = ['global/grants', 'global/grantUses', 'one/grants'].flatMap((folder) =>
      readdirSync(path.join(base, folder)),
    );
    assert.deepEqual(files, []);
  });

  it('replace those that were given for the same before', async () => {
    const grants = open();
    for (const scope of grantScopes) await give(grants, { scope, duration: 'always' });
    for (const scope of grantScopes) await give(grants, { scope, duration: 'always' });
    const changed = withTool({ description: 'Reads more.' });
    assert.equal(await standing(grants, changed), 'toolChanged,toolChanged,toolChanged');
    await grants.remember(changed, { scope: 'tool', duration: 'always' }, 'tree', []);
    assert.equal((await grants.all()).length, 3);
    assert.equal(await standing(grants, changed), 'covers');
    await give(grants, { scope: 'arguments', duration: 'always' }, { ...facts, arguments: {} });
    assert.equal((await grants.all()).length, 4);
  });

  it('name the narrowest that covers a call', async () => {
    const grants = open();
    for (const scope of grantScopes.toReversed()) {
      for (const duration of grantDurations.toReversed()) await give(grants, { scope, duration });
    }
    const { grant } = await grants.covering(facts);
    assert.deepEqual([grant?.scope, grant?.duration], ['arguments', 'session']);
  });

  it('distinguish tools with names that every object has', async () => {
    const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const name of odd) {
      const given = ofTool(toolOf(name));
      await open().remember(given, { scope: 'tool', duration: 'always' }, 'palette', []);
      const grants = open();
      assert.equal(await standing(grants, given), 'covers', name);
      for (const other of odd.filter((each) => each !== name)) {
        assert.equal(await standing(grants, ofTool(toolOf(other))), 'nothing', other);
      }
      await grants.withdrawAll();
    }
    const several = odd.map((name) => entryOf(toolOf(name)));
    await open().remember(facts, { scope: 'readOnlyTools', duration: 'always' }, 'tree', several);
    for (const name of odd) assert.equal(await standing(open(), ofTool(toolOf(name))), 'covers');
    assert.equal(await standing(open(), ofTool(toolOf('valueOf'))), 'nothing');
  });

  it('cover no tool that is not callable, even if another has its name', async () => {
    const twin = entryOf({ ...find, description: 'The twin.', callable: false });
    const grants = open();
    const wish: GrantChoice = { scope: 'readOnlyTools', duration: 'session' };
    await grants.remember(facts, wish, 'palette', [entryOf(find), twin]);
    assert.equal(await standing(grants, ofTool(find)), 'covers');
  });

  it('cover no tool whose definition is not unique', async () => {
    const grants = open();
    const wish: GrantChoice = { scope: 'readOnlyTools', duration: 'always' };
    await grants.remember(facts, wish, 'palette', [entryOf(deepTool()), entryOf(find)]);
    assert.equal(await standing(grants, ofTool(deepTool())), 'nothing');
    assert.equal(await standing(grants, ofTool(find)), 'covers');
  });

  it('are refused if the choice was not offered', async () => {
    const refused: readonly (readonly [CallFacts, GrantChoice])[] = [
      [ofTool(write, 'destructive'), { scope: 'tool', duration: 'session' }],
      [ofTool(write, 'additive'), { scope: 'readOnlyTools', duration: 'session' }],
      [ofTool(deepTool()), { scope: 'arguments', duration: 'session' }],
    ];
    for (const [call, wish] of refused) {
      const grants = open();
      await assert.rejects(grants.remember(call, wish, 'palette', []), { code: 'internal' });
      assert.deepEqual(await grants.all(), []);
    }
    const windowless = open('');
    const wish: GrantChoice = { scope: 'tool', duration: 'workspace' };
    await assert.rejects(windowless.remember(facts, wish, 'palette', []), { code: 'internal' });
  });

  it('for a destructive tool apply only while the setting allows them', async () => {
    allowsBroadDestructive = true;
    const grants = open();
    const call = ofTool(write, 'destructive');
    await grants.remember(call, { scope: 'tool', duration: 'always' }, 'palette', []);
    assert.equal(await standing(grants, call), 'covers');
    allowsBroadDestructive = false;
    assert.equal(await standing(grants, call), 'riskRaised');
  });

  it('are journaled as given and withdrawn even if other windows could not be told', async () => {
    const acts: string[] = [];
    const counter = path.join(base, 'counter');
    writeFileSync(counter, 'a file stands where the folder should be');
    const grants = new Grants({
      globalStorage: path.join(base, 'global'),
      onProblem: (problem) => problems.push(problem),
      changes: new SharedChanges(path.join(counter, 'changes')),
      allowsBroadDestructive: () => false,
      servers: () => [],
      onAct: (action) => acts.push(action),
    });
    await assert.rejects(give(grants, { scope: 'tool', duration: 'always' }), StorageError);
    const { grant } = await grants.covering(facts);
    await assert.rejects(grants.withdraw(grant?.id ?? ''), StorageError);
    assert.equal(await standing(grants, facts), 'nothing');
    assert.deepEqual(acts, ['granted', 'withdrawn']);
    grants.dispose();
  });

  it('never reject a decision: unreadable ones count as missing', async () => {
    const grants = open();
    await give(grants, { scope: 'tool', duration: 'always' });
    await give(grants, { scope: 'tool', duration: 'workspace' });
    await give(grants, { scope: 'tool', duration: 'session' });
    const folder = path.join(base, 'global', 'grants');
    for (const name of readdirSync(folder)) writeFileSync(path.join(folder, name), '{"half":');
    rmSync(path.join(base, 'one'), { recursive: true });
    writeFileSync(path.join(base, 'one'), 'not a folder');
    assertEach(await grants.all(), ({ grant }) => grant.duration, ['session']);
    assert.equal(await standing(grants, facts), 'covers');
    assert.deepEqual(problems.map(({ code }) => code).toSorted(), ['notJson', 'unreadable']);
    const wish: GrantChoice = { scope: 'arguments', duration: 'workspace' };
    await assert.rejects(give(grants, wish), StorageError);
    await assert.rejects(grants.withdrawAll(), StorageError);
    // What could be withdrawn is.
    assert.equal(await standing(grants, facts), 'nothing');
  });

  it('are set aside if a file contains another record', async () => {
    const { id } = await give(open(), { scope: 'arguments', duration: 'always' });
    const [name = ''] = readdirSync(path.join(base, 'global', 'grants'));
    const good = (await open().all())[0]?.grant;
    const broken = [
      { duration: 'session' },
      { duration: 'workspace' },
      { scope: 'everything' },
      { origin: 'toString' },
      { tools: { read: true } },
      { tools: ['read'] },
      { serverFingerprint: 'short' },
      { argumentsFingerprint: undefined },
      { createdAt: '1' },
      { server: 7 },
    ];
    for (const change of broken) {
      const text = JSON.stringify({ version: 1, key: id, record: { ...good, ...change } });
      writeFileSync(path.join(base, 'global', 'grants', name), text);
      assert.equal(await standing(open(), facts), 'nothing', JSON.stringify(change));
    }
    assert.equal(problems.length, broken.length);
  });

  it('show when they were last used, to the minute and across windows', async () => {
    const grants = open();
    const grant = await give(grants, { scope: 'tool', duration: 'always' });
    const lastUsed = async (window: Grants) => (await window.all())[0]?.grant.lastUsedAt;
    assert.equal(await lastUsed(grants), undefined);
    now = 2_000;
    grants.noteUse(grant);
    now = 3_000;
    grants.noteUse(grant);
    assert.equal(await lastUsed(grants), 3_000);
    const other = open();
    assert.equal(await lastUsed(other), 2_000);
    now = 62_000;
    grants.noteUse(grant);
    await grants.all();
    assert.equal(await lastUsed(other), 62_000);
    // Given anew it was not used yet.
    now = 70_000;
    await give(grants, { scope: 'tool', duration: 'always' });
    assert.equal(await lastUsed(grants), undefined);
    assert.equal(await lastUsed(other), undefined);
  });

  it('show how they relate to the current servers', async () => {
    const grants = open();
    for (const scope of grantScopes) {
      now += 1;
      await give(grants, { scope, duration: 'session' });
    }
    const shown = async () =>
      (await grants.all()).map(
        ({ grant, suspended, suspendedTools }) =>
          `${grant.scope} ${suspended ?? 'good'} ${suspendedTools}`,
      );
    const serving = (tools: readonly ToolEntry[], of = config) => [
      { ...serverOf(of.id, []), config: of, tools },
    ];
    const good = ['readOnlyTools good 0', 'tool good 0', 'arguments good 0'];
    assert.deepEqual(await shown(), good, 'not configured');
    servers = serving([]);
    assert.deepEqual(await shown(), good, 'not running');
    servers = serving([entryOf(read), entryOf(find)]);
    assert.deepEqual(await shown(), good);
    const changed = entryOf({ ...read, description: 'Deletes.' });
    servers = serving([changed, entryOf(find)]);
    assert.deepEqual(await shown(), [
      'readOnlyTools good 1',
      'tool toolChanged 1',
      'arguments toolChanged 1',
    ]);
    servers = serving([changed, entryOf({ ...find, title: 'F' })]);
    assert.equal((await shown())[0], 'readOnlyTools toolChanged 2');
    servers = serving([entryOf(read, 'destructive'), entryOf(find)]);
    assert.deepEqual(await shown(), [
      'readOnlyTools good 1',
      'tool riskRaised 1',
      'arguments good 0',
    ]);
    servers = serving([], { ...config, transport: { ...transport, command: 'bun' } });
    assert.deepEqual(await shown(), [
      'readOnlyTools serverChanged 2',
      'tool serverChanged 1',
      'arguments serverChanged 1',
    ]);
  });

  it('create nothing on disk before something is stored', async () => {
    const grants = open();
    await grants.covering(facts);
    await give(grants, { scope: 'tool', duration: 'session' });
    await grants.all();
    assert.ok(!existsSync(path.join(base, 'global')) && !existsSync(path.join(base, 'one')));
  });
});

describe('The offered permissions', () => {
  const terms: OfferTerms = {
    hasWorkspace: true,
    allowBroadDestructive: false,
    isAskedByRule: false,
  };
  const offered = (level: RiskLevel, more: Partial<OfferTerms> = {}) => {
    const wishes = offeredGrants(ofTool(read, level), { ...terms, ...more });
    return wishes.map(({ scope, duration }) => `${scope} ${duration}`);
  };
  const threeOf = (...scopes: string[]) =>
    scopes.flatMap((scope) => [`${scope} session`, `${scope} workspace`, `${scope} always`]);

  it('are listed with the smallest first, as far as the risk allows', () => {
    assert.deepEqual(offered('readOnly'), threeOf('arguments', 'tool', 'readOnlyTools'));
    assert.deepEqual(offered('additive'), threeOf('arguments', 'tool'));
    assert.deepEqual(offered('destructive'), threeOf('arguments'));
    const broad = { allowBroadDestructive: true };
    assert.deepEqual(offered('destructive', broad), threeOf('arguments', 'tool'));
    assert.deepEqual(offered('additive', broad), threeOf('arguments', 'tool'));
  });

  it('contain no workspace without one', () => {
    assert.deepEqual(offered('destructive', { hasWorkspace: false }), [
      'arguments session',
      'arguments always',
    ]);
  });

  it('are empty if a rule requires the question, and for a tool that is not unique', () => {
    assert.deepEqual(offered('readOnly', { isAskedByRule: true }), []);
    assert.deepEqual(offeredGrants(ofTool(deepTool()), terms), []);
    assert.deepEqual(offeredGrants(ofTool({ ...read, callable: false }), terms), []);
  });
});

/** JSON can be read deeper than it can be written. */
function deepTool(): Tool {
  const inputSchema = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
  return toolOf('deep', { inputSchema });
}
