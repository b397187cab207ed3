import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseTool } from '../../src/core/parse/parseTool';
import type { RiskOverride } from '../../src/core/risk';
import type { Tool } from '../../src/core/types';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import type { Server } from '../../src/host/connections/snapshot';
import type { CallFacts } from '../../src/host/consent/facts/callFacts';
import {
  type OverrideState,
  RiskOverrides,
  parseOverride,
} from '../../src/host/consent/grants/overrides';
import { StorageError, type StorageProblem } from '../../src/host/storage/recordStore';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { SteeredServers } from './steeredServers';
import { entryOf, serverOf, toolOf } from './treeFixtures';
import { assertEach } from '../assertions';

const readOnly: RiskOverride = { level: 'readOnly', openWorld: false };

describe('A risk that the user sets', () => {
  let folder: string;
  const opened: RiskOverrides[] = [];
  const problems: StorageProblem[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'overrides-'));
    problems.length = 0;
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.dispose();
    rmSync(folder, { recursive: true });
  });

  let clock = 0;
  /** What a window on a workspace has; with `null`, one without a workspace. */
  async function open(
    workspace: string | null = 'w',
    servers: readonly Server[] = [],
  ): Promise<RiskOverrides> {
    const overrides = new RiskOverrides({
      globalStorage: path.join(folder, 'global'),
      ...(workspace === null ? {} : { workspaceStorage: path.join(folder, workspace) }),
      onProblem: (problem) => problems.push(problem),
      changes: new SharedChanges(path.join(folder, 'global', 'changes')),
      servers: () => servers,
      now: () => ++clock,
    });
    opened.push(overrides);
    await overrides.refresh();
    return overrides;
  }

  const tool = toolOf('drop', { description: 'Drops it.', inputSchema: { type: 'object' } });
  const { config } = serverOf('shop', [tool]);
  const wish = { config, tool, override: readOnly, scope: 'workspace', origin: 'tree' } as const;

  function risk(overrides: RiskOverrides, of: Tool = tool, at: ServerConfig = config): string {
    const { level, openWorld, basis, hints } = overrides.riskOf(at, of);
    return `${level} ${basis}, ${openWorld ? 'open' : 'closed'} ${hints.openWorld.basis}`;
  }
  const unset = 'destructive assumed, open assumed';
  const set = 'readOnly overridden, closed overridden';

  it('applies in its workspace, also after a restart, and in no other', async () => {
    const overrides = await open();
    assert.equal(risk(overrides), unset);
    await overrides.set(wish);
    assert.deepEqual(
      [risk(overrides), risk(await open()), risk(await open('other')), risk(await open(null))],
      [set, set, unset, unset],
    );
  });

  it('for all workspaces applies in each, and replaces that of one', async () => {
    const overrides = await open();
    await overrides.set(wish);
    await overrides.set({ ...wish, override: { level: 'additive' }, scope: 'always' });
    const said = 'additive overridden, open assumed';
    assert.deepEqual(
      [risk(overrides), risk(await open('other')), risk(await open(null))],
      [said, said, said],
    );
    await overrides.set(wish);
    assert.deepEqual([risk(overrides), risk(await open('other'))], [set, said]);
  });

  it('is suspended by any change of the definition, and applies again to the same one', async () => {
    const overrides = await open();
    await overrides.set(wish);
    for (const change of [
      { title: 'Drop' },
      { description: 'Drops it all.' },
      { inputSchema: { type: 'object', properties: {} } },
      { outputSchema: { type: 'object' } },
      { annotations: { readOnlyHint: false } },
      { name: 'Drop' },
    ] satisfies Partial<Tool>[]) {
      const changed = { ...tool, ...change };
      assert.equal(risk(overrides, changed).split(',')[0], 'destructive assumed');
    }
    assert.equal(risk(overrides, structuredClone(tool)), set);
  });

  it('is suspended if the server’s launch or configuration changes', async () => {
    const overrides = await open();
    await overrides.set(wish);
    for (const change of [
      { transport: { kind: 'stdio', command: 'node', args: ['other.js'], env: {} } },
      { transport: { kind: 'http', url: 'https://shop.example', headers: {} } },
      { id: 'shop2' },
      { source: { kind: 'demo' } },
    ] as const) {
      assert.equal(risk(overrides, tool, { ...config, ...change }), unset);
    }
    assert.equal(risk(overrides, tool, { ...config, label: 'The Shop' }), set);
  });

  it('can be higher than the server declares', async () => {
    const overrides = await open();
    const claims = toolOf('read', { annotations: { readOnlyHint: true, openWorldHint: false } });
    await overrides.set({ ...wish, tool: claims, override: { level: 'destructive' } });
    assert.equal(risk(overrides, claims), 'destructive overridden, closed declared');
  });

  it('is reset for every workspace, even if it is suspended', async () => {
    const overrides = await open();
    await overrides.set({ ...wish, scope: 'always' });
    await overrides.set(wish);
    const changed = { ...tool, description: 'Drops more.' };
    assertEach(overrides.of(config, changed), ({ suspended }) => suspended, [
      'toolChanged',
      'toolChanged',
    ]);
    await overrides.takeBack(config, tool.name);
    assert.deepEqual([risk(overrides), risk(await open('other'))], [unset, unset]);
    assert.deepEqual([overrides.of(config, changed), await overrides.all()], [[], []]);
  });

  it('of a server of the same name with another configuration is independent', async () => {
    const overrides = await open();
    await overrides.set({ ...wish, scope: 'always' });
    const other = { ...config, source: { kind: 'demo' } } as const;
    await overrides.takeBack(other, tool.name);
    assert.deepEqual([overrides.of(other, tool), risk(overrides)], [[], set]);
  });

  it('of another window applies at the next check, with a notification', async () => {
    const here = await open();
    const there = await open();
    let told = 0;
    there.onDidChange(() => told++);
    await here.set(wish);
    assert.deepEqual([risk(there), told], [unset, 0]);
    await there.refresh();
    assert.deepEqual([risk(there), told], [set, 1]);
    await here.takeBack(config, tool.name);
    await there.refresh();
    assert.deepEqual([risk(there), told], [unset, 2]);
  });

  it('of another window applies to the decision about a waiting call', async () => {
    const here = await open();
    const there = await open();
    const facts: CallFacts = {
      config,
      entry: entryOf('shop', tool),
      arguments: {},
      origin: 'palette',
    };
    await here.set({ ...wish, override: { level: 'additive' } });
    const { entry, ...rest } = await there.effective(facts);
    assert.deepEqual([entry.tool === tool, entry.risk.level], [true, 'additive']);
    assert.deepEqual(rest, { config, arguments: {}, origin: 'palette' });
    mkdirSync(path.join(folder, 'w/overrides/unreadable.json'));
    await new SharedChanges(path.join(folder, 'global', 'changes')).notify();
    await assert.rejects(there.effective(facts), /cannot be read/);
  });

  it('is listed with its origin and whether it applies, the newest first', async () => {
    const second = toolOf('second');
    const servers = [
      serverOf('shop', [{ ...tool, title: 'new' }, second]),
      serverOf('idle', [], { state: { kind: 'stopped' } }),
    ];
    const overrides = await open('w', servers);
    await overrides.set(wish);
    await overrides.set({ ...wish, tool: second, scope: 'always', origin: 'palette' });
    await overrides.set({ ...wish, config: serverOf('idle', []).config });
    await overrides.set({ ...wish, config: serverOf('gone', []).config });
    const transport = { kind: 'stdio', command: 'other', args: [], env: {} } as const;
    await overrides.set({ ...wish, config: { ...config, source: { kind: 'demo' }, transport } });
    const line = ({ scope, record, suspended }: OverrideState) =>
      `${record.server} ${record.tool} ${scope} ${record.origin} ${suspended ?? 'counts'}`;
    const all = await overrides.all();
    assert.deepEqual(all.map(line), [
      'shop drop workspace tree serverChanged',
      'gone drop workspace tree counts',
      'idle drop workspace tree counts',
      'shop second always palette counts',
      'shop drop workspace tree toolChanged',
    ]);
    const times = all.map(({ record }) => record.createdAt);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
    );
  });

  it('is withdrawn by its id, or all are', async () => {
    const overrides = await open();
    await overrides.set(wish);
    await overrides.set({ ...wish, tool: toolOf('second'), scope: 'always' });
    await overrides.set({ ...wish, tool: toolOf('third') });
    const [third] = await overrides.all();
    assert.ok(third);
    await overrides.withdraw(third.id);
    await overrides.withdraw(third.id);
    const left = async () => (await overrides.all()).map(({ record }) => record.tool);
    assert.deepEqual(await left(), ['second', 'drop']);
    await overrides.withdrawAll();
    assert.deepEqual(
      [await left(), risk(overrides), risk(await open('other'))],
      [[], unset, unset],
    );
  });

  it('is not possible for a definition that is not unique', async () => {
    const overrides = await open();
    let inputSchema: Tool['inputSchema'] = { type: 'object' };
    for (let depth = 0; depth < 20_000; depth++) inputSchema = { not: inputSchema };
    const deep = { ...tool, inputSchema };
    assert.deepEqual([overrides.canBind(deep), overrides.canBind(tool)], [false, true]);
    await assert.rejects(overrides.set({ ...wish, tool: deep }), /internal/);
    await assert.rejects((await open(null)).set(wish), /internal/);
  });

  it('with an incomplete record is set aside, and is unknown until then', async () => {
    const overrides = await open();
    await overrides.set(wish);
    const [name = assert.fail()] = readdirSync(path.join(folder, 'w/overrides'));
    const file = path.join(folder, 'w/overrides', name);
    for (const text of ['', '{', '{"version":1,"key":"x","record":{"level":"readOnly"}}']) {
      writeFileSync(file, text);
      const late = await open();
      assert.deepEqual([risk(late), await late.all()], [unset, []]);
    }
    assert.equal(problems.length, 3);
    assert.ok(problems.every(({ setAsideAs }) => setAsideAs !== undefined));
  });

  it('is read only if every part of it is valid', () => {
    const record = {
      server: 's',
      serverFingerprint: 'a'.repeat(64),
      tool: '',
      toolFingerprint: 'b'.repeat(64),
      override: { level: 'additive', openWorld: false },
      origin: 'tree',
      createdAt: 1,
    };
    assert.deepEqual(parseOverride({ ...record, more: 1 }), record);
    const { level } = record.override;
    assert.deepEqual(parseOverride({ ...record, override: { level } })?.override, { level });
    for (const wrong of [
      { server: 1 },
      { serverFingerprint: 'x' },
      { tool: null },
      { toolFingerprint: undefined },
      { override: 'readOnly' },
      { override: { level: 'safe' } },
      { override: { openWorld: false } },
      { override: { level, openWorld: 'no' } },
      { origin: 'server' },
      { createdAt: '1' },
      { createdAt: Infinity },
    ]) {
      assert.equal(parseOverride({ ...record, ...wrong }), undefined, JSON.stringify(wrong));
    }
    assert.equal(parseOverride([]), undefined);
  });

  it('that cannot be read makes the list incomplete, with a message', async () => {
    const fresh = new RiskOverrides({
      globalStorage: folder,
      onProblem: (problem) => problems.push(problem),
      changes: new SharedChanges(path.join(folder, 'changes')),
      servers: () => [],
    });
    opened.push(fresh);
    assert.equal(fresh.isComplete, false);
    await fresh.refresh();
    assert.equal(fresh.isComplete, true);
    mkdirSync(path.join(folder, 'w/overrides/a.json'), { recursive: true });
    assert.equal((await open()).isComplete, false);
  });

  it('counts as set if only other windows could not be told, here as in the journal', async () => {
    const acts: string[] = [];
    const counter = path.join(folder, 'counter');
    const overrides = new RiskOverrides({
      globalStorage: path.join(folder, 'global'),
      workspaceStorage: path.join(folder, 'w'),
      onProblem: (problem) => problems.push(problem),
      changes: new SharedChanges(path.join(counter, 'changes')),
      servers: () => [],
      onAct: (action, { override }) => acts.push(`${action} ${override.level}`),
    });
    opened.push(overrides);
    await overrides.set(wish);
    rmSync(counter, { recursive: true });
    writeFileSync(counter, 'a file stands where the folder should be');
    const always = { ...wish, override: { level: 'destructive' }, scope: 'always' } as const;
    await assert.rejects(overrides.set(always), StorageError);
    assert.equal(overrides.riskOf(config, tool).level, 'destructive');
    await assert.rejects(overrides.takeBack(config, tool.name), StorageError);
    assert.deepEqual(acts, [
      'overrideSet readOnly',
      'overrideSet destructive',
      'overrideWithdrawn destructive',
    ]);
  });

  it('that cannot be stored changes nothing', async () => {
    writeFileSync(path.join(folder, 'w'), 'no folder');
    const overrides = await open();
    await assert.rejects(overrides.set(wish), StorageError);
    assert.equal(risk(overrides), unset);
  });
});

describe('The risk of listed tools', () => {
  let servers: SteeredServers;
  beforeEach(() => {
    servers = new SteeredServers();
  });
  afterEach(() => servers.end());

  it('is computed again on demand, and entries with the same risk are kept', async () => {
    let level: RiskOverride['level'] | undefined;
    const { riskOf } = servers;
    servers.riskOf = (config, tool) => {
      const risk = riskOf(config, tool);
      return tool.name === 'never' && level ? { ...risk, level, basis: 'overridden' } : risk;
    };
    servers.configure(servers.config('a'), servers.config('idle'));
    await servers.registry.start('a');
    const tools = () => servers.registry.find('a')?.tools ?? [];
    const said = () => tools().map(({ tool, risk }) => `${tool.name} ${risk.level}`);
    const before = tools();
    const changes = servers.changes.length;

    servers.registry.reassessRisks();
    assert.deepEqual([tools() === before, servers.changes.length], [true, changes]);

    level = 'readOnly';
    servers.registry.reassessRisks();
    assert.deepEqual(servers.changes.slice(changes), [{ kind: 'tools', id: 'a' }]);
    assert.ok(said().includes('never readOnly'));
    assert.deepEqual(
      tools().flatMap(({ tool }, index) => (tools()[index] === before[index] ? [] : [tool.name])),
      ['never'],
    );

    await servers.registry.refreshTools('a');
    assert.ok(said().includes('never readOnly'));
    level = undefined;
    servers.registry.reassessRisks();
    assert.ok(said().includes('never destructive'));
  });

  it('of a tool that the server changes is computed again', async () => {
    const { riskOf } = servers;
    const seen: string[] = [];
    servers.riskOf = (config, tool) => {
      seen.push(`${config.id}/${tool.name}`);
      return riskOf(config, tool);
    };
    servers.configure(servers.config('a'));
    await servers.registry.start('a');
    seen.length = 0;
    await servers.registry.refreshTools('a');
    assert.deepEqual(seen, []);
    const changed = parseTool({ name: 'echo', inputSchema: { type: 'object' } });
    await servers.steer('a', { tools: [{ name: changed.name, inputSchema: changed.inputSchema }] });
    await servers.registry.refreshTools('a');
    assert.deepEqual(seen, ['a/echo']);
  });
});
