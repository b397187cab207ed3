import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, sentArguments } from './dialog';
import { editorText, waitForTab } from './editors';
import { pick, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { callRows, openView, pressMenuEntry, showRow } from './sideBar';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  startAll,
  waitForInput,
  waitForPage,
  waitForQuestion,
} from './toolgate';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const tools = `(server) => {
  const text = { type: 'string' };
  const tool = (name, properties, required) =>
    ({ name, inputSchema: { type: 'object', properties, required } });
  server.tools = [
    tool('summarise', { prompt: text, words: { type: 'integer' } }, ['prompt', 'words']),
    tool('inspect', { path: text }, ['path']),
    tool('count', { amount: { type: 'integer' } }, ['amount']),
  ];
  server.on('tools/call', (message) => server.text(message, 'done'));
}`;

describe('Send to MCP Tool…', function () {
  this.timeout(180_000);
  let page: Page;
  let folder: string;

  useWindow(
    {
      files: { 'note.txt': 'Water the roses.\nCut the grass.\n' },
      servers: () => ({ words: scriptedServer(tools) }),
    },
    async (opened) => {
      ({ page } = opened);
      folder = opened.workspace.folder;
      await openToolgate(page);
      await startAll(page, 1);
    },
  );

  async function openNote(): Promise<void> {
    await openView(page, 'Explorer');
    await page
      .locator('.explorer-folders-view .monaco-list-row', { hasText: 'note.txt' })
      .dblclick();
    await waitForTab(page, 'note.txt');
  }

  async function rowOfPage(name: string): Promise<string | undefined> {
    const { items } = await waitForPage(page, 'summarise (words)');
    return items.find(({ label }) => label === name)?.description;
  }

  async function sent(): Promise<unknown> {
    const { detail } = await readDialog(page);
    await pressDialog(page, 'Cancel');
    return JSON.parse(sentArguments({ detail }));
  }

  it('fills the selection in and asks for the rest, offering only tools that take one', async () => {
    await openNote();
    await editorText(page); // Leaves the cursor at the start.
    await page.keyboard.press('Shift+End');
    await runCommand(page, 'Toolgate: Send to MCP Tool…');
    const { items } = await waitForInput(page, 'Send to Tool');
    const names = items.map(({ label }) => label);
    assert.deepEqual(
      names.filter((name) => name !== ''),
      ['summarise', 'inspect'],
    );
    await pick(page, 'summarise');
    await waitForQuestion(page, 'summarise (words)', 'words');
    await typeAndAccept(page, '5');
    assert.equal(await rowOfPage('prompt'), 'Water the roses.');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), { prompt: 'Water the roses.', words: 5 });
  });

  it('fills several lines into a document, from the menu of the editor', async () => {
    await page
      .locator('.editor-group-container.active .view-line')
      .nth(1)
      .click({ button: 'right' });
    await pressMenuEntry(page, 'Send to MCP Tool…');
    await waitForInput(page, 'Send to Tool');
    await pick(page, 'summarise');
    await waitForTab(page, 'summarise.arguments.jsonc');
    const text = await editorText(page);
    assert.match(text, /"prompt": "Water the roses\.\\nCut the grass\.\\n"/);
    await closeEditors(page);
  });

  it('fills the path of a file in, from the explorer', async () => {
    await openView(page, 'Explorer');
    const file = page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'note.txt' });
    await file.click({ button: 'right' });
    await pressMenuEntry(page, 'Send to MCP Tool…');
    await waitForInput(page, 'Send to Tool');
    await pick(page, 'inspect');
    const { value } = await readQuickInput(page, 'inspect (words)');
    assert.equal(value, `${folder}/note.txt`);
    await page.keyboard.press('Enter');
    assert.deepEqual(await sent(), { path: `${folder}/note.txt` });
    await closeEditors(page);
  });

  it('takes a file that is dropped onto the row of a tool', async () => {
    await openToolgate(page);
    const row = await showRow(page, 'inspect');
    // As the explorer of this window writes it.
    const fileUri = `vscode-remote://${new URL(page.url()).host}${folder}/note.txt`;
    await page.evaluate('window.dropped = new DataTransfer()');
    await page.evaluate(`dropped.setData('text/uri-list', '${fileUri}')`);
    const dataTransfer = await page.evaluateHandle('dropped');
    for (const event of ['dragenter', 'dragover', 'drop']) {
      await row.dispatchEvent(event, { dataTransfer });
    }
    const { value } = await eventually(
      () => readQuickInput(page),
      ({ title }) => title === 'inspect (words)',
    );
    assert.equal(value, `${folder}/note.txt`);
    await page.keyboard.press('Escape');
  });

  it('takes what a call brought, dragged from its row onto the row of a tool', async () => {
    await chooseTool(page, 'inspect');
    await typeAndAccept(page, '/a');
    await pressDialog(page, 'Run');
    await waitForTab(page, /^inspect/);
    const input = page.locator('.quick-input-widget:visible');
    await eventually(
      async () => {
        await callRows(page)
          .first()
          .dragTo(await showRow(page, 'summarise'));
        // A row that is drawn anew while it is dragged goes nowhere.
        await input.waitFor({ timeout: patienceMs / 3 }).catch(() => undefined);
        return input.isVisible();
      },
      (isOpen) => isOpen,
    );
    await waitForQuestion(page, 'summarise (words)', 'words');
    await typeAndAccept(page, '5');
    assert.equal(await rowOfPage('prompt'), 'done');
    await page.keyboard.press('Escape');
  });

  it('is not the only place: what a call brought opens where its row is dropped among the editors', async () => {
    await closeEditors(page);
    await callRows(page).first().hover();
    await page.mouse.down();
    const editors = await page.locator('.editor-group-container').first().boundingBox();
    assert.ok(editors);
    const [x, y] = [editors.x + editors.width / 2, editors.y + editors.height / 2];
    await page.mouse.move(x, y, { steps: 10 });
    // The place where it would open is drawn before it can be dropped there.
    await page.locator('#monaco-workbench-editor-drop-overlay').first().waitFor();
    await page.mouse.move(x + 1, y + 1, { steps: 3 });
    await page.mouse.up();
    await waitForTab(page, /^inspect/);
    assert.equal(await editorText(page), 'done');
  });
});
