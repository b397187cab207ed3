import assert from 'node:assert/strict';
import type { Resource, ResourceTemplate } from '../../src/core/types';
import type { Listing } from '../../src/host/resources/serverLists';
import { ListedRows, type ListedEntry } from '../../src/ui/tree/listedRows';
import type { Row } from '../../src/ui/tree/treeRows';
import { assertEach } from '../assertions';

const resource = (name: string): Resource => ({ uri: `a:${name}`, name });
const template: ResourceTemplate = { uriTemplate: 'a:{b}', name: 'template' };
const listed = (
  entries: readonly ListedEntry[],
  more: Partial<Listing<ListedEntry>> = {},
): Listing<ListedEntry> => ({ state: 'listed', entries, problems: [], ...more });
const nowhere = { has: () => false, of: () => listed([]), want: () => undefined };

describe('A branch of listed resources or prompts', () => {
  let shown: Listing<ListedEntry>;
  const wanted: string[] = [];
  const lists = {
    has: (id: string) => id === 's',
    of: () => shown,
    want: (id: string) => void wanted.push(id),
  };
  const branches = { resources: lists, prompts: nowhere, skills: nowhere };
  const rows = new ListedRows(branches);
  const children = (): readonly Row[] => {
    const [branch] = rows.branches('s');
    return branch === undefined ? [] : rows.children(branch);
  };
  const labels = () =>
    children().map((row) => {
      if (row.kind === 'listNote') return row.note.kind;
      return row.kind === 'resource' ? row.uri : row.kind;
    });
  beforeEach(() => {
    rows.setFilter([], false);
    wanted.length = 0;
  });

  it('is below servers that have only resources, and listed when it is expanded', () => {
    shown = listed([], { state: 'unknown' });
    assert.deepEqual(rows.branches('other'), []);
    assert.equal(rows.branches('s').length, 1);
    assert.deepEqual(wanted, []);
    assert.deepEqual(labels(), ['listing']);
    assert.deepEqual(wanted, ['s']);
  });

  it('shows templates first, and problems above all', () => {
    shown = listed([template, resource('one')], { problems: [{ code: 'repeatedCursor' }] });
    assert.deepEqual(labels(), ['problem', 'template', 'a:one']);
    shown = listed([]);
    assert.deepEqual(labels(), ['none']);
  });

  it('keeps what the filter finds, and disappears if there are no matches or the filter has risks only', () => {
    shown = listed([template, resource('one'), resource('two')]);
    rows.setFilter(['tw'], false);
    assert.deepEqual(labels(), ['a:two']);
    const [branch] = rows.branches('s');
    assert.deepEqual(branch && rows.counts(branch), { shown: 1, all: 3 });
    rows.setFilter(['nothing'], false);
    assert.deepEqual(rows.branches('s'), []);
    rows.setFilter([], true);
    assert.deepEqual(rows.branches('s'), []);
  });

  it('has pages above 2,000, and every row knows its page', () => {
    shown = listed(Array.from({ length: 2_001 }, (_, index) => resource(String(index))));
    const pages = children();
    assertEach(pages, (page) => page.kind === 'branchPage' && rows.pageBounds(page), [
      { first: 1, last: 1_000 },
      { first: 1_001, last: 2_000 },
      { first: 2_001, last: 2_001 },
    ]);
    const [, second] = pages;
    assert.ok(second?.kind === 'branchPage');
    const [row] = rows.children(second);
    assert.ok(row?.kind === 'resource');
    assert.equal(rows.parent(row), second);
  });

  it('has a row for each entry, even for the same URI', () => {
    shown = listed([resource('one'), resource('one')]);
    assert.equal(new Set(children().map(({ key }) => key)).size, 2);
  });

  it('of prompts is filtered by names, titles and descriptions', () => {
    const prompts = listed([
      { name: 'greet', title: 'Say hello', arguments: [] },
      { name: 'b\u202Eye', description: 'Says farewell', arguments: [] },
    ]);
    const both = new ListedRows({ ...branches, prompts: { ...lists, of: () => prompts } });
    shown = listed([resource('one')]);
    assertEach(both.branches('s'), ({ branch }) => branch, ['resources', 'prompts']);
    both.setFilter(['farewell'], false);
    const [branch, ...others] = both.branches('s');
    assert.ok(branch?.branch === 'prompts' && others.length === 0);
    const [row] = both.children(branch);
    assert.ok(row?.kind === 'prompt');
    assert.equal(both.prompt(row)?.name, row.promptName);
    assert.equal(both.parent(row), branch);
  });

  it('of skills has a row of its own for each file, however long its URI is, and keeps it', () => {
    const folder = `skill://${'a'.repeat(300)}/s`;
    const [uri = '', ...others] = ['SKILL.md', 'one', 'two'].map((name) => `${folder}/${name}`);
    const files = [uri, ...others].map((each) => ({ uri: each, digest: '', size: 1 }));
    const skill = { uri, name: 's', description: '', frontmatter: {}, files };
    const library = new ListedRows({
      ...branches,
      skills: { ...lists, of: () => listed([skill]) },
    });
    const row = library
      .branches('s')
      .flatMap((branch) => library.children(branch))
      .find(({ kind }) => kind === 'skill');
    assert.ok(row?.kind === 'skill');
    const rowsOfFiles = library.children(row);
    assertEach(rowsOfFiles, (each) => each.kind === 'skillFile' && each.uri, others);
    assert.equal(new Set(rowsOfFiles.map(({ key }) => key)).size, 2);
    assert.equal(library.children(row)[0], rowsOfFiles[0]);
  });
});
