import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import type { CrashRestartPolicy } from '../../src/host/processes/crashRestarts';
import { untilGone } from '../core/connections';
import { type StoppedClock, whileStopped } from '../core/stoppedClock';
import { until } from '../waiting';
import { SteeredServers } from './steeredServers';

describe('A server that exits unexpectedly', () => {
  let servers: SteeredServers;
  let isOn: boolean;
  let trusted: (config: ServerConfig) => boolean;

  /** `a` runs. */
  async function start(policy: Partial<CrashRestartPolicy> = {}, env = {}): Promise<void> {
    isOn = true;
    trusted = () => true;
    servers = new SteeredServers(undefined, {
      restarts: {
        isOn: () => isOn,
        mayRestart: (config) => Promise.resolve(trusted(config)),
        delaysMs: [5, 5],
        stableMs: 3_600_000,
        ...policy,
      },
    });
    servers.configure(servers.config('a', 'polite', env));
    await servers.registry.start('a');
  }
  afterEach(() => servers.end());

  /** Whatever was planned would have begun. */
  const later = async (clock: StoppedClock) => {
    await nextTurn();
    clock.advance(24 * 3_600_000);
    await nextTurn();
  };
  const die = (code = 1) => servers.steer('a', { die: code }).catch(() => undefined);
  const server = () => servers.registry.find('a');
  const runsAs = (nth: number) =>
    servers.until('a', ({ state, restarts }) => {
      return state.kind === 'running' && (restarts?.attempts ?? 0) === nth - 1;
    });

  it('is restarted, and says so until it has run for a while', async () => {
    await start();
    await die();
    const waiting = await servers.until('a', ({ restarts }) => restarts?.nextAt !== undefined);
    assert.equal(waiting.state.kind, 'failed');
    assert.deepEqual([waiting.restarts?.attempts, waiting.restarts?.limit], [0, 2]);
    const again = await runsAs(2);
    assert.deepEqual([again.restarts, again.tools.length], [{ attempts: 1, limit: 2 }, 9]);
    assert.equal(servers.pids('a').length, 2);
  });

  it('stays stopped when it exits repeatedly, and the user can start it again', async () => {
    await start();
    for (const nth of [1, 2]) {
      await die();
      await runsAs(nth + 1);
    }
    await whileStopped(async (clock) => {
      await die();
      const down = await servers.until('a', ({ state }) => state.kind === 'failed');
      await later(clock);
      assert.deepEqual(server(), down);
      assert.deepEqual(down.restarts, { attempts: 2, limit: 2 });
    });
    await servers.registry.start('a');
    assert.equal(server()?.restarts, undefined);
    await die();
    await runsAs(2);
  });

  it('that does not start again has exited again', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'restarts-'));
    const mark = path.join(folder, 'die');
    await start({}, { DIE_AGAIN: mark });
    writeFileSync(mark, '');
    await die();
    const down = await servers.until('a', ({ state, restarts }) => {
      return state.kind === 'failed' && restarts?.attempts === 2 && restarts.nextAt === undefined;
    });
    assert.ok(down.state.kind === 'failed' && down.state.error.code === 'exitedEarly');
    rmSync(folder, { recursive: true });
    assert.ok(!existsSync(mark));
  });

  it('after it has run for a while counts as if it had never exited', async () => {
    await start({ delaysMs: [5], stableMs: 0 });
    for (const count of [2, 3, 4]) {
      await die();
      await servers.untilReceived('a', 'started', count);
      await servers.until('a', ({ state }) => state.kind === 'running');
    }
  });

  for (const [what, prepare] of [
    ['the person does not want it', () => void (isOn = false)],
    ['nobody has agreed to this configuration', () => void (trusted = () => false)],
  ] as const) {
    it(`stays stopped when ${what}`, () =>
      whileStopped(async (clock) => {
        await start();
        prepare();
        await die();
        const down = await servers.until('a', ({ state }) => state.kind === 'failed');
        await later(clock);
        assert.deepEqual([server(), servers.connects], [down, 1]);
        assert.equal(down.restarts, undefined);
      }));
  }

  it('with exit code 0 stays stopped', () =>
    whileStopped(async (clock) => {
      await start();
      await die(0);
      await servers.until('a', ({ state }) => state.kind === 'failed');
      await later(clock);
      assert.equal(servers.connects, 1);
    }));

  for (const [what, act, isThere = true] of [
    ['is stopped', () => servers.registry.stop('a')],
    ['is taken out of the configuration', () => servers.configure()],
    ['is configured anew', () => servers.configure(servers.config('a', 'polite', { NEW: '1' }))],
    ['goes with everything else', () => servers.registry.stopAll(), false],
    ['is not wanted any more', () => (isOn = false)],
    ['is not trusted any more', () => (trusted = () => false)],
  ] as const) {
    it(`is not restarted if it ${what} meanwhile, and nothing is asked`, () =>
      whileStopped(async (clock) => {
        await start();
        await die();
        const { state } = await servers.until(
          'a',
          ({ restarts }) => restarts?.nextAt !== undefined,
        );
        await act();
        await later(clock);
        assert.equal(servers.connects, 1);
        if (isThere) assert.equal(server()?.restarts, undefined);
        if (what.endsWith('any more')) assert.equal(server()?.state, state);
      }));
  }

  it('because it was stopped does not count', () =>
    whileStopped(async (clock) => {
      await start();
      await servers.registry.stop('a');
      await later(clock);
      assert.deepEqual([server()?.state.kind, servers.connects], ['stopped', 1]);
    }));

  it('has its remaining processes ended, and says so', async function () {
    if (process.platform === 'win32') this.skip();
    await start();
    isOn = false;
    await servers.steer('a', { fork: true });
    await die();
    const { notices } = await servers.until('a', (one) => one.notices.length > 0);
    assert.deepEqual(notices, [{ kind: 'leftBehind' }]);
    const forked = Number(
      servers
        .received('a')
        .find((line) => line.startsWith('forked'))
        ?.slice(7),
    );
    await untilGone(forked);
  });
});

describe('A problem of a server’s process', () => {
  let servers: SteeredServers;
  beforeEach(() => {
    servers = new SteeredServers();
  });
  afterEach(() => servers.end());

  it('is reported if it floods stderr, and calls continue', async () => {
    servers.configure(servers.config('a'));
    await servers.registry.start('a');
    await servers.steer('a', { stderrLines: 5_000 });
    // What was left out is told with the first line of another second.
    await until(async () => {
      await servers.steer('a', { stderrLines: 1 });
      return servers.registry.find('a')?.notices.length === 1;
    });
    const { notices, state } = servers.registry.find('a') ?? assert.fail();
    assert.deepEqual([notices.map(({ kind }) => kind), state.kind], [['stderrFlood'], 'running']);
  });

  it('is reported if it had to be killed, after it is stopped', async function () {
    if (process.platform === 'win32') this.skip();
    servers.configure(servers.config('a', 'stubborn'));
    await servers.registry.start('a');
    await servers.registry.stop('a');
    const server = servers.registry.find('a');
    assert.deepEqual([server?.state.kind, server?.notices], ['stopped', [{ kind: 'killed' }]]);
    await servers.registry.start('a');
    assert.deepEqual(servers.registry.find('a')?.notices, []);
  });
});
