import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openWindow, type VscodeWindow } from '../vscode/window';
import {
  clearNotifications,
  editorText,
  eventually,
  notifications,
  pick,
  pressDialog,
  pressQuickButton,
  readDialog,
  readQuickInput,
  typeAndAccept,
  waitForTab,
  type QuickInput,
} from './harness';
import { chooseTool, closeEditors, openToolgate, startAll, waitForStatus } from './toolgate';
import { demoServer, makeWorkspace, type Workspace } from './workspace';

describe('The arguments of a call', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let window: VscodeWindow;
  let page: Page;

  before(async () => {
    workspace = makeWorkspace();
    workspace.configure({ demo: demoServer });
    window = await openWindow({ folder: workspace.folder });
    page = window.page;
    await openToolgate(page);
    await startAll(page, 1);
  });
  after(async () => {
    await window.close();
    workspace.remove();
  });

  const step = (number: number): Promise<QuickInput> =>
    eventually(
      () => readQuickInput(page),
      ({ title }) => title === `Plant a note (demo) (${number}/6)`,
    );

  it('are asked one by one, checked in place, and Back keeps what was entered', async () => {
    await chooseTool(page, 'Plant a note');
    await step(1);
    await typeAndAccept(page, '');
    const { message } = await eventually(
      () => readQuickInput(page),
      ({ isInvalid }) => isInvalid,
    );
    assert.match(message, /must NOT have fewer than 1 characters/);
    await typeAndAccept(page, 'Sage');
    assert.equal((await step(2)).value, 'Water me.');
    await pressQuickButton(page, 'Back');
    assert.equal((await step(1)).value, 'Sage');
    await page.keyboard.press('Enter');
    await step(2);
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await step(3)).items.map(({ label }) => label),
      ['red', 'yellow', 'blue', 'white', 'Leave out'],
    );
    await pick(page, 'blue');
    assert.equal((await step(4)).value, '3');
    await typeAndAccept(page, ''); // Optional, so nothing means absent.
    await step(5);
    await typeAndAccept(page, '12.5');
    await step(6);
    await pick(page, 'Leave out');
    const { detail } = await readDialog(page);
    assert.deepEqual(JSON.parse(detail.slice(detail.indexOf('{'))), {
      name: 'Sage',
      text: 'Water me.',
      color: 'blue',
      heightCm: 12.5,
    });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“plant_note” was not called.');
  });

  it('are a document where they are nested, which is not sent while it has problems', async () => {
    await chooseTool(page, 'Plan a flower bed');
    await waitForTab(page, 'plan_bed.arguments.jsonc');
    await page.locator('.codelens-decoration a', { hasText: 'Run “Plan a flower bed”' }).waitFor();
    await page.keyboard.press('ControlOrMeta+Enter');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => /^Nothing was sent: \d+ problems\./.test(text)),
    );
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
    await clearNotifications(page);
  });

  it('run from the document with Ctrl+Enter when they fit', async () => {
    const bed = { name: 'Herbs', size: { lengthM: 2, widthM: 1 } };
    const given = { bed, plants: [{ kind: 'tulip', count: 3 }] };
    await editorText(page); // Leaves the focus in the document.
    await page.keyboard.press('ControlOrMeta+a');
    // Pasted: typing would close brackets on its own.
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(JSON.stringify(given))})`);
    await page.keyboard.press('ControlOrMeta+v');
    await page.keyboard.press('ControlOrMeta+Enter');
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'Run “Plan a flower bed” (plan_bed) on “demo”?');
    assert.deepEqual(JSON.parse(detail.slice(detail.indexOf('{'))), given);
    await pressDialog(page, 'Run');
    await waitForTab(page, /^plan_bed\.(txt|json|md)$/);
    assert.match(await editorText(page), /Herbs/);
    await closeEditors(page);
  });
});
