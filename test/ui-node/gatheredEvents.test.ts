import assert from 'node:assert/strict';
import { BatchedEmitter } from '../../src/ui/results/batchedEmitter';
import { eventually } from '../waiting';

describe('Batched events', () => {
  let events: BatchedEmitter<number>;
  let told: (readonly number[])[];
  beforeEach(() => {
    events = new BatchedEmitter();
    told = [];
    events.event((items) => told.push(items));
  });
  afterEach(() => events.dispose());

  it('fire at once for the first, and once for all that follow soon, in order', async () => {
    events.add([1, 2]);
    assert.deepEqual(told, [[1, 2]]);
    for (const item of [3, 4, 5]) events.add([item]);
    assert.equal(told.length, 1);
    await eventually(
      () => told.flat(),
      (all) => all.length === 5,
    );
    assert.deepEqual(told, [
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it('pass on more items at once than a function has parameters', () => {
    const many = Array.from({ length: 500_000 }, (_, item) => item);
    events.add(many);
    assert.equal(told[0]?.length, many.length);
  });

  it('pass on changes made by a listener, and none after they are disposed', async () => {
    events.event(([first = 0]) => {
      if (first < 3) events.add([first + 1]);
    });
    events.add([1]);
    await eventually(
      () => told.flat(),
      (all) => all.length === 3,
    );
    assert.deepEqual(told, [[1], [2], [3]]);
    events.dispose();
    events.add([4]);
    assert.deepEqual(told.flat(), [1, 2, 3]);
  });
});
