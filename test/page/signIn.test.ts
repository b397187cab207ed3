import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import {
  AuthorizationServer,
  type SignInRequest,
  visitSignIn,
} from '../fixtures/authorizationServer';
import { openWindows } from '../vscode/window';
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
  openTunnels,
  pressNotificationLink,
  questionLines,
  signInOnPages,
} from './signInPages';
import {
  approveServers,
  chooseTool,
  closeEditors,
  openToolgate,
  waitForInput,
  waitForServer,
} from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

const needed = /^Server docs: sign-in needed/;
const running = /^Server docs: 3 tools/;

describe('A sign-in @newest', function () {
  this.timeout(120_000);
  let servers: AuthorizationServer;
  let page: Page;
  let workspace: Workspace;
  let seen = 0;
  /** What was sent to renew a token. */
  let renewal: string | undefined;

  before(async () => {
    servers = await AuthorizationServer.start({ issuers: 2 });
    await servers.change({ challengeScopes: ['openid', 'offline_access', 'files:read'] });
  });
  useWindow({ servers: () => ({ docs: { url: servers.mcpUrl } }) }, async (opened) => {
    ({ page, workspace } = opened);
    await openTunnels(page);
    await openToolgate(page);
    await pressRowAction(page, 'docs', 'Start Server');
    await approveServers(page);
    await readDialog(page);
  });
  after(() => servers.stop());

  /** What the servers got since the last time. */
  async function newRequests(): Promise<readonly SignInRequest[]> {
    const all = await servers.requests();
    const fresh = all.slice(seen);
    seen = all.length;
    return fresh;
  }
  const ask = () => pressRowAction(page, 'docs', 'Sign In');
  const open = () => openedPage(page, () => pressDialog(page, 'Open Browser'));
  const rowIcon = () => treeRow(page, 'docs').locator('.custom-view-tree-node-item-icon');
  async function call(tool: string): Promise<string> {
    await chooseTool(page, tool);
    await pressDialog(page, 'Run');
    return answerOf(tool);
  }
  async function answerOf(tool: string): Promise<string> {
    await waitForTab(page, `${tool}.mcptxt`);
    const text = await editorText(page);
    await closeEditors(page);
    return text;
  }

  it('is asked about before the browser, with everything to decide by', async () => {
    assert.deepEqual(await questionLines(page), [
      'Sign in to server “docs”?',
      `Server: ${servers.mcpUrl}`,
      `Signs you in at: ${new URL(servers.issuer).host}`,
      'Gets:',
      'openid',
      'offline_access',
      'files:read',
      `Token is for: ${servers.mcpUrl}`,
      'Toolgate is known there by: a registration of its own there',
      'You sign in on the page of that site. Toolgate never sees your password.',
    ]);
    assert.equal(page.context().pages().length, 1);
  });

  it('is called off without anything red: the row says what is missing, and a key asks again', async () => {
    await dismissDialog(page);
    await waitForServer(page, 'docs', needed);
    assert.match((await rowIcon().getAttribute('class')) ?? '', /codicon-key/);
    await eventually(
      () => notifications(page),
      (all) => all.length === 0,
    );
    await ask();
    assert.match((await readDialog(page)).message, /^Sign in/);
    await dismissDialog(page);
    await waitForServer(page, 'docs', needed);
  });

  it('that is refused on the page ends with a sentence, and can be begun again', async () => {
    await ask();
    const said = await cancelOnPage(await open());
    assert.equal(said, 'You can close this page and go back to the editor.');
    await waitForServer(page, 'docs', /^Server docs: failed/);
    assert.match(
      (await notifications(page)).join('\n'),
      /not signed in to server “docs”: refused/i,
    );
  });

  it('waits for the browser, and ends when it is cancelled in the row', async () => {
    await clearNotifications(page);
    await pressRowAction(page, 'docs', 'Start Server');
    const browser = await open();
    await waitForServer(page, 'docs', /signing in… waiting for the browser/);
    assert.match(
      (await notifications(page)).join('\n'),
      /waiting for the browser.*Copy Link.*Paste Address…/,
    );
    await pressRowAction(page, 'docs', 'Cancel Sign-In');
    await waitForServer(page, 'docs', needed);
    await browser.close();
  });

  it('is finished by the address that is pasted, where no browser is at hand', async () => {
    await servers.change({ accessTokenSeconds: 8 });
    await ask();
    const address = await copiedAddress(page, () => pressDialog(page, 'Copy Link'));
    const end = await visitSignIn(address);
    await pressNotificationLink(page, 'Paste Address…');
    await page.keyboard.type(new URL(end).searchParams.get('code') ?? '');
    const { message } = await eventually(
      () => readQuickInput(page),
      ({ isInvalid }) => isInvalid,
    );
    assert.match(message, /Copy the whole address/);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(end);
    await page.keyboard.press('Enter');
    await waitForServer(page, 'docs', running);
    assert.match(await call('whoami'), /ada: .*files:read/);
  });

  it('says on its row who is signed in where, and until when', async () => {
    await treeRow(page, 'docs').hover();
    const hover = page.locator('.monaco-hover:visible');
    await hover.waitFor();
    const text = await hover.innerText();
    assert.match(text, /Signed in as: ada|Signed in as: Account 1 at 127/);
    assert.match(text, /Signed in at: 127\.0\.0\.1:\d+/);
    assert.match(text, /Rights: .*files:read/);
  });

  it('is renewed without a word when its time is over', async () => {
    await clearNotifications(page);
    const sent = await untilRenewed();
    assert.equal(sent.length, 1);
    [renewal] = sent;
    await waitForServer(page, 'docs', running);
    assert.equal(await isDialogOpen(page), false);
    // The tools may be being listed still, once for each time that the test asked for it.
    const said = await notifications(page);
    assert.deepEqual(
      said.filter((sentence) => sentence !== 'Listing the tools of “docs”…'),
      [],
    );
  });

  it('that somebody else has used ends at the row, and asks nobody', async () => {
    // Two use one token: the server takes back everything that came of it.
    const body = new URLSearchParams(renewal);
    await fetch(`${servers.issuer}/token`, { method: 'POST', body });
    await pressRowAction(page, 'docs', 'Refresh Tools');
    await waitForServer(page, 'docs', /sign-in needed/);
    assert.equal(await isDialogOpen(page), false);
    assert.match(await page.locator('.statusbar').innerText(), /Sign-in needed: docs/);
    await clearNotifications(page);
    await ask();
    assert.match((await readDialog(page)).message, /^Sign in to server “docs”/);
    await signInOnPages(await openFresh());
    await waitForServer(page, 'docs', running);
  });

  it('is asked for more rights in the middle of a call, which then goes on', async () => {
    await servers.change({ toolScopes: { write_file: 'files:write' } });
    await clearNotifications(page);
    await chooseTool(page, 'write_file');
    await pressDialog(page, 'Run');
    await eventually(
      () => notifications(page),
      (all) => all.some((text) => text.includes('needs more rights: files:write')),
    );
    const browser = await openedPage(page, () => pressNotification(page, 'Sign In'));
    await agreeOnPage(browser);
    assert.match(await answerOf('write_file'), /written/);
    assert.equal(await isDialogOpen(page), false);
    assert.match(journal(), /"kind":"authorization","action":"extended".*files:write/);
  });

  it('is ended by Sign Out, which revokes what was given', async () => {
    await newRequests();
    await chooseFromRowMenu(page, 'docs', 'Sign Out…');
    assert.match((await readDialog(page)).message, /^Sign “.*” out of server “docs”\?$/);
    await pressDialog(page, 'Sign Out');
    await waitForServer(page, 'docs', /^Server docs: signed out/);
    const paths = (await newRequests()).map((request) => request.path);
    assert.equal(paths.filter((each) => each === '/token/revocation').length, 2);
    assert.match(journal(), /"action":"signedOut"/);
  });

  it('of another account stands beside the first, and one is picked for the server', async () => {
    await clearNotifications(page);
    await ask();
    await signInOnPages(await openFresh(), 'ada');
    await waitForServer(page, 'docs', running);
    await chooseFromRowMenu(page, 'docs', 'Switch Account…');
    await pick(page, 'Sign In with Another Account…');
    await signInOnPages(await openFresh(), 'bob');
    await waitForServer(page, 'docs', running);
    assert.match(await call('whoami'), /bob/);
    await chooseFromRowMenu(page, 'docs', 'Switch Account…');
    const { items } = await waitForInput(page, 'Account for “docs”');
    assert.equal(items.length, 3);
    await newRequests();
    await pick(page, items.find(({ description }) => description === '')?.label ?? '');
    // The row says that it runs before it starts anew, too.
    await eventually(newRequests, (all) => all.some(({ body }) => body.includes('tools/list')));
    await waitForServer(page, 'docs', running);
    assert.match(await call('whoami'), /ada/);
  });

  it('at a server that changed where one signs in is asked about anew, with the link first', async () => {
    await servers.change({ announced: [1] });
    await pressRowAction(page, 'docs', 'Refresh Tools');
    await waitForServer(page, 'docs', /sign-in needed/);
    await ask();
    const lines = await questionLines(page);
    assert.equal(lines[0], 'Server “docs” now has you sign in somewhere else. Sign in there?');
    assert.ok(lines.includes(`Before, that was: ${servers.issuers[0]}`));
    const { buttons } = await readDialog(page);
    assert.equal(buttons.at(-1), 'Copy Link');
    await dismissDialog(page);
  });

  it('leaves none of its secrets in any file, log or document', async () => {
    const secrets = secretsOf(await servers.requests());
    assert.ok(secrets.size > 10, `${secrets.size} secrets`);
    const [window] = openWindows;
    const files = [
      ...filesIn(path.resolve(window?.server.userFolder ?? '', '../..')),
      ...filesIn(workspace.folder),
    ];
    assert.ok(
      files.some((file) => file.includes('journal')),
      'the journal is looked at',
    );
    assert.ok(
      files.some((file) => file.endsWith('.log')),
      'logs are looked at',
    );
    // Locks come and go.
    const texts = files.map(readOf);
    const found = files.filter((_, at) => {
      return [...secrets].some((secret) => texts[at]?.includes(secret));
    });
    assert.deepEqual(found, []);
    // What is no secret is found by the same search.
    assert.ok(texts.some((text) => text.includes(servers.mcpUrl)));
  });

  function readOf(file: string): string {
    try {
      return readFileSync(file, 'latin1');
    } catch (error) {
      if (existsSync(file)) throw error;
      return '';
    }
  }

  /** Waits until the short time of a token is over, and gives what was sent to renew it. */
  async function untilRenewed(): Promise<readonly string[]> {
    await newRequests();
    await servers.change({ accessTokenSeconds: 3600 });
    return eventually(
      async () => {
        await pressRowAction(page, 'docs', 'Refresh Tools');
        return (await newRequests()).flatMap(({ body }) => refreshIn(body));
      },
      (sent) => sent.length > 0,
    );
  }

  const refreshIn = (body: string) => (body.includes('grant_type=refresh_token') ? [body] : []);

  /** The page, for somebody whom the authorization server does not know any more. */
  async function openFresh(): Promise<Page> {
    await page.context().clearCookies({ name: /^_/ });
    return open();
  }

  function journal(): string {
    const [window] = openWindows;
    const files = filesIn(path.resolve(window?.server.userFolder ?? '', '../..')).filter((file) =>
      file.includes('/journal/'),
    );
    return files.map((file) => readFileSync(file, 'utf8')).join('');
  }
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

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.flatMap((entry) =>
    entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
  );
}
