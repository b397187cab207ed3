import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ServerSnapshot, ToolgateApi } from '../../src/api';
import { commands, settings } from '../../src/ids';
import { eventually } from '../waiting';
import { run, set, useWindow } from './realWindow';

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/** In the real extension, with the real demo server. */
describe('Commands for servers', () => {
  const { extension } = useWindow({ hasAnswers: false });
  let api: ToolgateApi;

  before(() => ({ api } = extension));
  afterEach(async () => {
    await set(settings.demoServer, undefined);
    await extension.clear();
  });

  const until = (isSo: () => boolean): Promise<void> => extension.until(isSo);
  const picture = (): string => extension.picture();
  const server = (id: string): ServerSnapshot | undefined => extension.server(id);
  const pidOf = (id: string): number => {
    const pid = server(id)?.pid;
    assert.ok(pid, `${id} has no process: ${picture()}`);
    return pid;
  };

  async function configure(...names: readonly string[]): Promise<void> {
    const good = extension.demoEntry();
    const entries = names.map((name) => [name, name === 'bad' ? { command: '/no/such' } : good]);
    await extension.configure(Object.fromEntries(entries));
  }

  it('return copies of tools that callers cannot change', async () => {
    await extension.configure({ demo: extension.demoEntry() });
    const { tools } = await api.start('demo');
    const before = JSON.stringify(tools);
    const tool = tools.find(({ outputSchema }) => typeof outputSchema === 'object');
    assert.ok(tool);
    assert.equal(tool.inputSchema, tool.inputSchema);
    Object.assign(tool.inputSchema, { isChanged: true });
    Object.assign(Object(tool.outputSchema), { isChanged: true });
    assert.notEqual(JSON.stringify(tools), before);
    const now = extension.server('demo')?.tools;
    assert.equal(JSON.stringify(now), before);
    assert.deepEqual(structuredClone(now), JSON.parse(before));
  });

  it('add the demo server and start it, and remove it with its process', async () => {
    await run(commands.addDemoServer);
    assert.equal(picture(), 'demo running');
    assert.ok((server('demo')?.tools.length ?? 0) > 0);
    const pid = pidOf('demo');
    await run(commands.removeDemoServer);
    await until(() => api.servers.length === 0);
    await api.stop('demo');
    assert.ok(isGone(pid));
  });

  it('start nothing on their own', async () => {
    await configure('a', 'b');
    assert.equal(picture(), 'a stopped, b stopped');
  });

  it('start, restart and stop the server of a row, and resolve when it is done', async () => {
    await configure('a', 'b');
    const row = { kind: 'server', key: '', serverId: 'a' };
    await run(commands.startServer, row);
    assert.equal(picture(), 'a running, b stopped');
    const first = pidOf('a');
    await run(commands.restartServer, row);
    const second = pidOf('a');
    assert.notEqual(second, first);
    assert.ok(isGone(first));
    await run(commands.refreshTools, row);
    await run(commands.stopServer, row);
    assert.equal(picture(), 'a stopped, b stopped');
    assert.ok(isGone(second));
  });

  it('start all servers that are not running, each independently', async () => {
    await configure('a', 'bad', 'b');
    await run(commands.startAllServers);
    assert.equal(picture(), 'a running, bad failed, b running');
    await run(commands.refreshTools);
    await run(commands.startAllServers);
    assert.equal(picture(), 'a running, bad failed, b running');
  });

  it('resolve even if there is nothing to do or it fails', async () => {
    for (const command of [
      commands.startServer,
      commands.stopServer,
      commands.restartServer,
      commands.showServerLog,
      commands.refreshTools,
      commands.startAllServers,
      commands.removeDemoServer,
      commands.copyToolName,
    ]) {
      await run(command);
    }
    await configure('bad');
    await run(commands.startServer, 'bad');
    assert.equal(picture(), 'bad failed');
    assert.match(server('bad')?.error ?? '', /bad/);
    await run(commands.startServer, 'not configured');
    await run(commands.stopServer, { serverId: 0 });
  });

  it('copy the name of a tool exactly', async () => {
    await run(commands.copyToolName, { kind: 'tool', serverId: 'a', toolName: 'get $(x)\u202E' });
    assert.equal(await vscode.env.clipboard.readText(), 'get $(x)\u202E');
  });

  it('open the configuration at the entry of the server', async () => {
    await configure('a', 'b');
    // A document that is open already follows its file later, or at once if it is read again.
    const document = await vscode.workspace.openTextDocument(extension.file);
    await vscode.window.showTextDocument(document);
    await run('workbench.action.files.revert');
    await until(() => document.getText().includes('"b"'));
    await run(commands.openServerConfiguration, { kind: 'server', serverId: 'b' });
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.fsPath, extension.file);
    assert.match(editor.document.getText(editor.selection), /^"b": \{/);
  });

  it('open the settings at the demo server', async () => {
    await run(commands.addDemoServer);
    await run(commands.openServerConfiguration, 'demo');
    const shown = () => vscode.window.activeTextEditor?.document;
    await eventually(
      () => [shown()?.uri.path ?? '', shown()?.getText() ?? ''],
      ([file = '', text = '']) =>
        file.endsWith('/settings.json') && text.includes('"toolgate.demoServer.enabled": true'),
    );
  });
});
