import assert from 'node:assert/strict';
import { runWithTimeLimit } from '../../src/core/bounds/runWithTimeLimit';

/** As if a busy machine gave this process no processor, until the time limit ends the wait. */
const starve = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);

describe('Work with a time limit', () => {
  it('is run once more if a busy machine took the time', () => {
    let runs = 0;
    const found = runWithTimeLimit(100, () => {
      runs += 1;
      if (runs === 1) starve();
      return 'done';
    });
    assert.deepEqual([found, runs], [{ value: 'done' }, 2]);
  });

  it('is stopped for good in the end, whether it uses a processor or not', () => {
    let starved = 0;
    const isStarved = () => {
      starved += 1;
      return starve();
    };
    assert.equal(runWithTimeLimit(20, isStarved), undefined);
    assert.equal(starved, 2);
    const neverEnds = () => {
      for (;;);
    };
    assert.equal(runWithTimeLimit(20, neverEnds), undefined);
  });
});
