import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recordFileName } from '../../src/host/storage/recordFile';
import { RecordStore, StorageError, type StorageProblem } from '../../src/host/storage/recordStore';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { useWindows } from './windowProcess';
import { assertEach } from '../assertions';

/** As `recordWriter.ts` has it: long enough to be seen half written. */
const repeats = 40_000;

interface Note {
  readonly text: string;
}

function parseNote(value: unknown): Note | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { text }: { text?: unknown } = value;
  return typeof text === 'string' ? { text } : undefined;
}

interface Window {
  readonly store: RecordStore<Note>;
  readonly problems: StorageProblem[];
  /** What was read, so that a test sees what was not. */
  readonly read: unknown[];
  changes: number;
}

describe('A record store', () => {
  let base: string;
  let folder: string;
  beforeEach(() => {
    base = mkdtempSync(path.join(tmpdir(), 'toolgate-records-'));
    folder = path.join(base, 'notes');
  });
  afterEach(() => rmSync(base, { recursive: true }));

  function open(changes?: SharedChanges): Window {
    const problems: StorageProblem[] = [];
    const read: unknown[] = [];
    const store = new RecordStore<Note>({
      folder,
      ...(changes && { changes }),
      parse: (value) => {
        read.push(value);
        return parseNote(value);
      },
      onProblem: (problem) => problems.push(problem),
    });
    const window: Window = { store, problems, read, changes: 0 };
    store.onDidChange(() => (window.changes += 1));
    return window;
  }

  const files = () => readdirSync(folder).toSorted();
  const plant = (name: string, content: string | Uint8Array): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, name), content);
  };
  const envelope = (key: string, record: unknown, version: unknown = 1) =>
    JSON.stringify({ version, key, record });

  it('is empty and creates nothing before the first write', async () => {
    const { store, problems } = open();
    await store.refresh();
    await store.remove('nothing');
    assert.deepEqual(store.entries(), []);
    assert.equal(store.isComplete, true);
    assert.equal(existsSync(folder), false);
    assert.deepEqual(problems, []);
  });

  it('keeps records for the next window, in readable files', async () => {
    await open().store.put('one', { text: 'first' });
    const { store, problems } = open();
    assert.equal(store.get('one'), undefined);
    await store.refresh();
    assert.deepEqual(store.entries(), [['one', { text: 'first' }]]);
    assert.deepEqual(problems, []);
    assert.match(
      readFileSync(path.join(folder, 'one.json'), 'utf8'),
      /^\{\n {2}"version": 1,\n {2}"key": "one",\n {2}"order": \d{16},\n {2}"record": \{\n {4}"text": "first"\n {2}\}\n\}\n$/,
    );
  });

  it('accepts every string as a key, and confuses none', async () => {
    const keys = [
      '',
      'a',
      'A',
      'con',
      '..',
      '../escape',
      'a/b',
      'a\\b',
      'a.json',
      '__proto__',
      'constructor',
      'toString',
      'ä',
      'a\u0308',
      '\uD800',
      '\uD801',
      '\0',
      `~${'0'.repeat(64)}`,
      'x'.repeat(5_000),
    ];
    const first = open().store;
    await Promise.all(keys.map((key) => first.put(key, { text: `of ${key}` })));
    const { store, problems } = open();
    await store.refresh();
    assert.deepEqual(problems, []);
    assert.deepEqual(
      store
        .entries()
        .map(([key]) => key)
        .toSorted(),
      keys.toSorted(),
    );
    for (const key of keys) assert.deepEqual(store.get(key), { text: `of ${key}` });
    assert.equal(store.get('hasOwnProperty'), undefined);
    // Where case does not count in names, either.
    assert.equal(new Set(files().map((name) => name.toLowerCase())).size, keys.length);
    assert.deepEqual(readdirSync(base), ['notes']);
  });

  it('works in the order of the requests', async () => {
    const { store } = open();
    await Promise.all([
      store.put('a', { text: '1' }),
      store.remove('a'),
      store.put('a', { text: '2' }),
      store.put('b', { text: '1' }),
      store.put('b', { text: '2' }),
      store.remove('b'),
    ]);
    assert.deepEqual(store.entries(), [['a', { text: '2' }]]);
    const other = open().store;
    await other.refresh();
    assert.deepEqual(other.entries(), [['a', { text: '2' }]]);
  });

  it('sees changes of another window at the next refresh, and notifies', async () => {
    const one = open();
    const other = open();
    await one.store.put('a', { text: '1' });
    await one.store.put('b', { text: '1' });
    await other.store.refresh();
    assert.deepEqual(other.store.get('a'), { text: '1' });
    await other.store.put('a', { text: '2' });
    await other.store.remove('b');
    assert.deepEqual(one.store.get('a'), { text: '1' });
    const before = one.changes;
    await one.store.refresh();
    assert.deepEqual(one.store.entries(), [['a', { text: '2' }]]);
    await one.store.refresh();
    assert.equal(one.changes - before, 1);
  });

  it('reads again only what changed', async () => {
    const one = open();
    await one.store.put('a', { text: '1' });
    await one.store.put('b', { text: '1' });
    await one.store.refresh();
    assert.deepEqual(one.read, []);
    const other = open();
    await other.store.refresh();
    assert.equal(other.read.length, 2);
    await one.store.put('b', { text: '2' });
    await other.store.refresh();
    await other.store.refresh();
    assert.deepEqual(other.read.slice(2), [{ text: '2' }]);
  });

  it('combines simultaneous requests in one refresh, and never misses an earlier change', async () => {
    const one = open();
    const other = open();
    await other.store.put('a', { text: '1' });
    await Promise.all([one.store.refresh(), one.store.refresh(), one.store.refresh()]);
    assert.equal(one.read.length, 1);

    // The refresh that was asked for first comes before the change, and the second one after it.
    const busy = one.store.put('b', { text: '1' });
    const early = one.store.refresh();
    const removed = one.store.remove('a');
    const late = one.store.refresh();
    const seen: boolean[] = [];
    void early.then(() => seen.push(one.store.get('a') === undefined));
    await Promise.all([
      busy,
      removed,
      late.then(() => seen.push(one.store.get('a') === undefined)),
    ]);
    assert.deepEqual(seen, [false, true]);
  });

  const broken: readonly (readonly [what: string, content: string | Uint8Array, code: string])[] = [
    ['nothing', '', 'notJson'],
    ['half a record', envelope('a', { text: 'x' }).slice(0, -4), 'notJson'],
    ['bytes that are no text', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'notJson'],
    ['null', 'null', 'notARecord'],
    ['a list', '[]', 'notARecord'],
    ['no version', '{"key":"a","record":{"text":"x"}}', 'notARecord'],
    ['no key', '{"version":1,"record":{"text":"x"}}', 'notARecord'],
    ['no record', '{"version":1,"key":"a"}', 'notARecord'],
    ['a record of the wrong kind', envelope('a', { text: 1 }), 'notARecord'],
    ['the record of another key', envelope('b', { text: 'x' }), 'otherKey'],
    ['more than a mebibyte', envelope('a', { text: 'x'.repeat(1024 * 1024) }), 'tooLarge'],
    ['brackets without end', '['.repeat(500_000), 'notJson'],
  ];
  for (const [what, content, fault] of broken) {
    it(`sets aside a file that contains ${what}, reports it once, and keeps the others`, async () => {
      await open().store.put('good', { text: 'stays' });
      plant('a.json', content);
      const { store, problems } = open();
      await store.refresh();
      await store.refresh();
      assert.deepEqual(
        problems.map(({ file, code, setAsideAs }) => [path.basename(file), code, setAsideAs]),
        [['a.json', fault, 'a.json.corrupt-1']],
      );
      assert.deepEqual(store.entries(), [['good', { text: 'stays' }]]);
      assert.deepEqual(files(), ['a.json.corrupt-1', 'good.json']);
      assert.deepEqual(readFileSync(path.join(folder, 'a.json.corrupt-1')), Buffer.from(content));
      await store.put('a', { text: 'again' });
      assert.deepEqual(store.get('a'), { text: 'again' });
    });
  }

  it('keeps everything that was set aside under a unique name', async () => {
    const { store, problems } = open();
    for (const content of ['first', 'second', 'third']) {
      plant('a.json', content);
      await store.refresh();
    }
    assertEach(problems, ({ setAsideAs }) => setAsideAs, [
      'a.json.corrupt-1',
      'a.json.corrupt-2',
      'a.json.corrupt-3',
    ]);
    assertEach(files(), (name) => readFileSync(path.join(folder, name), 'utf8'), [
      'first',
      'second',
      'third',
    ]);
  });

  it('keeps a record of a newer version, and reports it once', async () => {
    plant('a.json', envelope('a', { text: 'x' }, 2));
    const { store, problems } = open();
    await store.refresh();
    await store.refresh();
    assertEach(problems, ({ code, setAsideAs }) => [code, setAsideAs], [
      ['otherVersion', undefined],
    ]);
    assert.deepEqual(store.entries(), []);
    assert.equal(store.isComplete, false);
    assert.deepEqual(files(), ['a.json']);
  });

  it('reports an unreadable place, drops its record, and finds it again', async () => {
    const { store, problems } = open();
    await store.put('a', { text: '1' });
    rmSync(path.join(folder, 'a.json'));
    mkdirSync(path.join(folder, 'a.json'));
    await store.refresh();
    await store.refresh();
    assertEach(problems, ({ code, setAsideAs }) => [code, setAsideAs], [['unreadable', undefined]]);
    assert.equal(store.isComplete, false);
    assert.deepEqual(store.entries(), []);
    await assert.rejects(store.put('a', { text: '2' }), StorageError);

    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'not a folder');
    await store.refresh();
    await store.refresh();
    assertEach(problems.slice(1), ({ file, code }) => [file, code], [[folder, 'unreadable']]);
    await assert.rejects(store.put('a', { text: '2' }), StorageError);
    await assert.rejects(store.remove('a'), StorageError);

    rmSync(folder);
    await store.put('a', { text: '3' });
    await store.refresh();
    assert.deepEqual(store.entries(), [['a', { text: '3' }]]);
    assert.equal(store.isComplete, true);
    assert.equal(problems.length, 2);
  });

  it('refuses a record that it could not read, and keeps the old one', async () => {
    const { store } = open();
    await store.put('a', { text: 'small' });
    await assert.rejects(store.put('a', { text: 'x'.repeat(1024 * 1024) }), StorageError);
    const circular: Record<string, unknown> = { text: 'x' };
    circular['self'] = circular;
    await assert.rejects(store.put('a', { text: 'x', ...circular }), StorageError);
    await store.refresh();
    assert.deepEqual(store.entries(), [['a', { text: 'small' }]]);
    assert.deepEqual(files(), ['a.json']);
  });

  it('removes all at once, also unreadable ones, and keeps what was set aside', async () => {
    plant('broken.json', '{');
    const { store } = open();
    await store.refresh();
    plant('newer.json', envelope('newer', { text: 'x' }, 2));
    await open().store.put('of another window', { text: 'x' });
    await store.put('a', { text: 'x' });
    await store.removeAll();
    assert.deepEqual(files(), ['broken.json.corrupt-1']);
    assert.deepEqual(store.entries(), []);
    rmSync(folder, { recursive: true });
    await store.removeAll();
    writeFileSync(folder, 'not a folder');
    await assert.rejects(store.removeAll(), StorageError);
  });

  it('notifies of a change that other windows cannot be told of', async () => {
    const place = path.join(base, 'file');
    writeFileSync(place, '');
    const window = open(new SharedChanges(path.join(place, 'changes')));
    await assert.rejects(window.store.put('a', { text: 'rose' }), StorageError);
    assert.deepEqual([window.store.entries(), window.changes], [[['a', { text: 'rose' }]], 1]);
    await assert.rejects(window.store.remove('a'), StorageError);
    assert.deepEqual([window.store.entries(), window.changes], [[], 2]);
  });

  it('is empty after all were removed, also what another window had removed before', async () => {
    const { store } = open();
    await store.put('a', { text: 'x' });
    rmSync(path.join(folder, 'a.json'));
    assert.deepEqual(await store.removeAll(), []);
    assert.deepEqual(store.entries(), []);
  });

  it('deletes old partial files of dead windows, and nothing else', async () => {
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1_000);
    const old = ['a.json.1-aa.tmp', 'theirs.tmp', 'a.json.corrupt-1', 'readme.txt'];
    for (const name of [...old, 'a.json.2-bb.tmp']) plant(name, '{');
    for (const name of old) utimesSync(path.join(folder, name), longAgo, longAgo);
    const { store, problems } = open();
    await store.refresh();
    assert.deepEqual(files(), ['a.json.2-bb.tmp', 'a.json.corrupt-1', 'readme.txt', 'theirs.tmp']);
    assert.deepEqual(problems, []);
  });

  const openWindow = useWindows();
  const writer = (name: string, count: number) =>
    openWindow('recordWriter.ts', [folder, name, String(count)]);

  it('loses nothing if processes write at once, and one of them is killed', async () => {
    const stays = writer('stays', 60);
    const dies = writer('dies', 1_000_000);
    const reader = open();
    await Promise.all([stays.hasSaid(1), dies.hasSaid(1)]);
    // While both write: a record is there whole, or as it was before.
    for (let count = 0; count < 60 && stays.child.exitCode === null; count += 1) {
      await reader.store.refresh();
    }
    dies.child.kill('SIGKILL');
    await Promise.all([stays.closed, dies.closed]);

    await reader.store.refresh();
    assert.deepEqual(reader.problems, []);
    assert.equal(stays.said.length, 60);
    for (const key of [...stays.said, ...dies.said]) {
      assert.ok(reader.store.get(key)?.text === `${key} `.repeat(repeats), key);
    }
    const { text } = reader.store.get('shared') ?? { text: '' };
    assert.ok(text === `${text.split(' ', 1)[0]} `.repeat(repeats), text.slice(0, 40));
    assert.ok(!files().some((name) => name.includes('corrupt')));
  });

  it('restores a valid record that another window wrote while it set an invalid one aside', async () => {
    // Between reading the broken file and renaming it, the other window's record comes.
    plant('a.json', 'broken');
    const text = envelope('a', { text: 'good' });
    const problems: StorageProblem[] = [];
    let isFirst = true;
    const store = new RecordStore<Note>({
      folder,
      parse: (value) => {
        if (!isFirst) return parseNote(value);
        isFirst = false;
        rmSync(path.join(folder, 'a.json'));
        plant('a.json', text);
        return undefined;
      },
      onProblem: (problem) => problems.push(problem),
    });
    plant('a.json', envelope('a', {}));
    await store.refresh();
    await store.refresh();
    assert.deepEqual(store.entries(), [['a', { text: 'good' }]]);
    assert.deepEqual(problems, []);
    assert.deepEqual(files(), ['a.json']);
  });
});

describe('The file name of a record', () => {
  it('is the key if every system accepts it, otherwise a hash', () => {
    assert.equal(recordFileName('a-b_9'), 'a-b_9.json');
    for (const key of ['A', 'nul', 'com1', '-a', 'a.b', 'x'.repeat(101)]) {
      assert.match(recordFileName(key), /^~[0-9a-f]{64}\.json$/);
    }
  });
});
