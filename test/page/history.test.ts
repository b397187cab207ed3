import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, tabs, waitForTab } from './editors';
import { readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { callRows, pressMenuEntry } from './sideBar';
import { chooseTool, closeEditors, openToolgate, reloadWindow, startAll } from './toolgate';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const script = `(server) => {
  const text = { type: 'string' };
  const inputSchema = { type: 'object', properties: { word: text }, required: ['word'] };
  const nothing = { type: 'object', properties: {} };
  const annotations = { readOnlyHint: true };
  server.tools = [
    { name: 'paint', inputSchema: nothing, annotations },
    { name: 'say', inputSchema, annotations },
  ];
  let count = 0;
  server.on('tools/call', (message) => {
    const { name, arguments: given } = message.params;
    if (name === 'paint') {
      const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      return server.reply(message, { content: [{ type: 'image', data, mimeType: 'image/png' }] });
    }
    count += 1;
    const structuredContent = { said: given.word, timestamp: 't' + count + given.word };
    server.reply(message, { content: [], structuredContent });
  });
}`;

/** After a reload VS Code in a browser sets up anew what previews are drawn in. */
const previewPatienceMs = 45_000;

describe('The history of calls in a window', function () {
  this.timeout(120_000);
  let page: Page;

  useWindow({ servers: () => ({ artist: scriptedServer(script) }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  /** The rows of the view, without durations and times of the day. */
  const rows = async (): Promise<string[]> =>
    (
      await callRows(page).evaluateAll((all) =>
        all.map((row) => {
          const text = (part: string) => row.querySelector(part)?.textContent?.trim() ?? '';
          return `${text('.label-name')} | ${text('.label-description')}`;
        }),
      )
    ).map((row) => row.replace(/\d+(\.\d+)? m?s/, '_').replace(/^\d\d:\d\d /, '(time) '));
  const untilRows = (count: number) => eventually(rows, (all) => all.length === count);
  const untilDone = (count: number) =>
    eventually(
      rows,
      (all) => all.length === count && /artist · say \| word: \w+ · _/.test(all[0] ?? ''),
    );
  async function chooseOnRow(row: number, entry: string): Promise<void> {
    // What is still being loaded in an editor takes the focus, and the menu with it.
    await closeEditors(page);
    await callRows(page).nth(row).click({ button: 'right', timeout: patienceMs });
    await pressMenuEntry(page, entry);
  }
  /** The row gets the focus from the keyboard, and is not selected. */
  async function focusRow(row: number): Promise<void> {
    await runCommand(page, 'Toolgate: Focus on Calls View');
    await page.keyboard.press('Home');
    for (let at = 0; at < row; at += 1) await page.keyboard.press('ArrowDown');
    await callRows(page).nth(row).and(page.locator('.focused')).waitFor();
  }
  async function say(word: string): Promise<void> {
    await chooseTool(page, 'say');
    await typeAndAccept(page, word);
    await pressDialog(page, 'Run');
    await waitForTab(page, 'say.mcpjson');
  }

  it('has them with their outcome after a reload, and an image that was open', async () => {
    await say('leaf');
    await closeEditors(page);
    await chooseTool(page, 'paint');
    await pressDialog(page, 'Cancel');
    await chooseTool(page, 'paint');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'paint.png');
    await untilRows(3);
    const before = await eventually(rows, ([row]) => row?.endsWith('_') === true);
    await reloadWindow(page);
    assert.deepEqual(await untilRows(3), before);
    assert.deepEqual(before, [
      '(time) artist · paint | _',
      '(time) artist · paint | not called',
      '(time) artist · say | word: leaf · _',
    ]);
    await waitForTab(page, 'paint.png');
    await eventually(
      async () => {
        const counts = page.frames().map((frame) => frame.locator('img').count());
        return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
      },
      (count) => count > 0,
      previewPatienceMs,
    );
  });

  it('opens what an earlier session brought', async () => {
    await closeEditors(page);
    await callRows(page).nth(2).click();
    await waitForTab(page, 'say.mcpjson');
    assert.deepEqual(JSON.parse(await editorText(page)), { said: 'leaf', timestamp: 't1leaf' });
    await callRows(page).nth(0).click();
    await waitForTab(page, 'paint.png');
  });

  it('runs one again, as it was or with changes, and asks as always', async () => {
    await chooseOnRow(2, 'Run Again');
    // Its server starts by itself: the person agreed to that before the reload.
    const { detail } = await readDialog(page);
    assert.match(detail, /"word": "leaf"/);
    await pressDialog(page, 'Run');
    await untilDone(4);

    await focusRow(0);
    await page.keyboard.press('F2');
    const input = await eventually(
      () => readQuickInput(page),
      ({ value }) => value === 'leaf',
    );
    assert.match(input.title, /^say/);
    await typeAndAccept(page, 'blade');
    await pressDialog(page, 'Run');
    await untilDone(5);
  });

  it('compares two of the same tool, with and without what changes each time', async () => {
    await chooseOnRow(4, 'Compare with Past Call…');
    const { items } = await eventually(
      () => readQuickInput(page),
      (input) => input.items.length === 3,
    );
    assert.deepEqual(
      items.map(({ label, detail }) => [label, detail]),
      [
        ['say', 'word: blade'],
        ['say', 'word: leaf'],
        ['paint', ''],
      ],
    );
    assert.match(items[0]?.description ?? '', /^artist · \d+:\d\d [AP]M · done · \d/);
    // The call before the last, which differs in its timestamp only.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const sides = page.locator('.diff-editor-shown .view-lines, .monaco-diff-editor .view-lines');
    const shown = () =>
      eventually(
        async () => (await sides.allInnerTexts()).join('\n').replaceAll('\u00a0', ' '),
        (text) => text.includes('"said"'),
      );
    assert.match(await shown(), /"timestamp": "t1leaf"[^]*"timestamp": "t1leaf"/);
    await page
      .locator('.editor-actions .action-label[aria-label^="Ignore Volatile Fields"]')
      .click({ timeout: patienceMs });
    await eventually(shown, (text) => text.includes('"timestamp": "…"'));
    // In the place of the other one.
    await eventually(
      () => tabs(page),
      (all) => all.length === 1,
    );
  });

  it('removes one by a key, and all of them when the person says yes', async () => {
    await focusRow(3);
    await page.keyboard.press('Delete');
    assert.deepEqual(
      (await untilRows(4)).map((row) => row.split(' ')[3]),
      ['say', 'say', 'paint', 'say'],
    );
    await runCommand(page, 'Toolgate: Clear History');
    assert.match((await readDialog(page)).message, /Clear the history of calls\?/);
    await dismissDialog(page);
    await untilRows(4);
    await runCommand(page, 'Toolgate: Clear History');
    await pressDialog(page, 'Clear History');
    await page.getByText('Calls of tools show here while they run').waitFor();
    await reloadWindow(page);
    await page.getByText('Calls of tools show here while they run').waitFor();
  });
});
