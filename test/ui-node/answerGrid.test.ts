import assert from 'node:assert/strict';
import { toParts } from '../../src/core/content/content';
import type { FilePart } from '../../src/core/content/contentParts';
import {
  factsBeside,
  filterRows,
  GridBuilder,
  rowPlaces,
  sortRows,
  toCsv,
  toMarkdown,
  type GridRows,
} from '../../src/page/gridModel';
import { readGrid } from '../../src/page/readGrid';
import { hasRows } from '../../src/ui/results/partsOfCall';

// Lists of rows as the page of an answer shows them, without a page.

function gridOf(text: string): GridRows {
  const builder = new GridBuilder();
  for (const [start, end] of rowPlaces(text)) builder.add(text.slice(start, end));
  return builder.build();
}
const texts = ({ columns, rows }: GridRows) => [columns.map(({ name }) => name), ...rows];

function filtered(grid: GridRows, words: string): readonly number[] {
  const work = filterRows(grid, words);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

function partOf(text: string): FilePart {
  const [part] = toParts({ content: [{ type: 'text', text }], isError: false }, { title: 'list' });
  return part?.kind === 'link' || part === undefined ? assert.fail() : part;
}

const plants = `{"total": 3, "plants": [
  {"id": 10, "name": "Rose, red", "address": {"city": "Ulm", "zip": null}, "tags": ["a", "b"]},
  {"id": 9, "name": "=Oak \\"x\\" ] }", "height": 1.0},
  {"id": 123456789012345678901, "name": "Fern|\\n*", "parts": [{"a": 1}], "address": {}}
]}`;

describe('A list of rows on the page of an answer', () => {
  it('has a column for each member and nested member, and numbers as they were written', () => {
    assert.deepEqual(
      texts(gridOf(plants)),
      [
        ['id', 'name', 'address.city', 'address.zip', 'tags', 'height', 'parts', 'address'],
        ['10', 'Rose, red', 'Ulm', 'null', 'a, b', '', '', ''],
        ['9', '=Oak "x" ] }', '', '', '', '1', '', ''],
        ['123456789012345680000', 'Fern|\n*', '', '', '', '', '[{"a":1}]', '{}'],
      ].map((row, index) => (index === 0 ? row : withSources(row))),
    );
  });

  /** Node 20 does not tell how a number was written; browsers and Node 22 do. */
  function withSources(row: readonly string[]): string[] {
    let isTold = false;
    JSON.parse('1.0', (_: string, value: unknown, context?: { source?: string }) => {
      isTold = context?.source === '1.0';
      return value;
    });
    const written = new Map([
      ['123456789012345680000', '123456789012345678901'],
      ['1', '1.0'],
    ]);
    return row.map((text) => (isTold ? (written.get(text) ?? text) : text));
  }

  it('keeps numbers inside a cell as they were written, without quotes', () => {
    const grid = gridOf('[{"at": [52.5, 1.0], "items": [{"price": 1.50, "tags": ["a", null]}]}]');
    const [row = []] = grid.rows;
    const isTold = row[0] === '52.5, 1.0';
    assert.deepEqual(
      row,
      isTold
        ? ['52.5, 1.0', '[{"price":1.50,"tags":["a",null]}]']
        : ['52.5, 1', '[{"price":1.5,"tags":["a",null]}]'],
    );
  });

  it('has a column of its own for a member whose name contains a dot', () => {
    const grid = gridOf('[{"a.b": 1, "a": {"b": 2, "": 3}, "": 4}]');
    assert.deepEqual(texts(grid), [
      ['a.b', 'a.b', 'a.', '·'],
      ['1', '2', '3', '4'],
    ]);
    assert.equal(grid.columnCount, 4);
  });

  it('is read if a text in it is very long', () => {
    const grid = gridOf(JSON.stringify([{ data: 'x'.repeat(9 * 1024 * 1024) }, { data: 'y' }]));
    assert.deepEqual(grid.rows[1], ['y']);
  });

  it('shows the single values beside the list', () => {
    const places = [...rowPlaces(plants)];
    const without = plants.slice(0, places[0]?.[0]) + plants.slice(places.at(-1)?.[1]);
    assert.deepEqual(factsBeside(without), ['total: 3']);
  });

  it('shows other lists and objects beside the list, cut if they are long', async () => {
    const text = JSON.stringify({
      created: [{ id: 1 }, { id: 2 }],
      failed: [{ id: 9, error: 'disk full' }],
      tags: ['a', 'b'],
      warnings: [],
      by: { name: 'x' },
      long: [{ data: 'x'.repeat(20_000) }],
    });
    const facts = (await readGrid(text))?.facts ?? [];
    assert.deepEqual(facts.slice(0, -1), [
      'failed: [{"id":9,"error":"disk full"}]',
      'tags: a, b',
      'warnings: []',
      'by: {"name":"x"}',
    ]);
    assert.match(facts.at(-1) ?? '', /^long: .{9000,10000}…$/);
  });

  it('counts the rows that are too many to be shown, and shows what is beside them', async () => {
    const rows = Array.from({ length: 200_005 }, (_, id) => ({ id }));
    const read = await readGrid(JSON.stringify({ total: 200_005, rows, warning: 'stale' }));
    assert.deepEqual([read?.grid.rows.length, read?.grid.rowCount], [200_000, 200_005]);
    assert.deepEqual(read?.facts, ['total: 200005', 'warning: stale']);
  });

  it('is shown as text if what is beside the list is malformed', async () => {
    assert.equal(await readGrid('{"created":[{"id":1},{"id":2}],"failed":'), undefined);
  });

  it('shows rows that are not objects, and their hidden characters', () => {
    const grid = gridOf('[{"a":"x\\u202Ey"}, 5, null, ["p"], {"a": true}]');
    assert.deepEqual(texts(grid), [
      ['a', '·'],
      ['x\\u{202E}y', ''],
      ['', '5'],
      ['', 'null'],
      ['', 'p'],
      ['true', ''],
    ]);
  });

  it('has a limited number of columns, and says how many there are', () => {
    const row = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`c${index}`, index]));
    const { columns, columnCount } = gridOf(JSON.stringify([row, row]));
    assert.deepEqual([columns.length, columnCount], [100, 150]);
  });

  it('sorts numbers by value and texts alphabetically, empty cells last', () => {
    const grid = gridOf('[{"n":10,"t":"b"},{"n":9},{"n":-1,"t":"A"},{"t":"c10"},{"t":"c9"}]');
    const all = grid.rows.map((_, place) => place);
    assert.deepEqual(sortRows(grid, all, { column: 0, isDescending: false }), [2, 1, 0, 3, 4]);
    assert.deepEqual(sortRows(grid, all, { column: 0, isDescending: true }), [0, 1, 2, 3, 4]);
    assert.deepEqual(sortRows(grid, all, { column: 1, isDescending: false }), [2, 0, 4, 3, 1]);
  });

  it('filters rows that contain all of the words, in any cell', () => {
    const grid = gridOf(plants);
    assert.deepEqual(filtered(grid, 'ULM rose'), [0]);
    assert.deepEqual(filtered(grid, 'oak ulm'), []);
    assert.deepEqual(filtered(grid, ''), [0, 1, 2]);
  });

  it('is copied as CSV without formulas, and as Markdown without markup', () => {
    const grid = gridOf('[{"n":-5,"t":"=1+1"},{"n":2,"t":"a,\\"b\\"\\n|*x* <b>"}]');
    assert.equal(toCsv(grid, [0, 1]), `n,t\r\n-5,'=1+1\r\n2,"a,""b""\n|*x* <b>"\r\n`);
    assert.equal(
      toMarkdown(grid, [1]),
      '| n | t |\n| --: | --- |\n| 2 | a,"b"<br>\\|\\*x\\* \\<b\\> |\n',
    );
  });

  it('is copied as it was received, where it is shown cut or with hidden characters', () => {
    const long = 'x'.repeat(12_000);
    const right = 'a\u200Fb';
    const grid = gridOf(JSON.stringify([{ id: 1, long, right, tags: [right, 'c'] }]));
    assert.equal(grid.rows[0]?.[2], String.raw`a\u{200F}b`);
    assert.equal(toCsv(grid, [0]), `id,long,right,tags\r\n1,${long},${right},"${right}, c"\r\n`);
    assert.ok(toMarkdown(grid, [0]).endsWith(`| 1 | ${long} | ${right} | ${right}, c |\n`));
  });

  it('is copied as Markdown with one line for each row, whatever breaks its lines', () => {
    const grid = gridOf('[{"t":"a\\rb\\r\\nc\\nd"}]');
    assert.equal(toMarkdown(grid, [0]), '| t |\n| --- |\n| a<br>b<br>c<br>d |\n');
  });

  it('is copied without formulas behind hidden characters', () => {
    const grid = gridOf('[{"t":"\\u200F=1+1"}]');
    assert.equal(toCsv(grid, [0]), "t\r\n'\u200F=1+1\r\n");
  });

  it('is recognized by its beginning and its rows; other JSON is no grid', async () => {
    const lists = [plants, '[{"a":1},{"a":2}]', '{"x":"[{","n":1,"list":[{"a":{"b":1}},2]}'];
    for (const text of lists) assert.equal(await hasRows(partOf(text)), true, text);
    const row = { a: 1, b: { c: 2 } };
    const structuredContent = Array.from({ length: 100_000 }, () => row);
    const [large] = toParts({ content: [], isError: false, structuredContent }, { title: 'list' });
    assert.ok(large !== undefined && large.kind !== 'link' && large.size > 1024 * 1024);
    assert.equal(await hasRows(large), true);
    const others = [
      '{"a":1}',
      '[]',
      '[1,2]',
      '[{"a":1}]',
      '[{"a":1},2,3,4]',
      '{"a":[{"b":1},{"b":2}],"c":[{"d":1}]}',
      '{"a":{"b":[{"c":1},{"c":2}]}}',
      '{"a":[{"b":1},{"b":2}],"c":{"d":1}}',
      `[${'['.repeat(50)}${']'.repeat(50)}]`,
    ];
    for (const text of others) assert.equal(await hasRows(partOf(text)), false, text);
  });
});
