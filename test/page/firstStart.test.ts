import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { killTree, onEnd } from '../vscode/cleanup';
import { projectFolder } from '../vscode/paths';
import { sharedChromium } from '../vscode/profile';
import { makeTemporaryFolder } from '../vscode/server';
import { openWindow, type VscodeWindow } from '../vscode/window';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { waitForTab } from './editors';
import { readQuickInput, runCommand } from './quickInput';
import { openView, pressRowAction, pressViewAction, readTree, showRow, treeLines } from './sideBar';
import { openedPage, signInOnPages } from './signInPages';
import { approveServers, openToolgate, startAll, waitForInput, waitForServer } from './toolgate';
import { eventually, exactly } from '../waiting';

const startedMs = 60_000;

describe('The window of npm start', function () {
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

  it('shows the view with its servers and a call file, with messages and without a warning', async () => {
    await waitForTab(page, 'garden.mcpcall');
    const servers = treeLines(await readTree(page));
    assert.ok(servers.includes('▸ demo  stopped'), servers.join('\n'));
    await page.locator('.view-line', { hasText: 'Calls to try' }).click();
    await page.locator('.codelens-decoration a', { hasText: 'Run All' }).waitFor();
    await runCommand(page, 'Toolgate: Copy Tool Name');
    const toasts = page.locator('.notifications-toasts .notification-toast');
    await toasts.filter({ hasText: 'No tools are listed. Start a server first.' }).waitFor();
    assert.doesNotMatch(output, /warn|deprecat/i);
  });

  it('has a server that requires a sign-in, which completes in a browser window @newest', async () => {
    await pressRowAction(page, 'docs', 'Connect');
    await approveServers(page);
    const browser = await openedPage(page, () => pressDialog(page, 'Open Browser'));
    assert.equal(await signInOnPages(browser), 'You can close this page and return to the editor.');
    await waitForServer(page, 'docs', /3 tools/);
  });
});

/** Nobody has this name; the test answers for it with the pictures of the project. */
const address = 'https://pictures.example/toolgate/';
const picturesOfFront = ['tree-dark', 'result-light', 'dialog-dark', 'agent-dark'];

/** An extension with nothing but the README that the package has. */
function writeManual(folder: string): string {
  for (const name of ['.ci/detailsPage.js', 'README.md', 'SECURITY.md', 'docs', 'package.json']) {
    cpSync(path.join(projectFolder, name), path.join(folder, name), { recursive: true });
  }
  const env = { ...process.env, TOOLGATE_PICTURES: address };
  execFileSync(process.execPath, [path.join(folder, '.ci/detailsPage.js')], { env });
  const manual = path.join(folder, 'manual');
  mkdirSync(manual);
  renameSync(path.join(folder, 'dist/README.md'), path.join(manual, 'README.md'));
  const manifest = { name: 'manual', displayName: 'The Manual', publisher: 'garden' };
  const versions = { version: '1.0.0', engines: { vscode: '^1.90.0' } };
  writeFileSync(path.join(manual, 'package.json'), JSON.stringify({ ...manifest, ...versions }));
  return manual;
}

describe('The demo workspace', function () {
  this.timeout(120_000);
  const { folder, remove } = makeTemporaryFolder('manual');
  let window: VscodeWindow;
  let page: Page;

  before(async () => {
    window = await openWindow({
      folder: path.join(projectFolder, 'test/demoWorkspace'),
      viewport: { width: 1280, height: 1400 }, // Every row fits, so the pointer reaches it.
      linkedExtensions: [writeManual(folder)],
    });
    ({ page } = window);
  });
  after(async () => {
    await window?.close();
    remove();
  });

  const lines = async () => treeLines(await readTree(page));

  it('starts no server automatically, shows each tool with its risk, filters them, and asks before a call', async () => {
    assert.deepEqual(treeLines(await openToolgate(page)), [
      '▸ demo  stopped',
      '▸ everything  stopped',
      '▸ files  stopped',
    ]);
    await startAll(page, 3);
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
      'eye: List notes, read-only | read-only · list_notes',
      'diff-added: Plant a note, adds only | adds only · plant_note',
      'flame: Delete a note, destructive | destructive · delete_note',
      'warning: Peek over the hedge, destructive, assumed | destructive? · peek',
      'eye: Echo Tool, read-only | read-only · echo',
    ]);
    assert.equal(rows[0]?.ariaLabel, 'Server demo: 21 tools');

    // Its row is the first one, and the tree has the focus.
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal((await readDialog(page)).message, 'Run “List notes” (list_notes) on “demo”?');
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
    await page.keyboard.press('Enter');
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

  it('shows the manual on the page of the extension, with every image and working links', async () => {
    await page.context().route(`${address}**`, (route) =>
      route.fulfill({
        path: path.join(projectFolder, route.request().url().slice(address.length)),
      }),
    );
    await openView(page, 'Extensions');
    const row = page.locator('.extensions-list .monaco-list-row', { hasText: 'The Manual' });
    await row.first().click();
    await page.locator('.extension-editor').waitFor();
    const readme = await readmeFrame(page);
    const pictures = await eventually(
      () =>
        readme.locator('img').evaluateAll((all) =>
          all.map((image) => ({
            source: String(image.getAttribute('src')),
            hasWords: Boolean(image.getAttribute('alt')),
            width: Number(Reflect.get(image, 'naturalWidth')),
          })),
        ),
      (all) => all.length > picturesOfFront.length && all.every(({ width }) => width > 0),
    );
    assert.deepEqual(
      pictures.slice(0, picturesOfFront.length).map(({ source }) => source),
      picturesOfFront.map((name) => `${address}media/screenshots/${name}.png`),
    );
    assert.ok(pictures.every(({ hasWords }) => hasWords));

    const ids = await readme.locator('[id]').evaluateAll((all) => all.map(({ id }) => String(id)));
    const targets = await readme
      .locator('a:not([id])')
      .evaluateAll((all) => all.map((link) => String(link.getAttribute('href'))));
    assert.ok(targets.length > 40, `${targets.length} links`);
    const leadsOn = (target: string) =>
      target.startsWith('https:') || ids.includes(decodeURIComponent(target).slice(1));
    assert.deepEqual(
      targets.filter((target) => !leadsOn(target)),
      [],
    );
    // Where the heading of that page stands below the upper edge of what is seen.
    const top = () =>
      readme
        .locator('h1', { hasText: exactly('Servers') })
        .evaluate((heading) => Number(heading.getBoundingClientRect().top));
    assert.ok((await top()) > 1_000);
    await readme.locator('td a', { hasText: exactly('Servers') }).click();
    assert.ok((await eventually(top, (now) => now < 300)) >= 0);
  });
});

async function readmeFrame(page: Page): Promise<Frame> {
  const found = await eventually(
    async () => {
      for (const frame of page.frames()) {
        const title = frame.locator('h1', { hasText: exactly('Toolgate') });
        if (frame !== page.mainFrame() && (await title.count()) === 1) return frame;
      }
      return undefined;
    },
    (frame) => frame !== undefined,
  );
  return found ?? assert.fail();
}
