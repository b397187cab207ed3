import type { Locator, Page } from 'playwright-core';
import { eventually, exactly, patienceMs, retryMs } from '../waiting';

// What a person does with the command palette, pickers and input boxes, and sees of it.
// Every function waits for what it needs.

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
  /** An input box has none. */
  readonly hasList: boolean;
  /** The rows in sight: a long list has more. */
  readonly items: readonly { label: string; description: string; detail: string }[];
}

/** The quick input as it is at this moment; nothing if none is open. */
export async function peekQuickInput(page: Page): Promise<QuickInput | undefined> {
  const [found] = await page.locator('.quick-input-widget').evaluateAll((widgets) =>
    widgets
      .filter((widget) => widget.getClientRects().length > 0)
      .map((widget) => {
        const text = (parent: typeof widget, selector: string) =>
          parent.querySelector(selector)?.textContent?.trim() ?? '';
        const box = widget.querySelector('.quick-input-box input');
        const list = widget.querySelector('.quick-input-list');
        const rows = [...widget.querySelectorAll('.quick-input-list .monaco-list-row')];
        return {
          title: text(widget, '.quick-input-title'),
          value: box !== null && 'value' in box ? String(box.value) : '',
          placeholder: box?.getAttribute('placeholder') ?? '',
          message: text(widget, '.quick-input-message'),
          isInvalid: widget.querySelector('.quick-input-box .monaco-inputbox.error') !== null,
          hasList: list !== null && list.getClientRects().length > 0,
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
  const key = ({ title, placeholder, value, hasList }: QuickInput) =>
    [title, placeholder, value, hasList].join('\n');
  await eventually(
    () => peekQuickInput(page),
    (now) => !now || !before || key(now) !== key(before) || !isStillWaiting(now),
  );
}

/** Waits until keys go to the open quick input: what is pressed earlier goes elsewhere. */
export async function waitForQuickInputFocus(page: Page): Promise<void> {
  await page.locator('.quick-input-widget:focus-within').waitFor({ timeout: patienceMs });
}

/** Presses Enter in the open quick input. Returns if that is refused, too. */
export async function acceptQuickInput(page: Page): Promise<void> {
  await waitForQuickInputFocus(page);
  const before = await peekQuickInput(page);
  await page.keyboard.press('Enter');
  await leftQuickInput(page, before, (now) => !now.isInvalid);
}

/** Presses Escape in the open quick input. Where notifications are shown, the first Escape closes those. */
export async function dismissQuickInput(page: Page): Promise<void> {
  await waitForQuickInputFocus(page);
  const notifications = page.locator('.notifications-center.visible');
  if (await notifications.isVisible()) {
    await page.keyboard.press('Escape');
    await notifications.waitFor({ state: 'hidden', timeout: patienceMs });
  }
  const before = await peekQuickInput(page);
  await page.keyboard.press('Escape');
  await leftQuickInput(page, before);
}

/**
 * The open palette with this text. A preview that is just being loaded may have the focus and
 * swallow the key, and what takes the focus just then closes the palette again.
 */
async function openPalette(page: Page, text: string): Promise<Locator> {
  const box = quickInputBox(page);
  // What is open already has a box, too, and is there until the palette takes its place.
  const isPalette = ({ title, value }: QuickInput) => title === '' && value.startsWith('>');
  for (let tries = 5; ; tries -= 1) {
    await page.keyboard.press('F1');
    const isOpen = await eventually(
      () => peekQuickInput(page),
      (now) => now !== undefined && isPalette(now),
      retryMs,
    )
      .then(() => box.fill(text, { timeout: retryMs }))
      .then(
        () => true,
        () => false,
      );
    if (isOpen) return box;
    if (tries === 1) throw new Error('The command palette did not open.');
    await page.locator('.composite.title h2').first().click();
  }
}

/** What the palette finds for the text; commands that cannot be run now are not there. */
export async function openPaletteWith(page: Page, text: string): Promise<void> {
  await openPalette(page, `>${text}`);
}

/** Whether the row took a press, also where the page says so too late: a second press is for the next list. */
async function isPressed(row: Locator): Promise<boolean> {
  const seen = await row
    .evaluateHandle(
      ({ ownerDocument }) => {
        const clicks = { count: 0 };
        ownerDocument.addEventListener('click', () => (clicks.count += 1), true);
        return clicks;
      },
      undefined,
      { timeout: retryMs },
    )
    .catch(() => undefined);
  if (seen === undefined) return false;
  return row.click({ timeout: retryMs }).then(
    () => true,
    () => seen.evaluate(({ count }) => count > 0),
  );
}

/**
 * Runs a command from the palette by its full title, such as `Toolgate: Call Tool…`. The palette
 * lists what could be done when it was opened, so what becomes possible just then needs it anew; and
 * what takes the focus just then closes it, so that there is no row to press any more.
 */
export async function runCommand(page: Page, title: string): Promise<void> {
  const row = quickRow(page, title);
  let box = await openPalette(page, `>${title}`);
  for (let tries = 3; tries > 0 && !(await isPressed(row)); tries -= 1) {
    await page.keyboard.press('Escape');
    box = await openPalette(page, `>${title}`);
    if (tries === 1) await row.click({ timeout: patienceMs });
  }
  // The command may open a picker of its own in the same place.
  await eventually(
    () => box.evaluateAll((boxes) => boxes.map((each) => ('value' in each ? each.value : ''))),
    (values) => !values.some((value) => String(value).startsWith('>')),
  );
}

/** Types over the value of the quick input with this title, as soon as that is open. */
export async function typeInto(page: Page, title: string, text: string): Promise<void> {
  await readQuickInput(page, title);
  await quickInputBox(page).fill(text, { timeout: patienceMs });
}

/** Types over the value of the open quick input and presses Enter. Returns if it is refused, too. */
export async function typeAndAccept(page: Page, text: string): Promise<void> {
  await quickInputBox(page).fill(text, { timeout: patienceMs });
  await acceptQuickInput(page);
}

/** Like `typeAndAccept`, with Enter before anybody could draw what belongs to the text. */
export async function typeAndAcceptAtOnce(page: Page, text: string): Promise<void> {
  const box = quickInputBox(page);
  const before = await peekQuickInput(page);
  // Both in one turn of the page: no message of the extension comes between them.
  await box.evaluate((input, value) => {
    const { InputEvent: Input, KeyboardEvent: Key } = globalThis as unknown as PageEvents;
    Reflect.set(input, 'value', value);
    input.dispatchEvent(new Input('input', { bubbles: true }));
    const key = { key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true };
    input.dispatchEvent(new Key('keydown', key));
  }, text);
  await leftQuickInput(page, before === undefined ? undefined : { ...before, value: text });
}

/** What a page makes events with. */
type PageEvents = Record<
  'InputEvent' | 'KeyboardEvent',
  new (type: string, options: Readonly<Record<string, unknown>>) => Event
>;

/**
 * Picks the row with exactly this label. Types the label only if the list does not show it; where
 * something was typed before, the row may come of that a moment later.
 */
export async function pick(page: Page, label: string): Promise<void> {
  const list = quickInput(page).locator('.quick-input-list .monaco-list-row');
  await list.first().waitFor({ timeout: patienceMs });
  const row = quickRow(page, label);
  const { value = '' } = (await peekQuickInput(page)) ?? {};
  const isShown = async () => {
    if (value === '') return (await row.count()) > 0;
    return row.waitFor({ timeout: retryMs }).then(
      () => true,
      () => false,
    );
  };
  if (!(await isShown())) await quickInputBox(page).fill(label);
  await row.waitFor({ timeout: patienceMs });
  const before = await peekQuickInput(page);
  await row.click({ timeout: patienceMs });
  await leftQuickInput(page, before, (now) => now.items.some((item) => item.label === label));
}

/** Presses a button of the row with exactly this label. */
export async function pressRowButton(page: Page, label: string, button: string): Promise<void> {
  const row = quickRow(page, label);
  await row.hover({ timeout: patienceMs });
  await row.locator(`.action-label[aria-label^="${button}"]`).click({ timeout: patienceMs });
}

/** The buttons of the row, by what they say. */
export async function rowButtons(page: Page, label: string): Promise<(string | null)[]> {
  const buttons = await quickRow(page, label).locator('.action-label').all();
  return Promise.all(buttons.map((button) => button.getAttribute('aria-label')));
}

/** Presses a button of the open quick input's title bar, such as `Back`. */
export async function pressQuickButton(page: Page, label: string): Promise<void> {
  const bar = quickInput(page).locator('.quick-input-titlebar');
  await bar.locator(`.action-label[aria-label^="${label}"]`).click({ timeout: patienceMs });
}

const rowLabel = '.quick-input-list-row:first-child .label-name';

/** The labels of the rows that are checked. */
export function checkedRows(page: Page): Promise<string[]> {
  const isChecked = page.locator('input[type=checkbox]:checked, .monaco-checkbox.checked');
  const rows = quickInput(page).locator('.quick-input-list .monaco-list-row');
  return rows.filter({ has: isChecked }).locator(rowLabel).allInnerTexts();
}

/** Checks this row and no other. A list that is laid out just then takes a press for another row. */
export async function checkOnly(page: Page, label: string): Promise<void> {
  await eventually(
    async () => {
      const checked = await checkedRows(page);
      const wrong = checked.includes(label) ? checked.find((each) => each !== label) : label;
      if (wrong !== undefined)
        await quickRow(page, wrong)
          .click({ timeout: retryMs })
          .catch(() => undefined);
      return checkedRows(page);
    },
    (now) => now.join() === label,
  );
}

/** The label of the row that Enter takes. */
export async function focusedRow(page: Page): Promise<string> {
  const row = quickInput(page).locator('.quick-input-list .monaco-list-row.focused');
  return row.locator(rowLabel).innerText({ timeout: patienceMs });
}

/**
 * Runs a command from the palette without a click. Its title comes in one piece: for each key VS Code would
 * look through all of its commands, which takes a window two seconds of processor time for one title.
 */
export async function typeCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('F1');
  await waitForQuickInputFocus(page);
  await page.keyboard.insertText(title);
  await eventually(
    () => readQuickInput(page),
    ({ items }) => items[0]?.label === title,
  );
  await acceptQuickInput(page);
}
