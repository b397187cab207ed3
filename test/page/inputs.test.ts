import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { editorText, waitForTab } from './editors';
import { pressQuickButton, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { openView, pressRowAction, treeRow } from './sideBar';
import { approveServers, waitForServer, waitForStatus } from './toolgate';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const script = `(server) => {
  const name = process.env.WHO + '-' + process.env.KEY.length;
  server.tools = [{ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
}`;

const configuration = {
  inputs: [
    { id: 'who', type: 'promptString', description: 'Whose plants' },
    { id: 'key', type: 'promptString', description: 'Key of the shed', password: true },
  ],
  servers: {
    shed: { ...scriptedServer(script), env: { WHO: '${input:who}', KEY: '${input:key}' } },
  },
};

const calls = `{
  "inputs": { "to": { "password": true } },
  "calls": {
    "one": { "server": "shed", "tool": "bob-7", "arguments": { "from": "\${input:from}" } },
    "two": { "server": "shed", "tool": "bob-7", "arguments": { "to": "\${input:to}" } }
  }
}
`;

describe('Several inputs', function () {
  this.timeout(60_000);
  let page: Page;
  const who = 'Input “who” of .vscode/mcp.json';
  const key = 'Input “key” of .vscode/mcp.json';

  useWindow(
    { files: { '.vscode/mcp.json': JSON.stringify(configuration), 'walk.mcpcall': calls } },
    async (opened) => {
      ({ page } = opened);
      await openView(page, 'Toolgate');
      await treeRow(page, 'shed').waitFor();
    },
  );

  it('of a server are asked back and forth, and none is kept until all are answered', async () => {
    await runCommand(page, 'Toolgate: Start All Servers');
    await approveServers(page);
    await readQuickInput(page, who);
    await typeAndAccept(page, 'ann');
    await readQuickInput(page, key);
    await page.keyboard.press('Escape');
    await waitForServer(page, 'shed', /stopped/);

    await runCommand(page, 'Toolgate: Start All Servers');
    assert.equal((await readQuickInput(page, who)).value, '');
    await typeAndAccept(page, 'ann');
    await readQuickInput(page, key);
    await pressQuickButton(page, 'Back');
    assert.equal((await readQuickInput(page, who)).value, 'ann');
    await typeAndAccept(page, 'bob');
    await readQuickInput(page, key);
    await typeAndAccept(page, 'seven77');
    await waitForServer(page, 'shed', /1 tool/);
    await treeRow(page, 'bob-7').waitFor();
    assert.equal(await page.locator('.quick-input-widget:visible').count(), 0);
  });

  it('of a server are not asked again at the next start', async () => {
    await pressRowAction(page, 'shed', 'Stop Server');
    await waitForServer(page, 'shed', /stopped/);
    await pressRowAction(page, 'shed', 'Start Server');
    await waitForServer(page, 'shed', /1 tool/);
    assert.equal(await page.locator('.quick-input-widget:visible').count(), 0);
  });

  it('of a call file are asked likewise, those of all its calls', async () => {
    await runCommand(page, 'Toolgate: Open Call File…');
    await waitForTab(page, 'walk.mcpcall');
    await runCommand(page, 'Toolgate: Run All Calls of File');
    await readQuickInput(page, 'Input “from”');
    await typeAndAccept(page, 'Oslo');
    await readQuickInput(page, 'Input “to”');
    await page.keyboard.press('Escape');
    await waitForStatus(page, 'No call of the file was run.');

    await runCommand(page, 'Toolgate: Run All Calls of File');
    assert.equal((await readQuickInput(page, 'Input “from”')).value, '');
    await typeAndAccept(page, 'Oslo');
    await readQuickInput(page, 'Input “to”');
    await pressQuickButton(page, 'Back');
    assert.equal((await readQuickInput(page, 'Input “from”')).value, 'Oslo');
    await typeAndAccept(page, 'Bergen');
    await readQuickInput(page, 'Input “to”');
    await typeAndAccept(page, 'seven77');
    await waitForTab(page, 'Run All.mcptext');
    const list = await editorText(page);
    assert.match(list, /\{"from":"Bergen"\}/);
    assert.match(list, /\{"to":"seven77"\}/);
  });
});
