import assert from 'node:assert/strict';
import type { Tool } from '../../src/core/types';
import {
  isFiltering,
  matchRanges,
  noFilter,
  parseToolFilter,
  SearchedTexts,
  type ToolFilter,
  toolMatcher,
  toStoredFilter,
  filterWordsOf,
} from '../../src/ui/picking/toolFilter';
import type { Memento } from '../../src/host/storage/memento';
import { ToolFilterState } from '../../src/ui/tree/toolFilterState';
import { annotated, entryOf, toolOf } from './treeFixtures';

const tools: readonly Tool[] = [
  annotated('read_file', { readOnlyHint: true, openWorldHint: false }, 'Reads one FILE as text'),
  annotated('fetch', { readOnlyHint: true }, 'Gets a page'),
  annotated('append', { destructiveHint: false, openWorldHint: false }, 'Adds lines to a file'),
  toolOf('delete_file', { title: 'Löschen', description: 'Deletes a file' }),
  toolOf('bare'),
];

function namesThrough(filter: Partial<ToolFilter>): string[] {
  const entries = tools.map((tool) => entryOf('s', tool));
  const matches = toolMatcher({ ...noFilter, ...filter }, new SearchedTexts(entries));
  return entries.filter(matches).map(({ tool }) => tool.name);
}

describe('The tool filter', () => {
  it('matches everything if it is empty', () => {
    assert.deepEqual(
      namesThrough({}),
      tools.map(({ name }) => name),
    );
    assert.deepEqual(namesThrough({ text: ' \t' }), namesThrough({}));
  });

  it('searches name, title and description in any case, and requires every word', () => {
    assert.deepEqual(namesThrough({ text: 'file' }), ['read_file', 'append', 'delete_file']);
    assert.deepEqual(namesThrough({ text: 'FILE text' }), ['read_file']);
    assert.deepEqual(namesThrough({ text: 'LÖSCH' }), ['delete_file']);
    assert.deepEqual(namesThrough({ text: 'file nowhere' }), []);
  });

  it('finds no word across the end of the name and the start of the title', () => {
    assert.deepEqual(namesThrough({ text: 'fileL' }), []);
  });

  it('restricts by level, with missing hints as in the specification', () => {
    assert.deepEqual(namesThrough({ levels: new Set(['readOnly']) }), ['read_file', 'fetch']);
    assert.deepEqual(namesThrough({ levels: new Set(['additive']) }), ['append']);
    assert.deepEqual(namesThrough({ levels: new Set(['destructive']) }), ['delete_file', 'bare']);
    assert.deepEqual(namesThrough({ levels: new Set(['readOnly', 'additive']) }).length, 3);
  });

  it('treats all levels together as no restriction', () => {
    const levels = new Set(['readOnly', 'additive', 'destructive'] as const);
    assert.deepEqual(namesThrough({ levels }), namesThrough({}));
    assert.equal(isFiltering({ ...noFilter, levels }), false);
  });

  it('excludes tools that may reach outside systems, also those without a hint', () => {
    assert.deepEqual(namesThrough({ closedWorldOnly: true }), ['read_file', 'append']);
    assert.deepEqual(namesThrough({ closedWorldOnly: true, text: 'adds' }), ['append']);
  });

  it('reads the text of each of 20,000 tools once, however much is typed', () => {
    let reads = 0;
    const entries = Array.from({ length: 20_000 }, (_, n) => {
      const tool = toolOf(`tool_${n}`);
      const get = () => {
        reads += 1;
        return `Does thing ${n} `.repeat(20);
      };
      return entryOf('s', Object.defineProperty(tool, 'description', { get }));
    });
    const texts = new SearchedTexts(entries);
    const typed = 'thing 1999';
    const counts = Array.from(typed, (_, index) => {
      const text = typed.slice(0, index + 1);
      return entries.filter(toolMatcher({ ...noFilter, text }, texts)).length;
    });
    assert.deepEqual([counts.at(0), counts.at(-1)], [20_000, 12]);
    assert.equal(reads, 20_000);
  });

  it('restores what it stored, and treats anything else as no filter', () => {
    const filter: ToolFilter = {
      text: 'a b',
      levels: new Set(['additive']),
      closedWorldOnly: true,
    };
    assert.deepEqual(parseToolFilter(JSON.parse(JSON.stringify(toStoredFilter(filter)))), filter);
    for (const stored of [undefined, null, 3, 'x', [], { text: 7, levels: 'readOnly' }]) {
      assert.deepEqual(parseToolFilter(stored), noFilter);
    }
    assert.deepEqual(
      parseToolFilter({ levels: ['other', 'readOnly'] }).levels,
      new Set(['readOnly']),
    );
  });

  it('has limits for typed and stored text', () => {
    assert.equal(parseToolFilter({ text: 'x'.repeat(10_000) }).text.length, 200);
    assert.deepEqual(filterWordsOf({ ...noFilter, text: 'x'.repeat(10_000) }), ['x'.repeat(200)]);
  });

  it('marks the found words as ranges that do not overlap', () => {
    assert.deepEqual(matchRanges('Read File', ['file', 'read']), [
      [0, 4],
      [5, 9],
    ]);
    assert.deepEqual(matchRanges('aaab', ['aab', 'aa']), [[0, 4]]);
    assert.deepEqual(matchRanges('nothing', ['file']), []);
    assert.deepEqual(matchRanges('İ file', ['file']), []);
  });
});

function storage(stored?: unknown): Memento & { stored: unknown } {
  return {
    stored,
    get(): unknown {
      return this.stored;
    },
    async update(_key, value): Promise<void> {
      this.stored = value;
    },
  };
}

describe('The filter state', () => {
  it('stores a filter that was set, and not one that was only previewed', async () => {
    const store = storage();
    const state = new ToolFilterState(store);
    state.preview({ ...noFilter, text: 'typing' });
    assert.equal(store.stored, undefined);
    await state.set({ ...noFilter, text: 'typed' });
    assert.equal(new ToolFilterState(store).current.text, 'typed');
    await state.clear();
    assert.equal(store.stored, undefined);
    assert.equal(state.isFiltering, false);
    state.dispose();
  });

  it('notifies only about a change', async () => {
    const state = new ToolFilterState(storage());
    let changes = 0;
    state.onDidChange(() => changes++);
    await state.set({ ...noFilter, levels: new Set(['readOnly']) });
    await state.set({ ...noFilter, levels: new Set(['readOnly']) });
    assert.equal(changes, 1);
    state.dispose();
  });
});
