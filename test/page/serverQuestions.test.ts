import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import {
  AuthorizationServer,
  type SignInRequest,
  visitSignIn,
} from '../fixtures/authorizationServer';
import { startBridge } from '../host/bridgeProcess';
import { openWindows } from '../vscode/window';
import {
  dismissDialog,
  isDialogOpen,
  pressDialog,
  questionNotes,
  readDialog,
  sentArguments,
  type Dialog,
} from './dialog';
import { editorText, waitForTab } from './editors';
import {
  clearNotifications,
  notifications,
  pressNotification,
  waitForNotification,
} from './notifications';
import {
  acceptQuickInput,
  dismissQuickInput,
  pick,
  readQuickInput,
  typeAndAccept,
  waitForQuickInputFocus,
  type QuickInput,
} from './quickInput';
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
  closeEditors,
  openToolgate,
  reloadWindow,
  waitForInput,
  waitForPage,
  waitForQuestion,
  waitForServer,
} from './toolgate';
import { eventually, patienceMs } from '../waiting';
import { useWindow } from './window';
import { everythingServer, type Workspace } from './workspace';

const title = 'Server “everything” asks you';
const needed = /^Server docs: sign-in required/;
const running = /^Server docs: 3 tools/;

describe('In a window with questions,', function () {
  this.timeout(180_000);
  let servers: AuthorizationServer;
  let page: Page;
  let workspace: Workspace;
  let agent: ReturnType<typeof startBridge> | undefined;

  before(async () => {
    servers = await AuthorizationServer.start();
    await servers.change({ challengeScopes: ['openid', 'offline_access', 'files:read'] });
  });
  useWindow(
    {
      servers: () => ({ everything: everythingServer, docs: { url: servers.mcpUrl } }),
      settings: {
        'toolgate.agents.enabled': true,
        'toolgate.connections.autoStart': 'always',
        'toolgate.results.openPage': false,
        'toolgate.agents.servers': ['everything', 'docs'],
        // What says nothing of its risk counts as destructive.
        'toolgate.rules': [{ effect: 'ask', origin: 'agent', risk: 'destructive' }],
      },
    },
    async (opened) => {
      ({ page, workspace } = opened);
      await openToolgate(page);
      await pressRowAction(page, 'everything', 'Start Server');
      await approveServers(page);
      await waitForServer(page, 'everything', /^Server everything: \d+ tools/);
    },
  );
  afterEach(() => closeEditors(page));
  after(async () => {
    endAgent();
    await servers?.stop();
  });

  async function startAgent(): Promise<ReturnType<typeof startBridge>> {
    const folder = [...openWindows].at(-1)?.server.userFolder ?? '';
    const gateway = path.join(folder, 'globalStorage/toolgate.toolgate/agents/gateway.js');
    await eventually(
      () => existsSync(gateway),
      (isThere) => isThere,
    );
    // One that could be asked itself.
    const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
    const command = { command: process.execPath, args: [gateway], cwd: workspace.folder };
    const started = startBridge(command, capabilities);
    await eventually(
      () => started.said.length,
      (count) => count > 0,
    );
    return started;
  }

  /** Has the agent call it, does what the person does, and gives what came as the answer. */
  async function callWhile(
    name: string,
    given: Readonly<Record<string, unknown>>,
    act: () => Promise<void>,
  ): Promise<string> {
    agent ??= await startAgent();
    const { said } = agent;
    const before = said.length;
    agent.call(name, given);
    await act();
    const isAnswer = (line: string): boolean => 'result' in JSON.parse(line);
    const lines = await eventually(
      () => said.slice(before),
      (all) => all.some(isAnswer),
    );
    // The agent was asked nothing: tools that became others are all it may hear of beside its answer.
    assert.deepEqual(
      lines.filter((line) => !isAnswer(line) && !line.includes('list_changed')),
      [],
    );
    return lines.find(isAnswer) ?? '';
  }

  function endAgent(): void {
    agent?.kill();
    agent = undefined;
  }

  describe('that of a server or an agent', () => {
    async function inputWhere(isIt: (input: QuickInput) => boolean): Promise<QuickInput> {
      const input = await eventually(() => readQuickInput(page), isIt);
      await waitForQuickInputFocus(page);
      return input;
    }
    /** The list of the form. */
    const formList = () =>
      inputWhere(({ title: shown, items }) => shown === title && items.length > 3);
    /** The question for one field, by its label. */
    const fieldOf = (label: string) => inputWhere(({ message }) => message.includes(label));
    const next = () => acceptQuickInput(page);
    const clear = async () => {
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.press('Delete');
    };

    async function callTrigger(): Promise<QuickInput> {
      await chooseTool(page, 'Trigger Elicitation Request Tool');
      await pressDialog(page, 'Run');
      return formList();
    }

    /** What the tool says it was told. */
    async function toldResult(): Promise<string> {
      await waitForTab(page, 'trigger-elicitation-request.mcpresult');
      const text = await editorText(page);
      await closeEditors(page);
      return text;
    }

    it('is answered by keyboard alone: one list of fields, changes and send, or cancel, or decline', async () => {
      await callTrigger();
      await dismissQuickInput(page);
      assert.match(await toldResult(), /"action": "cancel"/);

      await callTrigger();
      await pick(page, 'Decline');
      assert.match(await toldResult(), /"action": "decline"/);

      const { message, items } = await callTrigger();
      assert.equal(message, 'Message: “Please provide inputs for the following fields:”');
      const labels = items.map(({ label, description }) => `${label} ${description}`.trim());
      assert.deepEqual(labels.slice(0, 4), [
        'Send to “everything” missing: String',
        'Decline Tells the server that you declined.',
        'Cancel Tells the server that you closed the question.',
        'String (missing) — Your full, legal name',
      ]);
      assert.ok(items.length > 10, labels.join('; '));
      await next(); // What is missing is asked for.
      await fieldOf('String: ');
      await next();
      assert.ok(
        (await inputWhere(({ isInvalid }) => isInvalid)).message.includes('requires a value'),
      );
      await page.keyboard.type('Ann');
      await next();
      await formList();
      await pick(page, 'Boolean');
      await inputWhere(({ items: [first] }) => first?.label === 'Yes');
      await pick(page, 'Yes');
      await formList();
      await pick(page, 'String with default');
      await fieldOf('String with default');
      await clear(); // A default that is cleared is not sent.
      await next();
      await formList();
      await pick(page, 'String with email format');
      await fieldOf('String with email format');
      await page.keyboard.type('ann@');
      await next();
      await inputWhere(({ isInvalid }) => isInvalid);
      await dismissQuickInput(page); // Leaves the field as it was.
      await formList();
      await pick(page, 'String with email format');
      await fieldOf('String with email format');
      await page.keyboard.type('ann@example.org');
      await next();
      const rows = new Map((await formList()).items.map((row) => [row.label, row.description]));
      assert.equal(rows.get('String with default')?.startsWith('(left out)'), true);
      await pick(page, 'String');
      await fieldOf('String: ');
      await clear();
      await page.keyboard.type('Bob');
      await next();
      await formList();
      await next();
      const json = /Raw result: (\{[^]*?\n\s*│ \}|\{.*\})/.exec(await toldResult())?.[1];
      const told: unknown = JSON.parse((json ?? '').replaceAll(/^\s*│ /gm, ''));
      assert.deepEqual(told, {
        action: 'accept',
        content: {
          name: 'Bob',
          check: true,
          email: 'ann@example.org',
          integer: 42,
          number: 3.14,
          untitledSingleSelectEnum: 'Monica',
          untitledMultipleSelectEnum: ['Guitar'],
          titledSingleSelectEnum: 'hero-1',
          titledMultipleSelectEnum: ['fish-1'],
          legacyTitledEnum: 'pet-1',
        },
      });
    });

    const pageDialog = (): Promise<Dialog> =>
      eventually(
        () => readDialog(page),
        ({ message }) => message === 'Open the web page that server “everything” requests?',
      );

    async function toldOfPage(): Promise<string> {
      await waitForTab(page, 'trigger-url-elicitation.mcpresult');
      const text = await editorText(page);
      await closeEditors(page);
      return text;
    }

    it('for a web page opens exactly the URL that was shown, or repeats the call', async () => {
      const url = 'https://example.org/a?next=%2Fb%26c&d=e+f';
      const fetched: string[] = [];
      await page.context().route('https://example.org/**', (route) => {
        fetched.push(route.request().url());
        return route.fulfill({ body: 'hello' });
      });
      const tool = 'Trigger URL Elicitation Tool (everything)';
      await chooseTool(page, 'Trigger URL Elicitation Tool');
      await waitForQuestion(page, tool, 'url');
      await typeAndAccept(page, url);
      await waitForPage(page, tool);
      await next(); // Run.
      await pressDialog(page, 'Run');
      const { detail, buttons } = await pageDialog();
      assert.ok(detail.includes(`\nHost: example.org\nURL: ${url}\n`), detail);
      assert.deepEqual(buttons.toSorted(), ['Cancel', 'Decline', 'Open in Browser']);
      assert.deepEqual(fetched, []);
      const opening = page.context().waitForEvent('page');
      await pressDialog(page, 'Open in Browser');
      await pressDialog(page, 'Open'); // VS Code's own question about hosts that nobody trusted yet.
      const opened = await opening;
      assert.match(await toldOfPage(), /"action": "accept"/);
      await opened.close();
      assert.deepEqual(fetched, [url]);

      // A page that has to be visited first ends the call.
      await chooseTool(page, 'Trigger URL Elicitation Tool');
      await waitForPage(page, tool);
      await pick(page, 'errorPath');
      await waitForQuestion(page, tool, 'errorPath');
      await pick(page, 'true');
      await waitForPage(page, tool);
      await next();
      await pressDialog(page, 'Run');
      assert.match((await pageDialog()).detail, /^Host: modelcontextprotocol\.io$/m);
      await pressDialog(page, 'Decline');
      await pressNotification(page, 'Run Again');
      await pressDialog(page, 'Run');
      assert.ok((await pageDialog()).detail.includes(`\nURL: ${url}\n`));
      await pressDialog(page, 'Decline');
      assert.match(await toldOfPage(), /"action": "decline"/);
    });

    it('names the agent, and its form is not visible to the agent', async () => {
      const name = 'everything__trigger-elicitation-request';
      const no = await callWhile(name, {}, async () => {
        const dialog = await readDialog(page);
        assert.equal(sentArguments(dialog), '{}');
        assert.match(dialog.message, /^Agent “raw” wants to run “.+” \(.+\) on “everything”$/);
        const words = 'An agent asks for this call. It chose its own name.';
        assert.ok(questionNotes(dialog).includes(words), dialog.detail);
        await pressDialog(page, 'Cancel');
      });
      assert.match(no, /The user declined this call\. Nothing was sent\..*"isError":true/);
      const declined = await callWhile(name, {}, async () => {
        await pressDialog(page, 'Run');
        await formList();
        await pick(page, 'Decline');
      });
      assert.match(declined, /\\"action\\": ?\\"decline\\"|declined/);
    });
  });

  describe('a sign-in @newest', () => {
    before(endAgent); // It belongs to the window before the reload.

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
      await waitForServer(page, 'docs', /waiting for you to sign in/);
      await pressRowAction(page, 'docs', 'Cancel Sign-In');
      await waitForServer(page, 'docs', needed);
      await left.close();

      await ask();
      await signInOnPages(await openBrowser());
      await waitForServer(page, 'docs', running);
      await isUser('ada');
      await treeRow(page, 'docs').hover();
      const hover = page.locator('.monaco-hover:visible', { hasText: 'Signed in as:' });
      assert.match(
        await hover.innerText(),
        /Signed in at: 127\.0\.0\.1:\d+[^]*Scopes: .*files:read/,
      );
    });

    it('with another account is completed by a pasted URL, and either account can be selected for the server', async () => {
      await chooseFromRowMenu(page, 'docs', 'Switch Account…');
      await pick(page, 'Sign In with Another Account…');
      const address = await copiedAddress(page, () => pressDialog(page, 'Copy Link'));
      const end = await visitSignIn(address, { login: 'bob' });
      await pressNotificationLink(page, 'Paste URL…');
      await waitForQuickInputFocus(page);
      await page.keyboard.type(new URL(end).searchParams.get('code') ?? '');
      const { message } = await eventually(
        () => readQuickInput(page),
        ({ isInvalid }) => isInvalid,
      );
      assert.match(message, /Copy the full URL/);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(end);
      await acceptQuickInput(page);
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

    it('asks for more scopes during a call of the user or an agent, which then continues', async () => {
      await servers.change({ toolScopes: { read_file: 'files:list', write_file: 'files:write' } });
      const addScope = async (scope: string): Promise<void> => {
        await waitForNotification(page, `requires additional scopes: ${scope}`);
        await agreeOnPage(await openedPage(page, () => pressNotification(page, 'Sign In')));
      };
      await clearNotifications(page);
      await call('read_file');
      await addScope('files:list');
      assert.match(await answerOf('read_file'), /read/);
      assert.equal(await isDialogOpen(page), false);
      await clearNotifications(page);
      const answer = await callWhile('docs__write_file', {}, async () => {
        await pressDialog(page, 'Run');
        await addScope('files:write');
      });
      assert.match(answer, /written/);
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
      const found = files.filter(({ text }) =>
        [...secrets].some((secret) => text.includes(secret)),
      );
      assert.deepEqual(
        found.map(({ file }) => file),
        [],
      );
      // What is no secret is found by the same search.
      assert.ok(files.some(({ text }) => text.includes(servers.mcpUrl)));
    });
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
