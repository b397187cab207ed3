import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { waitForAnswer } from './answerFrame';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { waitForTab } from './editors';
import { waitForNotification } from './notifications';
import { openPaletteWith, pick, readQuickInput, runCommand } from './quickInput';
import {
  callLines,
  callRows,
  chooseFromRowMenu,
  pressRowAction,
  readTree,
  showRow,
  treeLines,
  treeRow,
} from './sideBar';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  startAll,
  waitForInput,
  waitForServer,
} from './toolgate';
import { eventually, patienceMs, retryMs } from '../waiting';
import { useWindow } from './window';
import { scriptedServer, type Workspace } from './workspace';

/** Lists one tool less where `closed.txt` is there, and nothing as long as `slow.txt` is. */
const shop = ({ folder }: Workspace) =>
  scriptedServer(`(server) => {
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
  }`);

/** Reports progress once and never answers but to `quick`; writes down what reaches it. */
const garden = ({ folder }: Workspace) => ({
  ...scriptedServer(`(server) => {
    const { appendFileSync } = process.getBuiltinModule('node:fs');
    const annotations = { readOnlyHint: true };
    const inputSchema = { type: 'object' };
    server.tools = ['dig', 'quick'].map((name) => ({ name, inputSchema, annotations }));
    const note = (line) => appendFileSync(process.env.NOTES, line + '\\n');
    server.on('notifications/cancelled', ({ params }) => note('cancelled ' + params.reason));
    server.on('tools/call', (message) => {
      const { name, _meta } = message.params;
      note('called ' + name);
      if (name === 'quick') return server.text(message, 'done');
      const { progressToken } = _meta;
      const params = { progressToken, progress: 3, total: 10, message: 'third bed' };
      server.send({ method: 'notifications/progress', params });
    });
  }`),
  env: { NOTES: `${folder}/notes.txt` },
});

describe('Servers that do not respond', function () {
  this.timeout(180_000);
  let page: Page;
  let workspace: Workspace;
  const fileOf = (name: string) => path.join(workspace.folder, `${name}.txt`);

  useWindow(
    {
      settings: { 'toolgate.calls.maxPerServer': 2 },
      servers: (own) => ({ garden: garden(own), shop: shop(own) }),
    },
    async (opened) => {
      ({ page, workspace } = opened);
      await openToolgate(page);
      await startAll(page, 2);
    },
  );
  afterEach(() => closeEditors(page));

  async function call(tool: string): Promise<void> {
    await chooseTool(page, tool);
    await pressDialog(page, 'Run');
  }
  /** Waits until the rows of the view, without times, are these. */
  const untilRows = (...expected: readonly string[]) =>
    eventually(
      () => callLines(page),
      (rows) => JSON.stringify(rows) === JSON.stringify(expected),
    );

  it('show their calls with progress, and their calls wait in the queue and are cancelled in the view', async () => {
    const digging = 'dig | _ · 3/10 · third bed · garden';
    await call('dig');
    await untilRows(digging);
    await call('dig');
    await call('quick');
    await untilRows(digging, digging, 'quick | queued · garden');
    const status = page.locator('.statusbar .statusbar-item[id*="toolgate.activity"]');
    await status.getByText('3 calls').waitFor();
    await waitForNotification(page, 'Calling “dig” on “garden”: third bed');
    const row = callRows(page).first();
    const cancel = row.locator('.action-label[aria-label^="Cancel Running Call…"]');
    await row.hover({ timeout: patienceMs });
    await cancel.click({ timeout: patienceMs });
    // The third has its place now, and its answer.
    const cancelled = 'dig | cancelled · server did not confirm · _ · garden';
    await waitForTab(page, /quick/);
    await untilRows(digging, 'quick | _ · garden', cancelled);
    await eventually(
      () => (existsSync(fileOf('notes')) ? readFileSync(fileOf('notes'), 'utf8').split('\n') : []),
      (all) => all.join() === 'called dig,called dig,cancelled Cancelled,called quick,',
    );
    await closeEditors(page);
    await callRows(page).nth(1).click();
    await waitForTab(page, /quick/);
    // A row that is drawn anew under the press does not take it.
    await eventually(
      async () => {
        await row.hover({ timeout: patienceMs });
        await cancel.click({ timeout: retryMs }).catch(() => undefined);
        await status.waitFor({ state: 'hidden', timeout: retryMs }).catch(() => undefined);
        return status.isVisible();
      },
      (isShown) => !isShown,
    );
  });

  const closeInput = async () => {
    await page.keyboard.press('Escape');
    await page.locator('.quick-input-widget:visible').waitFor({ state: 'hidden' });
  };
  async function stopShop(): Promise<void> {
    await pressRowAction(page, 'shop', 'Stop Server');
    await waitForServer(page, 'shop', /stopped/);
  }

  it('show the tools that they listed last, with all details', async () => {
    const untilListed = () =>
      eventually(
        async () => treeLines(await readTree(page)).slice(-3),
        (lines) =>
          lines.join('\n') ===
          [
            '▾ shop  stopped',
            '    look  read-only · last known',
            '    buy  destructive? · last known',
          ].join('\n'),
      );
    await treeRow(page, 'buy').waitFor();
    await stopShop();
    await untilListed();
    await chooseFromRowMenu(page, 'buy', 'Show Tool Definition');
    await waitForTab(page, 'buy.definition.txt');
    await waitForAnswer(page, /Listed by its server on .*\. Calling it starts the server first\./);
    await waitForServer(page, 'shop', /stopped/);
    await closeEditors(page);
    await runCommand(page, 'Toolgate: Call Tool…');
    const { items } = await waitForInput(page, 'Call Tool');
    assert.ok(
      items.some(({ description }) => description === 'shop · not running · read-only'),
      JSON.stringify(items),
    );
    await pick(page, 'look');
    assert.equal((await readDialog(page)).message, 'Run “look” on “shop”?');
    await dismissDialog(page);
    await waitForServer(page, 'shop', /2 tools/);
  });

  /** Leaves the focus in the tree. */
  async function pressEnterOnBuy(): Promise<void> {
    await (await showRow(page, 'buy')).click();
    await page.keyboard.press('Enter');
  }

  it('start when one of these tools is called, and hold the focus until Escape cancels the start', async () => {
    await stopShop();
    await pressEnterOnBuy();
    await readQuickInput(page, 'buy (shop)');
    await waitForServer(page, 'shop', /2 tools/);
    // The row that had the focus is drawn anew. To read the whole tree would take the focus there.
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

    const starting = 'Starting server “shop”…';
    await stopShop();
    writeFileSync(fileOf('slow'), '');
    await pressEnterOnBuy();
    await readQuickInput(page, starting);
    await waitForServer(page, 'shop', /starting/);
    await closeInput();
    await waitForServer(page, 'shop', /stopped/);
    // Whatever takes its place does not call it off.
    await pressEnterOnBuy();
    await readQuickInput(page, starting);
    await openPaletteWith(page, 'Toolgate');
    // Once more, the key would call off what waits behind.
    const input = page.locator('.quick-input-box input:visible');
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'hidden', timeout: patienceMs });
    rmSync(fileOf('slow'));
    await readQuickInput(page, 'buy (shop)');
    await closeInput();

    await stopShop();
    writeFileSync(fileOf('closed'), '');
    await pressRowAction(page, 'buy', 'Call Tool…');
    await waitForNotification(page, '“buy” no longer exists: server “shop” does not list it');
  });
});
