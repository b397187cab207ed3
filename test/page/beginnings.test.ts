import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { isDialogOpen, pressDialog } from './dialog';
import { tabs, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import { openPaletteWith, readQuickInput, runCommand } from './quickInput';
import { expandRow, openView, readTree, showRow, treeLines } from './sideBar';
import { chooseTool, openToolgate, waitForServer } from './toolgate';
import { eventually } from '../waiting';
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
  const ticked = () =>
    page.locator('.gettingStartedContainer .step-title').evaluateAll((titles) =>
      titles.flatMap((title) => {
        const box = title.closest('.getting-started-step')?.querySelector('[role="checkbox"]');
        return box?.getAttribute('aria-checked') === 'true' ? [title.textContent] : [];
      }),
    );
  const untilWalkthrough = () =>
    page.locator('.gettingStartedContainer .step-title').first().waitFor();
  const openWalkthrough = async () => {
    await runCommand(page, 'Toolgate: Open Walkthrough');
    await untilWalkthrough();
  };

  it('shows in the tool picker that there are no tools, and what to do next', async () => {
    await buttons().first().waitFor();
    assert.deepEqual(await buttons().allTextContents(), ['Add Demo Server']);
    const links = page.locator('.sidebar .welcome-view a:not(.monaco-button)');
    assert.deepEqual(await links.allTextContents(), [
      'add a server',
      'import servers',
      'open the configuration',
      'walkthrough',
    ]);
    await runCommand(page, 'Toolgate: Call Tool…');
    const sentence = 'There is no tool to call because no MCP server is configured. Add one first.';
    await eventually(
      () => notifications(page),
      (all) => all.includes(sentence),
    );
    await clearNotifications(page);
    await links.filter({ hasText: 'walkthrough' }).click();
    await untilWalkthrough();
    assert.deepEqual(await ticked(), []);
  });

  it('has tools to call after one click, and ticks the completed steps of the walkthrough', async () => {
    await buttons().filter({ hasText: 'Add Demo Server' }).click();
    // A tool under the pointer would be looked at.
    await page.mouse.move(900, 500);
    await waitForServer(page, 'Demo', /^Server Demo: 21 tools/);
    await chooseTool(page, 'List notes');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^list_notes\./);
    await openWalkthrough();
    const added = ['Add a server', 'Call a tool'];
    assert.deepEqual(await eventually(ticked, (all) => all.length >= added.length), added);
    await (await showRow(page, 'List notes')).click();
    await waitForTab(page, /^list_notes\.definition/);
    await openWalkthrough();
    const all = ['Add a server', 'See what each tool may do', 'Call a tool'];
    assert.deepEqual(await eventually(ticked, (now) => now.length >= all.length), all);
    // The demo is offered no more.
    await openPaletteWith(page, 'Add Demo Server');
    const offered = (await readQuickInput(page)).items.map(({ label }) => label);
    assert.deepEqual(
      offered.filter((label) => label.endsWith('Demo Server')),
      ['Toolgate: Remove Demo Server'],
    );
    await page.keyboard.press('Escape');
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

  /** Without what a busy window says of itself. */
  const told = () =>
    eventually(
      async () => (await notifications(page)).filter((text) => !text.startsWith('Activating Ext')),
      (all) => all.length > 0,
    );

  it('lists its servers, starts none, asks nothing, and says why', async () => {
    assert.deepEqual(treeLines(await openToolgate(page)), ['▸ steered  stopped']);
    const message = page.locator('.sidebar .tree-explorer-viewlet-tree-view .message:not(.hide)');
    assert.equal(
      await message.innerText(),
      'Restricted Mode: servers cannot start until you trust this workspace.',
    );
    await runCommand(page, 'Toolgate: Start All Servers');
    assert.match(
      (await told()).join(),
      /^No server was started because this workspace is not trusted/,
    );
    await clearNotifications(page);
    await expandRow(page, 'steered');
    const lines = ['▾ steered  stopped', '    Manage Workspace Trust  to start servers'];
    await eventually(
      async () => treeLines(await readTree(page)),
      (shown) => isDeepStrictEqual(shown, lines),
    );
    const row = await showRow(page, 'steered');
    await row.hover();
    assert.equal(await row.locator('.action-label[aria-label^="Start"]').count(), 0);
    await runCommand(page, 'Toolgate: Call Tool…');
    assert.match((await told()).join(), /^Restricted Mode: servers cannot start/);
    assert.deepEqual([workspace.received('steered'), await isDialogOpen(page)], [[], false]);
    assert.deepEqual(await tabs(page), []);
  });
});
