import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { until } from '../waiting';
import { fillCall } from '../../src/core/callFiles/callVariables';
import { GeneratedValues } from '../../src/core/callFiles/callFileVariables';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { readRecording } from '../../src/core/recording/readRecording';
import { commands, extensionId, recordingScheme } from '../../src/ids';
import type { FileCall } from '../../src/core/callFiles/callFile';
import type { Server } from '../../src/host/connections/snapshot';
import { TestServers } from '../../src/ui/testing/testServers';
import { pressStart, type SeenDialog } from './dialogs';
import { run, useWindow } from './realWindow';
import { linksOf } from './lenses';

const recorded = 'demo (recorded)';
const stopped = {
  state: { kind: 'stopped' },
  tools: [],
  listProblems: [],
  configProblems: [],
  garbageLines: 0,
  notices: [],
} as const;

/** In the real extension, with the real demo server. */
describe('Recordings', () => {
  const press = (dialog: SeenDialog): string | undefined =>
    pressStart(dialog) ?? dialog.buttons.find((button) => button.startsWith('Run'));
  const { extension, answers, dialogs } = useWindow({ press });
  let file = path.join(extension.folder, 'run.mcprecord');

  afterEach(async () => {
    rmSync(file, { force: true });
    await run(commands.removeReplay, recorded);
    await extension.clear();
  });

  async function record(act: () => Promise<unknown>): Promise<void> {
    answers.saved = vscode.Uri.file(file);
    await run(commands.recordServer, 'demo');
    assert.equal(extension.server('demo')?.state, 'running');
    await act();
    await run(commands.stopRecording);
  }

  const wishes = [
    ['list_notes', {}],
    ['show_flower', {}],
    ['read_note', { name: 'no such note' }],
    ['list_notes', {}],
  ] as const;

  /** The hash of every document that the calls brought, but for what tells of the call itself. */
  async function session(server: string): Promise<readonly string[]> {
    const hashes: string[] = [];
    for (const [tool, given] of wishes) {
      const outcome = await extension.api.callTool({ server, tool, arguments: given });
      assert.ok(outcome.document, `${tool} of ${server}: ${outcome.kind}`);
      const { content, structuredContent, kind } = outcome;
      hashes.push(hashOf(Buffer.from(JSON.stringify({ kind, content, structuredContent }))));
      const folder = vscode.Uri.joinPath(outcome.document, '..');
      for (const [name] of await vscode.workspace.fs.readDirectory(folder)) {
        if (name.endsWith('.mcpresult')) continue;
        const uri = vscode.Uri.joinPath(folder, name);
        hashes.push(`${name} ${hashOf(await vscode.workspace.fs.readFile(uri))}`);
      }
    }
    return hashes;
  }

  it('return the same documents in a replay of the whole session, compared by hash', async () => {
    await extension.configure({ demo: extension.demoEntry() });
    let before: readonly string[] = [];
    await record(async () => {
      before = await session('demo');
    });
    assert.match(answers.told.at(-1) ?? '', /Recorded “demo” in run\.mcprecord\. Messages: \d+\./);
    const { messages, isCut } = await readRecording(file);
    assert.equal(isCut, false);
    assert.ok(messages.length > 2 * wishes.length);
    // Not recorded any more.
    const size = readFileSync(file).length;
    await session('demo');
    assert.equal(readFileSync(file).length, size);

    await run(commands.replayRecording, vscode.Uri.file(file));
    const server = extension.server(recorded);
    assert.deepEqual([server?.state, server?.pid], ['running', undefined]);
    assert.match(dialogs.seen.at(-1)?.detail ?? '', /runs no program and replays this recording/);
    assert.deepEqual(await session(recorded), before);
    // Not into the file from which it answers.
    await run(commands.recordServer, recorded);
    assert.match(answers.told.at(-1) ?? '', /is replayed from this file. Choose another file/);
    assert.equal(readFileSync(file).length, size);
    const other = await extension.api.callTool({
      server: recorded,
      tool: 'read_note',
      arguments: { name: 'another' },
    });
    assert.equal(other.kind, 'failed');
    assert.match(other.error?.message ?? '', /was not recorded; the nearest is/);
  });

  it('end with the server, and are not created if no messages were exchanged', async () => {
    await extension.configure({ demo: extension.demoEntry() });
    answers.saved = vscode.Uri.file(file);
    await run(commands.recordServer, 'demo');
    await run(commands.stopServer, 'demo');
    await extension.until(() => extension.server('demo')?.state === 'stopped');
    await run(commands.stopRecording);
    assert.equal((await readRecording(file)).isCut, false);
    rmSync(file);

    await extension.configure({ bad: { command: '/no/such' } });
    await run(commands.recordServer, 'bad');
    await run(commands.stopRecording, 'bad');
    assert.equal(existsSync(file), false);
    answers.saved = undefined;
    await run(commands.recordServer, 'bad');
    await run(commands.recordServer, 'not configured');
    await run(commands.recordServer, { serverId: 7 });
    await run(commands.stopRecording, {});
    assert.equal(existsSync(file), false);
  });

  const shown = async (opened = file): Promise<vscode.TextDocument> => {
    await run(commands.openRecording, vscode.Uri.file(opened));
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, recordingScheme);
    return document;
  };
  const links = ({ uri }: vscode.TextDocument) => linksOf(uri);

  it('open as one line for each message, and the time of the line opens the whole message', async () => {
    await extension.configure({ demo: extension.demoEntry() });
    await record(() => extension.api.callTool({ server: 'demo', tool: 'list_notes' }));
    const document = await shown();
    const lines = document.getText().split('\n');
    const call = lines.findIndex((line) => line.includes('tools/call'));
    assert.match(lines[call] ?? '', /^ *\d+\.\d{3} s +demo +server +tools\/call +\d+ .*list_notes/);
    assert.match(lines[call + 1] ?? '', /us +tools\/call +\d+ .*ms|s +content/);
    assert.equal(document.languageId, 'mcptable');
    const all = await links(document);
    const link = all.find(({ range }) => range.start.line === call);
    assert.ok(link?.target);
    const message = await vscode.workspace.openTextDocument(link.target);
    const whole: unknown = JSON.parse(message.getText());
    assert.match(JSON.stringify(whole), /"name":"list_notes"/);
    assert.ok(!JSON.stringify(whole).includes('\n'));
  });

  it('open as the same document from the explorer', async () => {
    const message = { id: 1, method: 'tools/list' };
    const line = JSON.stringify({ at: 5, server: 's', to: 'server', message });
    writeFileSync(file, `{"mcprecord":1}\n${line}\n{"isEnd":true,"messages":1}\n`);
    await run('workbench.action.closeAllEditors');
    await run('vscode.open', vscode.Uri.file(file));
    const inFront = () => vscode.window.activeTextEditor?.document;
    await until(() => inFront()?.uri.scheme === recordingScheme);
    assert.match(inFront()?.getText() ?? '', /Messages: 1\.[^]*0\.005 s +s +server +tools\/list/);
    // In place of it, not beside it.
    const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await until(() => !tabs().some(({ input }) => input instanceof vscode.TabInputCustom));
    assert.equal(tabs().length, 1);
  });

  it('show a message that would take gigabytes with one line for each value as written', async () => {
    const deep = `${'['.repeat(1_000)}${'1,'.repeat(500_000)}1${']'.repeat(1_000)}`;
    const line = `{"at":5,"server":"s","to":"client","message":{"id":1,"result":{"deep":${deep}}}}`;
    const beyond = line.replace(deep, `${'['.repeat(60_000)}${']'.repeat(60_000)}`);
    // What is open already is refreshed a moment later.
    const other = file.replace('run.', 'deep.');
    writeFileSync(other, `{"mcprecord":1}\n${line}\n${beyond}\n{"isEnd":true,"messages":2}\n`);
    const document = await shown(other);
    assert.match(document.getText(), /Messages: 2\./);
    for (const [index, expected] of [line, beyond].entries()) {
      const target = (await links(document))[index]?.target;
      assert.ok(target);
      assert.equal((await vscode.workspace.openTextDocument(target)).getText(), expected);
    }
    rmSync(other);
  });

  it('say where a message was cut that is too large in bytes, between characters', async () => {
    const text = '日'.repeat(1_500_000);
    const line = `{"at":5,"server":"s","to":"client","message":{"id":1,"text":"${text}"}}`;
    const other = file.replace('run.', 'wide.');
    writeFileSync(other, `{"mcprecord":1}\n${line}\n{"isEnd":true,"messages":1}\n`);
    const target = (await links(await shown(other)))[0]?.target;
    assert.ok(target);
    const message = (await vscode.workspace.openTextDocument(target)).getText();
    assert.equal(message.length < line.length, true);
    assert.equal(message.slice(-3), '日日…');
    rmSync(other);
  });

  it('are the servers of replayed tests, never a configured server of the same name', async () => {
    const configured: Server = {
      ...stopped,
      config: {
        id: recorded,
        label: recorded,
        source: { kind: 'setting' },
        transport: { kind: 'stdio', command: 'node', args: [], env: {} },
      },
    };
    const started: string[] = [];
    const start = (id: string): Promise<boolean> => Promise.resolve(started.push(id) > 0);
    const servers = new TestServers({
      registry: { find: () => configured },
      actions: { startForUse: start, restart: start },
    });
    const calls = [{ server: recorded } as FileCall];
    const source = new vscode.CancellationTokenSource();
    const { token } = source;
    assert.match(
      (await servers.ready(calls, { isReplay: true }, token)).get(recorded) ?? '',
      /Replay a recording of it first/,
    );
    assert.deepEqual(started, []);
    await servers.ready(calls, {}, token);
    assert.deepEqual(started, [recorded]);
    source.cancel();
    await servers.ready(calls, {}, token);
    assert.deepEqual(started, [recorded]);
  });

  it('have the values that tests generated while they were recorded', async () => {
    const recording = path.join(extension.folder, 'generated.mcprecord');
    const sent = {
      method: 'tools/call',
      id: 1,
      params: { name: 't', arguments: { id: 'abcdef' } },
    };
    const lines = [{ mcprecord: 1 }, { at: 1, server: 'tickets', to: 'server', message: sent }];
    writeFileSync(recording, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const transport = { kind: 'stdio', command: 'node', args: [], env: {} } as const;
    const config = {
      id: recorded,
      label: recorded,
      source: { kind: 'recording', path: recording },
      transport: { ...transport, recording: { file: recording, server: 'tickets' } },
    } as const;
    const servers = new TestServers({
      registry: { find: () => ({ ...stopped, config }) },
      actions: { startForUse: assert.fail, restart: assert.fail },
    });
    const given = { id: '${random:text 6}' };
    const text = JSON.stringify({ server: recorded, tool: 't', arguments: given });
    const { file: read } = readCallFile(text);
    const [call] = read?.calls ?? [];
    assert.ok(read !== undefined && call !== undefined);
    const generated = new GeneratedValues(await servers.recordedValues([call]));
    const filled = await fillCall(read, call, generated, () => assert.fail());
    rmSync(recording);
    assert.deepEqual(filled.kind === 'filled' && filled.value, { id: 'abcdef' });
  });

  it('of any size and origin show one sentence, or their lines', async () => {
    const line = (message: object, at = 5): string =>
      JSON.stringify({ at, server: 's', to: 'client', message });
    const head = '{"mcprecord":1}';
    const cases: readonly (readonly [string, RegExp])[] = [
      ['', /is not a recording/],
      ['[[[[', /is not a recording/],
      ['{"mcprecord":99}\n', /another version/],
      [`${head}\n${line({ id: 1 }).slice(0, -9)}`, /Messages: 0\.[^]*The recording has no end/],
      [`${head}\n{"at":"soon"}\n`, /The rest is not shown because it is not a message/],
      [`${head}\n${'['.repeat(100_000)}\n`, /The rest is not shown because it is not a message/],
      [`${head}\n${line({ method: 'a\u202Eb[x](command:y)' })}\n`, /a\\u\{202E\}b/],
      [`${head}\n${line({ method: 'big', x: 'y'.repeat(600_000) })}\n`, /too long for one line/],
      [`${head}\n${`${line({ method: 'm' })}\n`.repeat(3_000)}`, /Messages: 1000\.[^]*not shown/],
      [
        `${head}\n{"at":1e999,"server":"s","to":"client"}\n`,
        /The rest is not shown because it is not a message/,
      ],
    ];
    const first = file;
    for (const [index, [text, words]] of cases.entries()) {
      rmSync(file, { force: true });
      // What is open already is refreshed a moment later.
      file = first.replace('run.', `case${index}.`);
      writeFileSync(file, text);
      assert.match((await shown()).getText(), words);
    }
    rmSync(file);
    file = first.replace('run.', 'large.');
    // As large as it says, and nothing on the disk.
    writeFileSync(file, `${head}\n`);
    truncateSync(file, 1024 * 1024 * 1024);
    assert.match((await shown()).getText(), /Messages: 0\./);
    rmSync(file);
    file = first;
    const stranger = vscode.Uri.from({ scheme: recordingScheme, path: '/x.mcptable', query: file });
    const made = await vscode.workspace.openTextDocument(stranger);
    assert.match(made.getText(), /Open the recording again/);
  });

  it('of the MCP Inspector and of mcporter answer as their servers did', async () => {
    const { extensionPath } = vscode.extensions.getExtension(extensionId) ?? assert.fail();
    const samples = path.join(extensionPath, 'test/fixtures/recordings');
    const id = 'everything (recorded)';
    for (const name of [
      'inspector-protocol-everything-2026-11-23T21-31-33.234Z.json',
      'mcporter.ndjson',
    ]) {
      const copy = path.join(extension.folder, name);
      copyFileSync(path.join(samples, name), copy);
      await run(commands.replayRecording, vscode.Uri.file(copy));
      assert.equal(extension.server(id)?.state, 'running', answers.told.join());
      const wish = { server: id, tool: 'echo', arguments: { message: 'hello' } };
      const { content } = await extension.api.callTool(wish);
      assert.match(JSON.stringify(content), /Echo: hello/);
      await run(commands.removeReplay, id);
      rmSync(copy);
    }
  });

  it('replay no invalid file, and say so', async () => {
    await extension.configure({ demo: extension.demoEntry() });
    for (const text of ['', '{"mcprecord":1}\n', 'nonsense\n']) {
      writeFileSync(file, text);
      answers.told.length = 0;
      await run(commands.replayRecording, vscode.Uri.file(file));
      assert.match(answers.told.join(), /is not a recording|contains no message/);
    }
    answers.opened = undefined;
    await run(commands.replayRecording, { file, server: 'demo' });
    await run(commands.replayRecording, vscode.Uri.file('/etc/hosts'));
    assert.equal(extension.picture(), 'demo stopped');
  });
});

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
