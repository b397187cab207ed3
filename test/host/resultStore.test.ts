import assert from 'node:assert/strict';
import { toPathSegment } from '../../src/core/content/documentNames';
import {
  ResultStore,
  type ResultChange,
  type StoredFile,
} from '../../src/host/results/resultStore';
import { assertEach } from '../assertions';
import { busiestCount } from '../workCount';

const kib = 1024;
/** Local, so that the names of folders are the same everywhere. */
const at = new Date(2026, 0, 2, 3, 4, 5).getTime();

function file(name: string, size = 3): StoredFile {
  return { name, size, read: () => Buffer.alloc(size, 'x') };
}

const entry = (files: StoredFile[]) => ({ serverId: 'demo', createdAt: at, files });

interface Stage {
  readonly store: ResultStore;
  readonly open: Set<string>;
  readonly log: string[];
  readonly call: (tool: string, ...files: StoredFile[]) => string;
  readonly resource: (uri: string, ...files: StoredFile[]) => string;
}

function stage(budgetBytes = 1024 * kib): Stage {
  const open = new Set<string>();
  const log: string[] = [];
  const store = new ResultStore({ budgetBytes, isOpen: (path) => open.has(path) });
  store.onDidChange((change: ResultChange) => log.push(`${change.kind} ${change.entry.path}`));
  return {
    store,
    open,
    log,
    call: (tool, ...files) => store.addCall(tool, entry(files)).path,
    resource: (uri, ...files) => store.addResource(uri, entry(files)).path,
  };
}

/** Every path below `path`, as the tree says. */
function paths(store: ResultStore, path = ''): string[] {
  const node = store.find(path || '/');
  if (node?.kind !== 'folder') return [path];
  return node.children.flatMap(([name]) => paths(store, `${path}/${name}`));
}

describe('A result store', () => {
  it('stats its files, including pending ones, and folders with all their files', () => {
    const { store, call } = stage();
    const { lookedAt } = store;
    const first = call('echo', file('a.txt', 1));
    assert.equal(lookedAt.has(first), false);
    store.find(`${first}/a.txt`);
    store.find('/demo/calls/not-yet/b.txt');
    const second = call('echo', file('a.txt', 1));
    const all = () => [first, '/demo/calls/not-yet', second].map((path) => lookedAt.has(path));
    assert.deepEqual(all(), [true, true, false]);
    store.find('/demo/calls');
    assert.deepEqual(all(), [true, true, true]);
  });

  it('restores the path of a resource of an earlier session, and of no other resource', () => {
    const { store, resource } = stage();
    store.reserveResource('/demo/resources/pond', 'demo', 'a://pond');
    assert.equal(resource('b://pond', file('one.txt')), '/demo/resources/b-pond');
    store.reserveResource('/demo/resources/c-pond', 'demo', 'a:c');
    assert.equal(resource('c://pond', file('one.txt')), '/demo/resources/c-pond-2');
    assert.equal(resource('a://pond', file('one.txt')), '/demo/resources/pond');
    assert.equal(resource('a:c', file('one.txt')), '/demo/resources/c-pond');
  });

  it('is a tree of servers, calls and resources', () => {
    const { store, call, resource } = stage();
    call('echo', file('echo.txt'));
    call('get image', file('1-text.txt'), file('2-image.png'));
    resource('note://today', file('today.md'));
    store.addCall('echo', { serverId: 'other', createdAt: at, files: [file('echo.txt')] });
    assert.deepEqual(paths(store), [
      '/demo/calls/2026-01-02-03-04-05-echo/echo.txt',
      '/demo/calls/2026-01-02-03-04-05-get image/1-text.txt',
      '/demo/calls/2026-01-02-03-04-05-get image/2-image.png',
      '/demo/resources/note-today/today.md',
      '/other/calls/2026-01-02-03-04-05-echo/echo.txt',
    ]);
  });

  it('has an empty root, and nothing else, before the first result', () => {
    const { store } = stage();
    assert.deepEqual(store.find('/'), { kind: 'folder', createdAt: 0, children: [] });
    assert.equal(store.find('/demo'), undefined);
  });

  it('reads files with their bytes and the time of the call', async () => {
    const { store, call } = stage();
    const node = store.find(`${call('echo', file('echo.txt', 2))}/echo.txt`);
    assert.ok(node?.kind === 'file');
    assert.deepEqual([String(await node.file.read()), node.entry.createdAt], ['xx', at]);
  });

  it('finds nothing beside, above or below its files', () => {
    const { store, call } = stage();
    const path = call('echo', file('echo.txt'));
    const wrong = ['/other.txt', '/echo.txt/x', '/..', '/../2026-01-02-03-04-05-echo', '/ECHO.TXT'];
    assertEach(
      wrong,
      (rest) => store.find(path + rest),
      wrong.map(() => undefined),
    );
  });

  it('gives unique paths to calls of the same second, and to servers with similar names', () => {
    const { store, call } = stage();
    assertEach([call('a/b'), call('a:b'), call('a?b')], (path) => path.split('/')[3], [
      '2026-01-02-03-04-05-a-b',
      '2026-01-02-03-04-05-a-b-2',
      '2026-01-02-03-04-05-a-b-3',
    ]);
    const ids = ['x/y', 'x:y', 'x/y', '..', ''];
    assert.deepEqual(
      ids.map((serverId) => store.addCall('t', { serverId, createdAt: at, files: [] }).path),
      [
        '/x-y/calls/2026-01-02-03-04-05-t',
        '/x-y-2/calls/2026-01-02-03-04-05-t',
        '/x-y/calls/2026-01-02-03-04-05-t-2',
        '/server/calls/2026-01-02-03-04-05-t',
        '/server-2/calls/2026-01-02-03-04-05-t',
      ],
    );
  });

  it('does little work for each of many calls of different tools in the same second', async () => {
    const { call } = stage(1024 * 1024 * kib);
    const calls = 500;
    const count = await busiestCount(() => {
      for (let index = 0; index < calls; index += 1) call(`tool ${index % 2}`);
    });
    assert.ok(count < 20 * calls, `${count} steps`);
  });

  it('restores a call at its path, and its server under its name', () => {
    const { store } = stage();
    const path = '/x-y-2/calls/2025-12-31-23-59-59-t';
    const restored = store.restoreCall(path, { ...entry([file('a')]), serverId: 'x:y' });
    const later = store.addCall('t', { ...entry([]), serverId: 'x:y' });
    const other = store.addCall('t', { ...entry([]), serverId: 'x/y' });
    assert.deepEqual(
      [restored.path, later.path, other.path],
      [path, '/x-y-2/calls/2026-01-02-03-04-05-t', '/x-y/calls/2026-01-02-03-04-05-t'],
    );
  });

  it('replaces only a resource that is read again', () => {
    const { store, resource, log } = stage();
    const path = resource('a://x', file('old.txt'));
    resource('a/x', file('other.txt'));
    const before = store.find(path);
    assert.equal(resource('a://x', file('new.txt')), path);
    const after = store.find(path);
    assert.ok(before?.kind === 'folder' && after?.kind === 'folder');
    assert.ok(after.createdAt > before.createdAt, 'an editor would not see that it is another');
    assert.deepEqual(paths(store), [
      '/demo/resources/a-x-2/other.txt',
      '/demo/resources/a-x/new.txt',
    ]);
    assert.deepEqual(log, [`added ${path}`, `added /demo/resources/a-x-2`, `replaced ${path}`]);
  });

  it('gives the path of a dropped resource to another, and never both at once', () => {
    const { store, call, resource } = stage(20 * kib);
    const path = resource('a://x', file('a', 8 * kib));
    call('big', file('a', 12 * kib));
    assert.equal(store.find(path), undefined);
    assert.deepEqual([resource('a/x'), resource('a://x')], [path, `${path}-2`]);
  });

  it('drops the oldest if it exceeds its budget, and counts replaced ones once', () => {
    const { store, call, resource, log } = stage(30 * kib);
    const first = call('first', file('a', 8 * kib));
    for (let count = 0; count < 5; count += 1) resource('a://x', file('a', 8 * kib));
    assert.equal(log.filter((line) => line.startsWith('removed')).length, 0);
    const last = call('last', file('a', 8 * kib));
    assert.equal(log.at(-1), `removed ${first}`);
    assert.deepEqual([store.find(first), store.find(`${first}/a`)], [undefined, undefined]);
    assert.equal(store.find(last)?.kind, 'folder');
  });

  it('never drops an open result, until it is closed', () => {
    const { store, call, open, log } = stage(20 * kib);
    const first = call('first', file('a', 8 * kib));
    open.add(first);
    const second = call('second', file('a', 8 * kib));
    call('third', file('a', 8 * kib));
    assert.deepEqual(log.slice(-1), [`removed ${second}`]);
    open.delete(first);
    store.trim();
    assert.deepEqual(log.slice(-1), [`removed ${first}`]);
  });

  it('keeps the newest, however large', () => {
    const { store, call, log } = stage(kib);
    const path = call('huge', file('a', 900 * kib));
    store.trim();
    assert.deepEqual([log.length, store.find(path)?.kind], [1, 'folder']);
  });

  it('counts results without bytes too', () => {
    const { store, call } = stage(100 * kib);
    for (let count = 0; count < 200; count += 1) call('empty');
    const node = store.find('/demo/calls');
    assert.ok(node?.kind === 'folder' && node.children.length <= 25);
  });

  it('applies a smaller budget at once', () => {
    const { store, call, log } = stage();
    const first = call('first', file('a', 100 * kib));
    call('second');
    store.setBudget(50 * kib);
    assert.equal(log.at(-1), `removed ${first}`);
  });
});

describe('A path segment', () => {
  const cases: readonly [string, string][] = [
    ['plain name', 'plain name'],
    ['../../etc', 'etc'],
    ['..', 'fallback'],
    ['', 'fallback'],
    ['   ', 'fallback'],
    ['a/b\\c:d*e?f"g<h>i|j%k#l', 'a-b-c-d-e-f-g-h-i-j-k-l'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['lpt1', '_lpt1'],
    ['COM².log', '_COM².log'],
    ['conout$', '_conout$'],
    ['n'.repeat(500), 'n'.repeat(80)],
    ['console', 'console'],
    ['trailing. . ', 'trailing'],
    ['.hidden', 'hidden'],
    ['a\u0000b\u202Ec\u200Bd\uD800e', 'abcde'],
    ['日本語 🎉', '日本語 🎉'],
    ['🎉'.repeat(100), '🎉'.repeat(40)],
    [`x${'🎉'.repeat(100)}`, `x${'🎉'.repeat(39)}`],
  ];
  for (const [name, segment] of cases) {
    it(`of ${JSON.stringify(name).slice(0, 40)} is ${segment.slice(0, 40)}`, () => {
      assert.equal(toPathSegment(name, 'fallback'), segment);
    });
  }
});
