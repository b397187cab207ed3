import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { Programs } from '../../src/core/stdio/programs';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { commands, extensionId, settings } from '../../src/ids';
import { missingPrograms } from '../../src/ui/configuration/programChecks';
import { eventually } from '../waiting';
import { assertEach } from '../assertions';
import { lensesOf as lensesIn, fixesOf } from './lenses';
import { answersOfTest } from './windowAnswers';
import { set } from './realWindow';

/** The running extension, as a person meets it in the file. */
const labelsOf = ({ items }: vscode.CompletionList): readonly string[] =>
  items.map(({ label }) => (typeof label === 'string' ? label : label.label));

describe('A configuration file in the editor', () => {
  let folder: string;
  let file: string;
  let shared: string;

  before(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0];
    assert.ok(workspace);
    folder = workspace.uri.fsPath;
    file = path.join(folder, '.vscode', 'mcp.json');
    shared = path.join(folder, '.mcp.json');
    await mkdir(path.dirname(file), { recursive: true });
    await vscode.extensions.getExtension(extensionId)?.activate();
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(file, { force: true });
    await rm(shared, { force: true });
  });

  async function open(at: string, text: string): Promise<vscode.TextDocument> {
    await writeFile(at, text);
    const document = await vscode.workspace.openTextDocument(at);
    await vscode.window.showTextDocument(document);
    return document;
  }

  const ours = ({ uri }: vscode.TextDocument): vscode.Diagnostic[] =>
    vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Toolgate');
  const codesOf = (document: vscode.TextDocument): string[] =>
    ours(document).map(
      ({ code, range }) => `${JSON.stringify(code).slice(1, -1)} ${document.getText(range)}`,
    );
  const codesBecome = (document: vscode.TextDocument, codes: readonly string[]) =>
    eventually(
      () => codesOf(document),
      (now) => now.toSorted().join() === codes.toSorted().join(),
    );

  const lensesOf = async ({ uri }: vscode.TextDocument): Promise<string[]> => {
    return (await lensesIn(uri))
      .filter(({ command }) => command?.command.startsWith('toolgate.'))
      .map(({ range, command }) => `${range.start.line} ${command?.title ?? ''}`);
  };
  const lensesBecome = (document: vscode.TextDocument, lenses: readonly string[]) =>
    eventually(
      () => lensesOf(document),
      (now) => now.join() === lenses.join(),
    );

  /** Once, if nothing else changes the file at that moment, as VS Code does that reads what was just written. */
  async function fixOnce(document: vscode.TextDocument, title: string): Promise<void> {
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const actions = await fixesOf(document.uri, whole);
    const action = actions.find((one) => one.title === title);
    if (action === undefined) return;
    if (action.edit !== undefined) await vscode.workspace.applyEdit(action.edit);
    if (action.command === undefined) return;
    const { command, arguments: given = [] } = action.command;
    await vscode.commands.executeCommand(command, ...(given as unknown[]));
  }

  async function fix(document: vscode.TextDocument, title: string): Promise<void> {
    const before = document.getText();
    await eventually(
      async () => {
        if (document.getText() === before) await fixOnce(document, title);
        return document.getText();
      },
      (text) => text !== before,
    );
  }

  it('shows state and actions above each server, and which of two entries applies', async () => {
    await writeFile(file, '{"servers":{"one":{"command":"node"}}}');
    const document = await open(
      shared,
      '{\n  "mcpServers": {\n    "one": { "command": "node" },\n    "two": { "command": "node" }\n  }\n}\n',
    );
    const ignored = '2 Toolgate: ignored, overridden by .vscode/mcp.json';
    await lensesBecome(document, [ignored, '3 Toolgate: stopped', '3 Start', '3 Log']);
    const answers = answersOfTest();
    answers.pick = 'two';
    await vscode.commands.executeCommand(commands.disableServer);
    await lensesBecome(document, [ignored, '3 Toolgate: disabled', '3 Enable', '3 Log']);
    await vscode.commands.executeCommand(commands.enableServer);
    await lensesBecome(document, [ignored, '3 Toolgate: stopped', '3 Start', '3 Log']);
    await codesBecome(document, ['shadowed "one"']);
    assertEach(ours(document), ({ severity }) => severity, [vscode.DiagnosticSeverity.Information]);
  });

  it('has lines for servers under the key of the other format, and a quick fix that renames the key', async () => {
    const entry = '{ "command": "node", "args": ["${HOME}"] }';
    const document = await open(file, `{\n  "mcpServers": {\n    "two": ${entry}\n  }\n}\n`);
    await codesBecome(document, ['foreignKey "mcpServers"']);
    await lensesBecome(document, ['2 Toolgate: stopped', '2 Start', '2 Log']);
    await fix(document, 'Rename to “servers”');
    await document.save();
    await codesBecome(document, []);
    const { servers } = JSON.parse(await readFile(file, 'utf8'));
    assert.deepEqual(servers.two.args, ['${env:HOME}']);
  });

  it('marks variables of other programs, and replaces them with environment variables', async () => {
    const headers = '{ "Authorization": "Bearer {{ TOKEN }}" }';
    const document = await open(
      file,
      `{ "servers": { "a": { "url": "https://x.test", "headers": ${headers} } } }`,
    );
    await codesBecome(document, ['unsupportedVariable "Bearer {{ TOKEN }}"']);
    await fix(document, 'Use the environment variable “${env:TOKEN}”');
    assert.match(document.getText(), /"Bearer \$\{env:TOKEN\}"/);
    await document.save();
  });

  it('has the same lines and problems as the servers in the user settings', async () => {
    const servers = {
      own: { command: 'node', enviroment: {} },
      one: { command: 'node' },
    };
    const change = (value: unknown): Thenable<void> => set(settings.servers, value);
    await writeFile(file, '{"servers":{"one":{"command":"node"}}}');
    await change(servers);
    const place = await mkdtemp(path.join(tmpdir(), 'settings-'));
    await mkdir(path.join(place, 'User'));
    const key = `${settings.section}.${settings.servers}`;
    const [own, one] = Object.entries(servers).map(
      ([name, entry]) => `    "${name}": ${JSON.stringify(entry)}`,
    );
    const document = await open(
      path.join(place, 'User', 'settings.json'),
      `{\n  "${key}": {\n${own},\n${one}\n  }\n}\n`,
    );
    await lensesBecome(document, [
      '2 Toolgate: stopped',
      '2 Start',
      '2 Log',
      '3 Toolgate: ignored, overridden by .vscode/mcp.json',
    ]);
    await codesBecome(document, ['unknownKey "enviroment"', 'shadowed "one"']);
    await change(undefined);
    await codesBecome(document, []);
    await lensesBecome(document, ['3 Toolgate: ignored, overridden by .vscode/mcp.json']);
    await rm(place, { recursive: true });
  });

  it('is listed with every other place where servers are configured', async () => {
    const answers = answersOfTest();
    await vscode.commands.executeCommand(commands.openServerConfiguration);
    const before = answers.listed;
    await writeFile(shared, '{}');
    answers.pick = '.mcp.json';
    await vscode.commands.executeCommand(commands.openServerConfiguration);
    const own = ['.vscode/mcp.json', '.mcp.json', 'Your mcp.json', 'Setting "toolgate.servers"'];
    assert.deepEqual(answers.listed, own);
    assert.deepEqual(
      before,
      own.filter((label) => label !== '.mcp.json'),
    );
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, shared);
  });

  it('marks a missing program, and proposes keys of .mcp.json', async () => {
    const document = await open(
      shared,
      '{ "mcpServers": { "a": { "command": "toolgate-has-no-such-program",  } } }',
    );
    await codesBecome(document, ['programMissing "toolgate-has-no-such-program"']);
    const at = document.positionAt(document.getText().indexOf(',  }') + 2);
    const list = await eventually(
      () =>
        vscode.commands.executeCommand<vscode.CompletionList>(
          'vscode.executeCompletionItemProvider',
          document.uri,
          at,
        ),
      // Other providers may answer before the JSON service has read the schema.
      (found) => labelsOf(found).includes('args'),
    );
    for (const key of ['args', 'env', 'url', 'headers'])
      assert.ok(labelsOf(list).includes(key), key);
  });

  it('moves a secret to secret storage, and changes nothing else in the file', async () => {
    const text = [
      '// Ours.\r\n{\r\n\t"servers": { // all of them\r\n',
      '\t\t"api": {"url":"https://x.test/mcp",   "headers" : { "Authorization":"Bearer s3cr3t-1" } },\r\n',
      '\t\t/* odd */ "b": { "command": "node", "env": {"A_KEY": "s3cr3t-2", "PLAIN": "x"}, },\r\n',
      '\t},\r\n\t"inputs": [\r\n\t\t{ "id": "api-authorization", "type": "promptString" }, // taken\r\n\t],\r\n}\r\n',
    ].join('');
    const document = await open(file, text);
    await codesBecome(document, ['literalSecret "Bearer s3cr3t-1"', 'literalSecret "s3cr3t-2"']);
    await fix(document, 'Move to secret storage');
    await codesBecome(document, ['literalSecret "s3cr3t-2"']);
    const input = [
      '\t\t{',
      '\t\t\t"type": "promptString",',
      '\t\t\t"id": "api-authorization-2",',
      '\t\t\t"description": "Authorization",',
      '\t\t\t"password": true',
      '\t\t},',
    ].join('\r\n');
    assert.equal(
      await readFile(file, 'utf8'),
      text
        .replace('s3cr3t-1', '${input:api-authorization-2}')
        .replace('// taken\r\n', `// taken\r\n${input}\r\n`),
    );
  });

  it('moves a secret of several words as a whole, and asks for a variable that is not set', async () => {
    const text =
      '{\n  "servers": {\n    "b": { "command": "node", "args": ["${env:TOOLGATE_NOT_SET}"], "env": { "DB_PASSWORD": "correct horse" } }\n  }\n}\n';
    const document = await open(file, text);
    await codesBecome(document, [
      'literalSecret "correct horse"',
      'missingVariable "${env:TOOLGATE_NOT_SET}"',
    ]);
    await fix(document, 'Move to secret storage');
    await codesBecome(document, ['missingVariable "${env:TOOLGATE_NOT_SET}"']);
    await fix(document, 'Ask for “TOOLGATE_NOT_SET” when the server starts');
    await document.save();
    await codesBecome(document, []);
    const { servers, inputs } = JSON.parse(await readFile(file, 'utf8'));
    assert.deepEqual(servers.b.args, ['${input:toolgate-not-set}']);
    assert.deepEqual(servers.b.env, { DB_PASSWORD: '${input:b-db-password}' });
    assertEach(inputs, ({ id, password }: { id: string; password: boolean }) => [id, password], [
      ['b-db-password', true],
      ['toolgate-not-set', true],
    ]);
  });

  it('replaces a secret in .mcp.json with an environment variable, and copies it to the clipboard', async () => {
    const answers = answersOfTest();
    const text =
      '{ "mcpServers": { "a b": { "url": "https://x.test", "headers": { "Authorization": "Bearer s3cr3t-3" } } } }\n';
    const document = await open(shared, text);
    await codesBecome(document, ['literalSecret "Bearer s3cr3t-3"']);
    await fix(document, 'Use an environment variable');
    const variable = '${A_B_AUTHORIZATION}';
    assert.equal(await readFile(shared, 'utf8'), text.replace('s3cr3t-3', variable));
    assert.equal(await vscode.env.clipboard.readText(), 's3cr3t-3');
    assert.match(answers.told.join(), /or the server cannot start/);
    await codesBecome(document, [`missingVariable "Bearer ${variable}"`]);
    await fix(document, 'Use an empty value for “A_B_AUTHORIZATION” if it is not set');
    await document.save();
    await codesBecome(document, []);
  });

  it('says that a file still contains the secret if it cannot be saved', async () => {
    const answers = answersOfTest();
    const text =
      '{ "mcpServers": { "a b": { "url": "https://x.test", "headers": { "Authorization": "Bearer s3cr3t-4" } } } }\n';
    const document = await open(shared, text);
    await codesBecome(document, ['literalSecret "Bearer s3cr3t-4"']);
    // VS Code does not overwrite a file that another program has changed.
    const changing = vscode.workspace.onWillSaveTextDocument((event) =>
      event.waitUntil(writeFile(shared, `${text}\n`)),
    );
    try {
      await fix(document, 'Use an environment variable');
    } finally {
      changing.dispose();
    }
    assert.equal(document.isDirty, true);
    assert.match(await readFile(shared, 'utf8'), /s3cr3t-4/);
    assert.match(answers.told.join(), /Save “\.mcp\.json” to remove the secret from the file\./);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('uses two variables for two secrets of the same name', async () => {
    answersOfTest();
    const env = (value: string) => ({ command: 'node', env: { TOOLGATE_KEY: value } });
    const text = JSON.stringify({ mcpServers: { a: env('s3cr3t-a'), b: env('s3cr3t-b') } });
    const document = await open(shared, text);
    await codesBecome(document, ['literalSecret "s3cr3t-a"', 'literalSecret "s3cr3t-b"']);
    await fix(document, 'Use an environment variable');
    await codesBecome(document, ['literalSecret "s3cr3t-b"', 'missingVariable "${TOOLGATE_KEY}"']);
    await fix(document, 'Use an environment variable');
    assert.deepEqual(JSON.parse(await readFile(shared, 'utf8')), {
      mcpServers: { a: env('${TOOLGATE_KEY}'), b: env('${B_TOOLGATE_KEY}') },
    });
  });

  it('removes a duplicate, and corrects a misspelled key', async () => {
    const text =
      '{\n  "servers": {\n    "a": { "command": "first" },\n    "a": { "commnad": "node" } // a\n  }\n}\n';
    const document = await open(file, text);
    await codesBecome(document, ['duplicateKey "a"', 'unknownKey "commnad"']);
    await fix(document, 'Remove this “a”, which has no effect');
    await fix(document, 'Rename to “command”');
    await document.save();
    await codesBecome(document, []);
    const first = '    "a": { "command": "first" },\n';
    assert.equal(
      await readFile(file, 'utf8'),
      text.replace(first, '').replace('commnad', 'command'),
    );
  });

  it('defines an input and renames a key of another client, and changes nothing else', async () => {
    const text =
      '{\n  "servers": {\n    "a": { "cmd": "node", "env": { "K": "${input:k}" } } // a\n  }\n}\n';
    const document = await open(file, text);
    await codesBecome(document, ['unknownKey "cmd"', 'unknownInput "${input:k}"']);
    await fix(document, 'Rename to “command”');
    await fix(document, 'Define input “k”');
    await document.save();
    await codesBecome(document, []);
    const inputs = [
      '  },',
      '  "inputs": [',
      '    {',
      '      "type": "promptString",',
      '      "id": "k",',
      '      "description": "K",',
      '      "password": true',
      '    }',
      '  ]',
    ].join('\n');
    assert.equal(
      await readFile(file, 'utf8'),
      text.replace('"cmd"', '"command"').replace('  }\n}\n', `${inputs}\n}\n`),
    );
  });
});

describe('The programs of configuration files', () => {
  it('are marked as missing, found everywhere, or found only by some programs', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'home-'));
    const program = path.join(home, '.local/bin/only-here');
    await mkdir(path.dirname(program), { recursive: true });
    await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
    const source = { kind: 'userFile', path: path.join(home, 'mcp.json') } as const;
    const config = (command: string): ServerConfig => ({
      id: command,
      label: command,
      source,
      transport: { kind: 'stdio', command, args: [], env: {} },
    });
    const commandsOf = ['only-here', process.execPath, 'nowhere-at-all', '${input:program}', ''];
    const setting: ServerConfig = { ...config('nowhere-at-all'), source: { kind: 'setting' } };
    const found = await missingPrograms(
      [...commandsOf.map(config), setting],
      new Programs({ environment: { PATH: '/no/such/folder' }, home }),
    );
    assertEach(found, ({ code, path: at, detail, fatal }) => [code, at.join('/'), detail, fatal], [
      ['programElsewhere', 'servers/only-here/command', program, false],
      ['programMissing', 'servers/nowhere-at-all/command', 'nowhere-at-all', false],
    ]);
    await rm(home, { recursive: true });
  });
});
