import type { Page } from 'playwright-core';
import { openNotifications } from './notifications';
import { eventually, patienceMs } from '../waiting';

// What a person does with a sign-in, in the editor and on the pages of the authorization server.

/** Waits for the page that `act` makes the editor open in the browser. */
export async function openedPage(page: Page, act: () => Promise<void>): Promise<Page> {
  const opening = page.context().waitForEvent('page', { timeout: patienceMs });
  await act();
  return opening;
}

/** Only the first of the two pages. */
export async function enterLogin(browser: Page, login = 'ada'): Promise<void> {
  await browser.locator('input[name=login]').fill(login, { timeout: patienceMs });
  await browser.locator('input[name=password]').fill('any');
  await browser.getByRole('button', { name: 'Sign-in' }).click();
}

/** Agrees to what is asked, on the second one, and reads what the page at the end says. */
export async function agreeOnPage(browser: Page): Promise<string> {
  await browser.getByRole('button', { name: 'Continue' }).click({ timeout: patienceMs });
  return readEnd(browser);
}

/** Stops there, as who does not want to. */
export async function cancelOnPage(browser: Page): Promise<string> {
  await browser.getByRole('link', { name: 'Cancel' }).click({ timeout: patienceMs });
  return readEnd(browser);
}

/** Signs in under this name and agrees. */
export async function signInOnPages(browser: Page, login = 'ada'): Promise<string> {
  await enterLogin(browser, login);
  return agreeOnPage(browser);
}

async function readEnd(browser: Page): Promise<string> {
  await browser.waitForURL(/\/callback\?/, { timeout: patienceMs });
  const said = await browser.locator('main p').innerText({ timeout: patienceMs });
  await browser.close();
  return said;
}

/** Presses a link of a notification, such as those of a sign-in that waits. */
export async function pressNotificationLink(page: Page, title: string): Promise<void> {
  await openNotifications(page);
  const link = page.locator('.notifications-center .notification-list-item-message a', {
    hasText: title,
  });
  await link.first().click({ timeout: patienceMs });
}

/** The address to sign in on, as it was copied; with nothing of the editor before it. */
export async function copiedAddress(page: Page, act: () => Promise<void>): Promise<string> {
  await page.evaluate("navigator.clipboard.writeText('')");
  await act();
  return eventually(
    async () => String(await page.evaluate('navigator.clipboard.readText()')),
    (text) => text !== '',
  );
}
