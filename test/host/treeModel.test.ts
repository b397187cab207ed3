import assert from 'node:assert/strict';
import { McpError } from '../../src/core/errors';
import type { Server } from '../../src/host/connections/snapshot';
import { noMarks } from '../../src/host/consent/pins/pinFileFormat';
import { noFilter } from '../../src/ui/picking/toolFilter';
import type { TreeModel } from '../../src/ui/tree/treeModel';
import { nothingKnown, treeModelOf } from './treeModels';
import type { Row } from '../../src/ui/tree/treeRows';
import { configProblem, entryOf, serverOf, Snapshots, toolOf } from './treeFixtures';
import { assertNone } from '../assertions';

/** The tree as a person would read it. */
function picture(model: TreeModel, rows: readonly Row[] = model.roots(), indent = ''): string[] {
  return rows.flatMap((row) => [
    indent + textOf(row),
    ...picture(model, model.children(row), `${indent}  `),
  ]);
}

function textOf(row: Row): string {
  if (row.kind === 'tool') return `- ${row.toolName}`;
  if (row.kind === 'group') return `page ${row.index}`;
  if (row.kind === 'origin')
    return `in ${'path' in row.source ? row.source.path : row.source.kind}`;
  if (row.kind === 'problem') return `! ${row.problem.kind}`;
  return row.kind === 'server' ? row.serverId : 'no match';
}

const manyTools = (count: number) => Array.from({ length: count }, (_, n) => toolOf(`tool_${n}`));

describe('The tree of rows', () => {
  it('has general problems, then servers in order, their problems, then their tools', () => {
    const source = new Snapshots(
      [
        serverOf('b', [toolOf('two'), toolOf('one')], {
          configProblems: [configProblem({ server: 'b', fatal: false })],
          listProblems: [{ code: 'repeatedCursor' }],
          garbageLines: 3,
        }),
        serverOf('a', [], { state: { kind: 'failed', error: new McpError('timeout') } }),
        serverOf('c', [], { state: { kind: 'stopped' } }),
      ],
      [configProblem()],
    );
    assert.deepEqual(picture(treeModelOf(source)), [
      '! config',
      'b',
      '  ! config',
      '  ! list',
      '  ! garbage',
      '  - two',
      '  - one',
      'a',
      '  ! failed',
      'c',
    ]);
  });

  it('groups servers by their place, if there is more than one', () => {
    const file = { kind: 'workspaceFile', path: '/w/.mcp.json', folder: '/w' } as const;
    const inFile = (id: string) => {
      const server = serverOf(id, [toolOf(`of_${id}`)]);
      return { ...server, config: { ...server.config, source: file } };
    };
    const source = new Snapshots([inFile('a'), serverOf('b', []), inFile('c')], [configProblem()]);
    const model = treeModelOf(source);
    model.origins.isGrouping = true;
    const grouped = picture(model);
    assert.deepEqual(grouped, [
      '! config',
      'in /w/.mcp.json',
      '  a',
      '    - of_a',
      '  c',
      '    - of_c',
      'in setting',
      '  b',
    ]);
    const [, origin] = model.roots();
    assert.ok(origin);
    assert.equal(model.parent(model.serverRow('c')), origin);
    assert.equal(model.parent(origin), undefined);
    assert.equal(model.roots()[1], origin);
    source.servers = [inFile('a'), inFile('c')];
    assert.deepEqual(picture(model), ['! config', 'a', '  - of_a', 'c', '  - of_c']);
    assert.equal(model.parent(model.serverRow('c')), undefined);
  });

  it('keeps one row object per server and tool from list to list', () => {
    const source = new Snapshots([serverOf('s', [toolOf('a'), toolOf('b')])]);
    const model = treeModelOf(source);
    const [server] = model.roots();
    assert.ok(server);
    const [a, b] = model.children(server);
    source.servers = [serverOf('s', [toolOf('b', { title: 'B' }), toolOf('a')])];
    assert.equal(model.roots()[0], server);
    assert.deepEqual(model.children(server), [b, a]);
    assert.equal(model.children(server)[0], b);
    assert.ok(b?.kind === 'tool');
    assert.equal(model.entry(b)?.tool.title, 'B');
  });

  it('gives every row a unique key, whatever ids and names contain', () => {
    const name = 'n'.repeat(10_000);
    const source = new Snapshots([
      serverOf('a', [toolOf('b/c'), toolOf('x'), toolOf('x'), toolOf(''), toolOf('')]),
      serverOf('a/b', [toolOf('c'), toolOf(`${name}1`), toolOf(`${name}2`), toolOf('","')]),
    ]);
    const model = treeModelOf(source);
    const keys = model.roots().flatMap((row) => [row, ...model.children(row)].map((r) => r.key));
    assert.equal(keys.length, 11);
    assert.equal(new Set(keys).size, keys.length);
    assert.ok(keys.every((key) => key.length < 300));
  });

  it('shows where the filter matches nothing, and keeps problems visible', () => {
    const source = new Snapshots([
      serverOf('hidden', [toolOf('a')], { garbageLines: 1 }),
      serverOf('shown', [toolOf('file'), toolOf('b')]),
      serverOf('empty', []),
    ]);
    const model = treeModelOf(source);
    model.filter = { ...noFilter, text: 'file' };
    assert.deepEqual(picture(model), [
      'hidden',
      '  ! garbage',
      '  no match',
      'shown',
      '  - file',
      'empty',
    ]);
    assert.deepEqual(model.totals(), { shown: 1, all: 3 });
    model.filter = noFilter;
    assert.deepEqual(model.totals(), { shown: 3, all: 3 });
  });

  it('splits a list of 20,000 tools into pages, and a short one not', () => {
    const source = new Snapshots([serverOf('s', manyTools(20_000))]);
    const model = treeModelOf(source);
    const [server] = model.roots();
    assert.ok(server);
    const pages = model.children(server);
    assert.equal(pages.length, 20);
    const last = pages.at(-1);
    assert.ok(last?.kind === 'group');
    assert.deepEqual(model.pageFacts(last), {
      first: 19_001,
      last: 20_000,
      ends: ['tool_19000', 'tool_19999'],
    });
    const tool = model.children(last).at(-1);
    assert.ok(tool?.kind === 'tool');
    assert.equal(tool.toolName, 'tool_19999');
    assert.equal(model.parent(tool), last);
    assert.equal(model.parent(last), server);

    model.filter = { ...noFilter, text: 'tool_1999' };
    assert.equal(model.children(server).length, 11);
    assert.equal(model.parent(tool), server);
  });

  it('shows only visible tools on request, and counts all of them', () => {
    const source = new Snapshots([
      serverOf('s', manyTools(1_500)),
      serverOf('pages', manyTools(3_000)),
    ]);
    const model = treeModelOf(source);
    const [server, paged] = model.roots();
    assert.ok(server && paged);
    const counts = () => [
      model.children(server).length,
      model.children(model.children(paged)[2] ?? paged).length,
    ];
    const before = model.children(server);
    assert.deepEqual(counts(), [1_500, 1_000]);
    model.rowsAtOnce = 100;
    assert.deepEqual(counts(), [100, 100]);
    assert.deepEqual(model.children(server), before.slice(0, 100));
    assert.deepEqual(model.totals(), { shown: 4_500, all: 4_500 });
    model.rowsAtOnce = Infinity;
    assert.deepEqual(counts(), [1_500, 1_000]);
    assert.deepEqual(model.children(server), before);
  });

  it('checks its server once for each row that is drawn', () => {
    const asked: string[] = [];
    class Asked extends Snapshots {
      override find(id: string) {
        asked.push(`server ${id}`);
        return super.find(id);
      }
    }
    const marks = { ...noMarks, changed: new Set(['two']) };
    const marksOf = (id: string) => {
      asked.push(`marks ${id}`);
      return marks;
    };
    const lastKnown = {
      ...nothingKnown,
      of: ({ config }: Server) => {
        asked.push(`last ${config.id}`);
        return config.id === 'off' ? known : [];
      },
    };
    const known = [entryOf('off', toolOf('was'))];
    const servers = [
      serverOf('on', [toolOf('one'), toolOf('two')], { garbageLines: 1 }),
      serverOf('off', [], { state: { kind: 'stopped' } }),
      serverOf('long', manyTools(3_000)),
    ];
    const model = treeModelOf(new Asked(servers), {
      marksOf,
      startsWhenOpened: () => true,
      lastKnown,
    });
    const all = (rows: readonly Row[]): Row[] =>
      rows.flatMap((row) => [row, ...all(model.children(row).slice(0, 5))]);
    const seen = all(model.roots()).map((row) => {
      asked.length = 0;
      const mark = row.kind === 'tool' ? model.toolFacts(row).mark : row.kind;
      if (row.kind === 'server') model.serverFacts(row);
      if (row.kind === 'group') model.pageFacts(row);
      const twice = asked.filter((each, at) => asked.indexOf(each) !== at);
      return [textOf(row), mark, ...twice];
    });
    assert.deepEqual(seen.slice(0, 6), [
      ['on', 'server'],
      ['! garbage', 'problem'],
      ['- one', undefined],
      ['- two', 'changed'],
      ['off', 'server'],
      ['- was', undefined],
    ]);
    assertNone(seen, ({ length }) => length > 2);
  });

  it('finds a row of an earlier list, wherever its tool is now', () => {
    const source = new Snapshots([serverOf('s', manyTools(3_000))]);
    const model = treeModelOf(source);
    const [server] = model.roots();
    assert.ok(server);
    const [first] = model.children(server);
    assert.ok(first);
    const [row, gone] = model.children(first);
    assert.ok(row?.kind === 'tool' && gone?.kind === 'tool');
    source.servers = [
      serverOf('s', [
        ...manyTools(3_000).slice(2),
        toolOf('tool_0', { title: 'Moved' }),
        toolOf('tool_0', { title: 'Twin', callable: false }),
      ]),
    ];
    // Nobody has asked for the page that it is on now.
    const pages = model.children(server);
    assert.equal(model.entry(row)?.tool.title, 'Moved');
    assert.equal(model.entry(gone)?.tool.name, 'tool_1');
    assert.equal(model.parent(row), pages[2]);
    const last = pages.at(-1);
    assert.ok(last);
    const [moved, twin] = model.children(last).slice(-2);
    assert.equal(moved, row);
    assert.ok(twin?.kind === 'tool');
    assert.equal(model.entry(twin)?.tool.title, 'Twin');
    assert.notEqual(twin.key, row.key);
  });

  it('drops the rows of a server that no longer exists', () => {
    const source = new Snapshots([serverOf('s', manyTools(3_000))]);
    const model = treeModelOf(source);
    const [before] = model.roots();
    assert.ok(before);
    const [page] = model.children(before);
    source.servers = [];
    assert.deepEqual(model.roots(), []);
    assert.deepEqual(model.children(before), []);
    source.servers = [serverOf('s', manyTools(3_000))];
    const [after] = model.roots();
    assert.ok(after);
    assert.notEqual(after, before);
    assert.notEqual(model.children(after)[0], page);
  });
});
