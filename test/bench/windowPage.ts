import type { Page } from 'playwright-core';
import { runCommand } from '../page/quickInput';

// What is measured in the page of a window.

const rows =
  '.sidebar .pane:has(> .pane-header[aria-label^="Servers and Tools"]) .pane-body ' +
  '.monaco-list-rows > .monaco-list-row:not([aria-level="1"])';

/** From now on the page knows when a button or a key was last pressed. */
export async function watchPresses(page: Page): Promise<void> {
  await page.evaluate(`
    for (const name of ['keydown', 'mousedown']) {
      document.addEventListener(name, () => (globalThis.pressedAt = Date.now()), true);
    }
  `);
}

export async function pressedAt(page: Page): Promise<number> {
  return Number(await page.evaluate('globalThis.pressedAt'));
}

/**
 * Epoch ms of the frame in which what is below the first rows of the view is first drawn other than it is
 * now, and has this text.
 */
export async function nextRows(page: Page, text: string) {
  const below = `[...document.querySelectorAll(${JSON.stringify(rows)})]
    .map((row) => row.textContent).join('\\n')`;
  await page.evaluate(`
    globalThis.rowsDrawn = new Promise((resolve) => {
      const before = ${below};
      const look = () => {
        const now = ${below};
        if (now !== before && now.includes(${JSON.stringify(text)})) resolve(Date.now());
        else requestAnimationFrame(look);
      };
      look();
    });
    undefined;
  `);
  return { drawn: page.evaluate('globalThis.rowsDrawn').then(Number) };
}

/** Milliseconds by the name of the extension, as Running Extensions shows them. */
export async function activationTimes(page: Page): Promise<Map<string, number>> {
  await runCommand(page, 'Developer: Show Running Extensions');
  const list = page.locator('.runtime-extensions-editor .monaco-list-row');
  await list.first().waitFor();
  const texts = await list.allInnerTexts();
  // It may stand in front of everything else.
  await page.keyboard.press('Escape');
  await page.locator('.monaco-modal-editor-block').waitFor({ state: 'detached' });
  return new Map(
    texts.flatMap((text) => {
      const [name = ''] = text.split('\n');
      const [, ms] = /Activation: (\d+)ms/.exec(text) ?? [];
      return ms === undefined ? [] : [[name.trim(), Number(ms)] as const];
    }),
  );
}
