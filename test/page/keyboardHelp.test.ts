import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { editorText, waitForTab } from './editors';
import { readQuickInput } from './quickInput';
import { eventually } from './waiting';
import { useWindow } from './window';

describe('Help for the keyboard', function () {
  this.timeout(90_000);
  let page: Page;

  useWindow({}, (opened) => {
    ({ page } = opened);
  });

  const press = (key: string) => page.keyboard.press(key);
  /** From the palette, without a click. */
  async function command(title: string): Promise<void> {
    await press('F1');
    await readQuickInput(page);
    await page.keyboard.type(title);
    await eventually(
      () => readQuickInput(page),
      ({ items }) => items[0]?.label === title,
    );
    await press('Enter');
  }

  it('is a document in the palette that says which key does what', async () => {
    await command('Toolgate: Keyboard and Screen Reader Help');
    await waitForTab(page, 'Keyboard and Screen Reader.txt');
    const text = await editorText(page);
    assert.match(text, /^Everywhere\nF1: all commands/);
    assert.match(text, /^Right Arrow and Left Arrow: open and close a server\.$/m);
  });
});
