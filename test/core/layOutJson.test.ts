import assert from 'node:assert/strict';
import { formatJson, layOutJson } from '../../src/core/json/layOutJson';

const text = async (json: string): Promise<string | undefined> => {
  const laid = await layOutJson(Buffer.from(json));
  return laid && Buffer.from(laid).toString();
};

describe('Formatting large JSON', () => {
  it('has the format of small JSON, with every literal as written', async () => {
    for (const json of [
      '{}',
      '[]',
      ' {"a":[1.0,12345678901234567890,{"b \\" \\\\":"größer 😀, {[:"}],"c":{},"d":[]} ',
      '[[["x"],[]],null,true,-1e-7]',
    ]) {
      assert.equal(await text(json), formatJson(json));
    }
  });

  it('of 5 MB yields to other work, and makes lines that fold', async () => {
    const rows = Array.from({ length: 60_000 }, (_, id) => ({
      id,
      name: `row "${id}" – größer`,
      tags: ['a', ['b']],
    }));
    const json = JSON.stringify({ rows });
    let turns = 0;
    const count = setInterval(() => (turns += 1), 0);
    const laid = await text(json).finally(() => clearInterval(count));
    assert.equal(laid, `${JSON.stringify({ rows }, undefined, 2)}\n`);
    assert.ok(turns > 2, `${turns} turns`);
  });

  it('changes nothing that is not JSON on one line, is too deep, or would be too long', async () => {
    for (const other of [
      '{"a":1}\n{"a":2}',
      '{"a":\n1}',
      '{"a":1',
      '{"a":1} x',
      '"text"',
      '1',
      '',
      '['.repeat(65) + ']'.repeat(65),
      `[${'[0],'.repeat(3_000_000)}0]`,
    ]) {
      assert.equal(await text(other), undefined);
    }
  });
});
