import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ConfigProblem } from '../../src/host/configuration/serverConfig';
import { settings } from '../../src/ids';
import { ConfigurationDiagnostics } from '../../src/ui/configuration/configurationDiagnostics';
import {
  addServerToFile,
  createFile,
  openConfigurationFile,
} from '../../src/ui/configuration/configurationFiles';
import {
  type Configuration,
  ConfigurationWatcher,
} from '../../src/ui/configuration/configurationWatcher';
import { demoServerConfig } from '../../src/ui/servers/demoServer';
import { SettingsReader } from '../../src/ui/configuration/settings';

const deadlineMs = 10_000;

async function setGlobally(name: string, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(settings.section);
  await configuration.update(name, value, vscode.ConfigurationTarget.Global);
}

/** The text of a file with servers of these names. */
const entries = (...names: readonly string[]): string =>
  JSON.stringify({ servers: Object.fromEntries(names.map((n) => [n, { command: 'x' }])) });

describe('The configuration', () => {
  let directory: string;
  let file: string;
  let current: Configuration;
  let reads = 0;
  let onRead: (() => void) | undefined;
  let reader: SettingsReader;
  let watcher: ConfigurationWatcher;

  before(() => {
    const folder = vscode.workspace.workspaceFolders?.[0];
    assert.ok(folder, 'these tests need a folder that they may write to');
    directory = path.join(folder.uri.fsPath, '.vscode');
    file = path.join(directory, 'mcp.json');
  });

  beforeEach(async () => {
    await mkdir(directory, { recursive: true });
    await rm(file, { force: true });
    reads = 0;
    reader = new SettingsReader({ warn: () => undefined });
    watcher = new ConfigurationWatcher({
      settings: reader,
      demoServer: demoServerConfig(vscode.Uri.file('/extension')),
      environment: { userHome: os.homedir(), env: { WORD: 'filled in' } },
      apply: (configuration) => {
        current = configuration;
        reads++;
        onRead?.();
      },
    });
    await watcher.reload();
  });

  afterEach(async () => {
    watcher.dispose();
    reader.dispose();
    await rm(file, { force: true });
    await setGlobally(settings.servers, undefined);
    await setGlobally(settings.demoServer, undefined);
  });

  /** Resolves when the configuration is so, without anybody asking for a reading. */
  async function readUntil(isSo: () => boolean): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`the servers stay [${serverIds().join()}]`)),
        deadlineMs,
      );
      onRead = () => isSo() && resolve();
      onRead();
    });
    clearTimeout(timer);
  }

  const becomes = (...ids: readonly string[]): Promise<void> =>
    readUntil(() => serverIds().join() === ids.join());
  const serverIds = (): string[] => current.servers.map(({ id }) => id);

  it('follows the file as it comes, changes and goes', async () => {
    assert.deepEqual(serverIds(), []);
    await writeFile(file, entries('one'));
    await becomes('one');
    await writeFile(file, entries('one', 'two'));
    await becomes('one', 'two');
    await rm(file);
    await becomes();
  });

  it('loses its servers with the directory that held the file, and finds them when it is back', async () => {
    await writeFile(file, entries('one'));
    await becomes('one');
    const elsewhere = `${directory}-away`;
    await rename(directory, elsewhere);
    await becomes();
    await rename(elsewhere, directory);
    await becomes('one');
  });

  it('fills variables in from what it was given', async () => {
    await writeFile(file, '{"servers":{"a":{"command":"${env:WORD}","args":["${userHome}"]}}}');
    await becomes('a');
    const reach = current.servers[0]?.reach;
    assert.ok(reach?.kind === 'stdio');
    assert.deepEqual([reach.command, ...reach.args], ['filled in', os.homedir()]);
  });

  it('keeps the servers of before while the text is broken, and says so at the place', async () => {
    await writeFile(file, entries('one'));
    await becomes('one');
    await writeFile(file, '{"servers": {"one": }');
    await watcher.reload();
    assert.deepEqual(serverIds(), ['one']);
    assert.deepEqual(
      current.problems.map(({ code, offset }) => [code, offset]),
      [['notJson', 20]],
    );
    await writeFile(file, entries('two'));
    await becomes('two');
    assert.deepEqual(current.problems, []);
  });

  it('prefers the workspace to the setting, and the setting to the demo server', async () => {
    await writeFile(file, entries('one', 'two'));
    await setGlobally(settings.servers, { two: { command: 'y' }, demo: { command: 'z' } });
    await setGlobally(settings.demoServer, true);
    await readUntil(() => current.problems.length === 2);
    assert.deepEqual(
      current.servers.map(({ source }) => source.kind),
      ['workspaceFile', 'workspaceFile', 'setting'],
    );
    assert.deepEqual(
      current.problems.map(({ code, server, source }) => [code, server, source.kind]),
      [
        ['shadowed', 'two', 'setting'],
        ['shadowed', 'demo', 'demo'],
      ],
    );
    await setGlobally(settings.servers, undefined);
    await readUntil(() => current.problems.length === 0);
    assert.deepEqual(
      current.servers.map(({ id, source }) => [id, source.kind]),
      [
        ['one', 'workspaceFile'],
        ['two', 'workspaceFile'],
        ['demo', 'demo'],
      ],
    );
  });

  it('does not read what is too large, or is no file', async () => {
    await writeFile(file, Buffer.alloc(4 * 1024 * 1024 + 1, ' '));
    await watcher.reload();
    assert.deepEqual(
      current.problems.map(({ code }) => code),
      ['unreadable'],
    );
    await rm(file);
    await mkdir(file);
    await watcher.reload();
    assert.deepEqual(
      current.problems.map(({ code }) => code),
      ['unreadable'],
    );
    await rm(file, { recursive: true });
  });

  it('is read once more, not many times, for calls that come while it is read', async () => {
    const before = reads;
    await Promise.all([watcher.reload(), watcher.reload(), watcher.reload()]);
    assert.equal(reads - before, 2);
  });

  it('is left alone after the watcher is gone', async () => {
    const before = reads;
    const reading = watcher.reload();
    watcher.dispose();
    await reading;
    assert.equal(reads, before);
  });

  it('takes a new server without a change to the rest of the file', async () => {
    const uri = vscode.Uri.file(file);
    await createFile(uri, '{\n  // mine\n  "servers": {}\n}\n');
    assert.equal(await addServerToFile(uri, 'new', { command: 'x' }), 'saved');
    await becomes('new');
    const document = await vscode.workspace.openTextDocument(uri);
    assert.match(document.getText(), /^\{\n {2}\/\/ mine\n/);
    assert.equal(await addServerToFile(uri, 'new', { command: 'x' }), 'impossible');
    await createFile(uri, 'not this');
    assert.match(document.getText(), /mine/);

    await openConfigurationFile(uri, ['servers', 'new']);
    const editor = vscode.window.activeTextEditor;
    assert.match(editor?.document.getText(editor.selection) ?? '', /^"new": \{\n.*\n *\}$/);
  });

  it('leaves saving to the person where the file has unsaved changes', async () => {
    // Not the file of the other tests: the editor may still hold what they wrote there.
    const uri = vscode.Uri.file(`${file}.draft`);
    await writeFile(uri.fsPath, '{}\n');
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), '// unsaved\n');
    await vscode.workspace.applyEdit(edit);
    assert.equal(await addServerToFile(uri, 'new', { command: 'x' }), 'unsaved');
    assert.equal(document.isDirty, true);
    assert.match(document.getText(), /^\/\/ unsaved\n[^]*"new"/);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await rm(uri.fsPath);
  });
});

describe('Problems of a configuration file', () => {
  it('stand in the editor at their places until they are gone', () => {
    const diagnostics = new ConfigurationDiagnostics();
    const file = path.join(os.tmpdir(), 'elsewhere', 'mcp.json');
    const uri = vscode.Uri.file(file);
    const source = { kind: 'workspaceFile', path: file, folder: path.dirname(file) } as const;
    const text = '{\r\n "servers": {\n  "a": 1\r }}';
    const offset = text.indexOf('1');
    const problem: ConfigProblem = {
      code: 'wrongType',
      source,
      path: ['servers', 'a'],
      offset,
      length: 1,
      fatal: true,
    };
    const ofSetting: ConfigProblem = { ...problem, source: { kind: 'setting' } };
    const atAll: ConfigProblem = { code: 'unreadable', source, path: [], fatal: false };
    diagnostics.show([problem, ofSetting, atAll], new Map([[file, text]]));
    assert.deepEqual(
      vscode.languages
        .getDiagnostics(uri)
        .map(({ range, severity, code }) => [range.start, range.end, severity, code]),
      [
        [
          new vscode.Position(2, 7),
          new vscode.Position(2, 8),
          vscode.DiagnosticSeverity.Error,
          'wrongType',
        ],
        [
          new vscode.Position(0, 0),
          new vscode.Position(0, 0),
          vscode.DiagnosticSeverity.Warning,
          'unreadable',
        ],
      ],
    );
    diagnostics.show([], new Map());
    assert.deepEqual(vscode.languages.getDiagnostics(uri), []);
    diagnostics.dispose();
  });
});
