import type { Locator, Page } from 'playwright-core';
import { runCommand } from './quickInput';
import { eventually, exactly, patienceMs, retryMs } from '../waiting';

// What a person does with notifications, and sees of it.
// Every function waits for what it needs.

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

/** Waits until one of the open notifications says this. */
export async function waitForNotification(page: Page, words: string): Promise<void> {
  await eventually(
    () => notifications(page),
    (all) => all.some((text) => text.includes(words)),
  );
}

/** Presses a button of a notification, which it may show only under the pointer. */
export async function pressNotification(page: Page, button: string): Promise<void> {
  await openNotifications(page);
  const name = page.locator('.monaco-button', { hasText: exactly(button) });
  const item = notificationItems(page).filter({ has: name }).first();
  await item.hover({ timeout: patienceMs });
  await item.locator(name).click({ timeout: patienceMs });
}

/** Presses a link in the text of a notification. */
export async function pressNotificationLink(page: Page, link: string): Promise<void> {
  await openNotifications(page);
  const name = notificationItems(page).locator('.notification-list-item-message a', {
    hasText: exactly(link),
  });
  await name.first().click({ timeout: patienceMs });
}

export async function openNotifications(page: Page): Promise<void> {
  const centre = page.locator('.notifications-center.visible');
  if (await centre.isVisible()) return;
  const bell = page.locator('.statusbar [id="status.notifications"]');
  await eventually(
    async () => {
      // A status bar that is hidden has none to press.
      if (!(await page.locator('.part.statusbar').isVisible()))
        await runCommand(page, 'Notifications: Show Notifications');
      else if (!(await centre.isVisible())) await bell.click({ timeout: patienceMs });
      // What comes just then may close it again, and a second press does so if it was only late.
      await centre.waitFor({ timeout: retryMs }).catch(() => undefined);
      return centre.isVisible();
    },
    (isOpen) => isOpen,
  );
}

function notificationItems(page: Page): Locator {
  return page.locator('.notifications-center .notification-list-item');
}

/** Takes all of them away, so that the next one read is a new one. */
export async function clearNotifications(page: Page): Promise<void> {
  await runCommand(page, 'Notifications: Clear All Notifications');
  await page.locator('.notifications-center.visible').waitFor({ state: 'detached' });
}
