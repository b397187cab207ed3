import assert from 'node:assert/strict';
import type { Frame, Locator, Page } from 'playwright-core';
import { eventually } from '../waiting';

// What a user does on the page of an answer, and sees of it.

/** The frame of the page in front, as soon as it has drawn its answer. */
export async function answerFrame(page: Page): Promise<Frame> {
  const found = await eventually(
    async () => {
      for (const frame of page.frames()) {
        // A frame may go away while it is looked at.
        const isDrawn = await frame
          .locator('main#page > header.bar')
          .isVisible()
          .catch(() => false);
        if (isDrawn) return frame;
      }
      return undefined;
    },
    (frame) => frame !== undefined,
  );
  return found ?? assert.fail();
}

/** A button of the page, by what it says. */
export async function pageButton(page: Page, label: string | RegExp): Promise<Locator> {
  const frame = await answerFrame(page);
  return frame.getByRole('button', { name: label, exact: typeof label === 'string' }).first();
}

/** Waits until the page says it somewhere, and gives all that it says. */
export async function waitForAnswer(page: Page, words: RegExp): Promise<string> {
  return eventually(
    async () => {
      const frame = await answerFrame(page);
      return (
        (await frame
          .locator('main')
          .innerText()
          .catch(() => '')) ?? ''
      );
    },
    (text) => words.test(text),
  );
}
