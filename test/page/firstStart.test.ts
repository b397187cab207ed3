import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { killTree, onEnd } from '../vscode/cleanup';
import { projectFolder } from '../vscode/paths';
import { sharedChromium } from '../vscode/profile';
import { dismissDialog, isDialogOpen, pressDialog, readDialog } from './dialog';
import { waitForTab } from './editors';
import { acceptQuickInput, readQuickInput, runCommand } from './quickInput';
import {
  expandRow,
  pressRowAction,
  pressViewAction,
  readTree,
  showRow,
  treeLines,
} from './sideBar';
import { openedPage, signInOnPages } from './signInPages';
import { approveServers, waitForInput, waitForServer } from './toolgate';
import { eventually, patienceMs, retryMs } from '../waiting';

const startedMs = 60_000;

describe('The window of npm start', () => {
  let output = '';
  let end = (): void => undefined;
  let context: BrowserContext | undefined;
  let page: Page;

  before(async () => {
    const tsx = path.join(projectFolder, 'node_modules/tsx/dist/cli.mjs');
    const child = spawn(process.execPath, [tsx, 'test/start.ts', '--no-build'], {
      cwd: projectFolder,
      env: { ...process.env, TOOLGATE_TEST_VSCODE: 'server' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { pid } = child;
    assert.ok(pid !== undefined);
    end = onEnd(() => killTree(pid));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (output += String(chunk)));
    }
    const address = /^ {2}(http:\S+)$/m;
    await eventually(
      () => output,
      (text) => address.test(text),
      startedMs,
    );
    // Every row fits, so the pointer reaches it.
    const viewport = { width: 1280, height: 1400 };
    context = await (await sharedChromium()).newContext({ viewport });
    page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    await page.addInitScript('globalThis.__name = (value) => value');
    await page.goto(address.exec(output)?.[1] ?? '', { waitUntil: 'commit' });
    // The extension host may take its time; from then on it is as in any window.
    const icon = page.locator('.activitybar a.action-label[aria-label^="Toolgate"]');
    await icon.waitFor({ timeout: startedMs });
  });
  after(async () => {
    await context?.close();
    end();
  });

  const lines = async () => treeLines(await readTree(page));

  it('shows the view with its servers and a call file, with messages and without a warning', async () => {
    await waitForTab(page, 'garden.mcpcall');
    const servers = await lines();
    assert.ok(servers.includes('▸ demo  stopped'), servers.join('\n'));
    await page.locator('.view-line', { hasText: 'Calls to try' }).click();
    await page.locator('.codelens-decoration a', { hasText: 'Run All' }).waitFor();
    await runCommand(page, 'Toolgate: Copy Tool Name');
    const toasts = page.locator('.notifications-toasts .notification-toast');
    await toasts.filter({ hasText: 'No tools are listed. Start a server first.' }).waitFor();
    assert.doesNotMatch(output, /warn|deprecat/i);
  });

  it('starts no server automatically, shows each tool with its risk, filters them, and asks before a call', async () => {
    const names = ['demo', 'everything', 'files'];
    assert.deepEqual(
      (await lines()).slice(0, 3),
      names.map((name) => `▸ ${name}  stopped`),
    );
    // From the last one, as a row that opens moves those below.
    for (const name of names.toReversed()) {
      await pressRowAction(page, name, 'Start Server');
      await approveServers(page);
      await waitForServer(page, name, /: \d+ tools/);
      await expandRow(page, name);
    }
    const rows = await eventually(
      () => readTree(page),
      (all) =>
        ['List notes', 'Echo Tool', 'Write File'].every((label) =>
          all.some((row) => row.label === label),
        ),
    );
    const looks = [
      'List notes',
      'Plant a note',
      'Delete a note',
      'Peek over the hedge',
      'Echo Tool',
    ].map((label) => {
      const row = rows.find((each) => each.label === label);
      return `${row?.icon}: ${row?.ariaLabel} | ${row?.description}`;
    });
    assert.deepEqual(looks, [
      'eye: List notes, read-only, list_notes | read-only · list_notes',
      'diff-added: Plant a note, adds only, plant_note | adds only · plant_note',
      'flame: Delete a note, destructive, delete_note | destructive · delete_note',
      'warning: Peek over the hedge, destructive, assumed, peek | destructive? · peek',
      'eye: Echo Tool, read-only, echo | read-only · echo',
    ]);
    assert.equal(rows[0]?.ariaLabel, 'Server demo: 21 tools');

    // Its row is the first one, and the tree has the focus. While VS Code reads the rows of a
    // server anew it has forgotten them, and a press runs nothing.
    await eventually(
      async () => {
        for (const key of ['Home', 'ArrowDown', 'Enter']) {
          if (!(await isDialogOpen(page))) await page.keyboard.press(key);
        }
        return readDialog(page, retryMs).catch(() => undefined);
      },
      (dialog) => dialog?.message === 'Run “List notes” (list_notes) on “demo”?',
    );
    await dismissDialog(page);

    const peek = await showRow(page, 'Peek over the hedge');
    await peek.locator('.label-name').hover();
    const hover = page.locator('.workbench-hover', { hasText: 'destructiveHint: yes (assumed)' });
    await hover.getByText(/Its annotations look harmless but are none/).waitFor();
    await page.mouse.move(800, 400);

    await runCommand(page, 'Toolgate: Filter Tools…');
    await waitForInput(page, 'Filter Tools');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'adds only' }).click();
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill('note');
    await eventually(
      () => readQuickInput(page),
      ({ title }) => /^Filter Tools: 2 of \d+ tools$/.test(title),
    );
    await acceptQuickInput(page);
    // Rows follow a filter one after the other.
    const found = [
      '▾ demo  2 of 21 tools',
      '    Plant a note  adds only · plant_note',
      '    Label a note  adds only · label_note',
      '▾ everything  0 of',
      '    No tool matches the filter  Clear Filter',
      '▾ files  0 of 14 tools',
      '    No tool matches the filter  Clear Filter',
    ];
    await eventually(lines, (all) => found.every((line, at) => all[at]?.startsWith(line)));
    await pressViewAction(page, 'Clear Filter');
    await eventually(lines, (all) => all.length >= rows.length);
  });

  it('has a server that requires a sign-in, which completes in a browser window @newest', async () => {
    await pressRowAction(page, 'docs', 'Connect');
    await approveServers(page);
    const browser = await openedPage(page, () => pressDialog(page, 'Open Browser'));
    assert.equal(await signInOnPages(browser), 'You can close this page and return to the editor.');
    await waitForServer(page, 'docs', /3 tools/);
  });
});
