import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { pressQuickButton, readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { openView, pressRowAction, treeRow } from './sideBar';
import { approveServers, waitForServer } from './toolgate';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

const script = `(server) => {
  const name = process.env.WHO + '-' + process.env.KEY.length;
  server.tools = [{ name, inputSchema: { type: 'object' } }];
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

describe('Several inputs of a server', function () {
  this.timeout(60_000);
  let page: Page;
  const who = 'Input “who” of .vscode/mcp.json';
  const key = 'Input “key” of .vscode/mcp.json';

  useWindow({ files: { '.vscode/mcp.json': JSON.stringify(configuration) } }, async (opened) => {
    ({ page } = opened);
    await openView(page, 'Toolgate');
    await treeRow(page, 'shed').waitFor();
  });

  it('are asked back and forth, and none is kept until all are answered', async () => {
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

  it('are not asked again at the next start', async () => {
    await pressRowAction(page, 'shed', 'Stop Server');
    await waitForServer(page, 'shed', /stopped/);
    await pressRowAction(page, 'shed', 'Start Server');
    await waitForServer(page, 'shed', /1 tool/);
    assert.equal(await page.locator('.quick-input-widget:visible').count(), 0);
  });
});
