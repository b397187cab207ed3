import assert from 'node:assert/strict';
import { PatternTime } from '../../src/core/bounds/patterns';

/** As on a machine that has no time for it: the first `waits` looks last until they are stopped, and take no processor. */
class StarvedPattern extends RegExp {
  looks = 0;

  constructor(
    pattern: string,
    private readonly waits: number,
  ) {
    super(pattern);
  }

  override test(text: string): boolean {
    this.looks += 1;
    if (this.looks <= this.waits)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
    return super.test(text);
  }
}

describe('A pattern that times out because the machine is busy', () => {
  it('is tried once more, and decided', () => {
    const time = new PatternTime(250);
    const pattern = new StarvedPattern('^a+$', 1);
    assert.equal(time.test(pattern, 'aaa'), true);
    assert.equal(time.undecided.size, 0);
  });

  it('is abandoned in the end', () => {
    const time = new PatternTime(10_000);
    const pattern = new StarvedPattern('^a+$', 1_000);
    assert.equal(time.test(pattern, 'aaa'), undefined);
    assert.equal(pattern.looks, 2);
    assert.deepEqual([...time.undecided], [pattern]);
  });

  it('leaves time for other work', () => {
    const time = new PatternTime(600);
    assert.equal(time.test(new StarvedPattern('^a+$', 1), 'aaa'), true);
    // A second in all, of which a quarter counts; a busy machine takes some of what is left.
    for (let count = 0; count < 19; count += 1) time.test(new StarvedPattern('^a+$', 1), 'aaa');
    assert.equal(time.test(/^b+$/, 'bbb'), true);
  });
});

describe('A pattern with catastrophic backtracking', () => {
  it('is stopped, and so are others when the time is over', () => {
    const time = new PatternTime(100);
    const runaways = Array.from({ length: 20 }, (_, index) => new RegExp(`^(a+)+${index}$`));
    for (const each of runaways) assert.equal(time.test(each, `${'a'.repeat(40)}b`), undefined);
    assert.equal(time.test(/^b+$/, 'bbb'), undefined);
    assert.equal(time.undecided.size, runaways.length + 1);
  });
});
