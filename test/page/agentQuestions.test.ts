import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { AuthorizationServer } from '../fixtures/authorizationServer';
import { startBridge } from '../host/bridgeProcess';
import { openWindow, type VscodeWindow } from '../vscode/window';
import { pressDialog, readDialog } from './dialog';
import { clearNotifications, notifications, pressNotification } from './notifications';
import { pick, readQuickInput } from './quickInput';
import { pressRowAction } from './sideBar';
import { agreeOnPage, openedPage, openTunnels, signInOnPages } from './signInPages';
import { approveServers, openToolgate, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { everythingServer, makeWorkspace, type Workspace } from './workspace';

describe('What a server asks during a call of an agent @newest', function () {
  this.timeout(180_000);
  let servers: AuthorizationServer;
  let page: Page;
  let window: VscodeWindow;
  let workspace: Workspace;
  let agent: ReturnType<typeof startBridge>;

  before(async () => {
    servers = await AuthorizationServer.start({ issuers: 1 });
    await servers.change({ challengeScopes: ['openid', 'offline_access', 'files:read'] });
    workspace = makeWorkspace();
    workspace.configure({ everything: everythingServer, docs: { url: servers.mcpUrl } });
    const settings = {
      'toolgate.agents.enabled': true,
      'toolgate.agents.servers': ['everything', 'docs'],
      // What says nothing of its risk counts as destructive.
      'toolgate.rules': [{ effect: 'ask', origin: 'agent', risk: 'destructive' }],
    };
    window = await openWindow({ folder: workspace.folder, settings });
    ({ page } = window);
    await openTunnels(page);
    await openToolgate(page);
    await pressRowAction(page, 'everything', 'Start Server');
    await approveServers(page);
    await waitForServer(page, 'everything', /^Server everything: \d+ tools/);
    await pressRowAction(page, 'docs', 'Start Server');
    await approveServers(page);
    await readDialog(page);
    await signInOnPages(await openedPage(page, () => pressDialog(page, 'Open Browser')));
    await waitForServer(page, 'docs', /^Server docs: 3 tools/);
    const storage = path.join(window.server.userFolder, 'globalStorage/toolgate.toolgate');
    const gateway = path.join(storage, 'agents/gateway.js');
    await eventually(
      () => Promise.resolve(existsSync(gateway)),
      (isThere) => isThere,
    );
    // One that could be asked itself.
    const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
    const command = { command: process.execPath, args: [gateway], cwd: workspace.folder };
    agent = startBridge(command, capabilities);
    await said((lines) => lines.length > 0);
  });
  after(async () => {
    agent?.kill();
    await window?.close();
    await servers?.stop();
    workspace?.remove();
  });

  const said = (isSo: (lines: readonly string[]) => boolean): Promise<readonly string[]> =>
    eventually(() => Promise.resolve([...agent.said]), isSo);

  /** Has the agent call it, answers its question, and hands over what else came until the answer. */
  async function callWhile(
    name: string,
    given: Readonly<Record<string, unknown>>,
    answer: () => Promise<void>,
  ): Promise<string> {
    const before = agent.said.length;
    agent.call(name, given);
    await pressDialog(page, 'Run');
    await answer();
    const isAnswer = (line: string): boolean => 'result' in JSON.parse(line);
    const lines = (await said((all) => all.slice(before).some(isAnswer))).slice(before);
    // The agent was asked nothing: tools that became others are all it may hear of beside its answer.
    assert.deepEqual(
      lines.filter((line) => !isAnswer(line) && !line.includes('list_changed')),
      [],
    );
    return lines.find(isAnswer) ?? '';
  }

  it('is asked of the person, as a form, and the call goes on with their answer', async () => {
    const title = 'Server “everything” asks you';
    const answer = await callWhile('everything__trigger-elicitation-request', {}, async () => {
      await eventually(
        () => readQuickInput(page),
        (input) => input.title === title,
      );
      await pick(page, 'Decline');
    });
    assert.match(answer, /\\"action\\": ?\\"decline\\"|declined/);
  });

  it('is asked of the person, as a sign-in, and the call goes on with it', async () => {
    await servers.change({ toolScopes: { write_file: 'files:write' } });
    await clearNotifications(page);
    const answer = await callWhile('docs__write_file', {}, async () => {
      await eventually(
        () => notifications(page),
        (all) => all.some((text) => text.includes('needs more rights: files:write')),
      );
      await agreeOnPage(await openedPage(page, () => pressNotification(page, 'Sign In')));
    });
    assert.match(answer, /written/);
  });
});
