import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { WatchRestarts, type WatchRestartLimits } from '../../src/host/processes/watchRestarts';

describe('A server that files restart', () => {
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
      quietMs: 5,
      restart: () => {
        restarted += 1;
        return onRestart();
      },
      onGivenUp: (_, count) => givenUp.push(count),
      ...limits,
    });
  }
  afterEach(() => restarts.dispose());

  const until = async (isSo: () => boolean) => {
    while (!isSo()) await delay(2);
  };
  /** One change, and whatever comes of it. */
  const change = async () => {
    const before = restarted + givenUp.length;
    restarts.changed('a');
    await until(() => restarted + givenUp.length > before);
    await delay(1);
  };
  const writeAtStart = () => {
    onRestart = () => {
      restarts.changed('a');
      return Promise.resolve(true);
    };
  };

  it('is restarted once for many changes', async () => {
    make({ quietMs: 50 });
    for (let count = 0; count < 20; count += 1) restarts.changed('a');
    await delay(200);
    assert.equal(restarted, 1);
  });

  it('and writes one of them each time it starts is restarted so often, and then no more', async () => {
    make();
    writeAtStart();
    restarts.changed('a');
    await until(() => givenUp.length > 0);
    await delay(100);
    assert.deepEqual([restarted, givenUp], [3, [3]]);
    restarts.changed('a');
    await delay(50);
    assert.deepEqual([restarted, givenUp], [3, [3]]);
  });

  it('begins anew when a person has started it', async () => {
    make();
    writeAtStart();
    restarts.changed('a');
    await until(() => givenUp.length > 0);
    restarts.forget('a');
    restarts.changed('a');
    await until(() => givenUp.length > 1);
    assert.deepEqual([restarted, givenUp], [6, [3, 3]]);
  });

  it('is restarted for each file that a person saves, however many', async () => {
    make();
    for (let count = 0; count < 10; count += 1) {
      restarts.saved('a');
      await change();
    }
    assert.deepEqual([restarted, givenUp], [10, []]);
  });

  it('and goes on writing is restarted once for a save, not for ever', async () => {
    make();
    writeAtStart();
    restarts.saved('a');
    restarts.saved('a');
    restarts.changed('a');
    await until(() => givenUp.length > 0);
    assert.deepEqual([restarted, givenUp], [4, [3]]);
  });

  it('after it was left alone for a while is as if it had never been restarted', async () => {
    make({ stableMs: 0 });
    for (let count = 0; count < 10; count += 1) await change();
    assert.deepEqual([restarted, givenUp], [10, []]);
  });

  it('is not counted as restarted where it was not', async () => {
    make();
    onRestart = () => Promise.resolve(false);
    for (let count = 0; count < 5; count += 1) await change();
    onRestart = () => Promise.reject(new Error('not now'));
    for (let count = 0; count < 5; count += 1) await change();
    assert.deepEqual([restarted, givenUp], [10, []]);
  });

  it('is never restarted twice at the same time, and what changed meanwhile is not lost', async () => {
    make();
    let running = 0;
    let most = 0;
    onRestart = async () => {
      running += 1;
      most = Math.max(most, running);
      if (restarted === 1) restarts.changed('a');
      await delay(60);
      running -= 1;
      return true;
    };
    restarts.changed('a');
    await until(() => restarted === 2 && running === 0);
    assert.equal(most, 1);
  });

  it('waits longer between restarts that come in a row', async () => {
    make({ delaysMs: [0, 200] });
    const at: number[] = [];
    onRestart = () => {
      at.push(performance.now());
      restarts.changed('a');
      return Promise.resolve(true);
    };
    restarts.changed('a');
    await until(() => givenUp.length > 0);
    const [first = 0, second = 0] = at;
    assert.ok(second - first > 150, `${second - first} ms`);
  });

  it('is not restarted any more when nobody listens', async () => {
    make({ quietMs: 20 });
    restarts.changed('a');
    restarts.dispose();
    await delay(60);
    assert.equal(restarted, 0);
  });
});
