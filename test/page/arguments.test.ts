import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog, sentArguments } from './dialog';
import { editorText, replaceText, waitForTab } from './editors';
import { clearNotifications, notifications } from './notifications';
import { pick, pressQuickButton, readQuickInput, typeAndAccept } from './quickInput';
import {
  chooseTool,
  closeEditors,
  openToolgate,
  startAll,
  waitForInput,
  waitForPage,
  waitForQuestion,
  waitForStatus,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { demoServer } from './workspace';

describe('The arguments of a call', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({ servers: () => ({ demo: demoServer }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await startAll(page, 1);
  });

  const rowLabels = async () => (await readQuickInput(page)).items.map(({ label }) => label);
  const title = 'Plant a note (demo)';
  const question = (words: string) => waitForQuestion(page, title, words);
  /** The rows of the page: what stands in which field. */
  const rows = async (): Promise<Record<string, string>> => {
    const { items } = await waitForPage(page, title);
    return Object.fromEntries(items.map(({ label, description }) => [label, description]));
  };

  it('are asked for where they are required, checked in place, and stand on one page', async () => {
    await chooseTool(page, 'Plant a note');
    await question('name: ');
    await typeAndAccept(page, '');
    const { message } = await eventually(
      () => readQuickInput(page),
      ({ isInvalid }) => isInvalid,
    );
    assert.match(message, /must have at least 1 character/);
    await typeAndAccept(page, 'Sage');
    assert.deepEqual(await rows(), {
      Run: '',
      name: 'Sage',
      text: 'Water me.',
      color: 'default: red — red, yellow, blue, white',
      priority: 'default: 3 — 1 is urgent, 5 can wait.',
      'Height in cm': 'number, more than 0, at most 400',
      pinned: 'default: false — Whether it stays at the top.',
      'Enter as JSON': '',
    });
  });

  it('are changed one at a time, and Back keeps what was entered', async () => {
    await pressQuickButton(page, 'Back');
    assert.equal((await question('name: ')).value, 'Sage');
    await page.keyboard.press('Enter');
    await rows();
    await pick(page, 'color');
    assert.deepEqual(
      (await question('color')).items.map(({ label }) => label),
      ['red', 'yellow', 'blue', 'white', 'Leave out'],
    );
    await pick(page, 'blue');
    assert.equal((await rows())['color'], 'blue');
    await pick(page, 'priority');
    assert.equal((await question('priority: ')).value, '3');
    await pressQuickButton(page, 'Back');
    // Looked at, not taken.
    assert.match((await rows())['priority'] ?? '', /^default: 3/);
    await pick(page, 'Height in cm');
    await question('Height in cm');
    await page.keyboard.type('12.5');
    await pressQuickButton(page, 'Back');
    assert.equal((await rows())['Height in cm'], '12.5');
    await pick(page, 'priority');
    await question('priority: ');
    await typeAndAccept(page, ''); // Optional, so nothing means absent.
    await rows();
    await page.keyboard.press('Enter');
    const { detail } = await readDialog(page);
    assert.deepEqual(JSON.parse(sentArguments({ detail })), {
      name: 'Sage',
      text: 'Water me.',
      color: 'blue',
      heightCm: 12.5,
    });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“plant_note” was not called.');
  });

  it('are there the next time, also those of a call that was given up, and Enter runs', async () => {
    await chooseTool(page, 'Plant a note');
    assert.equal((await rows())['Height in cm'], '12.5');
    await pick(page, 'text');
    await question('text: ');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Dry.');
    await page.keyboard.press('Escape');
    await eventually(
      () => page.locator('.quick-input-widget:visible').count(),
      (count) => count === 0,
    );
    await chooseTool(page, 'Plant a note');
    assert.equal((await rows())['text'], 'Dry.');
    const color = page.locator('.quick-input-list .monaco-list-row', { hasText: 'color' });
    await color.hover();
    await color.locator('[aria-label="Leave Out"]').click();
    await eventually(rows, (now) => now['color']?.startsWith('default: red') === true);
    await page.keyboard.press('Enter');
    const { detail } = await readDialog(page);
    assert.deepEqual(JSON.parse(sentArguments({ detail })), {
      name: 'Sage',
      text: 'Dry.',
      heightCm: 12.5,
    });
    await pressDialog(page, 'Cancel');
    await waitForStatus(page, '“plant_note” was not called.');
  });

  it('are not run by Enter while somebody looks for one of them', async () => {
    await chooseTool(page, 'Plant a note');
    await rows();
    await page.keyboard.type('r');
    await eventually(rowLabels, (labels) => !labels.includes('Run'));
    await page.keyboard.type('un');
    await eventually(rowLabels, (labels) => labels.every((label) => !/[RJ]/.test(label)));
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
    await page.keyboard.press('Escape');
  });

  it('lead back to the tools, where the tool was chosen', async () => {
    await chooseTool(page, 'Plant a note');
    await rows();
    await pressQuickButton(page, 'Back');
    await waitForInput(page, 'Call Tool');
    await pick(page, 'Delete a note');
    await waitForQuestion(page, 'Delete a note (demo)', 'name');
    await pressQuickButton(page, 'Back');
    await waitForInput(page, 'Call Tool');
    await page.keyboard.press('Escape');
  });

  it('are a document where they are nested, which is not sent while it has problems', async () => {
    await chooseTool(page, 'Plan a flower bed');
    await waitForTab(page, 'plan_bed.arguments.jsonc');
    await page.locator('.codelens-decoration a', { hasText: 'Run “Plan a flower bed”' }).waitFor();
    await page.keyboard.press('ControlOrMeta+Enter');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => /^Not sent: \d+ problems\./.test(text)),
    );
    assert.equal(await page.locator('.monaco-dialog-box').count(), 0);
    await clearNotifications(page);
  });

  it('run from the document with Ctrl+Enter when they fit', async () => {
    const bed = { name: 'Herbs', size: { lengthM: 2, widthM: 1 } };
    const given = { bed, plants: [{ kind: 'tulip', count: 3 }] };
    await replaceText(page, JSON.stringify(given));
    await page.keyboard.press('ControlOrMeta+Enter');
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'Run “Plan a flower bed” (plan_bed) on “demo”?');
    assert.deepEqual(JSON.parse(sentArguments({ detail })), given);
    await pressDialog(page, 'Run');
    await waitForTab(page, /^plan_bed\.mcp(txt|json|md)$/);
    assert.match(await editorText(page), /Herbs/);
    await closeEditors(page);
  });
});
