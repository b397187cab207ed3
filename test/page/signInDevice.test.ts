import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { AuthorizationServer, visitDevice } from '../fixtures/authorizationServer';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { notifications } from './notifications';
import { pressRowAction } from './sideBar';
import { copiedAddress, pressNotificationLink, questionLines } from './signInPages';
import { approveServers, chooseTool, openToolgate, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';

const asked = /^([A-Z]{4}-[A-Z]{4}) is the code to sign in to server “docs”$/;

describe('A sign-in at a site that has no page for a browser to come back from', function () {
  this.timeout(120_000);
  let servers: AuthorizationServer;
  let page: Page;

  before(async () => {
    servers = await AuthorizationServer.start();
    await servers.change({ hasPage: false, challengeScopes: ['files:read'] });
  });
  useWindow({ servers: () => ({ docs: { url: servers.mcpUrl } }) }, async (opened) => {
    ({ page } = opened);
    await openToolgate(page);
    await pressRowAction(page, 'docs', 'Start Server');
    await approveServers(page);
  });
  after(() => servers.stop());

  it('shows a code, with everything to decide by, before it goes anywhere', async () => {
    const [message = '', ...lines] = await questionLines(page);
    assert.match(message, asked);
    assert.deepEqual(lines.slice(0, 4), [
      `Enter the code on: ${servers.issuer}/device`,
      `Server: ${servers.mcpUrl}`,
      `Signs you in at: ${new URL(servers.issuer).host}`,
      'Gets:',
    ]);
    const { buttons } = await readDialog(page);
    assert.deepEqual(
      [buttons.at(-1), buttons.includes('Copy Code')],
      ['Copy Code and Open Browser', true],
    );
    assert.equal(page.context().pages().length, 1);
  });

  it('ends at the row when it is closed', async () => {
    await dismissDialog(page);
    await waitForServer(page, 'docs', /^Server docs: sign-in needed/);
  });

  it('is finished by whoever types the code, on any machine', async () => {
    await pressRowAction(page, 'docs', 'Sign In');
    const [, shown] = asked.exec((await readDialog(page)).message) ?? [];
    const code = await copiedAddress(page, () => pressDialog(page, 'Copy Code'));
    assert.equal(code, shown);
    await waitForServer(page, 'docs', /signing in…/);
    const title = new RegExp(`Signing in to “docs” with the code ${code}.*Copy Code.*Copy Link`);
    await eventually(
      async () => (await notifications(page)).join('\n'),
      (all) => title.test(all),
    );
    const address = await copiedAddress(page, () => pressNotificationLink(page, 'Copy Link'));
    await visitDevice(address, code);
    await waitForServer(page, 'docs', /^Server docs: 3 tools/);
    await chooseTool(page, 'whoami');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'whoami.mcptxt');
    assert.match(await editorText(page), /ada: files:read/);
    assert.equal(page.context().pages().length, 1);
  });
});
