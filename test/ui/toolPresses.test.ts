import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { internalCommands } from '../../src/ids';
import type { Script } from '../servers/scripted';
import { run, useWindow } from './realWindow';
import { atEnd } from './replacing';

const script: Script = (server) => {
  server.tools = ['mow', 'rake'].map((name) => ({ name, inputSchema: { type: 'object' } }));
};
/** Resolves when all that comes of the press is over. */
const press = (toolName = 'mow') =>
  run(internalCommands.pressTool, { serverId: 'verge', toolName });

describe('Clicks on the row of a tool', () => {
  const { dialogs } = useWindow({
    hasAnswers: false,
    servers: (real) => ({ verge: real.scriptedEntry(script) }),
  });

  beforeEach(async () => {
    // What comes next is no double click with what came before.
    await press('rake');
    await run('workbench.action.closeAllEditors');
    dialogs.seen.length = 0;
  });

  const shown = () =>
    vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ label }) => label);
  const asked = () => dialogs.seen.map(({ message }) => message);
  const question = 'Run “mow” on “verge”?';

  it('show its definition on a single click', async () => {
    await press();
    assert.deepEqual([asked(), shown()], [[], ['mow.definition.txt']]);
  });

  it('call it on Enter', async () => {
    await run(internalCommands.enterBegins);
    await press();
    assert.deepEqual([asked(), shown()], [[question], []]);
  });

  it('call it on a double-click, once, also on a third click', async () => {
    await Promise.all([press(), press(), press()]);
    assert.deepEqual([asked(), shown()], [[question], []]);
  });

  it('only call it if Enter follows the click quickly', async () => {
    await run(internalCommands.enterBegins);
    // That of the click comes first, and is taken for that of the key.
    await Promise.all([press(), press()]);
    assert.deepEqual([asked(), shown()], [[question], []]);
  });

  for (const [setting, value] of [
    ['toolgate.tree.callOnClick', true],
    ['workbench.list.openMode', 'doubleClick'],
  ] as const) {
    it(`call it at once if "${setting}" is ${value}`, async () => {
      const update = (to: unknown) => vscode.workspace.getConfiguration().update(setting, to, true);
      await update(value);
      atEnd(() => update(undefined));
      await press();
      assert.deepEqual([asked(), shown()], [[question], []]);
    });
  }
});
