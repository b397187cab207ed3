import assert from 'node:assert/strict';
import { jsonPieces, Utf8Text } from '../../src/core/json/jsonPieces';
import { parseJson } from '../../src/core/json/parseJson';

const joined = (value: unknown) => [...jsonPieces(value)].join('');

describe('JSON in pieces', () => {
  it('is the same as the output of JSON.stringify', () => {
    const cases: unknown[] = [
      null,
      true,
      -0.5,
      1e300,
      '',
      'a "quoted"\n\u2028 text',
      [],
      {},
      [[], {}, [null, [1, 2]]],
      { a: 1, b: undefined, '': { '"': [] }, ['__proto__']: 2 },
      { text: '😀'.repeat(70_000), lone: `${'x'.repeat(65_535)}\ud83d` },
      Array.from({ length: 50_000 }, (_, index) => ({ index })),
    ];
    for (const value of cases) {
      assert.equal(joined(value), JSON.stringify(value));
      const laidOut = [...jsonPieces(value, 2)].join('');
      assert.ok(laidOut === JSON.stringify(value, undefined, 2), laidOut.slice(0, 200));
    }
  });

  it('has bytes as base64', () => {
    const bytes = Buffer.from(Array.from({ length: 200_001 }, (_, index) => (index * 7) % 256));
    const view = new Uint8Array(bytes.buffer, bytes.byteOffset + 1, 200_000);
    const expected = Buffer.from(view).toString('base64');
    assert.equal(joined({ data: view }), JSON.stringify({ data: expected }));
  });

  it('has the text of UTF-8, even if a piece ends within a character', () => {
    for (const text of ['', 'ä"\n', `\ufeff${'x'.repeat(65_535)}${'😀"'.repeat(20_000)}`]) {
      const utf8 = new Uint8Array(Buffer.from(text));
      assert.equal(joined([new Utf8Text(utf8)]), JSON.stringify([text]));
    }
  });

  it('has numbers as they were written, if that is known', () => {
    const text = '{"content":[1.0,{"a":12345678901234567890}],"b":1e3}';
    assert.equal(joined(parseJson(text)), text);
  });

  it('supports any depth, and makes no piece much larger than 64 Ki characters', () => {
    let deep: unknown = 'x'.repeat(1_000_000);
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    const pieces = [...jsonPieces(deep)];
    assert.equal(pieces.join('').length, 1_000_002 + 400_000);
    const longest = Math.max(...pieces.map(({ length }) => length));
    assert.ok(longest < 3 * 64 * 1024, `${longest} characters`);
    assert.ok(pieces.length > 15, `${pieces.length} pieces`);
  });
});
