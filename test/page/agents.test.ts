import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { connectAgent, type Agent } from '../host/agentClients';
import { openWindow, type VscodeWindow } from '../vscode/window';
import { dismissDialog, pressDialog, questionNotes, readDialog, sentArguments } from './dialog';
import { openToolgate, startAll } from './toolgate';
import { eventually } from './waiting';
import { demoServer, makeWorkspace, type Workspace } from './workspace';

describe('An agent', function () {
  this.timeout(90_000);
  let page: Page;
  let window: VscodeWindow;
  let workspace: Workspace;
  let agent: Agent;

  before(async () => {
    workspace = makeWorkspace();
    workspace.configure({ garden: demoServer });
    const settings = { 'toolgate.agents.enabled': true, 'toolgate.agents.servers': ['garden'] };
    window = await openWindow({
      folder: workspace.folder,
      settings,
    });
    ({ page } = window);
    await openToolgate(page);
    await startAll(page, 1);
    const storage = path.join(window.server.userFolder, 'globalStorage/toolgate.toolgate');
    const gateway = path.join(storage, 'agents/gateway.js');
    await eventually(
      () => Promise.resolve(existsSync(gateway)),
      (isThere) => isThere,
    );
    const bridge = { command: process.execPath, args: [gateway], cwd: workspace.folder };
    agent = await connectAgent('SDK 1', bridge, 'robot');
  });
  after(async () => {
    await agent?.close();
    await window?.close();
    workspace?.remove();
  });

  it('has the person asked, who sees who asks and with what', async () => {
    const given = { name: 'Carrots', text: 'Sow in rows.' };
    const calling = agent.call('garden__plant_note', given);
    const dialog = await readDialog(page);
    assert.deepEqual(JSON.parse(sentArguments(dialog)), given);
    assert.ok(
      questionNotes(dialog).includes(
        'Agent “robot” (as it calls itself) asks for this call, not you.',
      ),
      dialog.detail,
    );
    await dismissDialog(page);
    assert.deepEqual(await calling, {
      text: 'The user said no to this call; nothing was sent.',
      isError: true,
    });
    const again = agent.call('garden__plant_note', given);
    await pressDialog(page, 'Run');
    assert.equal((await again).isError, false);
  });
});
