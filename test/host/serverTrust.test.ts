import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
import type { ServerConfig, StdioServerTransport } from '../../src/host/configuration/serverConfig';
import { ServerTrust, type TrustState } from '../../src/host/consent/trust/serverTrust';
import { startChanges, startFacts } from '../../src/host/consent/trust/startFacts';
import { StorageError, type StorageProblem } from '../../src/host/storage/recordStore';
import { isAlive, rejectsWith, SteeredServers } from './steeredServers';

const place = { kind: 'workspaceFile', path: '/w/.vscode/mcp.json', folder: '/w' } as const;

function configOf(more: Partial<StdioServerTransport> = {}, id = 'a'): ServerConfig {
  const transport = { kind: 'stdio', command: 'node', args: ['x.js'], env: {}, ...more } as const;
  return { id, label: id, source: place, transport };
}

describe('Trust in a server', () => {
  let folder: string;
  let trust: ServerTrust;
  let problems: StorageProblem[];
  const open = () => new ServerTrust({ folder, onProblem: (problem) => problems.push(problem) });
  const files = () => readdirSync(folder).toSorted();

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'trust-'));
    problems = [];
    trust = open();
  });
  afterEach(() => {
    trust.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const kindOf = async (config: ServerConfig) => (await trust.stateOf(config)).kind;
  /** What a person would see of the difference. */
  const changed = (state: TrustState, config: ServerConfig) => {
    assert.ok(state.kind === 'changed');
    return startChanges(state.before, startFacts(config)).map(({ kind, fact }) => [
      kind,
      fact.value ?? fact.mask?.length,
    ]);
  };

  it('begins with a question, and is kept for the next window', async () => {
    assert.equal(await kindOf(configOf()), 'first');
    await trust.trust(configOf());
    assert.equal(await kindOf(configOf()), 'trusted');
    trust.dispose();
    trust = open();
    assert.equal(await kindOf(configOf()), 'trusted');
  });

  it('ends with any change of what runs, and shows the change', async () => {
    const before = configOf({ env: { A: '1', API_KEY: 'old secret' }, cwd: '/w' });
    await trust.trust(before);
    const same = { A: '1', API_KEY: 'old secret' };
    const cases: readonly (readonly [Partial<StdioServerTransport>, readonly unknown[]])[] = [
      [{ command: 'deno' }, ['node', 'deno']],
      [{ args: ['y.js'] }, ['x.js', 'y.js']],
      [{ cwd: '/v' }, ['/w', '/v']],
      [{ env: { ...same, A: '2' } }, ['1', '2']],
      [{ env: { ...same, API_KEY: 'new secret!' } }, [10, 11]],
    ];
    for (const [change, values] of cases) {
      const now = configOf({ env: same, cwd: '/w', ...change });
      assert.deepEqual(changed(await trust.stateOf(now), now), [
        ['removed', values[0]],
        ['added', values[1]],
      ]);
    }
    assert.equal(await kindOf(before), 'trusted');
  });

  it('is asked for again if a change is reverted after a yes to it', async () => {
    await trust.trust(configOf());
    await trust.trust(configOf({ args: ['y.js'] }));
    assert.equal(await kindOf(configOf()), 'changed');
  });

  it('belongs to one name in one place', async () => {
    await trust.trust(configOf());
    const elsewhere: readonly ServerConfig[] = [
      configOf({}, 'b'),
      { ...configOf(), source: { ...place, path: '/v/.vscode/mcp.json' } },
      { ...configOf(), source: { kind: 'setting' } },
    ];
    assert.deepEqual(
      await Promise.all(elsewhere.map(kindOf)),
      elsewhere.map(() => 'first'),
    );
    assert.equal(await kindOf({ ...configOf(), label: 'Another title' }), 'trusted');
  });

  it('is not needed for the demo server of the extension', async () => {
    const demo: ServerConfig = { ...configOf(), source: { kind: 'demo' } };
    assert.deepEqual([await kindOf(demo), files()], ['trusted', []]);
  });

  it('that one window withdraws applies in no other at its next start', async () => {
    const other = open();
    await trust.trust(configOf());
    const [record] = await other.all();
    assert.deepEqual(
      [record?.server, record?.source, record?.path, record?.facts],
      ['a', 'workspaceFile', place.path, startFacts(configOf())],
    );
    await other.withdraw(record?.key ?? assert.fail());
    assert.equal(await kindOf(configOf()), 'first');
    other.dispose();
  });

  it('is withdrawn for all servers at once', async () => {
    await trust.trust(configOf({}, 'a'));
    await trust.trust(configOf({}, 'b'));
    await trust.withdrawAll();
    assert.deepEqual([await trust.all(), files()], [[], []]);
  });

  it('with an invalid file is asked for again, and the file is set aside', async () => {
    await trust.trust(configOf());
    const [name = assert.fail()] = files();
    for (const text of ['{', '{"version":1}', '']) {
      writeFileSync(path.join(folder, name), text);
      assert.equal(await kindOf(configOf()), 'first');
    }
    assert.deepEqual(
      files(),
      [1, 2, 3].map((count) => `${name}.corrupt-${count}`),
    );
    assert.equal(problems.length, 3);
  });

  it('is never read from a file of another server', async () => {
    await trust.trust(configOf());
    const [first = assert.fail()] = files();
    await trust.trust(configOf({ command: 'rm' }, 'b'));
    const second = files().find((name) => name !== first) ?? assert.fail();
    writeFileSync(path.join(folder, second), readFileSync(path.join(folder, first)));
    assert.equal(await kindOf(configOf({}, 'b')), 'first');
  });

  it('has no secret in its file', async () => {
    await trust.trust(configOf({ env: { API_KEY: 'hunter2-hunter2' } }));
    const text = files().map((name) => readFileSync(path.join(folder, name), 'utf8'));
    assert.doesNotMatch(text.join('\n'), /hunter2/);
  });

  it('that cannot be written applies in this window, with a message', async () => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file where the folder should be');
    await assert.rejects(trust.trust(configOf()), StorageError);
    assert.equal(await kindOf(configOf()), 'trusted');
    const other = open();
    assert.equal((await other.stateOf(configOf())).kind, 'first');
    other.dispose();
  });
});

describe('The registry with a trust question', () => {
  let servers: SteeredServers;
  let asked: [string, CancellationToken][];
  /** Settles the questions that are open. */
  let answer: (yes: boolean) => void;

  beforeEach(() => {
    servers = new SteeredServers();
    asked = [];
    const open: ((yes: boolean) => void)[] = [];
    servers.approve = (config, token) => {
      asked.push([config.id, token]);
      return new Promise((resolve) => {
        open.push(resolve);
      });
    };
    answer = (yes) => {
      for (const resolve of open.splice(0)) resolve(yes);
    };
  });
  afterEach(async () => {
    answer(false);
    await servers.end();
  });

  const stateOf = (id: string) => servers.registry.find(id)?.state.kind;
  const ran = () => [servers.connects, servers.received('a').length];

  it('asks, and runs nothing before the yes', async () => {
    servers.configure(servers.config('a'));
    const start = servers.registry.start('a');
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([asked.length, ...ran()], [1, 0, 0]);
    answer(true);
    assert.equal((await start).state.kind, 'running');
  });

  it('asks once for all callers of the same start', async () => {
    servers.configure(servers.config('a'));
    const { registry } = servers;
    const starts = [registry.start('a'), registry.start('a')];
    answer(true);
    const [one, two] = await Promise.all(starts);
    assert.equal(one, two);
    await registry.start('a');
    assert.deepEqual([asked.length, servers.pids('a').length], [1, 1]);
  });

  it('treats a no as a server that has not started, and asks again the next time', async () => {
    servers.configure(servers.config('a'));
    const { registry } = servers;
    const starts = [registry.start('a'), registry.start('a')].map((start) =>
      rejectsWith(start, 'notApproved'),
    );
    answer(false);
    await Promise.all(starts);
    assert.deepEqual([stateOf('a'), ...ran()], ['stopped', 0, 0]);
    const again = registry.start('a');
    answer(true);
    await again;
    assert.deepEqual([asked.length, stateOf('a')], [2, 'running']);
  });

  it('does not treat a failed question as a yes', async () => {
    servers.configure(servers.config('a'));
    servers.approve = () => Promise.reject(new Error('no window'));
    await rejectsWith(servers.registry.start('a'), 'internal');
    assert.deepEqual([stateOf('a'), ...ran()], ['failed', 0, 0]);
  });

  it('starts nothing if the start is cancelled meanwhile, whatever the later answer is', async () => {
    servers.configure(servers.config('a'));
    const { registry } = servers;
    const source = new CancellationTokenSource();
    const start = rejectsWith(registry.start('a', source.token), 'cancelled');
    source.cancel();
    await start;
    assert.deepEqual([asked[0]?.[1].isCancellationRequested, stateOf('a')], [true, 'stopped']);
    const stopped = rejectsWith(registry.start('a'), 'cancelled');
    await registry.stop('a');
    await stopped;
    answer(true);
    await registry.stopAll();
    assert.deepEqual([stateOf('a'), ...ran()], ['stopped', 0, 0]);
  });

  it('keeps asking for the one of two callers that has not cancelled', async () => {
    servers.configure(servers.config('a'));
    const source = new CancellationTokenSource();
    const off = rejectsWith(servers.registry.start('a', source.token), 'cancelled');
    const on = servers.registry.start('a');
    source.cancel();
    await off;
    answer(true);
    await on;
    assert.deepEqual([asked.length, stateOf('a')], [1, 'running']);
  });

  it('does not start the old entry if the configuration changes meanwhile', async () => {
    servers.configure(servers.config('a'));
    const old = rejectsWith(servers.registry.start('a'), 'cancelled');
    servers.configure(servers.config('a', 'polite', { MORE: '1' }));
    await old;
    assert.deepEqual([asked[0]?.[1].isCancellationRequested, stateOf('a')], [true, 'stopped']);
    answer(true);
    const now = servers.registry.start('a');
    assert.deepEqual([asked.length, ...ran()], [2, 0, 0]);
    answer(true);
    await now;
    assert.equal(servers.pids('a').length, 1);
  });

  it('asks nothing about a server that cannot start', async () => {
    servers.configure(servers.config('a'));
    servers.isTrusted = false;
    await rejectsWith(servers.registry.start('a'), 'untrustedWorkspace');
    await rejectsWith(servers.registry.start('b'), 'unknownServer');
    assert.deepEqual(asked, []);
  });

  it('does not let a waiting question delay another start', async () => {
    const ids = ['b', 'c', 'd', 'e', 'f'];
    servers.configure(servers.config('a'), ...ids.map((id) => servers.config(id)));
    const { approve } = servers;
    const open = ids.map((id) => rejectsWith(servers.registry.start(id), 'cancelled'));
    servers.approve = () => Promise.resolve(true);
    await servers.registry.start('a');
    servers.approve = approve;
    assert.deepEqual([asked.length, stateOf('a')], [5, 'running']);
    await servers.registry.stopAll();
    await Promise.all(open);
  });
});

describe('A trusted server', () => {
  let folder: string;
  let servers: SteeredServers;
  let trust: ServerTrust;
  let asked: TrustState['kind'][];

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'trust-'));
    trust = new ServerTrust({ folder, onProblem: () => {} });
    servers = new SteeredServers();
    asked = [];
    servers.approve = async (config) => {
      const { kind } = await trust.stateOf(config);
      if (kind === 'trusted') return true;
      asked.push(kind);
      await trust.trust(config);
      return true;
    };
  });
  afterEach(async () => {
    await servers.end();
    trust.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts and restarts without a question until its configuration changes', async () => {
    const { registry } = servers;
    servers.configure(servers.config('a'));
    await registry.start('a');
    await registry.restart('a');
    await registry.stop('a');
    await registry.start('a');
    assert.deepEqual(asked, ['first']);
    // Elsewhere in the file, and under another label: still the same server.
    servers.configure(servers.config('b'), { ...servers.config('a'), label: 'A' });
    await registry.restart('a');
    assert.deepEqual(asked, ['first']);
    servers.configure(servers.config('a', 'polite', { MORE: '1' }));
    await registry.start('a');
    assert.deepEqual(asked, ['first', 'changed']);
    const [last = assert.fail()] = servers.pids('a').slice(-1);
    assert.ok(isAlive(last));
  });
});
