import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { AuthorizationServer, knownClient, visitSignIn } from '../fixtures/authorizationServer';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { pick, pressQuickButton, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { chooseFromRowMenu, pressRowAction } from './sideBar';
import { copiedAddress, openTunnels, pressNotificationLink, questionLines } from './signInPages';
import {
  approveServers,
  chooseTool,
  closeEditors,
  openToolgate,
  waitForInput,
  waitForQuestion,
  waitForServer,
} from './toolgate';
import { useWindow } from './window';

const document = 'https://toolgate.example.org/client.json';
const knownBy = 'Toolgate is known there by: ';

describe('As whom Toolgate signs in', function () {
  this.timeout(120_000);
  let servers: AuthorizationServer;
  let page: Page;

  before(async () => {
    servers = await AuthorizationServer.start({ issuers: 2 });
    await servers.change({ announced: [0, 1], challengeScopes: ['files:read'] });
  });
  useWindow(
    {
      servers: () => ({ docs: { url: servers.mcpUrl } }),
      settings: { 'toolgate.signIn.clientDocument': document },
    },
    async (opened) => {
      ({ page } = opened);
      await openTunnels(page);
      await openToolgate(page);
      await pressRowAction(page, 'docs', 'Start Server');
      await approveServers(page);
    },
  );
  after(() => servers.stop());

  const copy = () => copiedAddress(page, () => pressDialog(page, 'Copy Link'));
  const ask = () => pressRowAction(page, 'docs', 'Sign In');
  async function knownAs(): Promise<string | undefined> {
    const lines = await questionLines(page);
    return lines.find((line) => line.startsWith(knownBy))?.slice(knownBy.length);
  }

  it('is asked about after which of several sites is picked', async () => {
    const hosts = servers.issuers.map((issuer) => new URL(issuer).host);
    const { items } = await waitForInput(page, 'Sign In to “docs”');
    assert.deepEqual(
      items.map(({ label }) => label),
      hosts,
    );
    await pick(page, hosts[1] ?? '');
    assert.ok((await questionLines(page)).includes(`Signs you in at: ${hosts[1]}`));
  });

  it('is by the document of the setting where the site takes one, and nothing is registered', async () => {
    assert.equal(await knownAs(), 'its published document');
    const address = await copy();
    const asked = new URL(address).searchParams;
    assert.equal(asked.get('client_id'), document);
    await servers.change({ documents: { [document]: clientDocument(asked.get('redirect_uri')) } });
    const end = await visitSignIn(address);
    await pressNotificationLink(page, 'Paste Address…');
    await readQuickInput(page);
    await typeAndAccept(page, end);
    await waitForServer(page, 'docs', /^Server docs: 3 tools/);
    await chooseTool(page, 'whoami');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'whoami.mcptxt');
    assert.match(await editorText(page), /ada: files:read/);
    await closeEditors(page);
    const paths = (await servers.requests()).map(({ path }) => path);
    assert.ok(paths.includes('/token'));
    assert.ok(!paths.includes('/reg'));
  });

  it('is by a client id that is entered instead of an answer', async () => {
    await servers.change({ announced: [1] });
    await chooseFromRowMenu(page, 'docs', 'Sign Out…');
    await pressDialog(page, 'Sign Out');
    await waitForServer(page, 'docs', /^Server docs: signed out/);
    await ask();
    assert.equal(await knownAs(), 'its published document');
    await pressDialog(page, 'Use Another Client Id…');
    const title = `Client Id at ${new URL(servers.issuers[1] ?? '').host}`;
    await readQuickInput(page, title);
    await typeAndAccept(page, knownClient.clientId);
    await waitForQuestion(page, title, 'Client secret');
    await pressQuickButton(page, 'Back');
    const { value } = await waitForQuestion(page, title, 'As the site gave it to you');
    assert.equal(value, knownClient.clientId);
    await page.keyboard.press('Enter');
    await waitForQuestion(page, title, 'Client secret');
    await typeAndAccept(page, knownClient.clientSecret);
    assert.equal(await knownAs(), 'the client id that you entered');
    const asked = new URL(await copy()).searchParams;
    assert.equal(asked.get('client_id'), knownClient.clientId);
    await pressRowAction(page, 'docs', 'Cancel Sign-In');
    await waitForServer(page, 'docs', /^Server docs: sign-in needed/);
  });

  it('is by the document again when the client id is forgotten', async () => {
    await runCommand(page, 'Toolgate: Forget Client Registration…');
    await waitForInput(page, 'Forget Client Registration');
    await pick(page, 'docs');
    const { message } = await readDialog(page);
    assert.match(message, /^Forget how Toolgate is registered at 127\.0\.0\.1:\d+\?$/);
    await pressDialog(page, 'Forget');
    await ask();
    assert.equal(await knownAs(), 'its published document');
    await dismissDialog(page);
  });
});

/** What stands at the address; VS Code in a browser has the browser come back by itself. */
function clientDocument(redirect: string | null): object {
  return {
    client_id: document,
    client_name: 'Toolgate test',
    redirect_uris: [redirect],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}
