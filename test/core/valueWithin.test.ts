import assert from 'node:assert/strict';
import { settlesWithin, valueWithin } from '../../src/core/bounds/valueWithin';
import { whileStopped } from './stoppedClock';

describe('Waiting for at most some time', () => {
  const never = new Promise<string>(() => undefined);

  it('returns the value, or nothing when the time is over', () =>
    whileStopped(async (clock) => {
      assert.equal(await valueWithin(Promise.resolve('value'), 100), 'value');
      const [value, isSettled] = [valueWithin(never, 100), settlesWithin(never, 100)];
      clock.advance(100);
      assert.deepEqual([await value, await isSettled], [undefined, false]);
      assert.equal(await settlesWithin(Promise.resolve(), 100), true);
    }));

  it('fails as the work does, and leaves no timer behind', () =>
    whileStopped(async (clock) => {
      const failed = Promise.reject(new Error('no answer'));
      await assert.rejects(settlesWithin(failed, 100), /no answer/);
      assert.deepEqual(clock.waits, []);
    }));
});
