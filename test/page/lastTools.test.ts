import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { dismissDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { notifications } from './notifications';
import { openPaletteWith, pick, readQuickInput, runCommand } from './quickInput';
import {
  chooseFromRowMenu,
  pressRowAction,
  readTree,
  showRow,
  treeLines,
  treeRow,
} from './sideBar';
import {
  closeEditors,
  openToolgate,
  reloadWindow,
  startAll,
  waitForInput,
  waitForServer,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer, type Workspace } from './workspace';

const shop = ({ folder }: Workspace) => `(server) => {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const [closed, slow] = ['closed', 'slow'].map((name) => ${JSON.stringify(folder)} + '/' + name + '.txt');
  server.on('tools/list', async (message) => {
    while (existsSync(slow)) await new Promise((resolve) => setTimeout(resolve, 50));
    server.reply(message, { tools: server.tools });
  });
  const schema = { type: 'object' };
  server.tools = [
    { name: 'look', inputSchema: schema, annotations: { readOnlyHint: true } },
    { name: 'buy', description: 'Buys one.', inputSchema: { ...schema, required: ['item'], properties: {
      count: { type: 'integer', default: 1 }, item: { type: 'string', description: 'What to buy' } } } },
  ].filter(({ name }) => name !== 'buy' || !existsSync(closed));
}`;

describe('A server that does not run', function () {
  this.timeout(60_000);
  let page: Page;
  let workspace: Workspace;
  const closed = (own: Workspace) => path.join(own.folder, 'closed.txt');

  useWindow({ servers: (own) => ({ shop: scriptedServer(shop(own)) }) }, async (opened) => {
    ({ page, workspace } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  const lines = async () => treeLines(await readTree(page));
  const closeInput = async () => {
    await page.keyboard.press('Escape');
    await page.locator('.quick-input-widget:visible').waitFor({ state: 'hidden' });
  };
  const asListed = [
    '▾ shop  stopped',
    '    look  read-only · last known',
    '    buy  destructive? · last known',
  ];

  it('shows the tools that it listed last, and says so', async () => {
    await waitForServer(page, 'shop', /2 tools/);
    await eventually(lines, (all) => all.length === 3);
    await pressRowAction(page, 'shop', 'Stop Server');
    await waitForServer(page, 'shop', /stopped/);
    assert.deepEqual(await lines(), asListed);
  });

  it('shows them after a reload of the window as before', async () => {
    await reloadWindow(page);
    await waitForServer(page, 'shop', /stopped/);
    assert.deepEqual(await eventually(lines, (all) => all.length === 3), asListed);
  });

  it('shows the definition of one of them without starting it', async () => {
    await chooseFromRowMenu(page, 'buy', 'Show Tool Definition');
    await waitForTab(page, 'buy.definition.txt');
    const text = await eventually(
      () => editorText(page),
      (now) => now.includes('Input schema'),
    );
    assert.match(text, /Tool “buy” of server “shop”/);
    assert.match(text, /As its server listed it on .*Calling it starts the server first\./);
    assert.match(text, /item +string +yes\n {4}What to buy/);
    assert.match(text, /None that is in the history of this workspace\./);
    await waitForServer(page, 'shop', /stopped/);
    await closeEditors(page);
  });

  it('has them in the picker, and starts when one of them is called', async () => {
    await runCommand(page, 'Toolgate: Call Tool…');
    const { items } = await waitForInput(page, 'Call Tool');
    assert.deepEqual(
      items.slice(0, 2).map(({ label, description }) => [label, description]),
      [
        ['look', 'shop · not running · read-only'],
        ['buy', 'shop · not running · destructive (assumed)'],
      ],
    );
    await pick(page, 'look');
    assert.equal((await readDialog(page)).message, 'Run “look” on “shop”?');
    await dismissDialog(page);
    await waitForServer(page, 'shop', /2 tools/);
  });

  it('asks for arguments with the focus there, whose row had it while the tree was drawn anew', async () => {
    // The first time it asks for the one that is missing, then it shows the page.
    for (let round = 0; round < 2; round += 1) {
      await pressRowAction(page, 'shop', 'Stop Server');
      await waitForServer(page, 'shop', /stopped/);
      // Leaves the focus in the tree.
      await (await showRow(page, 'buy')).click();
      await page.keyboard.press('Enter');
      await readQuickInput(page, 'buy (shop)');
      await waitForServer(page, 'shop', /2 tools/);
      // To read the whole tree would take the focus there.
      await eventually(
        async () => (await treeRow(page, 'buy').getAttribute('aria-label')) ?? '',
        (said) => said !== '' && !said.includes('last known'),
      );
      await page.keyboard.type('rope');
      await eventually(
        () => readQuickInput(page),
        ({ value }) => value === 'rope',
      );
      await closeInput();
    }
  });

  it('says that it starts and holds the focus until then; Escape calls the start off', async () => {
    const slow = path.join(workspace.folder, 'slow.txt');
    const starting = 'Starting server “shop”…';
    await pressRowAction(page, 'shop', 'Stop Server');
    await waitForServer(page, 'shop', /stopped/);
    writeFileSync(slow, '');
    await (await showRow(page, 'buy')).click();
    await page.keyboard.press('Enter');
    await readQuickInput(page, starting);
    await waitForServer(page, 'shop', /starting/);
    await closeInput();
    await waitForServer(page, 'shop', /stopped/);

    // Whatever takes its place does not call it off.
    await (await showRow(page, 'buy')).click();
    await page.keyboard.press('Enter');
    await readQuickInput(page, starting);
    await openPaletteWith(page, 'Toolgate');
    await eventually(
      async () => {
        await page.keyboard.press('Escape');
        return page.locator('.quick-input-box input:visible').evaluateAll((all) => all.length);
      },
      (open) => open === 0,
    );
    rmSync(slow);
    await readQuickInput(page, 'buy (shop)');
    await closeInput();
  });

  it('says that a tool is gone which it does not list any more', async () => {
    await pressRowAction(page, 'shop', 'Stop Server');
    await waitForServer(page, 'shop', /stopped/);
    writeFileSync(closed(workspace), '');
    await pressRowAction(page, 'buy', 'Call Tool…');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('“buy” is gone: server “shop” does not list it')),
    );
    await waitForServer(page, 'shop', /1 tool/);
  });
});
