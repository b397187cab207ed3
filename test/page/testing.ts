import type { Locator, Page } from 'playwright-core';
import { openView } from './sideBar';
import { eventually, patienceMs, retryMs } from '../waiting';

// What a person does in the Test Explorer, and sees of it.
// Every function waits for what it needs.

const list = '.sidebar .test-explorer .monaco-list-rows';
const rows = (page: Page): Locator => page.locator(`${list} > .monaco-list-row`);

/** Shows the Test Explorer. */
export async function openTests(page: Page): Promise<void> {
  const first = rows(page).first();
  await eventually(
    async () => {
      await openView(page, 'Testing');
      await first.waitFor({ timeout: retryMs }).catch(() => undefined);
      return first.isVisible();
    },
    (isThere) => isThere,
  );
}

/** The rows in sight from top to bottom, as a screen reader says them. */
export async function testRows(page: Page): Promise<string[]> {
  return rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
}

/** Waits until the rows are so. */
export async function waitForTests(
  page: Page,
  areSo: (rows: readonly string[]) => boolean,
): Promise<readonly string[]> {
  return eventually(() => testRows(page), areSo);
}

/** The row of a test or a file, whatever its state. */
export function testRow(page: Page, label: string): Locator {
  return page.locator(`${list} > .monaco-list-row[aria-label^="${label} ("]`).first();
}

/** Opens a file, so that its calls have rows. */
export async function expandTests(page: Page, label: string): Promise<void> {
  const row = testRow(page, label);
  await row.waitFor({ timeout: patienceMs });
  if ((await row.getAttribute('aria-expanded')) === 'false') {
    await row.locator('.monaco-tl-twistie').click();
  }
}

/** Presses an inline action of a row, by the beginning of its title. */
export async function pressTestAction(page: Page, label: string, action: string): Promise<void> {
  const row = testRow(page, label);
  await row.hover({ timeout: patienceMs });
  await row.locator(`.action-label[aria-label^="${action}"]`).click({ timeout: patienceMs });
}
