import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { internalCommands } from '../../src/ids';
import type { Script } from '../servers/scripted';
import { AnsweredDialogs, pressStart } from './dialogs';
import { RealExtension } from './realExtension';

/** Longer than a press waits before it shows the tool, and than two of a double click are apart. */
const settledMs = 700;
const tool = { serverId: 'verge', toolName: 'mow' };
const script: Script = (server) => {
  server.tools = [{ name: 'mow', inputSchema: { type: 'object' } }];
};
const run = (command: string, ...args: readonly unknown[]): Thenable<unknown> =>
  vscode.commands.executeCommand(command, ...args);

describe('Presses on the row of a tool', () => {
  let extension: RealExtension;
  let dialogs: AnsweredDialogs;

  before(async () => {
    extension = await RealExtension.activate();
    dialogs = new AnsweredDialogs(pressStart);
    await extension.configure({ verge: extension.scriptedEntry(script) });
    await extension.api.start('verge');
  });
  beforeEach(async () => {
    await run('workbench.action.closeAllEditors');
    dialogs.seen.length = 0;
  });
  after(async () => {
    dialogs.dispose();
    await extension.clear();
  });

  const shown = () =>
    vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ label }) => label);
  const asked = () => dialogs.seen.map(({ message }) => message);
  const question = 'Run “mow” on “verge”?';

  it('show it on a click', async () => {
    await run(internalCommands.pressTool, tool);
    await setTimeout(settledMs);
    assert.deepEqual([asked(), shown()], [[], ['mow.definition.txt']]);
  });

  it('call it on Enter', async () => {
    await run(internalCommands.enterBegins);
    await run(internalCommands.pressTool, tool);
    await setTimeout(settledMs);
    assert.deepEqual([asked(), shown()], [[question], []]);
  });

  it('call it on a double click, once, also on a third', async () => {
    for (let press = 1; press <= 3; press += 1) void run(internalCommands.pressTool, tool);
    await setTimeout(settledMs);
    assert.deepEqual([asked(), shown()], [[question], []]);
  });

  it('call it alone where Enter overtakes the click before it', async () => {
    await run(internalCommands.enterBegins);
    // That of the click comes first, and is taken for that of the key.
    void run(internalCommands.pressTool, tool);
    void run(internalCommands.pressTool, tool);
    await setTimeout(settledMs);
    assert.deepEqual([asked(), shown()], [[question], []]);
  });

  for (const [setting, value] of [
    ['toolgate.tree.callOnClick', true],
    ['workbench.list.openMode', 'doubleClick'],
  ] as const) {
    it(`call it at once where "${setting}" is ${value}`, async () => {
      const update = (to: unknown) => vscode.workspace.getConfiguration().update(setting, to, true);
      await update(value);
      try {
        await run(internalCommands.pressTool, tool);
        await setTimeout(settledMs);
        assert.deepEqual([asked(), shown()], [[question], []]);
      } finally {
        await update(undefined);
      }
    });
  }
});
