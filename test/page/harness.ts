import type { Locator, Page } from 'playwright-core';

// What a person does in VS Code, and what they see. Every function waits for what it needs.

const patienceMs = 15_000;
const pollMs = 50;

/** Exactly this text, whatever white space VS Code puts around it. */
function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}\\s*$`);
}

/** What `read` gives as soon as `isEnough` holds for it. */
export async function eventually<T>(
  read: () => Promise<T>,
  isEnough: (value: T) => boolean,
  timeoutMs = patienceMs,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isEnough(value)) return value;
    if (performance.now() > end) {
      throw new Error(`After ${timeoutMs} ms it is still: ${JSON.stringify(value, undefined, 2)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

// Quick input: command palette, pickers, input boxes

const quickInput = (page: Page): Locator => page.locator('.quick-input-widget:visible');
const quickInputBox = (page: Page): Locator => quickInput(page).locator('.quick-input-box input');

function quickRow(page: Page, label: string): Locator {
  const name = page.locator('.label-name', { hasText: exactly(label) });
  return quickInput(page).locator('.quick-input-list .monaco-list-row', { has: name }).first();
}

export interface QuickInput {
  readonly title: string;
  readonly value: string;
  readonly placeholder: string;
  /** The prompt of an input box, or what is wrong with the value. */
  readonly message: string;
  readonly isInvalid: boolean;
  /** The rows in sight: a long list has more. */
  readonly items: readonly { label: string; description: string; detail: string }[];
}

/** The quick input as it is at this moment; nothing if none is open. */
async function peekQuickInput(page: Page): Promise<QuickInput | undefined> {
  const [found] = await page.locator('.quick-input-widget').evaluateAll((widgets) =>
    widgets
      .filter((widget) => widget.getClientRects().length > 0)
      .map((widget) => {
        const text = (parent: typeof widget, selector: string) =>
          parent.querySelector(selector)?.textContent?.trim() ?? '';
        const box = widget.querySelector('.quick-input-box input');
        const rows = [...widget.querySelectorAll('.quick-input-list .monaco-list-row')];
        return {
          title: text(widget, '.quick-input-title'),
          value: box !== null && 'value' in box ? String(box.value) : '',
          placeholder: box?.getAttribute('placeholder') ?? '',
          message: text(widget, '.quick-input-message'),
          isInvalid: widget.querySelector('.quick-input-box .monaco-inputbox.error') !== null,
          items: rows
            .filter((row) => row.getClientRects().length > 0)
            .map((row) => ({
              label: text(row, '.label-name'),
              description: text(row, '.label-description'),
              detail: text(row, '.quick-input-list-label-meta'),
            })),
        };
      }),
  );
  return found;
}

/** The open quick input; waits until one is open, and has this title if one is given. */
export async function readQuickInput(page: Page, title?: string): Promise<QuickInput> {
  const found = await eventually(
    () => peekQuickInput(page),
    (now) => now !== undefined && (title === undefined || now.title === title),
  );
  if (found === undefined) throw new Error('No quick input is open.');
  return found;
}

/** Waits until the quick input is closed, or is the next one. */
async function leftQuickInput(
  page: Page,
  before: QuickInput | undefined,
  isStillWaiting: (now: QuickInput) => boolean = () => true,
): Promise<void> {
  const key = (input: QuickInput) => [input.title, input.placeholder, input.value].join('\n');
  await eventually(
    () => peekQuickInput(page),
    (now) => !now || !before || key(now) !== key(before) || !isStillWaiting(now),
  );
}

/** Runs a command from the palette by its full title, such as `Toolgate: Call Tool…`. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1');
  const box = quickInputBox(page);
  await box.waitFor({ timeout: patienceMs });
  await box.fill(`>${title}`);
  await quickRow(page, title).click({ timeout: patienceMs });
  // The command may open a picker of its own in the same place.
  await eventually(
    () => box.evaluateAll((boxes) => boxes.map((each) => ('value' in each ? each.value : ''))),
    (values) => !values.some((value) => String(value).startsWith('>')),
  );
}

/** Types over the value of the open quick input and presses Enter. Returns if it is refused, too. */
export async function typeAndAccept(page: Page, text: string): Promise<void> {
  const box = quickInputBox(page);
  await box.fill(text, { timeout: patienceMs });
  const before = await peekQuickInput(page);
  await box.press('Enter');
  await leftQuickInput(page, before, (now) => !now.isInvalid);
}

/** Picks the row with exactly this label. Types the label only if the list does not show it. */
export async function pick(page: Page, label: string): Promise<void> {
  const list = quickInput(page).locator('.quick-input-list .monaco-list-row');
  await list.first().waitFor({ timeout: patienceMs });
  const row = quickRow(page, label);
  if ((await row.count()) === 0) await quickInputBox(page).fill(label);
  await row.waitFor({ timeout: patienceMs });
  const before = await peekQuickInput(page);
  await row.click({ timeout: patienceMs });
  await leftQuickInput(page, before, (now) => now.items.some((item) => item.label === label));
}

/** Presses a button of the open quick input's title bar, such as `Back`. */
export async function pressQuickButton(page: Page, label: string): Promise<void> {
  const bar = quickInput(page).locator('.quick-input-titlebar');
  await bar.locator(`.action-label[aria-label^="${label}"]`).click({ timeout: patienceMs });
}

// Modal dialog

export interface Dialog {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

const dialogBox = (page: Page): Locator => page.locator('.monaco-dialog-box');

async function textOf(parent: Locator, selector: string): Promise<string> {
  const found = parent.locator(selector).first();
  return (await found.count()) === 0 ? '' : (await found.innerText()).trim();
}

export async function readDialog(page: Page): Promise<Dialog> {
  const box = dialogBox(page);
  await box.waitFor({ timeout: patienceMs });
  return {
    message: await textOf(box, '.dialog-message'),
    detail: await textOf(box, '.dialog-message-detail'),
    buttons: await box.locator('.dialog-buttons .monaco-button').allTextContents(),
  };
}

export async function isDialogOpen(page: Page): Promise<boolean> {
  return (await dialogBox(page).count()) > 0;
}

/** Presses the button and waits until this dialog is gone. */
export async function pressDialog(page: Page, button: string): Promise<void> {
  const box = dialogBox(page);
  await box.waitFor({ timeout: patienceMs });
  const dialog = await box.elementHandle();
  const name = exactly(button);
  await box.locator('.dialog-buttons .monaco-button', { hasText: name }).click();
  await dialog?.waitForElementState('hidden', { timeout: patienceMs });
}

/** Closes the dialog with Escape. */
export async function dismissDialog(page: Page): Promise<void> {
  await dialogBox(page).waitFor({ timeout: patienceMs });
  await page.keyboard.press('Escape');
  await dialogBox(page).waitFor({ state: 'detached', timeout: patienceMs });
}

// Side bar and tree

/** Shows the container of the activity bar, such as `Toolgate`, in the side bar. */
export async function openView(page: Page, title: string): Promise<void> {
  const icon = page.locator('.activitybar .action-item', {
    has: page.locator(`a.action-label[aria-label^="${title}"]`),
  });
  await icon.waitFor({ timeout: patienceMs });
  // A press on the icon of the open container would close it.
  if ((await icon.getAttribute('aria-expanded')) !== 'true') await icon.click();
  await page
    .locator('.sidebar .composite.title h2', { hasText: title })
    .waitFor({ timeout: patienceMs });
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

// Not the copies of parents that stick to the top of a scrolled tree.
const treeRows = (page: Page): Locator =>
  page.locator('.sidebar .pane-body .monaco-list-rows > .monaco-list-row');

/** The row with exactly this label. */
export function treeRow(page: Page, label: string): Locator {
  return treeRows(page)
    .filter({ has: page.locator('.label-name', { hasText: exactly(label) }) })
    .first();
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

/** The rows of the open view from top to bottom, at most `maxRows`; goes down where they do not fit. */
export async function readTree(page: Page, maxRows = 500): Promise<TreeRow[]> {
  await treeRows(page).first().waitFor({ timeout: patienceMs });
  // Moving the focus runs nothing, unlike a press on a row.
  await page.locator('.sidebar .pane-body .monaco-list').first().focus();
  await page.keyboard.press('Home');
  await eventually(
    () => readVisibleRows(page),
    (rows) => rows.some(({ index }) => index === 0),
  );
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
        await page.keyboard.press('PageDown');
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

/** The row, brought into sight: VS Code makes only the rows that are. */
export async function showRow(page: Page, label: string): Promise<Locator> {
  const row = treeRow(page, label);
  await treeRows(page).first().waitFor({ timeout: patienceMs });
  if (!(await row.isVisible())) {
    await page.locator('.sidebar .pane-body .monaco-list').first().focus();
    await page.keyboard.press('Home');
    await eventually(
      async () => (await row.isVisible()) || (await page.keyboard.press('PageDown'), false),
      (isVisible) => isVisible,
    );
  }
  return row;
}

/** Opens the row if it is closed. */
export async function expandRow(page: Page, label: string): Promise<void> {
  const row = await showRow(page, label);
  if ((await row.getAttribute('aria-expanded')) === 'false') {
    await row.locator('.monaco-tl-twistie').click();
  }
  await eventually(
    () => row.getAttribute('aria-expanded'),
    (expanded) => expanded === 'true',
  );
}

/** Presses an inline action of the row, by the title of its command. */
export async function pressRowAction(page: Page, label: string, action: string): Promise<void> {
  const row = await showRow(page, label);
  await row.hover({ timeout: patienceMs });
  await row.locator(`.action-label[aria-label^="${action}"]`).click({ timeout: patienceMs });
}

/** Chooses from the context menu of the row. */
export async function chooseFromRowMenu(page: Page, label: string, entry: string): Promise<void> {
  await (await showRow(page, label)).click({ button: 'right', timeout: patienceMs });
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
  const bar = page.locator('.sidebar .composite.title, .sidebar .pane-header');
  await bar
    .locator(`.action-label[aria-label^="${action}"]`)
    .first()
    .click({ timeout: patienceMs });
}

// Editors

export interface Tab {
  readonly label: string;
  readonly isActive: boolean;
  readonly isDirty: boolean;
}

export async function tabs(page: Page): Promise<Tab[]> {
  return page.locator('.editor .tabs-container .tab').evaluateAll((all) =>
    all.map((tab) => ({
      // What is drawn may leave the extension to another element.
      label: tab.getAttribute('data-resource-name') ?? '',
      isActive: tab.classList.contains('active'),
      isDirty: tab.classList.contains('dirty'),
    })),
  );
}

/** Waits until the active editor has this name. */
export async function waitForTab(page: Page, label: string | RegExp): Promise<void> {
  const fits = (name: string) => (typeof label === 'string' ? name === label : label.test(name));
  await eventually(
    () => tabs(page),
    (all) => all.some((tab) => tab.isActive && fits(tab.label)),
  );
}

/**
 * The whole text of the active text editor, also what is scrolled away. Taken as a person would, by
 * Select All and Copy; leaves the cursor at the start, and the text on the clipboard.
 */
export async function editorText(page: Page): Promise<string> {
  const editor = page.locator('.editor-group-container.active .monaco-editor').last();
  await editor.waitFor({ timeout: patienceMs });
  await editor.locator('.native-edit-context, textarea.inputarea').first().focus();
  const marker = `nothing copied yet ${performance.now()}`;
  await page.evaluate(`navigator.clipboard.writeText('${marker}')`);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('ControlOrMeta+c');
  const text = await eventually(
    async () => String(await page.evaluate('navigator.clipboard.readText()')),
    (copied) => copied !== marker,
  );
  await page.keyboard.press('ControlOrMeta+Home');
  return text;
}

// Notifications and status bar

/**
 * What the open notifications say, newest first. Opens their centre: VS Code draws no toasts while
 * it is driven by a program.
 */
export async function notifications(page: Page): Promise<string[]> {
  await openNotifications(page);
  return notificationItems(page)
    .locator('.notification-list-item-message')
    .evaluateAll((all) => all.map((each) => each.textContent?.trim() ?? ''));
}

/** Presses a button of a notification, which it may show only under the pointer. */
export async function pressNotification(page: Page, button: string): Promise<void> {
  await openNotifications(page);
  const name = page.locator('.monaco-button', { hasText: exactly(button) });
  const item = notificationItems(page).filter({ has: name }).first();
  await item.hover({ timeout: patienceMs });
  await item.locator(name).click({ timeout: patienceMs });
}

async function openNotifications(page: Page): Promise<void> {
  const centre = page.locator('.notifications-center.visible');
  if (await centre.isVisible()) return;
  await page.locator('.statusbar [id="status.notifications"]').click({ timeout: patienceMs });
  await centre.waitFor({ timeout: patienceMs });
}

function notificationItems(page: Page): Locator {
  return page.locator('.notifications-center .notification-list-item');
}

/** Takes all of them away, so that the next one read is a new one. */
export async function clearNotifications(page: Page): Promise<void> {
  await runCommand(page, 'Notifications: Clear All Notifications');
  await page.locator('.notifications-center.visible').waitFor({ state: 'detached' });
}
