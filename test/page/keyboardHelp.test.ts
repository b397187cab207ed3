import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { editorText, waitForTab } from './editors';
import { typeCommand } from './quickInput';
import { useWindow } from './window';

describe('Help for the keyboard', function () {
  this.timeout(90_000);
  let page: Page;

  useWindow({}, (opened) => {
    ({ page } = opened);
  });

  it('is a document in the palette that says which key does what', async () => {
    await typeCommand(page, 'Toolgate: Keyboard and Screen Reader Help');
    await waitForTab(page, 'Keyboard and Screen Reader.txt');
    const text = await editorText(page);
    assert.match(text, /^Everywhere\nF1: all commands/);
    assert.match(
      text,
      /^Ctrl\+Enter \(macOS: Cmd\+Enter\): runs it with the arguments of its last call\.$/m,
    );
    assert.match(text, /^Right Arrow and Left Arrow: open and close a server\.$/m);
  });
});
