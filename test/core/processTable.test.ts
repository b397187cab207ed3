import assert from 'node:assert/strict';
import { posixRows } from '../../src/core/stdio/processTable';

describe('The list of processes', () => {
  it('has a process whatever its arguments contain', () => {
    const odd = ['node a', '', 'a\u2028b', 'a\r\u2029', `${' '.repeat(200_000)}\u2028`];
    const lines = odd.map((args, index) => `  ${index + 10}     1    10 ${args}`);
    const rows = posixRows(`${lines.join('\n')}\n`);
    assert.deepEqual(
      rows.map(({ pid, parent, group }) => [pid, parent, group]),
      odd.map((_, index) => [index + 10, 1, 10]),
    );
  });
});
