import assert from 'node:assert/strict';
import { tableRows } from '../../src/core/content/contentFiles';
import type { JsonValue } from '../../src/core/json/jsonValue';

describe('A list of rows in an answer', () => {
  const rose = { name: 'Rose', height: 1.2, isRed: true };
  const fern = { name: 'Fern', shade: null };

  it('has the columns of all its rows, in order of appearance', () => {
    assert.deepEqual(tableRows([rose, fern]), {
      facts: {},
      columns: ['name', 'height', 'isRed', 'shade'],
      columnCount: 4,
      rows: [rose, fern],
      rowCount: 2,
    });
  });

  it('can be the only list of an object with single values beside it', () => {
    const answer = { total: 2, plants: [rose, fern], next: null };
    const table = tableRows(answer);
    assert.equal(table?.facts, answer);
    assert.deepEqual([table.columns.length, table.rowCount], [4, 2]);
  });

  const others: readonly [string, JsonValue][] = [
    ['a single value', 'Rose'],
    ['an object of single values', rose],
    ['an empty list', []],
    ['a list in a list', [[rose]]],
    ['a list of texts', ['Rose', 'Fern']],
    ['rows without members', [{}, {}]],
    ['rows with lists in them', [{ name: 'Rose', colours: ['red'] }]],
    ['rows with objects in them', [{ name: 'Rose', at: { x: 1 } }]],
    ['a row that is none among others', [rose, null]],
    ['a list of one cell', [{ name: 'Rose' }]],
    ['a list of one cell beside single values', { total: 1, plants: [{ name: 'Rose' }] }],
    ['two lists', { plants: [rose], paths: [fern] }],
    ['a list beside an object', { plants: [rose], garden: { name: 'A' } }],
    ['a list beside an empty list', { plants: [rose], errors: [] }],
    ['a row of too many members', [Object.fromEntries(names(201).map((name) => [name, 1]))]],
    [
      'a list beside too many values',
      { ...Object.fromEntries(names(21).map((name) => [name, 1])), rows: [rose] },
    ],
  ];
  for (const [what, value] of others) {
    it(`is not ${what}`, () => assert.equal(tableRows(value), undefined));
  }

  it('treats names of members only as names', () => {
    const row: JsonValue = JSON.parse('{"__proto__":1,"constructor":"x","toString":null}');
    assert.deepEqual(tableRows([row])?.columns, ['__proto__', 'constructor', 'toString']);
  });

  it('is limited in rows, columns and cells, and says how many there are', () => {
    const rows = Array.from({ length: 1_500 }, (_, id) => ({ id }));
    const many = tableRows(rows);
    assert.deepEqual([many?.rows.length, many?.rowCount], [1_000, 1_500]);
    const wide = Object.fromEntries(names(50).map((name) => [name, 1]));
    const cut = tableRows(Array.from({ length: 900 }, () => wide));
    const shown = [cut?.columns.length, cut?.columnCount, cut?.rows.length, cut?.rowCount];
    assert.deepEqual(shown, [20, 50, 400, 900]);
  });

  it('is not read beyond the shown rows', () => {
    const rows = [...Array.from({ length: 1_000 }, (_, id) => ({ id })), { id: [1] }];
    assert.equal(tableRows(rows)?.rowCount, 1_001);
  });
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `m${index}`);
}
