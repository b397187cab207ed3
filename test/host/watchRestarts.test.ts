import assert from 'node:assert/strict';
import { proposeWatchGlob } from '../../src/host/configuration/watchGlobs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WatchRestarts, type WatchRestartLimits } from '../../src/host/processes/watchRestarts';
import { StoppedClock } from '../core/stoppedClock';

const quietMs = 5;
/** Longer than any pause here. */
const longMs = 10_000;

describe('A server that restarts on file changes', () => {
  let clock: StoppedClock;
  let restarts: WatchRestarts;
  let restarted: number;
  let givenUp: number[];
  /** What its restart does; tells whether it was restarted. */
  let onRestart: () => Promise<boolean>;

  function make(limits: WatchRestartLimits = {}): void {
    restarted = 0;
    givenUp = [];
    onRestart = () => Promise.resolve(true);
    restarts = new WatchRestarts({
      delaysMs: [0, 0, 5],
      stableMs: 3_600_000,
      quietMs,
      restart: () => {
        restarted += 1;
        return onRestart();
      },
      onGivenUp: (_, count) => givenUp.push(count),
      ...limits,
    });
  }
  beforeEach(() => (clock = new StoppedClock()));
  afterEach(() => {
    restarts.dispose();
    clock.release();
  });

  /** Lets the time pass, and what is due then be done. */
  const pass = async (ms = longMs) => {
    for (const endsAt = Date.now() + ms; Date.now() < endsAt;) {
      clock.advance(Math.min(quietMs, endsAt - Date.now()));
      await nextTurn();
    }
  };
  /** One change, and whatever comes of it. */
  const change = async () => {
    restarts.changed('a');
    await pass(quietMs);
  };
  const writeAtStart = () => {
    onRestart = () => {
      restarts.changed('a');
      return Promise.resolve(true);
    };
  };

  it('is restarted once for many changes', async () => {
    make();
    for (let count = 0; count < 20; count += 1) {
      restarts.changed('a');
      await pass(quietMs - 1);
    }
    assert.equal(restarted, 0);
    await pass();
    assert.equal(restarted, 1);
  });

  it('and writes one of them at each start is restarted a few times, and then no more', async () => {
    make();
    writeAtStart();
    restarts.changed('a');
    await pass();
    assert.deepEqual([restarted, givenUp], [3, [3]]);
    restarts.changed('a');
    await pass();
    assert.deepEqual([restarted, givenUp], [3, [3]]);
  });

  it('has its counter reset when the user starts it', async () => {
    make();
    writeAtStart();
    restarts.changed('a');
    await pass();
    restarts.forget('a');
    restarts.changed('a');
    await pass();
    assert.deepEqual([restarted, givenUp], [6, [3, 3]]);
  });

  it('is restarted for each file that the user saves, however many', async () => {
    make();
    for (let count = 0; count < 10; count += 1) {
      restarts.saved('a');
      await change();
    }
    assert.deepEqual([restarted, givenUp], [10, []]);
  });

  it('and writes continuously is restarted once for a save, not forever', async () => {
    make();
    writeAtStart();
    restarts.saved('a');
    restarts.saved('a');
    restarts.changed('a');
    await pass();
    assert.deepEqual([restarted, givenUp], [4, [3]]);
  });

  it('after a while without changes counts as if it had never been restarted', async () => {
    make({ stableMs: quietMs });
    for (let count = 0; count < 10; count += 1) await change();
    assert.deepEqual([restarted, givenUp], [10, []]);
  });

  it('is not counted as restarted if it was not', async () => {
    make();
    onRestart = () => Promise.resolve(false);
    for (let count = 0; count < 5; count += 1) await change();
    onRestart = () => Promise.reject(new Error('not now'));
    for (let count = 0; count < 5; count += 1) await change();
    assert.deepEqual([restarted, givenUp], [10, []]);
  });

  it('is never restarted twice at the same time, and no change is lost', async () => {
    make();
    let end = () => undefined as void;
    onRestart = () => new Promise((resolve) => (end = () => resolve(true)));
    restarts.changed('a');
    await pass();
    restarts.changed('a');
    await pass();
    assert.equal(restarted, 1);
    end();
    await pass();
    assert.equal(restarted, 2);
  });

  it('waits longer between successive restarts', async () => {
    make({ delaysMs: [0, 200] });
    const at: number[] = [];
    onRestart = () => {
      at.push(Date.now());
      restarts.changed('a');
      return Promise.resolve(true);
    };
    restarts.changed('a');
    await pass();
    const [first = 0, second = 0] = at;
    assert.deepEqual([at.length, second - first], [2, 200]);
  });

  it('is not restarted after its listener is disposed', async () => {
    make();
    restarts.changed('a');
    restarts.dispose();
    await pass();
    assert.equal(restarted, 0);
  });
});

describe('The files that Restart on Save proposes', () => {
  const glob = (command: string, args: readonly string[], cwd?: string) =>
    proposeWatchGlob({ command, args, cwd }, '/work');

  it('are those of the script, in its folder and below', () => {
    assert.equal(glob('node', ['dist/server.mjs']), 'dist/**/*.{js,mjs,cjs,ts,mts,cts}');
    assert.equal(glob('uv', ['run', '${workspaceFolder}/app/server.py']), 'app/**/*.py');
    assert.equal(glob('python', ['server.py']), '**/*.py');
    assert.equal(glob('python', ['server.py'], '/work/a/b'), 'a/b/**/*.py');
    assert.equal(glob('/work/bin/serve.sh', []), 'bin/**/*.sh');
  });

  it('are those of the usual folder if no script of the folder is run', () => {
    const usual = 'src/**/*';
    assert.equal(glob('npx', ['-y', 'some-package']), usual);
    assert.equal(glob('node', ['/elsewhere/server.js']), usual);
    assert.equal(glob('node', ['../server.js']), usual);
    assert.equal(glob('node', ['--import=x.js', '{a,b}/*/server.js']), usual);
  });
});
