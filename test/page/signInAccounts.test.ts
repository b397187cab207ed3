import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { AuthorizationServer } from '../fixtures/authorizationServer';
import { dismissDialog, isDialogOpen, pressDialog, readDialog } from './dialog';
import { clearNotifications, notifications } from './notifications';
import { pressRowAction } from './sideBar';
import { openedPage, openTunnels, signInOnPages } from './signInPages';
import { approveServers, openToolgate, reloadWindow, waitForServer } from './toolgate';
import { eventually, patienceMs } from './waiting';
import { useWindow } from './window';

const needed = /^Server docs: sign-in needed/;

describe('An account of a server, and a window that starts servers by itself @newest', function () {
  this.timeout(120_000);
  let servers: AuthorizationServer;
  let page: Page;

  before(async () => {
    servers = await AuthorizationServer.start({ issuers: 2 });
    await servers.change({ challengeScopes: ['openid', 'files:read'] });
  });
  useWindow(
    {
      servers: () => ({ docs: { url: servers.mcpUrl } }),
      settings: { 'toolgate.connections.autoStart': 'always' },
    },
    async (opened) => {
      ({ page } = opened);
      await openTunnels(page);
      await openToolgate(page);
    },
  );
  after(() => servers.stop());

  const revoked = async () =>
    (await servers.requests()).filter(({ path }) => path === '/token/revocation').length;
  const menuItem = (text: RegExp) =>
    page.locator('.monaco-menu-container .action-item', { hasText: text }).first();
  async function openAccounts(): Promise<void> {
    await page.locator('.activitybar .action-item a[aria-label^="Accounts"]').click();
    await menuItem(/./).waitFor({ timeout: patienceMs });
  }

  it('is asked for by nobody when the server starts with the window', async () => {
    await pressRowAction(page, 'docs', 'Start Server');
    await approveServers(page);
    await readDialog(page);
    await page.keyboard.press('Escape');
    await waitForServer(page, 'docs', needed);
    await reloadWindow(page);
    await waitForServer(page, 'docs', needed);
    assert.equal(await isDialogOpen(page), false);
    assert.equal(page.context().pages().length, 1);
    await eventually(
      () => page.locator('.statusbar').innerText(),
      (text) => text.includes('Sign-in needed: docs'),
    );
  });

  it('stands in the Accounts menu with the host of its server', async () => {
    await pressRowAction(page, 'docs', 'Sign In');
    const browser = await openedPage(page, () => pressDialog(page, 'Open Browser'));
    await signInOnPages(browser);
    await waitForServer(page, 'docs', /^Server docs: 3 tools/);
    await openAccounts();
    const entry = menuItem(/– 127\.0\.0\.1:\d+ \(Toolgate\)/);
    assert.match(await entry.innerText(), /^(?:ada|Account 1 at .*) – 127/);
    await page.keyboard.press('Escape');
  });

  it('is signed out there as by the row: what was given is revoked, and its server ends', async () => {
    await clearNotifications(page);
    const before = await revoked();
    await openAccounts();
    await menuItem(/\(Toolgate\)/).hover();
    // By the keyboard: a submenu of the pointer shuts when something else moves.
    await page.keyboard.press('ArrowRight');
    await menuItem(/^Sign Out$/).waitFor({ timeout: patienceMs });
    const focused = page.locator('.monaco-menu-container .action-item.focused').last();
    await eventually(
      async () => {
        const text = (await focused.innerText()).trim();
        if (text !== 'Sign Out') await page.keyboard.press('ArrowDown');
        return text;
      },
      (text) => text === 'Sign Out',
    );
    await page.keyboard.press('Enter');
    const { message, detail } = await readDialog(page);
    assert.match(message + detail, /127\.0\.0\.1/);
    await pressDialog(page, 'Sign Out');
    await waitForServer(page, 'docs', /^Server docs: signed out/);
    assert.ok((await revoked()) > before);
    await eventually(
      async () => (await notifications(page)).join('\n'),
      (told) => /signed out/i.test(told),
    );
  });

  it('is asked for by nobody when a server that runs wants another one by itself', async () => {
    await clearNotifications(page);
    await pressRowAction(page, 'docs', 'Sign In');
    // For somebody whom the authorization server does not know any more.
    await page.context().clearCookies({ name: /^_/ });
    await signInOnPages(await openedPage(page, () => pressDialog(page, 'Open Browser')));
    await waitForServer(page, 'docs', /^Server docs: 3 tools/);
    await clearNotifications(page);
    // From now on it takes nothing that the first one gave, and has something to tell.
    await servers.change({ announced: [1] });
    await servers.announceTools();
    await waitForServer(page, 'docs', /^Server docs: 3 tools · sign-in needed/);
    assert.equal(await isDialogOpen(page), false);
    assert.equal(page.context().pages().length, 1);
    assert.deepEqual(await notifications(page), []);
    await pressRowAction(page, 'docs', 'Sign In');
    assert.match(
      (await readDialog(page)).message,
      /^Server “docs” now has you sign in somewhere else/,
    );
    await dismissDialog(page);
  });
});
