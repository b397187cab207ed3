import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { resultsFolder } from '../vscode/paths';
import { pressRowAction, readTree, treeLines, treeRow } from './sideBar';
import { approveServers, openToolgate, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

/** Says its number in the file beside it, and then installs for ever. */
const npx = `#!/bin/sh
echo $$ > "$0.pid"
sleep 600
`;

for (const theme of ['dark', 'light'] as const) {
  describe(`A server that is being installed, ${theme}`, function () {
    this.timeout(60_000);
    let page: Page;
    let workspace: Workspace;
    before(function () {
      if (process.platform === 'win32') this.skip();
    });

    useWindow(
      {
        theme,
        files: { 'bin/npx': npx },
        servers: ({ folder }) => ({
          large: { command: path.join(folder, 'bin/npx'), args: ['-y', 'a-large-package'] },
          steered: { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1e6)'] },
        }),
        settings: { 'toolgate.connections.startTimeoutMs': 3_000 },
      },
      async (opened) => {
        ({ page, workspace } = opened);
        chmodSync(path.join(workspace.folder, 'bin/npx'), 0o755);
        await openToolgate(page);
      },
    );

    it('says so on its row, beyond the limit of a start, and Stop Server ends it', async () => {
      await pressRowAction(page, 'large', 'Start Server');
      await approveServers(page);
      await waitForServer(page, 'large', /^Server large: installing…/);
      // Longer than the limit.
      await page.waitForTimeout(4_000);
      const line = treeLines(await readTree(page)).find((one) => one.includes('large'));
      assert.match(line ?? '', /installing…/);
      mkdirSync(resultsFolder, { recursive: true });
      await page.screenshot({ path: path.join(resultsFolder, `installing-${theme}.png`) });
      const pid = Number(readFileSync(path.join(workspace.folder, 'bin/npx.pid'), 'utf8'));
      process.kill(pid, 0);
      await pressRowAction(page, 'large', 'Stop Server');
      await waitForServer(page, 'large', /^Server large: stopped/);
      await eventually(
        () => isThere(pid),
        (is) => !is,
      );
      await treeRow(page, 'large').waitFor();
    });
  });
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
