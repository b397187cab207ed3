import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { generate } from '../src/manifest/generate';
import { entryKeyPaths } from '../src/host/configuration/entryKeys';
import * as ids from '../src/ids';

// src/manifest -> package.json and package.nls.json, and ids.ts <-> the code that registers. An id that is in one
// place only is a command that does nothing or a menu that never shows.
const root = path.resolve(__dirname, '..');
const exportTexts: () => Promise<object> = createRequire(__filename)('../.ci/exportTexts.js');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

interface Manifest {
  readonly extensionKind: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: unknown };
    readonly virtualWorkspaces: { readonly supported: unknown };
  };
  readonly contributes: {
    readonly walkthroughs: readonly { id: string }[];
    readonly mcpServerDefinitionProviders: readonly { id: string }[];
  };
}
const manifestText = read('package.json');
const manifest = JSON.parse(manifestText) as Manifest;
const { contributes } = manifest;

function sourceText(folder: string): string {
  return readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'ids.ts')
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

describe('The manifest', () => {
  const source = sourceText('src');

  it('is what the folder manifest says, with its texts and grammars', () => {
    for (const [file, value] of Object.entries(generate())) {
      const wanted: unknown = JSON.parse(JSON.stringify(value));
      const advice = `${file}: change src/manifest, then run npm run manifest`;
      assert.deepEqual(JSON.parse(read(file)), wanted, advice);
    }
  });

  it('uses every id in the code', () => {
    const groups = {
      commands: ids.commands,
      colors: ids.colors,
      contextValues: ids.contextValues,
      contextKeys: ids.contextKeys,
      settings: ids.settings,
    };
    // A setting may be named in quotes, for the table that says how it is read.
    const isUsed = (group: string, name: string) =>
      new RegExp(
        `\\b(${group}|ids\\.${group})\\.${name}\\b${group === 'settings' ? `|'${name}'` : ''}`,
      ).test(source);
    const unused = Object.entries(groups).flatMap(([group, members]) =>
      Object.keys(members)
        .filter((name) => !isUsed(group, name))
        .map((name) => `${group}.${name}`),
    );
    assert.deepEqual(unused, []);
  });

  it('runs where the workspace is, and says what works without trust or files', () => {
    const { extensionKind, capabilities } = manifest;
    assert.equal(extensionKind[0], 'workspace');
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(capabilities.virtualWorkspaces.supported, 'limited');
  });

  it('and every other text name no missing id', () => {
    const { section, ...keys } = ids.settings;
    const known = new Set<string>([
      ...Object.values({ ...ids.commands, ...ids.internalCommands, ...ids.views }),
      ...Object.values({ ...ids.contextKeys, ...ids.colors }),
      ...Object.values(ids.views).map((view) => `${view}.focus`), // VS Code makes it.
      ...Object.values(keys).map((key) => `${section}.${key}`),
      ...contributes.walkthroughs.map(({ id }) => id),
      ids.holdsFocusKey,
      ids.picksToolKey,
      ids.extensionId,
      ids.lockFileName,
      ...contributes.mcpServerDefinitionProviders.map(({ id }) => id),
      ...entryKeyPaths,
      // A key that is written wrongly in a test of that, and a file.
      'toolgate.Era',
      'toolgate.vsix',
    ]);
    const filesIn = (folder: string, recursive: boolean): string[] =>
      readdirSync(path.join(root, folder), { recursive, encoding: 'utf8' }).map((name) =>
        path.join(folder, name),
      );
    const files = [
      ...filesIn('.', false),
      ...['src', 'test', 'docs', 'media', 'l10n'].flatMap((folder) => filesIn(folder, true)),
    ]
      .filter((file) => /\.(ts|js|md|json|mcpcall)$/.test(file))
      .filter((file) => !file.startsWith(path.join('test', 'results')));
    const named = files.flatMap((file) =>
      // Regular expressions of tests have backslashes before the dots.
      [
        ...read(file)
          .replaceAll('\\.', '.')
          .matchAll(/(?<![\w./@-])toolgate(?:\.\w+)+/g),
      ].map(([id]) => ({ file, id })),
    );
    assert.ok(named.length > 300, `only ${named.length} ids were found`);
    assert.deepEqual(
      named.filter(({ id }) => !known.has(id)),
      [],
    );
  });

  it('matches every kind of row with an action, and no kind that does not exist', () => {
    const patterns = [...manifestText.matchAll(/viewItem\s*=~\s*\/((?:[^/\\]|\\.)*)\//g)].map(
      (m) => m[1] ?? '',
    );
    const exact = [...manifestText.matchAll(/viewItem\s*==\s*'?([\w.]+)'?/g)].map(
      (m) => m[1] ?? '',
    );
    assert.ok(patterns.length + exact.length > 0);
    const kinds: string[] = Object.values(ids.contextValues);
    const dead = [
      ...patterns.filter(
        (p) => !kinds.some((k) => new RegExp(JSON.parse(`"${p}"`) as string).test(k)),
      ),
      ...exact.filter((e) => !kinds.includes(e)),
    ];
    assert.deepEqual(dead, []);
  });

  it('refers to existing images', () => {
    const pictures = [...manifestText.matchAll(/"(media\/[^"]+)"/g)].map((m) => m[1] ?? '');
    assert.ok(pictures.length > 0);
    assert.deepEqual(
      pictures.filter((file) => !existsSync(path.join(root, file))),
      [],
    );
  });

  it('gives translators every text of the code', async () => {
    const given = JSON.parse(read('l10n/bundle.l10n.json')) as object;
    assert.ok(Object.keys(given).length > 100);
    assert.deepEqual(given, await exportTexts(), 'npm run l10n has to be run again');
    assert.deepEqual(Object.keys(given), Object.keys(given).toSorted());
  });

  it('says for every command what it changes or starts, and what it checks', () => {
    const text = read('docs/design/commands.md');
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    const [, shown = ''] = text.split('These only show,');
    const named = (line: string) =>
      [...line.matchAll(/`([a-zA-Z]+\.[a-zA-Z]+)`/g)].map(([, id = '']) => id);
    const told = [...rows.map((row) => row.split('|')[1] ?? ''), shown].flatMap(named);
    const all = Object.values({ ...ids.commands, ...ids.internalCommands });
    // Once more than named is `adding.write`, by which links end.
    assert.deepEqual(
      [...new Set(told)].toSorted(),
      all.map((id) => id.slice('toolgate.'.length)).toSorted(),
    );
    for (const row of rows) {
      const [, , changes = '', checks = ''] = row.split('|').map((cell) => cell.trim());
      assert.ok(changes !== '' && checks !== '', row);
    }
    assert.ok(rows.length > 20);
  });
});
