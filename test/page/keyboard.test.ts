import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { ScreenReader } from './accessibility';
import { isDialogOpen } from './dialog';
import { waitForTab } from './editors';
import { eventually } from './waiting';
import { useWindow } from './window';
import { demoServer } from './workspace';

describe('The main job by keyboard, as a screen reader tells it', function () {
  this.timeout(60_000);
  let page: Page;
  let reader: ScreenReader;

  useWindow({ servers: () => ({ demo: demoServer }) }, (opened) => {
    ({ page } = opened);
    reader = new ScreenReader(page);
  });

  const press = (key: string) => page.keyboard.press(key);

  async function runFromPalette(title: string): Promise<void> {
    await press('F1');
    await reader.hears(/^(?:textbox|combobox|option)/);
    await page.keyboard.type(title);
    await reader.hears(new RegExp(`: .*${title}`));
    await press('Enter');
  }

  /** Answers the modal dialog by a button that the focus goes to. */
  async function answer(button: string): Promise<void> {
    await reader.pressUntil('Tab', new RegExp(`^button: ${button}$`));
    await press('Enter');
    await eventually(
      () => isDialogOpen(page),
      (isOpen) => !isOpen,
    );
  }

  it('begins in the view', async () => {
    await runFromPalette('Toolgate: Focus on Servers and Tools View');
    await press('Home');
    assert.equal(await reader.hears(/demo/), 'treeitem: Server demo: stopped');
  });

  it('starts the server after a question', async () => {
    await press('ArrowRight');
    await eventually(
      () => reader.all('dialog'),
      (all) => all.some((dialog) => /Start “demo” for the first time\?/.test(dialog)),
    );
    await answer('Start Server');
    await runFromPalette('Toolgate: Focus on Servers and Tools View');
    await press('Home');
    assert.equal(await reader.hears(/21 tools/), 'treeitem: Server demo: 21 tools');
  });

  it('reads a tool in a few words, asks, and opens the answer', async () => {
    assert.equal(
      await reader.pressUntil('ArrowDown', /List notes/),
      'treeitem: List notes, read-only',
    );
    await press('Enter');
    await eventually(
      () => reader.all('dialog'),
      (all) => all.some((dialog) => dialog.includes('List notes')),
    );
    await answer('Run');
    await waitForTab(page, /^list_notes\./);
  });

  it('asks for an argument, and names it', async () => {
    await runFromPalette('Toolgate: Focus on Servers and Tools View');
    await press('Home');
    assert.equal(
      await reader.pressUntil('ArrowDown', /Read a note/),
      'treeitem: Read a note, read-only',
    );
    await press('Enter');
    const asked = await reader.hears(/^(?:textbox|combobox|option): /);
    assert.match(asked, /\w/);
    assert.doesNotMatch(asked, /\$\(|codicon/);
    await page.keyboard.type('welcome');
    // On where the argument was the last one, and on over whatever stands before the question.
    await eventually(
      async () => {
        if (await isDialogOpen(page)) return true;
        await press('Enter');
        return isDialogOpen(page);
      },
      (isOpen) => isOpen,
    );
    await answer('Run');
    await waitForTab(page, /^read_note\./);
  });
});
