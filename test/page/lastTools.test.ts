import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { dismissDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { notifications } from './notifications';
import { pick, runCommand } from './quickInput';
import { chooseFromRowMenu, pressRowAction, readTree, treeLines } from './sideBar';
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

const shop = (file: string) => `(server) => {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const schema = { type: 'object' };
  server.tools = [
    { name: 'look', inputSchema: schema, annotations: { readOnlyHint: true } },
    { name: 'buy', description: 'Buys one.', inputSchema: { ...schema, required: ['item'], properties: {
      count: { type: 'integer', default: 1 }, item: { type: 'string', description: 'What to buy' } } } },
  ].filter(({ name }) => name !== 'buy' || !existsSync(${JSON.stringify(file)}));
}`;

describe('A server that does not run', function () {
  this.timeout(60_000);
  let page: Page;
  let workspace: Workspace;
  const closed = (own: Workspace) => path.join(own.folder, 'closed.txt');

  useWindow({ servers: (own) => ({ shop: scriptedServer(shop(closed(own))) }) }, async (opened) => {
    ({ page, workspace } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  const lines = async () => treeLines(await readTree(page));
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
    assert.match(text, /item +string +yes +What to buy/);
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
