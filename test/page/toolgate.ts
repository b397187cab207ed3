import type { Page } from 'playwright-core';
import {
  eventually,
  openView,
  pick,
  readQuickInput,
  readTree,
  runCommand,
  treeRow,
  type QuickInput,
  type TreeRow,
} from './harness';

// What a person does with Toolgate, in the words of its commands.

/** Shows the tree of servers and tools, with every row in it. */
export async function openToolgate(page: Page): Promise<TreeRow[]> {
  await openView(page, 'Toolgate');
  return readTree(page);
}

/** The rows of servers, without what is below them. */
export async function serverRows(page: Page): Promise<TreeRow[]> {
  return (await readTree(page)).filter(({ level }) => level === 1);
}

/** Waits until the row of the server says this. */
export async function waitForServer(page: Page, label: string, words: RegExp): Promise<void> {
  await eventually(
    async () => (await treeRow(page, label).getAttribute('aria-label')) ?? '',
    (said) => words.test(said),
  );
}

/** Starts every configured server from the palette, and waits until so many of them run. */
export async function startAll(page: Page, count: number): Promise<void> {
  await runCommand(page, 'Toolgate: Start All Servers');
  await eventually(
    () => serverRows(page),
    (rows) => rows.filter(({ icon }) => icon === 'vm-running').length === count,
  );
}

/** Waits for the quick input of this title; what is typed earlier goes nowhere. */
export async function waitForInput(page: Page, title: string): Promise<QuickInput> {
  return eventually(
    () => readQuickInput(page),
    (input) => input.title.startsWith(title) && input.items.length > 0,
  );
}

/** Toolgate: Call Tool…, and the tool of this title. Its arguments or the dialog come next. */
export async function chooseTool(page: Page, title: string): Promise<void> {
  await runCommand(page, 'Toolgate: Call Tool…');
  await waitForInput(page, 'Call Tool');
  await pick(page, title);
}

export async function closeEditors(page: Page): Promise<void> {
  await runCommand(page, 'View: Close All Editors');
  await page.locator('.editor .tabs-container .tab').first().waitFor({ state: 'detached' });
}

/** Waits until the status bar says it; such messages go away by themselves. */
export async function waitForStatus(page: Page, text: string): Promise<void> {
  await page.locator('.statusbar .statusbar-item', { hasText: text }).first().waitFor();
}
