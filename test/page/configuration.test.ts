import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { isDialogOpen, pressDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { notifications } from './notifications';
import { chooseFromRowMenu, pressRowAction, readTree, treeLines } from './sideBar';
import { openToolgate, waitForServer } from './toolgate';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

describe('The configuration file in a window', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let page: Page;
  const file = () => path.join(workspace.folder, '.vscode/mcp.json');
  const seenKey = () => path.join(workspace.folder, 'key.txt');

  useWindow({}, async (opened) => {
    ({ workspace, page } = opened);
    const { command, env = {}, args: [script = ''] = [] } = workspace.steered('steered');
    // Writes down what it got, and then is the server.
    const code = `require('fs').writeFileSync(process.env.SEEN, process.env.API_KEY);import(${JSON.stringify(script)})`;
    workspace.configure({
      steered: {
        command,
        args: ['-e', code],
        env: { ...env, SEEN: seenKey(), API_KEY: 'hunter2-in-the-file' },
      },
    });
    await openToolgate(page);
    await eventually(
      async () => treeLines(await readTree(page)),
      (lines) => lines.some((line) => line.endsWith('steered  stopped')),
    );
    await chooseFromRowMenu(page, 'steered', 'Open Server Configuration');
    await waitForTab(page, 'mcp.json');
  });

  /** VS Code's own stand before ours on the same line. */
  const lenses = async (): Promise<string> => {
    const texts = await page.locator('.codelens-decoration').allInnerTexts();
    return texts
      .filter((text) => text.includes('Toolgate'))
      .join()
      .replaceAll(/\s+/g, ' ');
  };
  const lensesBecome = (pattern: RegExp) => eventually(lenses, (text) => pattern.test(text));

  it('moves a secret into the secret storage by its quick fix', async () => {
    await lensesBecome(/Toolgate: stopped(?: \||$)/);
    await page.keyboard.press('F8');
    await page.locator('.zone-widget, .marker-widget').first().waitFor();
    await page.keyboard.press('Escape');
    const fix = page.locator('.action-widget .monaco-list-row', {
      hasText: 'Move to secret storage',
    });
    // The widget of F8 gives the focus back a moment after it is gone.
    await eventually(async () => {
      await page.keyboard.press('Control+.');
      return fix.waitFor({ timeout: patienceMs / 5 }).then(
        () => true,
        () => false,
      );
    }, Boolean);
    await page.keyboard.press('Enter');
    const variable = '${input:steered-api-key}';
    await eventually(
      () => Promise.resolve(readFileSync(file(), 'utf8')),
      (text) => text.includes(variable) && !text.includes('hunter2'),
    );
    assert.ok((await editorText(page)).includes(variable));
    const [told = ''] = await notifications(page);
    assert.match(told, /is now in VS Code’s secret storage/);
  });

  it('leaves one Start to VS Code in the line above the server', async () => {
    const starts = page.locator('.codelens-decoration a', { hasText: /^\W*Start$/ });
    await eventually(
      () => starts.count(),
      (count) => count === 1,
    );
  });

  it('starts the server without showing or asking for the secret', async () => {
    await pressRowAction(page, 'steered', 'Start Server');
    const { detail } = await readDialog(page);
    assert.match(detail, /^Variable API_KEY = "\$\{input:steered-api-key\}"$/m);
    assert.doesNotMatch(detail, /hunter2/);
    await pressDialog(page, 'Start Server');
    await waitForServer(page, 'steered', /^Server steered: 9 tools/);
    await lensesBecome(/Toolgate: running, 9 tools(?: \||$)/);
    assert.equal(readFileSync(seenKey(), 'utf8'), 'hunter2-in-the-file');
    assert.equal(await isDialogOpen(page), false);
  });

  it('is left alone when a tool and a server are disabled', async () => {
    const before = readFileSync(file(), 'utf8');
    await chooseFromRowMenu(page, 'echo', 'Disable Tool');
    await eventually(
      async () => treeLines(await readTree(page)),
      (lines) => lines.some((line) => /echo +disabled/.test(line)),
    );
    await chooseFromRowMenu(page, 'steered', 'Disable Server');
    await eventually(
      async () => treeLines(await readTree(page)),
      (lines) => lines.join() === '  steered  disabled',
    );
    await lensesBecome(/Toolgate: disabled(?: \||$)/);
    await chooseFromRowMenu(page, 'steered', 'Enable Server');
    await lensesBecome(/Toolgate: (?!disabled)/);
    assert.equal(readFileSync(file(), 'utf8'), before);
  });
});
