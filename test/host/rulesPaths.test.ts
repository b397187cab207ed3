import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type PathPlace,
  placeInWorkspace,
  candidatePaths,
} from '../../src/host/consent/rules/workspacePaths';
import { effectsOf, factsOf } from './ruleCases';

describe('A path argument', () => {
  let root: string;
  let garden: string;
  let shed: string;

  before(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-paths-')));
    garden = path.join(root, 'garden');
    shed = path.join(root, 'shed');
    for (const folder of [`${garden}/beds/rose`, shed, `${root}/gardener`]) {
      mkdirSync(folder, { recursive: true });
    }
    writeFileSync(`${garden}/plan.txt`, '');
    writeFileSync(`${root}/secret.txt`, '');
    symlinkSync('../secret.txt', `${garden}/escape.txt`);
    symlinkSync('..', `${garden}/up`);
    symlinkSync('../nowhere/at/all', `${garden}/dangling`);
    symlinkSync('loop', `${garden}/loop`);
    symlinkSync('garden', `${root}/alias`);
    symlinkSync('garden/beds/rose', `${root}/deep`);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  /** Each with `~~` for the folder that holds everything. */
  async function leadsTo(
    expected: PathPlace,
    texts: readonly string[],
    folders: readonly string[] = ['garden'],
    cwd?: string,
  ): Promise<void> {
    for (const text of texts) {
      const there = await placeInWorkspace(
        text.replace('~~', root),
        folders.map((name) => path.join(root, name)),
        cwd,
      );
      assert.equal(there, expected, text);
    }
  }

  it('is inside if it is the folder, or below it, whether it exists or not', async () => {
    await leadsTo('inside', [
      '~~/garden',
      '~~/garden/',
      '~~/garden/plan.txt',
      '~~/garden/./beds//rose',
      '~~/garden/new/folder/file.txt',
      '~~/garden/beds/../plan.txt',
      '~~/shed/../garden/plan.txt',
      '~~/alias/plan.txt',
      '~~/garden/up/garden/plan.txt',
      `${pathToFileURL(garden).href}/a%20b.txt`,
      'plan.txt',
      './beds/../plan.txt',
    ]);
    await leadsTo('inside', ['~~/garden/plan.txt', '~~/alias/x'], ['alias']);
    await leadsTo('inside', ['/etc', '/'], ['../../../../../..']);
  });

  it('is outside if it leaves the folder, also through a link', async () => {
    await leadsTo('outside', [
      '~~',
      '/',
      '/etc/passwd',
      '~~/gardener/x',
      '~~/garden/../secret.txt',
      '~~/garden/escape.txt',
      '~~/garden/up/secret.txt',
      '~~/garden/up/new.txt',
      '../secret.txt',
      'escape.txt',
      pathToFileURL('/etc/passwd').href,
    ]);
    await leadsTo('outside', ['/etc/passwd'], []);
  });

  it('is unclear if programs differ, or nothing can be known', async () => {
    await leadsTo('unclear', [
      '',
      ' ~~/garden/plan.txt',
      '~~/garden/plan\u0000.txt',
      '~~/garden/pl\u200ban.txt',
      '~~/garden/dangling',
      '~~/garden/dangling/x',
      '~~/garden/loop/x',
      '~~/garden/plan.txt/x',
      // As text it is the garden; the system goes through the link first.
      '~~/deep/../../plan.txt',
      '~~/GARDEN/plan.txt',
      '~/plan.txt',
      '$HOME/plan.txt',
      '${HOME}/plan.txt',
      '%USERPROFILE%/x',
      '~~/garden/%2e%2e/secret.txt',
      'C:\\garden\\plan.txt',
      'c:/garden',
      '..\\secret.txt',
      '\\\\server\\share',
      'https://example.com/~~/garden',
      'file://server/garden',
      'file:~~/garden/plan.txt',
      'file://~~/garden/../secret.txt',
      'file://~~/garden/%2e%2e/secret.txt',
      'file://~~/garden/plan.txt?x',
      `~~/garden/${'x'.repeat(300)}`,
      `~~/garden/${'a/'.repeat(300)}`,
      `~~/garden/${'a'.repeat(5_000)}`,
    ]);
  });

  it('is tried in every folder, and in the server’s, if it is relative', async () => {
    await leadsTo('inside', ['plan.txt', 'x/y'], ['garden', 'shed']);
    await leadsTo('unclear', ['escape.txt', '../garden'], ['garden', 'gardener/x']);
    await leadsTo('unclear', ['plan.txt'], []);
    await leadsTo('unclear', ['plan.txt'], ['garden'], shed);
    await leadsTo('inside', ['plan.txt'], ['garden'], path.join(garden, 'beds'));
    await leadsTo('outside', ['plan.txt'], [], shed);
  });

  it('is unclear while a workspace folder is a broken link', async () => {
    await leadsTo('unclear', ['~~/garden/dangling/x'], ['garden/dangling']);
    await leadsTo('inside', ['~~/gone/x'], ['gone']);
  });

  it('decides rules strictly if it is unclear', async () => {
    const rules = [true, false].flatMap((insideWorkspace) =>
      ['allow', 'deny'].map((effect) => ({
        effect,
        reason: String(insideWorkspace),
        when: { '/path': { insideWorkspace } },
      })),
    );
    const effects = (text: string | string[]) =>
      effectsOf(rules, factsOf({ path: text }), [garden]);
    assert.equal(await effects(`${garden}/plan.txt`), 'allow deny');
    assert.equal(await effects(`${garden}/escape.txt`), 'allow deny');
    assert.equal(await effects('~/x'), 'deny deny');
    assert.equal(await effects([`${garden}/plan.txt`, '/etc/passwd']), 'deny deny');
    assert.equal(await effectsOf(rules, factsOf({}), [garden]), '');
    const elsewhere = factsOf({ path: 'plan.txt' }, { cwd: shed });
    assert.equal(await effectsOf(rules, elsewhere, [garden]), 'deny deny');
  });

  it('has special forms on Windows', () => {
    const read = (text: string) => candidatePaths(text, ['D:\\ws'], path.win32);
    assert.deepEqual(read('C:\\a\\b'), ['C:\\a\\b']);
    assert.deepEqual(read('c:/a/../b'), ['c:\\a\\..\\b']);
    assert.deepEqual(read('\\\\server\\share\\a'), ['\\\\server\\share\\a']);
    assert.deepEqual(read('a/b.txt'), ['D:\\ws\\a\\b.txt']);
    assert.deepEqual(read('.gitignore'), ['D:\\ws\\.gitignore']);
    assert.deepEqual(read('..\\b'), ['D:\\ws\\..\\b']);
    assert.deepEqual(read('file:///C:/a%20b'), ['C:\\a b']);
    for (const text of [
      'C:a',
      '\\a',
      '/a',
      '\\\\?\\C:\\a',
      '\\\\.\\pipe\\x',
      'C:\\a.txt:stream',
      'a:b:c',
      'C:\\a.\\b',
      'C:\\a \\b',
      'C:\\a\\.. \\b',
      'C:\\a\\...\\b',
      'C:\\a\\nul',
      'aux.txt',
      'C:\\a*',
      'file://server/share/a',
      'http://x/y',
    ]) {
      assert.equal(read(text), undefined, text);
    }
  });
});
