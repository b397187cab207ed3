import type { Locator, Page } from 'playwright-core';
import { eventually, exactly, patienceMs, retryMs } from '../waiting';

// What a person does with the side bar and the tree in it, and sees of it.
// Every function waits for what it needs.

/** Time enough for a press on the icon to show its container, also in a busy window. */
const shownMs = 3_000;

/** Shows the container of the activity bar, such as `Toolgate`, in the side bar. */
export async function openView(page: Page, title: string): Promise<void> {
  const icon = page.locator('.activitybar .action-item', {
    has: page.locator(`a.action-label[aria-label^="${title}"]`),
  });
  const heading = page.locator('.sidebar .composite.title h2', { hasText: title });
  await icon.waitFor({ timeout: patienceMs });
  // A window that is being loaded brings its container back after the icon: a press between closes it.
  await page.evaluate('globalThis.driver?.whenWorkbenchRestored()');
  await eventually(
    async () => {
      // A press on the icon of the open container would close it.
      if ((await icon.getAttribute('aria-expanded')) !== 'true') await icon.click();
      await heading.waitFor({ timeout: shownMs }).catch(() => undefined);
      return heading.isVisible();
    },
    (isShown) => isShown,
  );
}

export interface TreeRow {
  readonly level: number;
  readonly label: string;
  readonly description: string;
  /** Absent when the row has nothing below it. */
  readonly isExpanded?: boolean;
  readonly ariaLabel: string;
  /** The product icon, such as `eye`; empty for a picture. */
  readonly icon: string;
}

/** The view of this name: a container may hold several. */
function paneOf(page: Page, view: string): Locator {
  return page.locator(`.sidebar .pane:has(> .pane-header[aria-label^="${view}"])`);
}

const serverTree = (page: Page): Locator => paneOf(page, 'Servers and Tools');

// Not the copies of parents that stick to the top of a scrolled tree.
const rowsOf = (pane: Locator): Locator =>
  pane.locator('.pane-body .monaco-list-rows > .monaco-list-row');
const treeRows = (page: Page): Locator => rowsOf(serverTree(page));

/** The row with exactly this label. */
export function treeRow(page: Page, label: string): Locator {
  return treeRows(page)
    .filter({ has: page.locator('.label-name', { hasText: exactly(label) }) })
    .first();
}

/** Waits until keys go to the row with this label. */
export async function waitForFocusedRow(page: Page, label: string): Promise<void> {
  const focused = page.locator('.sidebar .monaco-list:focus .monaco-list-row.focused');
  await eventually(
    () => focused.locator('.label-name').allInnerTexts(),
    ([name]) => name === label,
  );
}

/** The rows of the view `Calls` that are in sight, from top to bottom. */
export const callRows = (page: Page): Locator => rowsOf(paneOf(page, 'Calls'));

/** The same as `label | description`, without times of the day and durations. */
export async function callLines(page: Page): Promise<string[]> {
  const lines = await callRows(page).evaluateAll((rows) =>
    rows.map((row) => {
      const text = (part: string) => row.querySelector(part)?.textContent?.trim() ?? '';
      return `${text('.label-name')} | ${text('.label-description')}`;
    }),
  );
  return lines.map((line) => line.replace(/\d+(\.\d+)? m?s\b/, '_').replace(/ · \d\d:\d\d$/, ''));
}

interface SeenRow extends TreeRow {
  readonly index: number;
  readonly isLast: boolean;
}

async function readVisibleRows(page: Page): Promise<SeenRow[]> {
  const visible = await treeRows(page).evaluateAll((rows) =>
    rows.map((row) => {
      const text = (selector: string) => row.querySelector(selector)?.textContent?.trim() ?? '';
      const expanded = row.getAttribute('aria-expanded');
      const icon = row.querySelector('.custom-view-tree-node-item-icon')?.className ?? '';
      return {
        index: Number(row.getAttribute('data-index')),
        isLast: row.getAttribute('data-last-element') === 'true',
        level: Number(row.getAttribute('aria-level')),
        label: text('.label-name'),
        description: text('.label-description'),
        ...(expanded === null ? {} : { isExpanded: expanded === 'true' }),
        ariaLabel: row.getAttribute('aria-label') ?? '',
        icon: /codicon-(?!modifier)([\w-]+)/.exec(icon)?.[1] ?? '',
      };
    }),
  );
  // A row that was the last one may go on saying so.
  const bottom = Math.max(...visible.map(({ index }) => index));
  return visible.map((row) => ({ ...row, isLast: row.isLast && row.index === bottom }));
}

/** Moving the focus runs nothing, unlike a press on a row. What just closed may take it once more. */
async function pressInTree(page: Page, key: string): Promise<void> {
  await serverTree(page).locator('.pane-body .monaco-list').first().focus();
  await page.keyboard.press(key);
}

async function goToTop(page: Page): Promise<void> {
  await eventually(
    async () => {
      await pressInTree(page, 'Home');
      return readVisibleRows(page);
    },
    (rows) => rows.some(({ index }) => index === 0),
  );
}

/** The rows of the open view from top to bottom, at most `maxRows`; goes down where they do not fit. */
export async function readTree(page: Page, maxRows = 500): Promise<TreeRow[]> {
  await treeRows(page).first().waitFor({ timeout: patienceMs });
  await goToTop(page);
  const seen = new Map<number, SeenRow>();
  for (;;) {
    const rows = await readVisibleRows(page);
    for (const row of rows) seen.set(row.index, row);
    const last = rows.find((row) => row.isLast)?.index ?? Infinity;
    for (const index of seen.keys()) if (index > last) seen.delete(index);
    if (last < Infinity || seen.size >= maxRows) break;
    // The first press goes to the last visible row, the next ones a page on.
    await eventually(
      async () => {
        await pressInTree(page, 'PageDown');
        return readVisibleRows(page);
      },
      // The tree may have become shorter meanwhile.
      (next) => next.some(({ index, isLast }) => isLast || !seen.has(index)),
    );
  }
  return [...seen.values()]
    .toSorted((a, b) => a.index - b.index)
    .slice(0, maxRows)
    .map(({ index: _index, isLast: _isLast, ...row }) => row);
}

/** One line a row, for people and for comparing: indent, state, label, description. */
export function treeLines(rows: readonly TreeRow[]): string[] {
  return rows.map((row) => {
    const state = row.isExpanded === undefined ? ' ' : row.isExpanded ? '▾' : '▸';
    const line = `${'  '.repeat(row.level - 1)}${state} ${row.label}  ${row.description}`;
    return line.trimEnd();
  });
}

const happened = (action: Promise<void>): Promise<boolean> =>
  action.then(
    () => true,
    () => false,
  );

/** Whether a press meets it: parents that stick to the top of a scrolled tree may be in front of it. */
const isInReach = (row: Locator): Promise<boolean> =>
  happened(row.click({ trial: true, timeout: 1_000 }));

/** The row, brought into sight: VS Code makes only the rows that are. */
export async function showRow(page: Page, label: string): Promise<Locator> {
  const row = treeRow(page, label);
  await treeRows(page).first().waitFor({ timeout: patienceMs });
  const canPress = async (): Promise<boolean> => (await row.isVisible()) && isInReach(row);
  if (!(await canPress())) {
    await goToTop(page);
    await eventually(
      async () => (await canPress()) || (await pressInTree(page, 'PageDown'), false),
      (isThere) => isThere,
    );
  }
  return row;
}

/** Opens the row if it is closed. */
export async function expandRow(page: Page, label: string): Promise<void> {
  const row = await showRow(page, label);
  const open = row.and(page.locator('[aria-expanded="true"]'));
  // A row that is drawn anew just then does not take the press.
  await eventually(
    async () => {
      if ((await open.count()) > 0) return true;
      const isPressed = await happened(
        row.locator('.monaco-tl-twistie').click({ timeout: retryMs }),
      );
      return isPressed && happened(open.waitFor({ timeout: retryMs }));
    },
    (isOpen) => isOpen,
  );
}

/** Presses an inline action of the row, by the title of its command. */
export async function pressRowAction(page: Page, label: string, action: string): Promise<void> {
  const row = await showRow(page, label);
  const button = row.locator(`.action-label[aria-label^="${action}"]`);
  // A row that is drawn anew has its buttons when the pointer moves over it again.
  await eventually(
    async () => {
      await row.hover({ timeout: patienceMs });
      return happened(button.click({ timeout: retryMs }));
    },
    (isPressed) => isPressed,
  );
}

/** Chooses from the context menu of the row. */
export async function chooseFromRowMenu(page: Page, label: string, entry: string): Promise<void> {
  await (await showRow(page, label)).click({ button: 'right', timeout: patienceMs });
  await pressMenuEntry(page, entry);
}

/** Presses an entry of the context menu that is open, until it is taken. */
export async function pressMenuEntry(page: Page, entry: string): Promise<void> {
  const menu = page.locator('.context-view .monaco-menu');
  const name = page.locator('.action-label', { hasText: exactly(entry) });
  const item = menu.locator('.action-item', { has: name });
  await item.waitFor({ timeout: patienceMs });
  // A menu that has just come up takes no press: it may be the one that brought it up.
  await eventually(
    async () => {
      await item.click({ timeout: 500 }).catch(() => undefined);
      return menu.count();
    },
    (menus) => menus === 0,
  );
}

/** Presses a button above the tree, by the title of its command. */
export async function pressViewAction(page: Page, action: string): Promise<void> {
  // Where a container has several views, the header of each shows its buttons under the pointer.
  await serverTree(page).locator('> .pane-header').hover({ timeout: patienceMs });
  const bar = page.locator('.sidebar .composite.title, .sidebar .pane-header');
  await bar
    .locator(`.action-label[aria-label^="${action}"]`)
    .first()
    .click({ timeout: patienceMs });
}
