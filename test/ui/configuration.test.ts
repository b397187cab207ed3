import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ConfigProblem } from '../../src/host/configuration/serverConfig';
import { commands, settings } from '../../src/ids';
import { ConfigurationDiagnostics } from '../../src/ui/configuration/configurationDiagnostics';
import { readSources } from '../../src/ui/configuration/readSources';
import {
  type Configuration,
  ConfigurationWatcher,
} from '../../src/ui/configuration/configurationWatcher';
import { demoServerConfig } from '../../src/ui/configuration/configurationCommands';
import { setWindowFacts } from '../../src/ui/format/windowFacts';
import { SettingsReader } from '../../src/ui/settings/settings';
import { formatProblem } from '../../src/ui/tree/problemRow';
import { set } from './realWindow';
import { untilEvent } from '../waiting';
import { assertEach } from '../assertions';
import { atEnd } from './replacing';

/** The text of a file with servers of these names. */
const entries = (...names: readonly string[]): string =>
  JSON.stringify({ servers: Object.fromEntries(names.map((n) => [n, { command: 'x' }])) });

describe('The configuration', () => {
  before(() =>
    setWindowFacts({
      language: 'en',
      isTrusted: () => true,
      relativePath: (file) => vscode.workspace.asRelativePath(file),
    }),
  );
  let directory: string;
  let file: string;
  let userFile: string;
  let copilotFile: string;
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
    userFile = path.join(await mkdtemp(path.join(os.tmpdir(), 'user-')), 'mcp.json');
    copilotFile = path.join(path.dirname(userFile), 'mcp-config.json');
    reads = 0;
    reader = new SettingsReader({ warn: () => undefined });
    watcher = new ConfigurationWatcher({
      settings: reader,
      demoServer: demoServerConfig(vscode.Uri.file('/extension')),
      userFiles: [userFile, copilotFile],
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
    await rm(path.dirname(userFile), { recursive: true });
    await set(settings.servers, undefined);
    await set(settings.demoServer, undefined);
  });

  /** Resolves when the configuration is so, without anybody asking for a reading. */
  async function readUntil(isSo: () => boolean): Promise<void> {
    const onDidRead = (listener: () => void) => {
      onRead = listener;
      return new vscode.Disposable(() => (onRead = undefined));
    };
    const notify = () => `the servers stay [${serverIds().join()}]`;
    await untilEvent(onDidRead, isSo, { notify });
  }

  const becomes = (...ids: readonly string[]): Promise<void> =>
    readUntil(() => serverIds().join() === ids.join());
  const serverIds = (): string[] => current.servers.map(({ id }) => id);

  it('follows the file when it is created, changed and deleted', async () => {
    assert.deepEqual(serverIds(), []);
    await writeFile(file, entries('one'));
    await becomes('one');
    await writeFile(file, entries('one', 'two'));
    await becomes('one', 'two');
    await rm(file);
    await becomes();
  });

  it('begins with what was read before, and notices changes since', async () => {
    await writeFile(file, entries('early'));
    const files = await readSources([userFile, copilotFile]);
    await writeFile(file, entries('late'));
    watcher.begin(files);
    assert.deepEqual(serverIds(), ['early']);
    await becomes('late');
  });

  it('loses its servers with the folder of the file, and finds them when the folder is back', async () => {
    await writeFile(file, entries('one'));
    await becomes('one');
    const elsewhere = `${directory}-away`;
    await rename(directory, elsewhere);
    await becomes();
    await rename(elsewhere, directory);
    await becomes('one');
  });

  it('replaces variables with their values', async () => {
    await writeFile(file, '{"servers":{"a":{"command":"${env:WORD}","args":["${userHome}"]}}}');
    await becomes('a');
    const transport = current.servers[0]?.transport;
    assert.ok(transport?.kind === 'stdio');
    assert.deepEqual([transport.command, ...transport.args], ['filled in', os.homedir()]);
  });

  it('keeps the previous servers while the text is invalid, and marks the error', async () => {
    await writeFile(file, entries('one'));
    await becomes('one');
    await writeFile(file, '{"servers": {"one": }');
    await watcher.reload();
    assert.deepEqual(serverIds(), ['one']);
    assertEach(current.problems, ({ code, offset }) => [code, offset], [['notJson', 20]]);
    await writeFile(file, entries('two'));
    await becomes('two');
    assert.deepEqual(current.problems, []);
  });

  it('prefers the workspace to the setting, and the setting to the demo server', async () => {
    await writeFile(file, entries('one', 'two'));
    await set(settings.servers, { two: { command: 'y' }, demo: { command: 'z' } });
    await set(settings.demoServer, true);
    await readUntil(() => current.problems.length === 2);
    assertEach(current.servers, ({ source }) => source.kind, [
      'workspaceFile',
      'workspaceFile',
      'setting',
    ]);
    assertEach(current.problems, ({ code, server, source }) => [code, server, source.kind], [
      ['shadowed', 'two', 'setting'],
      ['shadowed', 'demo', 'demo'],
    ]);
    await set(settings.servers, undefined);
    await readUntil(() => current.problems.length === 0);
    assertEach(current.servers, ({ id, source }) => [id, source.kind], [
      ['one', 'workspaceFile'],
      ['two', 'workspaceFile'],
      ['demo', 'demo'],
    ]);
  });

  it('says for each invalid file in one sentence what to do, and opens it from its row', async () => {
    const cases: [() => Promise<unknown>, RegExp][] = [
      [
        () => writeFile(file, '{"servers":{"a":{"command":"x"'),
        /line 1: This is not valid JSON\. Add a closing brace/,
      ],
      [() => writeFile(file, '['.repeat(100_000)), /Correct it to load its servers/],
      [() => writeFile(file, ' '.repeat(10 * 1024 * 1024)), /too large for a configuration/],
      [() => mkdir(file), /A folder has the name.+Rename the folder/],
      [() => symlink('mcp.json', file), /points back to itself. Replace it/],
      [() => writeFile(file, '[]'), /An object is required here/],
      [
        () => writeFile(file, '\uFEFF{"servers":{"a":{},"a":{"command":"x"}}}'),
        /Duplicate key “.+”. The last one is used/,
      ],
    ];
    for (const [make, sentence] of cases) {
      await make();
      await watcher.reload();
      const [problem, ...others] = current.problems;
      assert.ok(problem && others.length === 0);
      const row = { kind: 'config', problem } as const;
      const words = formatProblem({ kind: 'problem', key: '', problem: row });
      assert.match(words.sentence, /^\.vscode\/mcp\.json/);
      assert.match(words.sentence, sentence);
      assert.equal(words.action?.command, commands.openServerConfiguration);
      await rm(file, { recursive: true });
    }
    await writeFile(file, '');
    await watcher.reload();
    assert.deepEqual([current.servers, current.problems], [[], []]);
  });

  it('reads .mcp.json and the user’s file, with less priority than the files of VS Code', async () => {
    const shared = path.join(path.dirname(directory), '.mcp.json');
    await writeFile(file, entries('one'));
    await becomes('one');
    await writeFile(userFile, entries('one', 'mine'));
    await becomes('one', 'mine');
    await writeFile(shared, entries('one', 'two').replace('servers', 'mcpServers'));
    await becomes('one', 'two', 'mine');
    assertEach(current.problems, ({ code, source }) => [code, 'path' in source && source.path], [
      ['shadowed', shared],
      ['shadowed', userFile],
    ]);
    await rm(file);
    await readUntil(() => current.problems.length === 1);
    assert.deepEqual(serverIds(), ['one', 'two', 'mine']);
    await rm(shared);
    await becomes('one', 'mine');
  });

  it('reads the files of Copilot, and says which one of five entries of a server applies', async () => {
    const repository = path.join(path.dirname(directory), '.github', 'mcp.json');
    const shared = path.join(path.dirname(directory), '.mcp.json');
    const portable = entries('one').replace('servers', 'mcpServers');
    await mkdir(path.dirname(repository));
    atEnd(() => rm(shared, { force: true }));
    atEnd(() => rm(path.dirname(repository), { recursive: true }));
    await writeFile(copilotFile, entries('one', 'last').replace('servers', 'mcpServers'));
    await becomes('one', 'last');
    await writeFile(userFile, entries('one'));
    await writeFile(repository, portable);
    await writeFile(shared, portable);
    await writeFile(file, entries('one'));
    await readUntil(() => current.problems.length === 4);
    const places = current.problems.map(({ code, source }) => [
      code,
      'path' in source && source.path,
    ]);
    assert.deepEqual(
      places,
      [shared, repository, userFile, copilotFile].map((each) => ['shadowed', each]),
    );
    // Another program writes it, in several steps.
    await writeFile(copilotFile, '{"mcpServers": {');
    await readUntil(() => current.problems.some(({ code }) => code === 'notJson'));
    assert.deepEqual(serverIds(), ['one', 'last']);
    await rm(copilotFile);
    await symlink(copilotFile, copilotFile);
    await readUntil(() => current.problems.some(({ code }) => code === 'linkLoop'));
    await rm(copilotFile);
    await becomes('one');
  });

  it('follows the files and settings that its entries name', async () => {
    const env = path.join(path.dirname(directory), 'some [odd].env');
    const command = '${config:toolgate.connections.startTimeoutMs}';
    await writeFile(env, 'A=1');
    await writeFile(file, JSON.stringify({ servers: { a: { command, envFile: env } } }));
    const reachIs = (wanted: string, value: string) => () => {
      const transport = current.servers[0]?.transport;
      return (
        transport?.kind === 'stdio' && transport.command === wanted && transport.env['A'] === value
      );
    };
    await readUntil(reachIs('30000', '1'));
    await writeFile(env, 'A=2');
    await readUntil(reachIs('30000', '2'));
    await set(settings.startTimeoutMs, 5000);
    await readUntil(reachIs('5000', '2'));
    await set(settings.startTimeoutMs, undefined);
    await rm(env);
  });

  it('follows them even if VS Code watches only the files of dev.watch', async () => {
    const env = path.join(path.dirname(directory), 'watched.env');
    const a = { command: 'x', envFile: env, dev: { watch: '*.nothing' } };
    const isValue = (value: string) => () => {
      const transport = current.servers[0]?.transport;
      return transport?.kind === 'stdio' && transport.env['A'] === value;
    };
    await writeFile(env, 'A=1');
    await writeFile(file, JSON.stringify({ servers: { a } }));
    await readUntil(isValue('1'));
    await new Promise((resolve) => setTimeout(resolve, 2_000)); // VS Code reads it in its own time.
    // Once it has noticed by itself that there is a file of servers, it is quiet.
    for (const value of ['2', '3', '4']) {
      await writeFile(env, `A=${value}`);
      await readUntil(isValue(value));
    }
    await rm(file);
    await becomes();
    await rm(env);
  });

  it('is read even if an entry names a file that cannot exist', async () => {
    const odd = { command: 'x', envFile: path.join(directory, 'no\0name') };
    await writeFile(file, JSON.stringify({ servers: { odd, one: { command: 'x' } } }));
    await watcher.reload();
    assert.deepEqual(serverIds(), ['odd', 'one']);
  });

  it('is read again once, not many times, for calls that arrive while it is read', async () => {
    const before = reads;
    await Promise.all([watcher.reload(), watcher.reload(), watcher.reload()]);
    assert.equal(reads - before, 2);
  });

  it('stops being watched when the watcher is disposed', async () => {
    const before = reads;
    const reading = watcher.reload();
    watcher.dispose();
    await reading;
    assert.equal(reads, before);
  });
});

describe('Problems of a configuration file', () => {
  it('are shown in the editor at their places until they are fixed', () => {
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
