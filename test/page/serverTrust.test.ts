import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { dismissDialog, isDialogOpen, pressDialog, readDialog } from './dialog';
import { editorText, tabs, waitForTab } from './editors';
import { notifications, pressNotificationLink } from './notifications';
import { pressQuickButton, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { pressRowAction, treeRow } from './sideBar';
import { approveServers, openToolgate, startAll, waitForServer, waitForStatus } from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';
import { scriptedServer, type ConfiguredServer, type Workspace } from './workspace';

/** Its one tool is named after its inputs. */
const shed = scriptedServer(`(server) => {
  const name = process.env.WHO + '-' + process.env.KEY.length;
  server.tools = [{ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
}`);
const inputs = [
  { id: 'who', type: 'promptString', description: 'Whose plants' },
  { id: 'key', type: 'promptString', description: 'Key of the shed', password: true },
];
const withInputs = { ...shed, env: { WHO: '${input:who}', KEY: '${input:key}' } };

const calls = `{
  "inputs": { "to": { "password": true } },
  "calls": {
    "one": { "server": "shed", "tool": "bob-7", "arguments": { "from": "\${input:from}" } },
    "two": { "server": "shed", "tool": "bob-7", "arguments": { "to": "\${input:to}" } }
  }
}
`;

describe('The first start of a server', function () {
  this.timeout(180_000);
  let workspace: Workspace;
  let page: Page;
  const runs = (server = 'steered') =>
    workspace.received(server).filter((line) => line.startsWith('started ')).length;
  const steered = (...args: readonly string[]): ConfiguredServer => {
    const server = workspace.steered('steered');
    return { ...server, args: [...(server.args ?? []), ...args] };
  };

  useWindow({ files: { 'walk.mcpcall': calls } }, async (opened) => {
    ({ workspace, page } = opened);
    workspace.configure({ steered: steered('two words') });
    await openToolgate(page);
    await treeRow(page, 'steered').waitFor();
  });

  const start = () => pressRowAction(page, 'steered', 'Start Server');
  const running = /^Server steered: 9 tools/;
  const stopped = /^Server steered: stopped$/;
  async function review(...args: readonly string[]): Promise<void> {
    workspace.configure({ steered: steered(...args) });
    await waitForServer(page, 'steered', stopped);
    await start();
    await pressDialog(page, 'Review');
  }

  it('asks until the user agrees, in a dialog or an editor, and then never again', async () => {
    await start();
    const { message, buttons } = await readDialog(page);
    assert.equal(message, 'Start “steered” for the first time?');
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Review', 'Start Server']);
    await pressDialog(page, 'Cancel');
    await start();
    await dismissDialog(page);
    await start();
    await pressDialog(page, 'Review');
    await waitForTab(page, /\.start\.txt$/);
    assert.match(await editorText(page), /^ {4}Argument: "two words"$/m);
    await runCommand(page, 'View: Close Editor');
    await eventually(
      () => notifications(page),
      (all) => all.length === 0,
    );
    await waitForServer(page, 'steered', stopped);
    assert.deepEqual([runs(), await tabs(page)], [0, []]);
    await start();
    await pressDialog(page, 'Start Server');
    await waitForServer(page, 'steered', running);
    await pressRowAction(page, 'steered', 'Stop Server');
    await waitForServer(page, 'steered', stopped);
    await start();
    await waitForServer(page, 'steered', running);
    assert.equal(await isDialogOpen(page), false);
  });

  it('asks again with a diff when the entry changes, and accepts the answer in three places', async () => {
    await review('two', 'words');
    const diff = page.locator('.monaco-diff-editor');
    await diff.locator('.line-insert').first().waitFor();
    const text = await diff.locator('.editor.modified .view-lines').innerText();
    assert.match(text.replaceAll('\u00A0', ' '), /Argument: "words"/);
    await eventually(
      () => notifications(page),
      ([told = '']) => told.startsWith('Review the server, then select Start Server or Cancel.'),
    );
    await pressNotificationLink(page, 'Start Server');
    await waitForServer(page, 'steered', running);
    await diff.waitFor({ state: 'detached' });
    assert.deepEqual(await tabs(page), []);

    // What a key runs others can run, too.
    await review('three');
    await diff.locator('.editor.modified .view-line').first().click();
    await page.keyboard.press('ControlOrMeta+Enter');
    const { message, buttons } = await readDialog(page);
    assert.equal(message, 'Start “steered” as shown?');
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Start Server']);
    await page.keyboard.press('Enter');
    await waitForServer(page, 'steered', running);

    await review('four');
    await page.locator('.editor-actions .action-label[aria-label^="Start as Shown"]').click();
    await waitForServer(page, 'steered', running);
    assert.deepEqual([await isDialogOpen(page), await tabs(page)], [false, []]);
  });

  it('asks once about several servers, and in an editor if a command is too long for a dialog', async () => {
    const [one, two] = [workspace.steered('one'), workspace.steered('two')];
    workspace.configure({ one, two, remote: { command: 'no-such-program-anywhere' } });
    await treeRow(page, 'remote').waitFor();
    await runCommand(page, 'Toolgate: Start All Servers');
    const several = await readDialog(page);
    assert.equal(several.message, 'Start 3 servers for the first time?');
    await pressDialog(page, 'Cancel');
    assert.deepEqual([runs('one'), runs('two')], [0, 0]);
    await startAll(page, 2);

    const long = workspace.steered('long');
    const args = [...(long.args ?? []), 'x'.repeat(10_000), 'the end'];
    workspace.configure({ long: { ...long, args } });
    await treeRow(page, 'long').waitFor();
    await pressRowAction(page, 'long', 'Start Server');
    assert.deepEqual((await readDialog(page)).buttons.toSorted(), ['Cancel', 'Review']);
    const box = await page.locator('.monaco-dialog-box').boundingBox();
    assert.ok(box !== null && box.height < 700, JSON.stringify(box));
    await approveServers(page);
    await waitForServer(page, 'long', /^Server long: 9 tools/);
  });

  const leavesNothingOpen = () =>
    page.locator('.quick-input-widget:visible').waitFor({ state: 'detached' });

  it('asks for inputs with Back, and keeps none until all are entered; call files do the same', async () => {
    const file = path.join(workspace.folder, '.vscode/mcp.json');
    writeFileSync(file, JSON.stringify({ inputs, servers: { shed: withInputs } }));
    await treeRow(page, 'shed').waitFor();
    const who = 'Input “who” of .vscode/mcp.json';
    const key = 'Input “key” of .vscode/mcp.json';
    /** Leaves at the second one, whereupon the first is asked anew; then goes back to change it. */
    async function answer(first: string, second: string, left: () => Promise<void>): Promise<void> {
      await readQuickInput(page, first);
      await typeAndAccept(page, 'ann');
      await readQuickInput(page, second);
      await page.keyboard.press('Escape');
      await left();
      assert.equal((await readQuickInput(page, first)).value, '');
      await typeAndAccept(page, 'ann');
      await readQuickInput(page, second);
      await pressQuickButton(page, 'Back');
      assert.equal((await readQuickInput(page, first)).value, 'ann');
      await typeAndAccept(page, 'bob');
      await readQuickInput(page, second);
      await typeAndAccept(page, 'seven77');
    }
    await pressRowAction(page, 'shed', 'Start Server');
    await approveServers(page);
    await answer(who, key, async () => {
      await waitForServer(page, 'shed', /stopped/);
      await pressRowAction(page, 'shed', 'Start Server');
    });
    await waitForServer(page, 'shed', /1 tool/);
    await treeRow(page, 'bob-7').waitFor();
    await leavesNothingOpen();
    await pressRowAction(page, 'shed', 'Stop Server');
    await waitForServer(page, 'shed', /stopped/);
    await pressRowAction(page, 'shed', 'Start Server');
    await waitForServer(page, 'shed', /1 tool/);
    await leavesNothingOpen();

    await runCommand(page, 'Toolgate: Open Call File…');
    await waitForTab(page, 'walk.mcpcall');
    const runAll = () => runCommand(page, 'Toolgate: Run All Calls in File');
    await runAll();
    await answer('Input “from”', 'Input “to”', async () => {
      await waitForStatus(page, 'No call in the file was run.');
      await runAll();
    });
    await pressDialog(page, 'Review');
    await waitForTab(page, 'Run All.mcptext');
    const list = await editorText(page);
    assert.match(list, /\{"from":"bob"\}/);
    assert.match(list, /\{"to":"seven77"\}/);
  });
});
