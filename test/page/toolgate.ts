import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { pressDialog, readDialog } from './dialog';
import {
  peekQuickInput,
  pick,
  readQuickInput,
  runCommand,
  waitForQuickInputFocus,
  type QuickInput,
} from './quickInput';
import { openView, readTree, treeRow, type TreeRow } from './sideBar';
import { eventually, exactly, retryMs } from '../waiting';
import type { SuiteWindow } from './window';
import type { AnyServer } from './workspace';

// What a person does with Toolgate, in the words of its commands.

/** Shows the tree of servers and tools, with every row in it. */
export async function openToolgate(page: Page): Promise<TreeRow[]> {
  await openView(page, 'Toolgate');
  return readTree(page);
}

/** As a person does it, so that VS Code writes down in order which tabs are open. */
export async function reloadWindow(page: Page): Promise<void> {
  const isLoaded = page.waitForEvent('load');
  // The page goes away while it is looked at.
  await runCommand(page, 'Developer: Reload Window').catch(() => undefined);
  await isLoaded;
  await openView(page, 'Toolgate');
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

/** Says yes to how servers are started, which is asked before they are started for the first time. */
export async function approveServers(page: Page): Promise<void> {
  const { buttons } = await readDialog(page);
  const start = buttons.find((button) => /^(?:Connect|Start (?:Server|\d+ Servers))$/.test(button));
  if (start !== undefined) return pressDialog(page, start);
  // Too long for a dialog.
  await pressDialog(page, 'Review');
  await page
    .locator('.codelens-decoration a', { hasText: /Start|Connect/ })
    .first()
    .click();
}

/**
 * Starts every configured server from the palette for the first time, says yes to how, and waits
 * until so many of them run.
 */
export async function startAll(page: Page, count: number): Promise<void> {
  await runCommand(page, 'Toolgate: Start All Servers');
  await approveServers(page);
  await eventually(
    () => serverRows(page),
    (rows) => rows.filter(({ icon }) => icon === 'vm-running').length === count,
  );
}

/** Configures these servers in place of the others, starts them and says yes to how. */
export async function startOthers(
  { page, workspace }: SuiteWindow,
  servers: Readonly<Record<string, AnyServer>>,
): Promise<void> {
  workspace.configure(servers);
  const labels = Object.keys(servers);
  await eventually(
    async () => (await serverRows(page)).map(({ label }) => label),
    (rows) => isDeepStrictEqual(rows, labels),
  );
  await startAll(page, labels.length);
}

async function inputForKeys(page: Page, isIt: (input: QuickInput) => boolean): Promise<QuickInput> {
  const input = await eventually(() => readQuickInput(page), isIt);
  await waitForQuickInputFocus(page);
  return input;
}

/** Waits for the quick input of this title; what is typed earlier goes nowhere. */
export async function waitForInput(page: Page, title: string): Promise<QuickInput> {
  return inputForKeys(page, (input) => input.title.startsWith(title) && input.items.length > 0);
}

/**
 * Toolgate: Call Tool…, and the tool of this title. Its arguments or the dialog come next. By its keys, for
 * which the window does a third of what the palette costs it, and by the palette where they get lost.
 */
export async function chooseTool(page: Page, title: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.press('g');
  const isOpen = (input?: QuickInput) =>
    input?.title.startsWith('Call Tool') === true && input.items.length > 0;
  await eventually(() => peekQuickInput(page), isOpen, retryMs / 2).catch(async () => {
    await runCommand(page, 'Toolgate: Call Tool…');
    await waitForInput(page, 'Call Tool');
  });
  await pick(page, title);
}

/** Waits for the page of all arguments, which has the title and Run on top. */
export async function waitForPage(page: Page, title: string): Promise<QuickInput> {
  return inputForKeys(
    page,
    (input) => input.title === title && input.items.some(({ label }) => label === 'Run'),
  );
}

/** Waits for the question for one argument: its prompt, or its placeholder, begins like this. */
export async function waitForQuestion(
  page: Page,
  title: string,
  words: string,
): Promise<QuickInput> {
  return inputForKeys(
    page,
    (input) =>
      input.title === title &&
      (input.message.startsWith(words) || input.placeholder.startsWith(words)),
  );
}

/** Where a window without editors has nothing that shows a hover: the upper middle of their place. */
const emptyPlace = { x: 800, y: 180 };
/** A document that is still being opened comes within this time; the window has nothing to do meanwhile. */
const lateMs = 300;

/** A browser saves by itself a second after the last key; else it would ask whether to. */
const savedMs = 2_000;

/**
 * What comes late, such as the document of a result that is just being opened, is closed, too, and what
 * was not saved is let go. By its keys, for which the window does a tenth of what the palette costs it;
 * by the palette where what has the focus keeps the keys to itself.
 */
export async function closeEditors(page: Page): Promise<void> {
  const tabs = page.locator('.editor .tabs-container .tab');
  const areGone = (timeout: number) =>
    tabs
      .first()
      .waitFor({ state: 'detached', timeout })
      .catch(() => undefined);
  const letGo = page.locator('.monaco-dialog-box .monaco-button', {
    hasText: exactly("Don't Save"),
  });
  let tries = 0;
  await page
    .locator('.editor .tabs-container .tab.dirty')
    .first()
    .waitFor({ state: 'detached', timeout: savedMs })
    .catch(() => undefined);
  // Over a row it would soon have a hover in front of the rows below.
  await page.mouse.move(emptyPlace.x, emptyPlace.y);
  await eventually(
    async () => {
      if (await letGo.isVisible()) await letGo.click();
      else if (tries < 2) {
        await page.keyboard.press('ControlOrMeta+k');
        await page.keyboard.press('ControlOrMeta+w');
      } else await runCommand(page, 'View: Close All Editors');
      tries += 1;
      await areGone(tries < 2 ? lateMs * 5 : retryMs);
      await page.waitForTimeout(lateMs);
      return tabs.count();
    },
    (open) => open === 0,
  );
}

/** Waits until the status bar says it; such messages go away by themselves. */
export async function waitForStatus(page: Page, text: string): Promise<void> {
  await page.locator('.statusbar .statusbar-item', { hasText: text }).first().waitFor();
}
