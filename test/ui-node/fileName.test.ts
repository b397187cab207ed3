import assert from 'node:assert/strict';
import { toFileName } from '../../src/ui/editor/fileName';

describe('The name of a document of a tool', () => {
  it('has plain letters of the name, and no dots around them', () => {
    assert.equal(toFileName('read_file'), 'read_file');
    assert.equal(toFileName('../a/b c\u202e.'), 'a_b_c');
    assert.equal(toFileName('..'), 'tool');
    assert.equal(toFileName(`${'a'.repeat(59)}.b`), 'a'.repeat(59));
  });

  it('is short, and made at once for a name of a megabyte', () => {
    assert.equal(toFileName(`x${'.'.repeat(1_000_000)}x`), 'x');
  });
});
