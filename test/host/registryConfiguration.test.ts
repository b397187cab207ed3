import assert from 'node:assert/strict';
import type { ConfigProblem } from '../../src/host/configuration/serverConfig';
import { isAlive, rejectsWith, SteeredServers } from './steeredServers';

describe('A new configuration', () => {
  let servers: SteeredServers;
  beforeEach(() => {
    servers = new SteeredServers();
  });
  afterEach(() => servers.end());

  const states = () =>
    servers.registry.servers.map(({ config, state }) => `${config.id} ${state.kind}`);

  it('keeps running servers whose entry is the same, with another label and in another place', async () => {
    const { registry } = servers;
    servers.configure(servers.config('a'), servers.config('b'));
    const before = await registry.start('b');
    const moved = { ...servers.config('b'), label: 'B', source: { kind: 'demo' } as const };
    servers.configure(servers.config('c'), moved);
    const after = registry.find('b') ?? assert.fail();
    assert.deepEqual(states(), ['c stopped', 'b running']);
    assert.deepEqual([after.config.label, after.state === before.state], ['B', true]);
    assert.equal(after.tools, before.tools);
    assert.equal(servers.pids('b').length, 1);
  });

  it('stops a server whose entry changed or was removed, also while it starts', async () => {
    const { registry } = servers;
    servers.configure(
      servers.config('changed'),
      servers.config('gone'),
      servers.config('starting', 'silent'),
    );
    await Promise.all([registry.start('changed'), registry.start('gone')]);
    const start = rejectsWith(registry.start('starting'), 'cancelled');
    await servers.untilReceived('starting', 'server/discover');
    const before = servers.changes.length;
    servers.configure(servers.config('changed', 'polite', { MORE: '1' }));
    assert.deepEqual(servers.changes.slice(before), [{ kind: 'servers' }]);
    assert.deepEqual(states(), ['changed stopped']);
    assert.equal(registry.find('gone'), undefined);
    await start;
    await rejectsWith(registry.start('gone'), 'unknownServer');
    await registry.stopAll();
    const pids = ['changed', 'gone', 'starting'].flatMap((id) => servers.pids(id));
    assert.deepEqual(pids.map(isAlive), [false, false, false]);
  });

  it('starts a changed server only when its old run has ended', async () => {
    servers.configure(servers.config('a', 'stubborn'));
    await servers.registry.start('a');
    const [old = assert.fail()] = servers.pids('a');
    servers.configure(servers.config('a'));
    const server = await servers.registry.start('a');
    assert.deepEqual([isAlive(old), server.state.kind], [false, 'running']);
  });

  it('of a hundred servers is one change, and starts none of them', () => {
    const ids = Array.from({ length: 100 }, (_, index) => `s${index}`);
    servers.configure(...ids.map((id) => servers.config(id)));
    assert.deepEqual(
      servers.registry.servers.map(({ config, state }) => [config.id, state.kind]),
      ids.map((id) => [id, 'stopped']),
    );
    assert.deepEqual([servers.changes, servers.connects], [[{ kind: 'servers' }], 0]);
  });

  it('with the same content changes nothing and notifies nothing', () => {
    const problem: ConfigProblem = {
      code: 'unknownKey',
      source: { kind: 'setting' },
      server: 'a',
      path: ['a', 'odd'],
      fatal: false,
    };
    const apply = () =>
      servers.registry.setConfiguration(
        [servers.config('a')],
        [{ ...problem }, { ...problem, server: 'nobody' }],
      );
    apply();
    const before = [servers.registry.servers, servers.registry.problems];
    apply();
    assert.deepEqual(servers.changes, [{ kind: 'servers' }]);
    const after = [servers.registry.servers, servers.registry.problems];
    assert.ok(after.every((value, index) => value === before[index]));
  });

  it('clears the failure of a corrected entry', async () => {
    servers.configure(servers.config('a', 'exit'));
    await rejectsWith(servers.registry.start('a'), 'exitedEarly');
    servers.configure(servers.config('a', 'exit'));
    assert.deepEqual(states(), ['a failed']);
    servers.configure(servers.config('a'));
    assert.deepEqual(states(), ['a stopped']);
  });

  it('uses the first of two equal ids, and any name', async () => {
    servers.configure(
      servers.config('__proto__'),
      { ...servers.config('a'), label: 'first' },
      { ...servers.config('a'), label: 'second' },
    );
    assert.deepEqual(states(), ['__proto__ stopped', 'a stopped']);
    assert.equal(servers.registry.find('a')?.config.label, 'first');
    assert.equal(servers.registry.find('constructor'), undefined);
    assert.equal((await servers.registry.start('__proto__')).state.kind, 'running');
  });
});
