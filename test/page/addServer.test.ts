import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeTemporaryFolder } from '../vscode/server';
import { pressDialog, readDialog } from './dialog';
import { waitForTab } from './editors';
import { clearNotifications, pressNotificationLink } from './notifications';
import {
  checkedRows,
  pick,
  pressQuickButton,
  readQuickInput,
  runCommand,
  typeAndAccept,
  typeInto,
} from './quickInput';
import { openView, pressRowAction } from './sideBar';
import { storedFiles } from './storedFiles';
import { approveServers, serverRows, waitForServer } from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

const secret = 'sk-typed-by-a-person-0123456789';

/** A program that writes down what it was given, and ends. */
const writes = (file: string): string =>
  `require("fs").appendFileSync(${JSON.stringify(file)},process.env.API_KEY+";")`;

describe('Adding servers', function () {
  this.timeout(120_000);
  let page: Page;
  let workspace: Workspace;
  const home = makeTemporaryFolder('home');
  const cursor = path.join(home.folder, '.cursor/mcp.json');
  mkdirSync(path.dirname(cursor));
  const inCursor = {
    mcpServers: {
      garden: { command: 'garden-server', env: { GARDEN_TOKEN: 'token-in-cursor-file' } },
      off: { command: 'never', disabled: true },
    },
  };
  writeFileSync(cursor, JSON.stringify(inCursor));

  useWindow({ environment: { HOME: home.folder } }, async (opened) => {
    ({ page, workspace } = opened);
    await openView(page, 'Toolgate');
  });
  after(() => home.remove());

  const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const configured = (): string => textOf(path.join(workspace.folder, '.vscode/mcp.json'));
  const notes = (): string => path.join(workspace.folder, '../written.txt');
  const isWritten = (times: number) =>
    eventually(
      () => textOf(notes()),
      (text) => text === `${secret};`.repeat(times),
    );
  const diff = () => page.locator('.monaco-diff-editor');
  const rowsOf = async (title: string) => {
    const { items } = await readQuickInput(page, title);
    return items.map(({ label, description }) => `${label} (${description})`);
  };
  const inWorkspace = async () => {
    await readQuickInput(page, 'Location of the Entry');
    await pick(page, path.join('.vscode', 'mcp.json'));
    await readQuickInput(page, 'Name of the Server');
  };
  /** Its row may say so of an earlier start until it is drawn anew. */
  const startWriter = async () => {
    await waitForServer(page, 'writer', /: (?:stopped|failed)/);
    await pressRowAction(page, 'writer', 'Start Server');
  };

  it('turns a pasted command line into an entry after the steps, Back and a preview, with the secret in secret storage', async () => {
    await runCommand(page, 'Toolgate: Add Server…');
    await typeInto(page, 'Add Server', '{"command": "x" "args": []}');
    await eventually(
      () => rowsOf('Add Server'),
      ([row]) => row?.startsWith('Not valid JSON in line 1') === true,
    );
    await page.keyboard.press('Escape');
    const typed = `API_KEY=${secret} '${process.execPath}' -e '${writes(notes())}'`;
    await runCommand(page, 'Toolgate: Add Server…');
    await typeInto(page, 'Add Server', typed);
    await eventually(
      () => readQuickInput(page, 'Add Server'),
      ({ items }) => items.some(({ label }) => label === 'Command line'),
    );
    await page.keyboard.press('Enter');
    await inWorkspace();
    await typeAndAccept(page, 'writer');
    await readQuickInput(page, 'Secrets');
    await page.keyboard.press('Space');
    // Each step has what was answered there.
    await pressQuickButton(page, 'Back');
    assert.equal((await readQuickInput(page, 'Name of the Server')).value, 'writer');
    // The key that VS Code has for it on this system.
    await page.keyboard.press('Control+Alt+Minus');
    await readQuickInput(page, 'Location of the Entry');
    await pressQuickButton(page, 'Back');
    assert.equal((await readQuickInput(page, 'Add Server')).value, typed);
    await page.keyboard.press('Enter');
    await inWorkspace();
    await typeAndAccept(page, 'writer');
    assert.deepEqual(await rowsOf('Secrets'), ['writer (variable API_KEY)']);
    await page.keyboard.press('Enter');
    await diff().waitFor();
    assert.equal(configured(), '');
    await page.locator('.editor-actions .action-label[aria-label^="Write to File"]').click();
    await diff().waitFor({ state: 'detached' });
    await waitForTab(page, 'mcp.json');
    await eventually(configured, (text) => text.includes('"API_KEY": "${input:writer-api-key}"'));
    await startWriter();
    await approveServers(page);
    await isWritten(1);
  });

  it('asks once for a secret that was removed, and writes it to no file', async () => {
    await runCommand(page, 'Toolgate: Manage Secrets…');
    const { items } = await readQuickInput(page, 'Secrets and Other Inputs');
    assert.deepEqual(
      items.map(({ label, description, detail }) => [label, description, detail]),
      [['writer-api-key', '.vscode/mcp.json', 'In secret storage; used by writer']],
    );
    const row = page.locator('.quick-input-list .monaco-list-row').first();
    await row.hover();
    await row.locator('.action-label[aria-label^="Forget"]').click();
    await page.locator('.quick-input-widget:visible').waitFor({ state: 'detached' });
    await startWriter();
    await readQuickInput(page, 'Input “writer-api-key” of .vscode/mcp.json');
    await typeAndAccept(page, secret);
    await isWritten(2);
    await startWriter();
    await isWritten(3);

    const files = storedFiles(workspace);
    assert.ok(files.length > 5);
    assert.deepEqual(
      files.filter(({ text }) => text.includes(secret)).map(({ file }) => file),
      [],
    );
    await clearNotifications(page);
  });

  it('imports exactly the checked servers of another client', async () => {
    await runCommand(page, 'Toolgate: Import Servers…');
    assert.deepEqual(await rowsOf('Import Servers'), [
      'garden (~/.cursor/mcp.json)',
      'off (~/.cursor/mcp.json)',
    ]);
    assert.deepEqual(await checkedRows(page), ['garden']);
    await page.keyboard.press('Enter');
    await inWorkspace();
    await typeAndAccept(page, 'garden');
    assert.deepEqual(await rowsOf('Secrets'), ['garden (variable GARDEN_TOKEN)']);
    await page.keyboard.press('Enter');
    await diff().waitFor();
    // From elsewhere the link only leads to what it would write.
    await runCommand(page, 'File: New Untitled Text File');
    await waitForTab(page, /^Untitled-1/);
    await pressNotificationLink(page, 'Write');
    await diff().waitFor();
    assert.doesNotMatch(configured(), /garden/);
    await pressNotificationLink(page, 'Write');
    await diff().waitFor({ state: 'detached' });
    await waitForServer(page, 'garden', /^Server garden: stopped/);
    assert.equal((await serverRows(page)).length, 2);
    assert.doesNotMatch(configured(), /token-in-cursor-file|never/);
    assert.deepEqual(JSON.parse(readFileSync(cursor, 'utf8')), inCursor);
    // It is not chosen again.
    await runCommand(page, 'Toolgate: Import Servers…');
    assert.deepEqual(await rowsOf('Import Servers'), [
      'garden (already configured · ~/.cursor/mcp.json)',
      'off (~/.cursor/mcp.json)',
    ]);
    assert.deepEqual(await checkedRows(page), []);
    await page.keyboard.press('Escape');
  });

  it('opens from a link, shows everything in it first, and does so for a second link', async () => {
    const config = encodeURIComponent(JSON.stringify({ command: 'linked-server' }));
    for (const name of ['pond', 'bench']) {
      await runCommand(page, 'Developer: Open URL');
      await typeAndAccept(page, `vscode://toolgate.toolgate/add?name=${name}&config=${config}`);
      await pressDialog(page, 'Open');
      const { message } = await eventually(
        () => readDialog(page),
        (dialog) => dialog.message.includes('A link wants'),
      );
      assert.equal(message, `A link wants to add the server “${name}”`);
      await pressDialog(page, 'Cancel');
    }
    assert.doesNotMatch(configured(), /linked-server/);
  });
});
