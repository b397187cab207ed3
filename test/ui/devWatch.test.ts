import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { McpError } from '../../src/core/errors';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { ServerRegistry } from '../../src/host/connections/registry';
import { commands } from '../../src/ids';
import { DevWatch } from '../../src/ui/servers/devWatch';
import { until } from '../waiting';
import { silentLog } from '../silentLog';
import { AnsweredDialogs } from './dialogs';
import { useWindow } from './realWindow';
import { answersOfTest } from './windowAnswers';
import { atEnd } from './replacing';

/** In the real extension, with real files. */
describe('A server with dev.watch', () => {
  const { extension, dialogs } = useWindow({
    press: ({ buttons }) => buttons.find((button) => button.startsWith('Start')),
    hasAnswers: false,
  });
  afterEach(() => extension.clear());

  /** Starts a server that an earlier change of a file may restart while it starts. */
  async function start(id: string): Promise<void> {
    const cancelled = ({ code }: McpError) => assert.equal(code, 'cancelled');
    await extension.api.start(id).catch(cancelled);
    await extension.until(() => extension.server(id)?.state === 'running');
  }

  /** Changes the file until the server runs anew for that. */
  async function untilRestarted(id: string): Promise<void> {
    await extension.until(() => extension.server(id)?.state === 'running');
    const { pid } = extension.server(id) ?? {};
    // VS Code begins to watch what the entry names in its own time, and tells of nothing before. A
    // change while the server starts would end that start.
    const touching = setInterval(() => {
      const now = extension.server(id);
      if (now?.state !== 'running' || now.pid !== pid) return;
      void writeFile(path.join(extension.folder, 'server.py'), '');
    }, 1_000);
    await extension
      .until(() => {
        const now = extension.server(id);
        return now?.state === 'running' && now.pid !== pid;
      })
      .finally(() => clearInterval(touching));
  }

  it('is restarted when a file changes that its entry names, and is not started by a change', async () => {
    const { api } = extension;
    const entry = { ...extension.demoEntry(), dev: { watch: '*.py' } };
    await extension.configure({ written: entry, other: entry });
    await start('written');
    await start('other');
    await untilRestarted('written');
    await api.stop('written');
    // The first time may come of a change from before.
    await untilRestarted('other');
    await untilRestarted('other');
    assert.equal(extension.server('written')?.state, 'stopped');
  });

  it('is stopped when its entry begins to name files, and the question before its start shows them', async () => {
    const { api } = extension;
    const entry = extension.demoEntry();
    const other = { ...entry, dev: { watch: '*.py' } };
    await extension.configure({ written: entry, other });
    await api.start('written');
    await start('other');
    const seen = dialogs.seen.length;
    await extension.configure({ written: { ...entry, dev: { watch: ['*.py', 'lib/**'] } }, other });
    await extension.until(() => extension.server('written')?.state === 'stopped');
    await untilRestarted('other');
    assert.equal(extension.server('written')?.state, 'stopped');
    assert.equal(dialogs.seen.length, seen);
    await start('written');
    assert.equal(dialogs.seen.length, seen + 1);
    const { detail = '' } = dialogs.seen.at(-1) ?? {};
    for (const glob of ['"*.py"', '"lib/**"']) {
      assert.ok(detail.includes(`+ Restarts when a file changes: ${glob}`), detail);
    }
  });

  it('is set to restart on save by a command and set back, and the command shows the entry', async () => {
    const answers = answersOfTest();
    const own = new AnsweredDialogs(({ buttons }) => buttons[0]).begin();
    const watchOf = async (): Promise<unknown> => {
      const text = await readFile(extension.file, 'utf8');
      return JSON.parse(text).servers.written.dev?.watch;
    };
    atEnd(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
    atEnd(() => own.dispose());
    await extension.configure({ written: extension.demoEntry() });
    // Earlier tests may have left the document with changes, which the command does not save.
    const document = await vscode.workspace.openTextDocument(extension.file);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    const written = await readFile(extension.file, 'utf8');
    await until(() => document.getText() === written && !document.isDirty);
    const target = { serverId: 'written' };
    await vscode.commands.executeCommand(commands.restartOnSave, target);
    // A link or another extension can run it, too.
    assert.match(own.seen.at(-1)?.message ?? '', /^Restart “written” when its files change\?$/);
    const glob = await watchOf();
    assert.equal(glob, 'src/**/*');
    assert.match(answers.told.at(-1) ?? '', /restarts when “src\/\*\*\/\*” changes/);
    // VS Code may show a log of its own meanwhile, so the tab in front tells more than the focus.
    const { input, isDirty } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    assert.ok(input instanceof vscode.TabInputText);
    assert.deepEqual([input.uri.fsPath, isDirty], [extension.file, false]);
    await vscode.commands.executeCommand(commands.stopRestartOnSave, target);
    assert.equal(await watchOf(), undefined);
    own.press = () => undefined;
    await vscode.commands.executeCommand(commands.restartOnSave, target);
    assert.equal(await watchOf(), undefined);
  });

  it('is not restarted forever if it writes such a file at each start', async () => {
    // Outside the workspace: VS Code watches that by the `dev.watch` of its own `mcp.json` instead,
    // as the tests before leave it, and tells of no other file.
    const folder = await mkdtemp(path.join(tmpdir(), 'written-'));
    const file = path.join(folder, 'own.log');
    const calmFile = path.join(folder, 'calm.log');
    const config = (id: string, label: string): ServerConfig => ({
      id,
      label,
      source: { kind: 'workspaceFile', path: extension.file, folder },
      transport: { kind: 'stdio', command: id, args: [], env: {} },
      watch: [id === 'loop' ? 'own.log' : 'calm.log'],
    });
    const registry = new ServerRegistry({
      isTrusted: () => true,
      approve: () => Promise.resolve(true),
      logOf: () => silentLog,
      connect: async ({ id }) => {
        if (id === 'calm') calmStarts += 1;
        else await writeFile(file, String((starts += 1)));
        throw new McpError('unreachable');
      },
    });
    let starts = 0;
    let calmStarts = 0;
    const said: string[] = [];
    const original = vscode.window.showWarningMessage;
    const show = (sentence: string) => Promise.resolve(void said.push(sentence));
    Object.assign(vscode.window, { showWarningMessage: show });
    const watch = new DevWatch({
      registry,
      trust: { stateOf: () => Promise.resolve({ kind: 'trusted' }) },
      logOf: () => ({ info: () => undefined }),
      limits: { delaysMs: [0, 0, 0], quietMs: 50 },
    });
    try {
      registry.setConfiguration([config('loop', 'Loop'), config('calm', 'Calm')], []);
      for (const id of ['calm', 'loop']) await registry.start(id).catch(() => undefined);
      let seen = 0;
      await until(async () => {
        // VS Code begins to watch in its own time, and anew when it watches something else: what
        // the server writes meanwhile is seen by nobody, and then nothing would happen any more.
        if (starts === seen) await writeFile(file, 'touched');
        seen = starts;
        return said.length > 0;
      });
      const then = starts;
      assert.match(said[0] ?? '', /^File changes restarted server “Loop” 3 times in a row/);
      await writeFile(file, 'again');
      await until(async () => {
        await writeFile(calmFile, 'later');
        return calmStarts > 1;
      });
      assert.deepEqual([starts, said.length], [then, 1]);
    } finally {
      Object.assign(vscode.window, { showWarningMessage: original });
      watch.dispose();
      registry.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
