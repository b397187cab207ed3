import assert from 'node:assert/strict';
import { ShortLivedMap } from '../../src/core/bounds/shortLivedMap';
import { leftForFullCollection } from '../oldGeneration';

describe('A map of short-lived entries', () => {
  it('keeps the order of insertion, however many were deleted', () => {
    const map = new ShortLivedMap<number, string>();
    for (let key = 0; key < 1_000; key += 1) {
      map.set(key, `value ${key}`);
      assert.equal(map.delete(key - 3), key >= 3);
    }
    assert.deepEqual(
      [...map],
      [
        [997, 'value 997'],
        [998, 'value 998'],
        [999, 'value 999'],
      ],
    );
    assert.deepEqual([...map.keys()], [997, 998, 999]);
    assert.equal(map.size, 3);
    assert.equal(map.get(998), 'value 998');
    assert.equal(map.has(996), false);
    map.clear();
    assert.equal(map.size, 0);
  });

  it('keeps no deleted entry until the next full collection', () => {
    const map = new ShortLivedMap<number, unknown>();
    for (let key = -8; key < 0; key += 1) map.set(key, key);
    const bytes = leftForFullCollection(() => {
      for (let key = 0; key < 40_000; key += 1) {
        map.set(
          key,
          Array.from({ length: 100 }, () => key),
        );
        map.delete(key - 8);
      }
    });
    assert.ok(bytes < 1_000_000, `${bytes} bytes`);
  });
});
