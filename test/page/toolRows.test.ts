import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, isDialogOpen, readDialog } from './dialog';
import { tabs, waitForTab } from './editors';
import { pressRowAction, showRow } from './sideBar';
import { closeEditors, openToolgate, startAll } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const shed = scriptedServer(`(server) => {
  const tool = (name) => ({ name, inputSchema: { type: 'object', additionalProperties: false } });
  server.tools = [tool('dig'), tool('rake'), { ...tool('broken'), inputSchema: 1 }];
}`);

const question = 'Run “dig” on “shed”?';

/** Waits for the question before the call, and says no. */
async function refuse(page: Page): Promise<void> {
  assert.equal((await readDialog(page)).message, question);
  await dismissDialog(page);
}

const focusedRow = (page: Page) =>
  page
    .locator('.sidebar .monaco-list:focus .monaco-list-row.focused .label-name')
    .first()
    .innerText();

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

describe('The row of a tool', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({ servers: () => ({ shed }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });
  afterEach(() => closeEditors(page));

  it('shows on a click what the tool is, in one preview, and leaves the focus in the tree', async () => {
    await (await showRow(page, 'dig')).click();
    await waitForTab(page, 'dig.definition.txt');
    await (await showRow(page, 'rake')).click();
    await waitForTab(page, 'rake.definition.txt');
    assert.equal((await tabs(page)).length, 1);
    assert.equal(await focusedRow(page), 'rake');
    assert.equal(await isDialogOpen(page), false);
  });

  it('shows what cannot be called, too', async () => {
    await (await showRow(page, 'broken')).click();
    await waitForTab(page, 'broken.definition.txt');
    await (await showRow(page, 'broken')).press('Enter');
    assert.equal(await isDialogOpen(page), false);
  });

  it('calls on a double click, with nothing between', async () => {
    const slowestMs = 150;
    // A busy page gets the second press late, and shows what the first is for, as it should.
    for (let tries = 5; tries > 0; tries -= 1) {
      await closeEditors(page);
      const apartMs = await doubleClick(page, 'dig');
      await refuse(page);
      if (apartMs <= slowestMs) break;
    }
    assert.deepEqual(await tabs(page), []);
  });

  it('calls on Enter, and shows on Space', async () => {
    await (await showRow(page, 'dig')).click();
    await waitForTab(page, 'dig.definition.txt');
    await page.keyboard.press('Enter');
    await refuse(page);
    await closeEditors(page);
    await (await showRow(page, 'rake')).click();
    await waitForTab(page, 'rake.definition.txt');
    await page.keyboard.press('ArrowUp');
    await eventually(
      () => focusedRow(page),
      (name) => name === 'dig',
    );
    await page.keyboard.press('Space');
    await waitForTab(page, 'dig.definition.txt');
    assert.equal(await isDialogOpen(page), false);
  });

  it('shows on a click after an Enter that opened a server', async () => {
    await (await showRow(page, 'rake')).click();
    await waitForTab(page, 'rake.definition.txt');
    const server = await showRow(page, 'shed');
    const isOpen = (value: string) =>
      eventually(
        () => server.getAttribute('aria-expanded'),
        (expanded) => expanded === value,
      );
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await isOpen('false');
    await page.keyboard.press('Enter');
    await isOpen('true');
    await (await showRow(page, 'dig')).click();
    await waitForTab(page, 'dig.definition.txt');
    assert.equal(await isDialogOpen(page), false);
  });

  it('calls by its button', async () => {
    await pressRowAction(page, 'dig', 'Call Tool');
    await refuse(page);
  });
});

for (const [words, settings] of [
  ['to call on a click', { 'toolgate.tree.callOnClick': true }],
  ['to open on a double click alone', { 'workbench.list.openMode': 'doubleClick' }],
] as const) {
  describe(`The row of a tool in a window that is set ${words}`, function () {
    this.timeout(60_000);
    let page: Page;

    useWindow({ servers: () => ({ shed }), settings }, async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      await startAll(page, 1);
    });
    afterEach(() => closeEditors(page));

    it('calls, and shows nothing', async () => {
      const row = await showRow(page, 'dig');
      if ('toolgate.tree.callOnClick' in settings) await row.click();
      else await row.dblclick();
      await refuse(page);
      assert.deepEqual(await tabs(page), []);
    });
  });
}
