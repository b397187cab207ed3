import assert from 'node:assert/strict';
import { readArgumentsText, hasTooManyTokens } from '../../src/core/arguments/argumentsJson';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { readOutline } from '../../src/core/callFiles/runbook';

const mib = 1024 * 1024;

/** How many tokens the text has, found out by asking. */
function tokensOf(text: string): number {
  let count = 0;
  while (hasTooManyTokens(text, count)) count += 1;
  return count;
}

describe('The size of JSON text', () => {
  it('is its number of tokens, except in strings and comments', () => {
    const texts = [
      '',
      '{}',
      '[1, -2.5e+3, true]',
      '{"a": "b, [c], \\"d\\\\"}',
      '"never closed, , ,',
      '// say "hi, , ,\n[1]',
      '/* " , */ [1, "/* , */"] // "',
      '/,',
    ];
    assert.deepEqual(texts.map(tokensOf), [0, 2, 7, 5, 1, 4, 7, 2]);
  });

  it('is small for one long text, and too large for very many values', () => {
    const long = `{"a": "${'x, '.repeat(5 * mib)}"}`;
    assert.equal(readArgumentsText(long).problems.length, 0);
    const many = `{"a": [${'1,'.repeat(mib)}1]}`;
    assert.deepEqual(
      [many, `{"a": "${'x'.repeat(50 * mib)}"}`, `// "\n${many}`].map((text) =>
        readArgumentsText(text).problems.map(({ code }) => code),
      ),
      [['tooLarge'], ['tooLarge'], ['tooLarge']],
    );
  });

  it('has a lower limit in a call file, which is read while it is typed', () => {
    const text = `{"server": "s", "tool": "t", "arguments": {"a": [${'1,'.repeat(50_000)}1]}}`;
    assert.equal(readArgumentsText(text).problems.length, 0);
    const codes = readCallFile(text).problems.map(({ code }) => code);
    assert.deepEqual(codes, ['tooLarge']);
    assert.deepEqual(readOutline(text).calls, []);
  });
});
