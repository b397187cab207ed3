import type { Locator, Page } from 'playwright-core';
import { eventually, patienceMs, retryMs } from '../waiting';

// What a person does with tabs and editors, and sees of it.
// Every function waits for what it needs.

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
  let before: string | undefined;
  const text = await eventually(
    () => copiedText(page),
    (now) => {
      // A key gets lost while an editor is being brought to the front: then it is another text.
      const isSame = now !== undefined && now === before;
      before = now;
      return isSame;
    },
  );
  return text ?? '';
}

/** `undefined` when nothing was copied. */
async function copiedText(page: Page): Promise<string | undefined> {
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
    retryMs,
  ).catch(() => undefined);
  await page.keyboard.press('ControlOrMeta+Home');
  return text;
}

/** Makes this all of the active text editor's text. Pasted: typing would close brackets on its own. */
export async function replaceText(page: Page, text: string): Promise<void> {
  await eventually(
    async () => {
      await editorText(page); // Leaves the focus in the document.
      await page.keyboard.press('ControlOrMeta+a');
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press('ControlOrMeta+v');
      // A paste is done in a later turn, and gets lost while the editor is being brought to the front.
      return editorText(page);
    },
    (now) => now === text,
  );
}

/** The first lens with this text. */
export function lens(page: Page, text: string | RegExp): Locator {
  return page.locator('.codelens-decoration a', { hasText: text }).first();
}

/** Chooses a quick fix for the place of the cursor in the active editor. */
export async function chooseQuickFix(page: Page, title: string): Promise<void> {
  const fix = page.locator('.action-widget .monaco-list-row', { hasText: title });
  // A key gets lost while something else gives the focus back, and finds nothing before the problem is there.
  await eventually(async () => {
    await page.keyboard.press('Control+.');
    return fix.waitFor({ timeout: retryMs }).then(
      () => true,
      () => false,
    );
  }, Boolean);
  await page.mouse.move(1, 1); // In older VS Codes the list takes no press before the pointer moved.
  await fix.click();
}

/** Brings a tab to the front. */
export async function showTab(page: Page, label: string): Promise<void> {
  await page.locator('.tabs-container .tab', { hasText: label }).click();
  await waitForTab(page, label);
}
