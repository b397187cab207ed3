import assert from 'node:assert/strict';
import { drawnLines } from '../../src/ui/format/dialogLines';

describe('The estimate of lines in a dialog', () => {
  it('assumes that a long word can break after its hyphens, which leaves space unused', () => {
    // Each piece fills more than half of a line, so that no two fit into one.
    const piece = `${'a'.repeat(25)}-`;
    assert.equal(drawnLines(piece.repeat(4)), 4);
    assert.ok(drawnLines('a'.repeat(26 * 4)) < 4);
  });

  it('never relies on a break after a hyphen that may not happen', () => {
    const word = 'b'.repeat(20);
    const line = 'c'.repeat(30);
    const plain = drawnLines(`${line} ${word}x${word}`);
    assert.ok(plain > 1);
    assert.ok(drawnLines(`${line} ${word}-${word}`) >= plain);
  });
});
