import type { Locator, Page } from 'playwright-core';
import { exactly, patienceMs } from '../waiting';

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

export async function readDialog(page: Page, timeout = patienceMs): Promise<Dialog> {
  const box = dialogBox(page);
  await box.waitFor({ timeout });
  return {
    message: await textOf(box, '.dialog-message'),
    detail: await textOf(box, '.dialog-message-detail'),
    buttons: await box.locator('.dialog-buttons .monaco-button').allTextContents(),
  };
}

export async function isDialogOpen(page: Page): Promise<boolean> {
  return (await dialogBox(page).count()) > 0;
}

/** What will be sent, as the question before a call shows it. */
export function sentArguments({ detail }: Pick<Dialog, 'detail'>): string {
  return detail.split('\n\n', 1).join();
}

/** The risk, and what else the question before a call says, in lines. */
export function questionNotes({ detail }: Pick<Dialog, 'detail'>): readonly string[] {
  return detail.slice(sentArguments({ detail }).length).trim().split('\n');
}

/** The question before a call takes no answer that comes sooner than anybody can read. */
const readingMs = 600;

async function readQuestion(page: Page): Promise<void> {
  const { message } = await readDialog(page);
  if (/^(?:(?:Really run|Run)(?: the calls of)?|Agent) “/.test(message)) await waitToRead(page);
}

export function waitToRead(page: Page): Promise<void> {
  return page.waitForTimeout(readingMs);
}

const isCall = /^(?:Run “|Agent “.* wants to run “)/;
/** A question with one of these is asked twice. */
const isRisky = /Risk: destructive|^Agent “|more (?:lines?|characters): Review|… \d+ more: Review/m;

/**
 * Presses the button, after a look at the dialog, and waits until this dialog is gone. Run is pressed
 * twice where it has to be.
 */
export async function pressDialog(page: Page, button: string): Promise<void> {
  const { message, detail } = await readDialog(page);
  await pressOnce(page, button);
  if (button !== 'Run' || !isCall.test(message) || !isRisky.test(`${message}\n${detail}`)) return;
  await dialogBox(page).getByText('Really run “').waitFor({ timeout: patienceMs });
  await pressOnce(page, button);
}

async function pressOnce(page: Page, button: string): Promise<void> {
  const box = dialogBox(page);
  await readQuestion(page);
  const dialog = await box.elementHandle();
  const name = exactly(button);
  await box.locator('.dialog-buttons .monaco-button', { hasText: name }).click();
  await dialog?.waitForElementState('hidden', { timeout: patienceMs });
}

/** Waits until keys go to the dialog: what is pressed earlier goes elsewhere. */
export async function waitForDialogFocus(page: Page): Promise<void> {
  await page.locator('.monaco-dialog-box:focus-within').waitFor({ timeout: patienceMs });
}

/** Closes the dialog with Escape. */
export async function dismissDialog(page: Page): Promise<void> {
  await waitForDialogFocus(page);
  await page.keyboard.press('Escape');
  await dialogBox(page).waitFor({ state: 'detached', timeout: patienceMs });
}
