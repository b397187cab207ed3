import assert from 'node:assert/strict';
import { setImmediate as nextRound } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ToolRows } from '../../src/ui/tree/toolRows';
import { entryOf, toolOf } from './treeFixtures';

const listOf = (count: number) =>
  Array.from({ length: count }, (_, at) => entryOf('a', toolOf(`tool_${at}`)));

describe('The rows of tools', () => {
  it('keep only the latest list in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const rows = new ToolRows();
    const list = (count: number): WeakRef<object> => {
      const entries = listOf(count);
      rows.list('a', entries);
      return new WeakRef(entries);
    };
    const first = list(300);
    const row = rows.at('a', 7);
    assert.ok(row);
    const second = list(200);
    assert.equal(rows.at('a', 7), row);
    list(100);
    // A reference that was just made holds until the turn is over.
    await nextRound();
    collect();
    assert.deepEqual([first.deref(), second.deref()], [undefined, undefined]);
    assert.equal(rows.entry(row)?.tool.name, 'tool_7');
    assert.equal(rows.at('a', 7), row);
  });

  it('show a removed tool as it was listed last', () => {
    const rows = new ToolRows();
    rows.list('a', listOf(3));
    const row = rows.at('a', 2);
    assert.ok(row);
    rows.list('a', listOf(2));
    assert.equal(rows.entry(row)?.tool.name, 'tool_2');
    assert.equal(rows.placeOf(row), undefined);
  });

  it('are not confused with another tool whose long name begins the same', () => {
    const rows = new ToolRows();
    const names = ['one', 'other'].map((end) => 'x'.repeat(2_000) + end);
    const listed = names.map((name) => [entryOf('a', toolOf(name))]);
    rows.list('a', listed[0] ?? []);
    const row = rows.at('a', 0);
    assert.ok(row);
    rows.list('a', listed[1] ?? []);
    assert.equal(rows.entry(row)?.tool.name, names[0]);
    assert.equal(rows.entry(rows.at('a', 0) ?? assert.fail())?.tool.name, names[1]);
  });
});
