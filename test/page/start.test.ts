import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { killTree, onEnd } from '../vscode/cleanup';
import { projectFolder } from '../vscode/paths';
import { sharedChromium } from '../vscode/profile';
import { waitForTab } from './editors';
import { runCommand } from './quickInput';
import { readTree, treeLines } from './sideBar';
import { eventually } from './waiting';

const startedMs = 60_000;

describe('What npm start opens', function () {
  this.timeout(120_000);
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
    context = await (await sharedChromium()).newContext();
    page = await context.newPage();
    await page.addInitScript('globalThis.__name = (value) => value');
    await page.goto(address.exec(output)?.[1] ?? '');
    // The extension host may take its time; from then on it is as in any window.
    const icon = page.locator('.activitybar a.action-label[aria-label^="Toolgate"]');
    await icon.waitFor({ timeout: startedMs });
  });
  after(async () => {
    await context?.close();
    end();
  });

  it('is the view with its servers, and calls to run', async () => {
    await waitForTab(page, 'garden.mcpcall');
    const servers = treeLines(await readTree(page));
    assert.ok(servers.includes('▸ demo  stopped'), servers.join('\n'));
    await page.locator('.view-line', { hasText: 'Calls to try' }).click();
    await page.locator('.codelens-decoration a', { hasText: 'Run All' }).waitFor();
  });

  it('shows messages as any window does', async () => {
    await runCommand(page, 'Toolgate: Copy Tool Name');
    const toasts = page.locator('.notifications-toasts .notification-toast');
    await toasts.filter({ hasText: 'No tool is listed. Start a server first.' }).waitFor();
  });

  it('comes without a warning of Node or npm', () => {
    assert.doesNotMatch(output, /warn|deprecat/i);
  });
});
