import type { Locator, Page } from 'playwright-core';
import { exactly, patienceMs } from './waiting';

// What a person does with modal dialogs, and sees of it.
// Every function waits for what it needs.

export interface Dialog {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

const dialogBox = (page: Page): Locator => page.locator('.monaco-dialog-box');

async function textOf(parent: Locator, selector: string): Promise<string> {
  const found = parent.locator(selector).first();
  // Spaces that no version of VS Code draws as one look like any others.
  return (await found.count()) === 0
    ? ''
    : (await found.innerText()).replaceAll('\u00A0', ' ').trim();
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
