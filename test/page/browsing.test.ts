import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { views } from '../../src/ids';
import { projectFolder } from '../vscode/paths';
import { makeTemporaryFolder } from '../vscode/server';
import { dismissDialog, isDialogOpen, readDialog } from './dialog';
import { tabs, waitForTab } from './editors';
import { holdMessages } from './heldMessages';
import { clearNotifications, waitForNotification } from './notifications';
import { acceptQuickInput, readQuickInput, runCommand } from './quickInput';
import {
  expandRow,
  openView,
  pressRowAction,
  readTree,
  showRow,
  treeLines,
  waitForFocusedRow,
} from './sideBar';
import {
  closeEditors,
  openToolgate,
  startAll,
  startOthers,
  approveServers,
  waitForInput,
} from './toolgate';
import { eventually, exactly } from '../waiting';
import { useWindow } from './window';
import { scriptedServer, type AnyServer, type Workspace } from './workspace';

const shed = scriptedServer(`(server) => {
  const tool = (name) => ({ name, inputSchema: { type: 'object', additionalProperties: false } });
  server.tools = [tool('dig'), tool('rake'), { ...tool('broken'), inputSchema: 1 }];
}`);

/** Its tools are those that the text of a list names, and only read. */
const having = (names: string) => `(server) => {
  server.tools = ${names}.map((name) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  }));
}`;
const some = (count: number) => `Array.from({ length: ${count} }, (_, n) => 'hay_' + n)`;

const crowd = scriptedServer(`(server) => {
  server.tools = Array.from({ length: 20_000 }, (_, n) => ({
    name: 'tool_' + n,
    description: 'Does the work number ' + n + '. ' + 'It is described at some length. '.repeat(6),
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: n % 2 === 0 },
  }));
}`);

const viewport = { width: 1280, height: 600 };

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

describe('Servers and their tools', () => {
  let page: Page;
  let workspace: Workspace;

  const manual = makeTemporaryFolder('manual');

  useWindow(
    {
      viewport,
      servers: () => ({ shed }),
      linkedExtensions: [writeManual(manual.folder)],
    },
    async (opened) => {
      ({ page, workspace } = opened);
      await openToolgate(page);
    },
  );
  after(manual.remove);

  const lines = async () => treeLines(await readTree(page));
  /** What is in sight, without scrolling. */
  const rowsInSight = () =>
    page
      .locator('.sidebar .pane:has(> .pane-header[aria-label^="Servers and Tools"])')
      .locator('.pane-body .monaco-list-rows > .monaco-list-row');
  const labelsInSight = () => rowsInSight().locator('.label-name').allTextContents();
  async function configure(servers: Readonly<Record<string, AnyServer>>): Promise<void> {
    workspace.configure(servers);
    const [first] = Object.keys(servers);
    await eventually(
      () => readTree(page, 1),
      ([row]) => row?.label === first,
    );
  }

  it('show a tool on a click or Space, and call it on a double-click, Enter or its button', async () => {
    await startAll(page, 1);
    const isAsked = async (tool: string) => {
      assert.equal((await readDialog(page)).message, `Run “${tool}” on “shed”?`);
      await dismissDialog(page);
    };
    await (await showRow(page, 'dig')).click();
    await waitForTab(page, 'dig.definition.txt');
    // What cannot be called is only shown.
    await (await showRow(page, 'broken')).click();
    await waitForTab(page, 'broken.definition.txt');
    await page.keyboard.press('ArrowUp');
    await waitForFocusedRow(page, 'rake');
    await page.keyboard.press('Space');
    await waitForTab(page, 'rake.definition.txt');
    // One preview for all of them.
    assert.equal((await tabs(page)).length, 1);
    assert.equal(await isDialogOpen(page), false);
    await waitForFocusedRow(page, 'rake');
    await page.keyboard.press('Enter');
    await isAsked('rake');
    // The Enter that opens a server is none for the click after it.
    const server = await showRow(page, 'shed');
    await page.keyboard.press('Home');
    await waitForFocusedRow(page, 'shed');
    for (const expanded of ['false', 'true']) {
      await page.keyboard.press('Enter');
      await eventually(
        () => server.getAttribute('aria-expanded'),
        (value) => value === expanded,
      );
    }
    await (await showRow(page, 'dig')).click();
    await waitForTab(page, 'dig.definition.txt');
    assert.equal(await isDialogOpen(page), false);
    await pressRowAction(page, 'rake', 'Call Tool');
    await isAsked('rake');
    // A busy page gets the second press late, and shows what the first is for, as it should.
    for (let tries = 5; tries > 0; tries -= 1) {
      await closeEditors(page);
      const apartMs = await doubleClick(page, 'dig');
      await isAsked('dig');
      if (apartMs <= 150) break;
    }
    assert.deepEqual(await tabs(page), []);
  });

  it('do what is pressed while the page has not yet read the rows anew, or say that they did not', async () => {
    const hut = scriptedServer(`(server) => {
      server.capabilities = { tools: {}, resources: {} };
      server.tools = [{ name: 'sweep', inputSchema: { type: 'object' } }];
    }`);
    await startOthers({ page, workspace }, { shed, hut });
    const resources = await showRow(page, 'Resources');
    const held = await holdMessages(page, ['$refresh', views.servers]);
    workspace.configure({ shed, hut, barn: shed });
    await held.begun();
    // No pointer has rested on this row, which would have told VS Code more about it.
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await resources.hover();
    await resources.locator('.action-label[aria-label^="Refresh Resources"]').click();
    await held.release();
    await waitForTab(page, 'dig.definition.txt');
    await waitForNotification(page, 'Nothing was done');
    await clearNotifications(page);
    await closeEditors(page);
  });

  it('expand automatically if they are few, and keep the first row visible even if the last server is slow', async () => {
    const go = path.join(workspace.folder, 'go');
    await configure({
      first: scriptedServer(having(some(30))),
      second: scriptedServer(having(some(30))),
      // Slower than the others by more than those wait for it.
      slow: scriptedServer(`(server) => {
        (${having("['last']")})(server);
        server.on('tools/list', async (message) => {
          const { existsSync } = await import('node:fs');
          const answer = () =>
            existsSync(${JSON.stringify(go)})
              ? server.reply(message, { tools: server.tools })
              : setTimeout(answer, 20);
          answer();
        });
      }`),
    });
    // However short a row is in sight.
    await page.evaluate(`
      globalThis.rowsSeen = new Set();
      globalThis.rowWatch = new MutationObserver(() => {
        const rows = [...document.querySelectorAll('.sidebar .monaco-list-row')];
        for (const row of rows) rowsSeen.add(row.querySelector('.label-name')?.textContent);
      });
      rowWatch.observe(document.body, { childList: true, subtree: true });
    `);
    await runCommand(page, 'Toolgate: Start All Servers');
    await approveServers(page);
    await eventually(labelsInSight, ([first, second]) => first === 'first' && second === 'hay_0');
    await page.evaluate('rowsSeen.clear()');
    writeFileSync(go, '');
    await page.waitForFunction('rowsSeen.has("slow")');
    await page.evaluate('rowWatch.disconnect()');
    await eventually(labelsInSight, ([first]) => first === 'first');
    assert.deepEqual((await lines()).slice(-2), ['▾ slow  1 tool', '    last  read-only']);
  });

  it('stay collapsed if they are many, split 20,000 tools into pages, and expand what a filter finds', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `crew${String(n).padStart(2, '0')}`);
    const crew = scriptedServer(having(some(20)));
    const found = scriptedServer(having(`[...${some(20)}, 'tool_1999_of_crew']`));
    const servers = Object.fromEntries(names.map((name) => [name, crew]));
    await configure({ crowd, ...servers, crew30: found });
    await runCommand(page, 'Toolgate: Start All Servers');
    await approveServers(page);
    // Those out of sight may take a little longer; reading them would scroll the view.
    await eventually(
      () => rowsInSight().allInnerTexts(),
      (rows) => rows.every((row) => /\d+ tools/.test(row)),
    );
    assert.equal((await labelsInSight())[0], 'crowd');
    const all = await eventually(lines, (rows) =>
      rows.slice(0, 41).every((row) => row.includes(' tools')),
    );
    assert.deepEqual(
      all.filter((line) => !line.startsWith('▸')),
      [],
    );
    assert.equal(all.length, 41);

    await expandRow(page, 'crowd');
    await eventually(
      () => readTree(page, 22),
      (rows) => treeLines(rows)[20] === '  ▸ Tools 19001 to 20000  tool_19000 … tool_19999',
    );
    await expandRow(page, 'Tools 1 to 1000');
    await eventually(
      () => readTree(page, 4),
      (rows) => rows[2]?.label === 'tool_0' && rows[3]?.label === 'tool_1',
    );

    await runCommand(page, 'Toolgate: Filter Tools…');
    await waitForInput(page, 'Filter Tools');
    await page.keyboard.type('tool_1999');
    await eventually(
      () => readQuickInput(page),
      ({ title }) => title === 'Filter Tools: 12 of 20801 tools',
    );
    await acceptQuickInput(page);
    // The rows of the servers may say so a moment after the tools are there.
    const shown = await eventually(
      lines,
      (rows) =>
        // What was typed first found more.
        rows[0] === '▾ crowd  11 of 20000 tools' &&
        rows.includes('    tool_1999_of_crew  read-only') &&
        rows.filter((row) => / \d+ of /.test(row)).length === 41,
    );
    assert.deepEqual(shown.slice(0, 3), [
      '▾ crowd  11 of 20000 tools',
      '    tool_1999  destructive?',
      '    tool_19990  read-only',
    ]);
    assert.deepEqual(
      shown.filter((line) => line.startsWith('▾')),
      ['▾ crowd  11 of 20000 tools', '▾ crew30  1 of 21 tools'],
    );
    await runCommand(page, 'Toolgate: Clear Filter');
    // A view that is drawn anew while it has the focus takes it back from what opens just then.
    await eventually(
      lines,
      (rows) => rows.length > 41 && !rows.some((row) => / \d+ of /.test(row)),
    );

    await runCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
    await page.keyboard.type('tool_19998');
    await eventually(
      () => readQuickInput(page),
      ({ items }) => items[0]?.label === 'tool_19998',
    );
    await acceptQuickInput(page);
    assert.equal((await readDialog(page)).message, 'Run “tool_19998” on “crowd”?');
    await dismissDialog(page);
  });

  it('have a manual on the page of the extension, with every image and working links', async () => {
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

/** Presses the row twice, and returns how long after the first the page had the second press, in ms. */
async function doubleClick(page: Page, name: string): Promise<number> {
  const row = await showRow(page, name);
  const times = await row.evaluateHandle((element) => {
    const seen: number[] = [];
    element.ownerDocument.addEventListener('mouseup', () => seen.push(performance.now()), true);
    return seen;
  });
  await row.dblclick();
  const [first = 0, second = Number.POSITIVE_INFINITY] = await times.jsonValue();
  return second - first;
}
