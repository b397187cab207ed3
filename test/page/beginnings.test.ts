import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { isDialogOpen, pressDialog } from './dialog';
import { tabs, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import { runCommand } from './quickInput';
import { openView, pressRowAction, readTree, treeLines } from './sideBar';
import { chooseTool, openToolgate, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

describe('A workspace without servers @package', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({}, async (opened) => {
    ({ page } = opened);
    await openView(page, 'Toolgate');
  });

  const buttons = () => page.locator('.sidebar .welcome-view .monaco-button');

  it('shows what to do next', async () => {
    await buttons().first().waitFor();
    assert.deepEqual(await buttons().allTextContents(), [
      'Add Demo Server',
      'Add Server…',
      'Import Servers…',
      'Open Server Configuration',
      // Of the view of calls, below.
      'Call Tool…',
    ]);
  });

  it('says that there is no tool to call, and offers to add a server', async () => {
    await runCommand(page, 'Toolgate: Call Tool…');
    const sentence = 'No MCP server is configured, so there is no tool to call. Add one first.';
    await eventually(
      () => notifications(page),
      (all) => all.includes(sentence),
    );
    await clearNotifications(page);
  });

  it('has tools to call after one press', async () => {
    await buttons().filter({ hasText: 'Add Demo Server' }).click();
    await waitForServer(page, 'Demo', /^Server Demo: 21 tools/);
    await chooseTool(page, 'List notes');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^list_notes\./);
  });
});

describe('A workspace in Restricted Mode', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let page: Page;

  useWindow(
    { servers: (own) => ({ steered: own.steered('steered') }), workspaceTrust: true },
    (opened) => void ({ workspace, page } = opened),
  );

  const told = () =>
    eventually(
      () => notifications(page),
      (all) => all.length > 0,
    );

  it('lists its servers and says that none starts', async () => {
    assert.deepEqual(treeLines(await openToolgate(page)), ['▸ steered  stopped']);
    const message = page.locator('.sidebar .tree-explorer-viewlet-tree-view .message:not(.hide)');
    assert.equal(
      await message.innerText(),
      'Restricted Mode: no server starts until you trust this workspace.',
    );
  });

  it('starts nothing, asks nothing, and says why', async () => {
    await runCommand(page, 'Toolgate: Start All Servers');
    assert.match((await told()).join(), /^No server was started: this workspace is not trusted/);
    await clearNotifications(page);
    await pressRowAction(page, 'steered', 'Start Server');
    assert.match((await told()).join(), /^Server “steered” was not started: this workspace is not/);
    assert.deepEqual([workspace.received('steered'), await isDialogOpen(page)], [[], false]);
    assert.deepEqual(treeLines(await readTree(page)), ['▸ steered  stopped']);
    assert.deepEqual(await tabs(page), []);
  });
});
