import assert from 'node:assert/strict';
import type { Resource } from '../../src/core/types';
import type { ServerResources } from '../../src/host/resources/resourceLists';
import { ResourceRows } from '../../src/ui/tree/resourceRows';
import type { Row } from '../../src/ui/tree/treeRows';

const resource = (name: string): Resource => ({ uri: `a:${name}`, name });
const listed = (resources: readonly Resource[], more: Partial<ServerResources> = {}) => ({
  state: 'listed' as const,
  resources,
  templates: [{ uriTemplate: 'a:{b}', name: 'template' }],
  problems: [],
  ...more,
});

describe('The branch of resources', () => {
  let shown: ServerResources;
  const wanted: string[] = [];
  const rows = new ResourceRows({
    has: (id) => id === 's',
    of: () => shown,
    want: (id) => wanted.push(id),
  });
  const children = (): readonly Row[] => {
    const [branch] = rows.branch('s');
    return branch === undefined ? [] : rows.children(branch);
  };
  const labels = () =>
    children().map((row) => {
      if (row.kind === 'resourceNote') return row.note.kind;
      return row.kind === 'resource' ? row.uri : row.kind;
    });
  beforeEach(() => {
    rows.setFilter([], false);
    wanted.length = 0;
  });

  it('is below servers that have resources only, and listed when it is opened', () => {
    shown = { state: 'unknown', resources: [], templates: [], problems: [] };
    assert.deepEqual(rows.branch('other'), []);
    assert.equal(rows.branch('s').length, 1);
    assert.deepEqual(wanted, []);
    assert.deepEqual(labels(), ['listing']);
    assert.deepEqual(wanted, ['s']);
  });

  it('shows templates first, and what is wrong above all', () => {
    shown = listed([resource('one')], { problems: [{ code: 'repeatedCursor' }] });
    assert.deepEqual(labels(), ['problem', 'template', 'a:one']);
    shown = listed([], { templates: [] });
    assert.deepEqual(labels(), ['none']);
  });

  it('keeps what the filter finds, goes where it finds nothing, and where only risks count', () => {
    shown = listed([resource('one'), resource('two')]);
    rows.setFilter(['tw'], false);
    assert.deepEqual(labels(), ['a:two']);
    assert.deepEqual(rows.counts('s'), { shown: 1, all: 3 });
    rows.setFilter(['nothing'], false);
    assert.deepEqual(rows.branch('s'), []);
    rows.setFilter([], true);
    assert.deepEqual(rows.branch('s'), []);
  });

  it('has pages above 2,000, and every row knows its page', () => {
    shown = listed(
      Array.from({ length: 2_001 }, (_, index) => resource(String(index))),
      { templates: [] },
    );
    const pages = children();
    assert.deepEqual(
      pages.map((page) => page.kind === 'resourceGroup' && rows.groupBounds(page)),
      [
        { first: 1, last: 1_000 },
        { first: 1_001, last: 2_000 },
        { first: 2_001, last: 2_001 },
      ],
    );
    const [, second] = pages;
    assert.ok(second?.kind === 'resourceGroup');
    const [row] = rows.children(second);
    assert.ok(row?.kind === 'resource');
    assert.equal(rows.parent(row), second);
  });

  it('has a row of its own for each entry, also of one URI', () => {
    shown = listed([resource('one'), resource('one')], { templates: [] });
    assert.equal(new Set(children().map(({ key }) => key)).size, 2);
  });
});
