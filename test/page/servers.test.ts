import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { editorText, waitForTab } from './editors';
import { notifications } from './notifications';
import { pick, runCommand } from './quickInput';
import {
  chooseFromRowMenu,
  pressRowAction,
  readTree,
  showRow,
  treeLines,
  treeRow,
} from './sideBar';
import { approveServers, openToolgate, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

describe('Servers of a workspace', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let page: Page;

  useWindow(
    {
      servers: (own) => ({
        steered: own.steered('steered'),
        locked: own.steered('locked', 'exit'),
        lost: { command: 'no-such-program-anywhere' },
      }),
    },
    async (opened) => {
      ({ workspace, page } = opened);
      await openToolgate(page);
    },
  );

  const running = /^Server steered: 9 tools/;
  const stopped = /^Server \w+: stopped$/;
  const pids = () =>
    workspace.received('steered').flatMap((line) => /^started (\d+)/.exec(line)?.[1] ?? []);
  const lines = async () => treeLines(await readTree(page));
  const showsLines = (expected: readonly string[]) =>
    eventually(lines, (all) => JSON.stringify(all) === JSON.stringify(expected));
  const outputText = async () =>
    (await page.locator('.panel .view-lines').allInnerTexts()).join('\n').replaceAll('\u00A0', ' ');

  it('start, stop and restart from their rows', async () => {
    await pressRowAction(page, 'steered', 'Start Server');
    await approveServers(page);
    await waitForServer(page, 'steered', running);
    const [first] = pids().slice(-1);
    await chooseFromRowMenu(page, 'steered', 'Restart Server');
    await eventually(
      () => Promise.resolve(pids().at(-1)),
      (pid) => pid !== first,
    );
    await waitForServer(page, 'steered', running);
    await pressRowAction(page, 'steered', 'Stop Server');
    await waitForServer(page, 'steered', stopped);
    await eventually(
      () => pids().filter((pid) => isAlive(Number(pid))),
      (left) => left.length === 0,
    );
  });

  it('start, restart and stop from the palette, which asks which one', async () => {
    await runCommand(page, 'Toolgate: Start Server');
    await pick(page, 'steered');
    await waitForServer(page, 'steered', running);
    const before = pids().length;
    await runCommand(page, 'Toolgate: Restart Server');
    await pick(page, 'steered');
    await eventually(
      () => Promise.resolve(pids().length),
      (count) => count > before,
    );
    await waitForServer(page, 'steered', running);
    await runCommand(page, 'Toolgate: Stop Server');
    await pick(page, 'steered');
    await waitForServer(page, 'steered', stopped);
  });

  it('say in a row why one did not start, and lead to what to change', async () => {
    await pressRowAction(page, 'lost', 'Start Server');
    await approveServers(page);
    const row = treeRow(page, 'Program not found');
    await row.waitFor();
    assert.match(
      (await row.getAttribute('aria-label')) ?? '',
      /^Problem: Server “lost” did not start: “no-such-program-anywhere” was not found in \/.+ and \d+ more folders\. Install it, or write its full path\.$/,
    );
    assert.match((await notifications(page)).join(), /“no-such-program-anywhere”/);
    await row.click();
    await waitForTab(page, 'mcp.json');
    assert.match(await editorText(page), /"command": "no-such-program-anywhere"/);
  });

  it('show their log, with what the program wrote before it ended', async () => {
    await pressRowAction(page, 'locked', 'Start Server');
    await approveServers(page);
    const row = treeRow(page, 'Ended while starting');
    await row.waitFor();
    assert.match(
      (await row.getAttribute('aria-label')) ?? '',
      /its program ended with exit code 3\. .* It said on stderr: “the database is locked”$/,
    );
    await row.click();
    await eventually(outputText, (text) => text.includes('[stderr] the database is locked'));
    await runCommand(page, 'View: Hide Panel');
  });

  it('show what they listed last when they are stopped, and start when they are told to', async () => {
    assert.equal(await treeRow(page, 'Start Server').count(), 0);
    assert.match(
      (await showRow(page, 'steered').then((row) => row.getAttribute('aria-label'))) ?? '',
      /stopped/,
    );
    await pressRowAction(page, 'steered', 'Start Server');
    await waitForServer(page, 'steered', running);
  });

  it('stay stopped when they are enabled again, though their row was open', async () => {
    const before = pids().length;
    await chooseFromRowMenu(page, 'steered', 'Disable Server');
    await waitForServer(page, 'steered', /^Server steered: disabled$/);
    await chooseFromRowMenu(page, 'steered', 'Enable Server');
    await waitForServer(page, 'steered', stopped);
    // The tree is read whole, so whatever opened by itself has been told.
    await lines();
    await page.waitForTimeout(500);
    assert.equal(pids().length, before);
    await pressRowAction(page, 'steered', 'Start Server');
    await waitForServer(page, 'steered', running);
  });

  /** Once a stop that was asked for is over: whether the server ran, and not whether it had ended. */
  async function hasStopped(): Promise<boolean> {
    await waitForServer(page, 'steered', /: (?:failed|stopped)$/);
    return stopped.test((await treeRow(page, 'steered').getAttribute('aria-label')) ?? '');
  }

  it('say in the tree when one ends by itself, and are started again', async () => {
    const before = pids().length;
    process.kill(Number(pids().at(-1)), 'SIGKILL');
    await waitForServer(page, 'steered', /: ended, restarting \(1 of 5\)$/);
    const row = treeRow(page, 'Connection ended');
    assert.match(
      (await row.getAttribute('aria-label')) ?? '',
      /ended with signal SIGKILL.* It is started again by itself, try 1 of 5\. Stop Server keeps it down\./,
    );
    await waitForServer(page, 'steered', running);
    assert.equal(pids().length, before + 1);
    process.kill(Number(pids().at(-1)), 'SIGKILL');
    await waitForServer(page, 'steered', /: ended, restarting \(2 of 5\)$/);
    await pressRowAction(page, 'steered', 'Stop Server');
    // It may be started again before it is stopped, on a machine with much to do.
    for (let tries = 4; tries > 0 && (await hasStopped()); tries -= 1) {
      await pressRowAction(page, 'steered', 'Start Server');
      await waitForServer(page, 'steered', running);
      process.kill(Number(pids().at(-1)), 'SIGKILL');
      await waitForServer(page, 'steered', /: ended, restarting \(\d of 5\)$/);
      await pressRowAction(page, 'steered', 'Stop Server');
    }
    await waitForServer(page, 'steered', /: failed$/);
    await treeRow(page, 'Connection ended').click(); // Restart Server is what it offers.
    await waitForServer(page, 'steered', running);
  });

  it('follow the file as it is edited, and end when they are taken out of it', async () => {
    const pid = Number(pids().at(-1));
    const second = workspace.steered('second');
    workspace.configure({ second });
    await showsLines(['▸ second  stopped']);
    await eventually(
      () => Promise.resolve(isAlive(pid)),
      (alive) => !alive,
    );
    writeFileSync(path.join(workspace.folder, '.vscode/mcp.json'), '{ "servers": ');
    const row = treeRow(page, 'Not valid JSON');
    await row.waitFor();
    workspace.configure({ second, third: workspace.steered('third') });
    await showsLines(['▸ second  stopped', '▸ third  stopped']);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
