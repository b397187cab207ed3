import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { AuthorizationServer } from '../fixtures/authorizationServer';
import { startBridge } from '../host/bridgeProcess';
import { openWindows } from '../vscode/window';
import { pressDialog, questionNotes, readDialog, sentArguments, type Dialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { clearNotifications, pressNotification, waitForNotification } from './notifications';
import { pick, readQuickInput, typeAndAccept, type QuickInput } from './quickInput';
import { pressRowAction } from './sideBar';
import { agreeOnPage, openedPage, signInOnPages } from './signInPages';
import {
  approveServers,
  chooseTool,
  closeEditors,
  openToolgate,
  waitForPage,
  waitForQuestion,
  waitForServer,
} from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';
import { everythingServer, type Workspace } from './workspace';

const title = 'Server “everything” asks you';

describe('A question of a server or an agent', function () {
  this.timeout(180_000);
  let servers: AuthorizationServer;
  let page: Page;
  let workspace: Workspace;
  let agent: ReturnType<typeof startBridge> | undefined;

  before(async () => {
    servers = await AuthorizationServer.start({ issuers: 1 });
    await servers.change({ challengeScopes: ['openid', 'offline_access', 'files:read'] });
  });
  useWindow(
    {
      servers: () => ({ everything: everythingServer, docs: { url: servers.mcpUrl } }),
      settings: {
        'toolgate.agents.enabled': true,
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
    agent?.kill();
    await servers?.stop();
  });

  const inputWhere = (isIt: (input: QuickInput) => boolean) =>
    eventually(() => readQuickInput(page), isIt);
  /** The list of the form. */
  const formList = () =>
    inputWhere(({ title: shown, items }) => shown === title && items.length > 3);
  /** The question for one field, by its label. */
  const fieldOf = (label: string) => inputWhere(({ message }) => message.includes(label));
  const next = () => page.keyboard.press('Enter');
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
    await page.keyboard.press('Escape');
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
    await page.keyboard.press('Escape'); // Leaves the field as it was.
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

  it('is a sign-in if the call of an agent needs more scopes, and the call continues with it @newest', async () => {
    await pressRowAction(page, 'docs', 'Connect');
    await approveServers(page);
    await readDialog(page);
    await signInOnPages(await openedPage(page, () => pressDialog(page, 'Open Browser')));
    await waitForServer(page, 'docs', /^Server docs: 3 tools/);
    await servers.change({ toolScopes: { write_file: 'files:write' } });
    await clearNotifications(page);
    const answer = await callWhile('docs__write_file', {}, async () => {
      await pressDialog(page, 'Run');
      await waitForNotification(page, 'requires additional scopes: files:write');
      await agreeOnPage(await openedPage(page, () => pressNotification(page, 'Sign In')));
    });
    assert.match(answer, /written/);
  });
});
