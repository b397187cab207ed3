import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { WriteBehind } from '../../src/host/history/writeBehind';
import { whileStopped } from '../core/stoppedClock';

describe('A background write', () => {
  const written: number[] = [];
  let batches = 0;
  beforeEach(() => {
    written.length = 0;
    batches = 0;
  });

  const open = (most: number): WriteBehind<number> =>
    new WriteBehind({
      write: async (item) => {
        await setImmediate();
        written.push(item);
      },
      onWritten: () => (batches += 1),
      most: () => most,
      isPinned: (item) => item === 2,
      bytesOf: (item) => item,
      isLarge: (item) => item >= 1_000,
    });

  /** So long that everything is written that does not wait for the clock. */
  async function settled(): Promise<void> {
    for (let round = 0; round < 50; round += 1) await setImmediate();
  }

  it('uses the memory of everything that waits, and none when it is written', () =>
    whileStopped(async () => {
      const behind = open(3);
      for (const [key, item] of Object.entries({ a: 10, b: 20, c: 30, d: 40 }))
        behind.add(key, item);
      // Only three are kept.
      assert.equal(behind.waitingBytes, 90);
      behind.replace('c', 5);
      behind.replace('a', 100);
      assert.equal(behind.waitingBytes, 65);
      await behind.settle();
      assert.equal(behind.waitingBytes, 0);
    }));

  it('happens at once for a single entry, and never before its caller continued', () =>
    whileStopped(async () => {
      const behind = open(10);
      behind.add('1', 1);
      assert.deepEqual([written, behind.get('1')], [[], 1]);
      await settled();
      assert.deepEqual([written, behind.get('1')], [[1], undefined]);
    }));

  it('happens in batches for a fast series: the newest, and the required ones', () =>
    whileStopped(async (clock) => {
      const behind = open(3);
      behind.add('1', 1);
      await setImmediate();
      for (let item = 2; item <= 20; item += 1) behind.add(String(item), item);
      await settled();
      assert.deepEqual([written, batches], [[1], 1]);
      clock.advance(1_000);
      await settled();
      assert.deepEqual([written, batches], [[1, 2, 19, 20], 2]);
    }));

  it('happens for the newest entry even if all older ones are required', () =>
    whileStopped(async () => {
      const behind = open(1);
      behind.add('a', 2);
      behind.add('b', 3);
      await behind.settle();
      assert.deepEqual(written, [2, 3]);
    }));

  it('happens for an entry that is added at any moment of another write', async () => {
    for (let moment = 0; moment < 20; moment += 1) {
      const done: string[] = [];
      const behind: WriteBehind<string> = new WriteBehind({
        write: async (item) => {
          done.push(item);
          if (item === 'first') void addLater();
        },
        onWritten: () => {},
        most: () => 10,
        isPinned: () => false,
        bytesOf: () => 0,
        isLarge: () => false,
      });
      const addLater = async () => {
        for (let turn = 0; turn < moment; turn += 1) await Promise.resolve();
        behind.add('second', 'second');
      };
      behind.add('first', 'first');
      await settled();
      await behind.settle();
      assert.deepEqual(done, ['first', 'second'], `${moment} turns later`);
    }
  });

  it('waits ten seconds after a batch with everything', () =>
    whileStopped(async (clock) => {
      const behind = open(2);
      behind.add('3', 3);
      behind.add('4', 4);
      await setImmediate();
      behind.add('5', 5);
      await settled();
      clock.advance(9_000);
      await settled();
      assert.deepEqual(written, [3, 4]);
      clock.advance(1_000);
      await settled();
      assert.deepEqual(written, [3, 4, 5]);
    }));

  it('does not wait on flush, or for large entries', () =>
    whileStopped(async () => {
      const behind = open(10);
      behind.add('1', 1);
      await setImmediate();
      behind.add('3', 3);
      await settled();
      assert.deepEqual(written, [1]);
      await behind.settle();
      assert.deepEqual(written, [1, 3]);
      behind.add('4', 4);
      await setImmediate();
      behind.add('5', 5);
      await settled();
      behind.add('1000', 1_000);
      await settled();
      assert.deepEqual(written, [1, 3, 4, 5, 1_000]);
    }));

  it('is repeated if its entry was replaced meanwhile', async () => {
    const behind = open(10);
    behind.add('1', 1);
    await setImmediate();
    behind.replace('1', 7);
    await behind.settle();
    assert.equal(written.at(-1), 7);
    assert.equal(behind.get('1'), undefined);
  });
});
