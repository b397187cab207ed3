import assert from 'node:assert/strict';
import { parseJson } from '../../src/core/json/parseJson';
import { isJsonValue } from '../../src/core/json/shapes';
import type { ContentBlock, ToolResult } from '../../src/core/types';
import { mainPart, partsOfCall } from '../../src/ui/results/partsOfCall';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const json = '[{"name":"Rose","height":1.0,"isRed":true},{"name":"Fern","height":12,"note":null}]';
const table = ['name  height  isRed  note', 'Rose     1.0  true', 'Fern      12         null', ''];

/** The lines of the table that an answer is shown as; none where it opens as it came. */
async function linesOf(result: Partial<ToolResult>): Promise<readonly string[] | undefined> {
  const { parts, makeTable } = await partsOfCall(
    { content: [], isError: false, ...result },
    'list',
  );
  const main = mainPart(parts);
  if (main === undefined || makeTable === undefined) return undefined;
  return Buffer.from(await makeTable(main))
    .toString()
    .split('\n');
}

describe('The table of an answer', () => {
  it('has aligned columns, and numbers as they were written', async () => {
    assert.deepEqual(await linesOf({ content: [text(json)] }), ['Rows: 2', '', ...table]);
  });

  it('has the single values of structured content above', async () => {
    const structuredContent = parseJson(`{"total":1e2,"next":null,"plants":${json}}`);
    assert.ok(isJsonValue(structuredContent));
    const content = [text(JSON.stringify(structuredContent))];
    assert.deepEqual(await linesOf({ content, structuredContent }), [
      'Rows: 2',
      'total: 1e2',
      'next: null',
      '',
      ...table,
    ]);
  });

  it('contains the rows also if each of them is a separate text', async () => {
    const rows = [{ id: 1 }, { id: 2 }];
    const content = rows.map((row) => text(JSON.stringify(row)));
    assert.deepEqual(await linesOf({ content, structuredContent: { result: rows } }), [
      'Rows: 2',
      '',
      'id',
      ' 1',
      ' 2',
      '',
    ]);
  });

  it('shows hidden characters, and neither breaks lines nor grows without bound', async () => {
    const row = { 'a\u202Eb': `x\ny\u001B[31m${'w'.repeat(100)}`, ['k'.repeat(100)]: '広' };
    const [, , heading, line, end] =
      (await linesOf({ content: [text(JSON.stringify([row]))] })) ?? [];
    assert.equal(heading, `a\\u{202E}b${' '.repeat(40)}${'k'.repeat(39)}…`);
    assert.equal(line, `x\\ny\\u{001B}[31m${'w'.repeat(31)}…  広`);
    assert.equal(end, '');
  });

  it('says how many rows and columns there are if not all are shown', async () => {
    const wide = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`c${n}`, n]));
    const rows = Array.from({ length: 1_200 }, () => wide);
    const [first, second] = (await linesOf({ structuredContent: { rows } })) ?? [];
    assert.equal(first, 'Rows: 1,200, shown: the first 952');
    assert.equal(second, 'Columns: 21, shown: the first 20');
  });

  it('yields to other work while a long list is formatted', async () => {
    const row = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`c${n}`, '広'.repeat(60)]),
    );
    let turns = 0;
    let isOver = false;
    const next = (): void => {
      turns += 1;
      if (!isOver) setImmediate(next);
    };
    setImmediate(next);
    const structuredContent = Array.from({ length: 1_000 }, () => row);
    const [first] = (await linesOf({ structuredContent })) ?? [];
    isOver = true;
    assert.equal(first, 'Rows: 1,000');
    assert.ok(turns > 5, `${turns} turns`);
  });

  it('is created on demand, from the part as it is kept then', async () => {
    const { parts, makeTable } = await partsOfCall(
      { content: [text(json)], isError: false },
      'list',
    );
    const main = mainPart(parts);
    assert.ok(main && makeTable);
    const kept = Buffer.from('[{"name":"Moss","height":2},{"name":"Ivy","height":3}]');
    const made = await makeTable({ ...main, read: () => kept });
    assert.match(Buffer.from(made).toString(), /^Moss {7}2$/m);
  });

  for (const [what, given] of [
    ['one cell', '[{"name":"Rose"}]'],
    ['values that are nested too deeply', `[{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}]`],
  ] as const) {
    it(`does not exist for ${what}`, async () => {
      assert.equal(await linesOf({ content: [text(given)] }), undefined);
    });
  }
});
