import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openWindow, type VscodeWindow } from '../vscode/window';
import {
  clearNotifications,
  eventually,
  notifications,
  openView,
  pressDialog,
  pressRowAction,
  readTree,
  runCommand,
  tabs,
  treeLines,
  waitForTab,
} from './harness';
import { chooseTool, openToolgate, waitForServer } from './toolgate';
import { makeWorkspace, type Workspace } from './workspace';

describe('A workspace without servers @package', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let window: VscodeWindow;
  let page: Page;

  before(async () => {
    workspace = makeWorkspace();
    window = await openWindow({ folder: workspace.folder });
    page = window.page;
    await openView(page, 'Toolgate');
  });
  after(async () => {
    await window.close();
    workspace.remove();
  });

  const buttons = () => page.locator('.sidebar .welcome-view .monaco-button');

  it('shows what to do next', async () => {
    await buttons().first().waitFor();
    assert.deepEqual(await buttons().allTextContents(), [
      'Add Demo Server',
      'Add Server…',
      'Open Server Configuration',
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
  let window: VscodeWindow;
  let page: Page;

  before(async () => {
    workspace = makeWorkspace();
    workspace.configure({ steered: workspace.steered('steered') });
    window = await openWindow({ folder: workspace.folder, workspaceTrust: true });
    page = window.page;
  });
  after(async () => {
    await window.close();
    workspace.remove();
  });

  const told = () =>
    eventually(
      () => notifications(page),
      (all) => all.length > 0,
    );

  it('lists its servers and says that none starts', async () => {
    assert.deepEqual(treeLines(await openToolgate(page)), ['  steered  stopped']);
    const message = page.locator('.sidebar .tree-explorer-viewlet-tree-view .message');
    assert.equal(
      await message.innerText(),
      'Restricted Mode: no server starts until you trust this workspace.',
    );
  });

  it('starts nothing, and says why', async () => {
    await runCommand(page, 'Toolgate: Start All Servers');
    assert.match((await told()).join(), /^No server was started: this workspace is not trusted/);
    await clearNotifications(page);
    await pressRowAction(page, 'steered', 'Start Server');
    assert.match((await told()).join(), /^Server “steered” was not started: this workspace is not/);
    assert.deepEqual(workspace.received('steered'), []);
    assert.deepEqual(treeLines(await readTree(page)), ['  steered  stopped']);
    assert.deepEqual(await tabs(page), []);
  });
});
