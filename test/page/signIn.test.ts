import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import {
  AuthorizationServer,
  type SignInRequest,
  visitSignIn,
} from '../fixtures/authorizationServer';
import { dismissDialog, isDialogOpen, pressDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { clearNotifications, notifications, pressNotification } from './notifications';
import { pick, readQuickInput } from './quickInput';
import { chooseFromRowMenu, pressRowAction, treeRow } from './sideBar';
import {
  agreeOnPage,
  cancelOnPage,
  copiedAddress,
  openedPage,
  pressNotificationLink,
  signInOnPages,
} from './signInPages';
import { storedFiles } from './storedFiles';
import {
  approveServers,
  chooseTool,
  openToolgate,
  reloadWindow,
  waitForInput,
  waitForServer,
} from './toolgate';
import { eventually, patienceMs } from '../waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

const needed = /^Server docs: sign-in required/;
const running = /^Server docs: 3 tools/;

describe('A sign-in @newest', function () {
  this.timeout(180_000);
  let servers: AuthorizationServer;
  let page: Page;
  let workspace: Workspace;

  before(async () => {
    servers = await AuthorizationServer.start();
    await servers.change({ challengeScopes: ['openid', 'offline_access', 'files:read'] });
  });
  useWindow(
    {
      servers: () => ({ docs: { url: servers.mcpUrl } }),
      settings: { 'toolgate.connections.autoStart': 'always' },
    },
    async (opened) => {
      ({ page, workspace } = opened);
      await openToolgate(page);
    },
  );
  after(() => servers.stop());

  const ask = () => pressRowAction(page, 'docs', 'Sign In');
  const openBrowser = () => openedPage(page, () => pressDialog(page, 'Open Browser'));
  async function call(tool: string): Promise<void> {
    await chooseTool(page, tool);
    await pressDialog(page, 'Run');
  }
  async function answerOf(tool: string): Promise<string> {
    await waitForTab(page, `${tool}.mcptxt`);
    return editorText(page);
  }
  const isUser = (login: string) =>
    eventually(
      async () => {
        await call('whoami');
        return answerOf('whoami');
      },
      (text) => new RegExp(`${login}: .*files:read`).test(text),
    );
  async function assertNobodyIsAsked(): Promise<void> {
    assert.equal(await isDialogOpen(page), false);
    assert.equal(page.context().pages().length, 1);
  }
  const menuItem = (text: RegExp) =>
    page.locator('.monaco-menu-container .action-item', { hasText: text }).first();
  async function openAccounts(): Promise<void> {
    await page.locator('.activitybar .action-item a[aria-label^="Accounts"]').click();
    await menuItem(/./).waitFor({ timeout: patienceMs });
  }

  it('is asked for before the browser opens and never by a window that opens; it is cancelled in the question, on the page and on the row, and completed on the page', async () => {
    await pressRowAction(page, 'docs', 'Connect');
    await approveServers(page);
    assert.equal((await readDialog(page)).message, 'Sign in to server “docs”?');
    assert.equal(page.context().pages().length, 1);
    await dismissDialog(page);
    await waitForServer(page, 'docs', needed);
    const icon = treeRow(page, 'docs').locator('.custom-view-tree-node-item-icon');
    assert.match((await icon.getAttribute('class')) ?? '', /codicon-key/);
    await reloadWindow(page);
    await waitForServer(page, 'docs', needed);
    await page.locator('.statusbar-item', { hasText: 'Sign-in required: docs' }).waitFor();
    await assertNobodyIsAsked();

    await ask();
    const said = await cancelOnPage(await openBrowser());
    assert.equal(said, 'You can close this page and return to the editor.');
    await waitForServer(page, 'docs', /^Server docs: failed/);
    assert.match(
      (await notifications(page)).join('\n'),
      /not signed in to server “docs”: the response was a refusal/i,
    );
    await clearNotifications(page);
    await pressRowAction(page, 'docs', 'Connect');
    const left = await openBrowser();
    await waitForServer(page, 'docs', /signing in… waiting for browser/);
    await pressRowAction(page, 'docs', 'Cancel Sign-In');
    await waitForServer(page, 'docs', needed);
    await left.close();

    await ask();
    await signInOnPages(await openBrowser());
    await waitForServer(page, 'docs', running);
    await isUser('ada');
    await treeRow(page, 'docs').hover();
    const hover = page.locator('.monaco-hover:visible', { hasText: 'Signed in as:' });
    assert.match(await hover.innerText(), /Signed in at: 127\.0\.0\.1:\d+[^]*Scopes: .*files:read/);
  });

  it('with another account is completed by a pasted URL, and either account can be selected for the server', async () => {
    await chooseFromRowMenu(page, 'docs', 'Switch Account…');
    await pick(page, 'Sign In with Another Account…');
    const address = await copiedAddress(page, () => pressDialog(page, 'Copy Link'));
    const end = await visitSignIn(address, { login: 'bob' });
    await pressNotificationLink(page, 'Paste URL…');
    await page.keyboard.type(new URL(end).searchParams.get('code') ?? '');
    const { message } = await eventually(
      () => readQuickInput(page),
      ({ isInvalid }) => isInvalid,
    );
    assert.match(message, /Copy the full URL/);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(end);
    await page.keyboard.press('Enter');
    await waitForServer(page, 'docs', running);
    await isUser('bob');
    await chooseFromRowMenu(page, 'docs', 'Switch Account…');
    const { items } = await waitForInput(page, 'Account for “docs”');
    assert.equal(items.length, 3);
    await pick(page, items.find(({ description }) => description === '')?.label ?? '');
    // The row says that it runs before it starts anew, too.
    await isUser('ada');
    await chooseFromRowMenu(page, 'docs', 'Sign Out…');
    const others = await waitForInput(page, 'Sign Out of “docs”');
    await pick(page, others.items.find(({ description }) => description === '')?.label ?? '');
    await pressDialog(page, 'Sign Out');
    await eventually(
      async () => (await notifications(page)).join('\n'),
      (told) => /Signed out /.test(told),
    );
    await waitForServer(page, 'docs', running);
  });

  it('asks for more scopes during a call, which then continues', async () => {
    await servers.change({ toolScopes: { write_file: 'files:write' } });
    await clearNotifications(page);
    await call('write_file');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('requires additional scopes: files:write')),
    );
    const browser = await openedPage(page, () => pressNotification(page, 'Sign In'));
    await agreeOnPage(browser);
    assert.match(await answerOf('write_file'), /written/);
    assert.equal(await isDialogOpen(page), false);
  });

  it('is listed in the Accounts menu, ends there as on its row, and leaves its secrets in no file, log or document', async () => {
    await clearNotifications(page);
    const revoked = async () =>
      (await servers.requests()).filter(({ path: each }) => each === '/token/revocation').length;
    const before = await revoked();
    await openAccounts();
    const entry = menuItem(/^(?:ada|Account 1 at .*) – 127\.0\.0\.1:\d+ \(Toolgate\)/);
    await entry.hover();
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

    const secrets = secretsOf(await servers.requests());
    assert.ok(secrets.size > 8, `${secrets.size} secrets`);
    const files = storedFiles(workspace);
    const journal = files.flatMap(({ file, text }) => (file.includes('/journal/') ? [text] : []));
    assert.match(journal.join(), /"kind":"authorization","action":"extended".*files:write/);
    assert.match(journal.join(), /"action":"signedOut"/);
    assert.ok(files.some(({ file }) => file.endsWith('.log')));
    const found = files.filter(({ text }) => [...secrets].some((secret) => text.includes(secret)));
    assert.deepEqual(
      found.map(({ file }) => file),
      [],
    );
    // What is no secret is found by the same search.
    assert.ok(files.some(({ text }) => text.includes(servers.mcpUrl)));
  });
});

/** Everything that a sign-in must keep to itself, as the servers got it. */
function secretsOf(requests: readonly SignInRequest[]): Set<string> {
  const names = ['code', 'code_verifier', 'refresh_token', 'token', 'client_secret'];
  return new Set(
    requests.flatMap(({ authorization, body, server }) => {
      const form = server === 'mcp' ? new URLSearchParams() : new URLSearchParams(body);
      const [, token] = /^Bearer (.+)$/.exec(authorization ?? '') ?? [];
      const all = [token, ...names.map((name) => form.get(name))];
      return all.flatMap((value) => (typeof value === 'string' && value.length > 8 ? [value] : []));
    }),
  );
}
