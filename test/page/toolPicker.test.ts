import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { waitForTab } from './editors';
import { pick, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { readTree, showRow } from './sideBar';
import {
  approveServers,
  chooseTool,
  closeEditors,
  openToolgate,
  waitForInput,
  waitForServer,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const files = `(server) => {
  const tool = (name, description, properties = {}) => ({
    name,
    description,
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  });
  const text = { type: 'string' };
  server.tools = [
    tool('about', 'Tells how to write'),
    tool('rewrite_all', 'Changes many'),
    tool('write_file', 'Puts a text into a file', { path: text, password: { ...text, format: 'password' } }),
    tool('write', 'Puts a text somewhere'),
  ];
}`;

describe('The tool picker', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow(
    { servers: () => ({ fs: scriptedServer(files), late: scriptedServer(files) }) },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
    },
  );
  afterEach(() => closeEditors(page));

  const rows = async (): Promise<string[]> => {
    const { items } = await waitForInput(page, 'Call Tool');
    return items.map(({ label, description }) => `${label}  ${description}`);
  };

  it('stays, with the focus in it, while the server starts that was chosen in it', async () => {
    // Leaves the focus in the tree.
    await readTree(page);
    await runCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
    await pick(page, 'Start “fs”');
    await approveServers(page);
    await waitForInput(page, 'Call Tool');
    // The tree opens the row of what has started.
    await waitForServer(page, 'fs', /4 tools/);
    await eventually(
      async () => (await showRow(page, 'fs')).getAttribute('aria-expanded'),
      (expanded) => expanded === 'true',
    );
    await page.keyboard.type('rewrite');
    await eventually(
      () => readQuickInput(page, 'Call Tool'),
      ({ value, items }) => value === 'rewrite' && items[0]?.label === 'rewrite_all',
    );
    await page.keyboard.press('Escape');
  });

  it('finds names before descriptions, and words in any order', async () => {
    await runCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
    await page.keyboard.type('write');
    const found = await eventually(rows, (all) => all[0]?.startsWith('write  ') === true);
    assert.deepEqual(
      found.slice(0, 4).map((row) => row.split('  ')[0]),
      ['write', 'write_file', 'rewrite_all', 'about'],
    );
    await page.keyboard.press('Control+A');
    await page.keyboard.type('fs file');
    const words = await eventually(rows, (all) => all[0]?.startsWith('write_file') === true);
    assert.equal(words[0], 'write_file  fs · destructive (assumed)');
    await page.keyboard.press('Escape');
  });

  it('has on top what was called last, with its arguments, and no secret', async () => {
    await chooseTool(page, 'write_file');
    await typeAndAccept(page, 'a/b.txt');
    await typeAndAccept(page, 'hunter2-hunter2');
    await pressDialog(page, 'Run');
    await waitForTab(page, /write_file/);
    await runCommand(page, 'Toolgate: Call Tool…');
    const { items } = await waitForInput(page, 'Call Tool');
    assert.deepEqual(items[0], {
      label: 'write_file',
      description: 'fs · destructive (assumed)',
      detail: 'path: "a/b.txt", password: (secret) · Puts a text into a file',
    });
    assert.equal(items.filter(({ label }) => label === 'write_file').length, 1);
    await page.keyboard.press('Escape');
  });

  it('takes an Enter that comes before the rows', async () => {
    await runCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
    await page.keyboard.type('about');
    await page.keyboard.press('Enter');
    assert.equal((await readDialog(page)).message, 'Run “about” on “fs”?');
    await dismissDialog(page);
  });
});
