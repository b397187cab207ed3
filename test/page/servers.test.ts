import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { openWindow, type VscodeWindow } from '../vscode/window';
import {
  chooseFromRowMenu,
  editorText,
  eventually,
  notifications,
  pick,
  pressRowAction,
  readTree,
  runCommand,
  treeLines,
  treeRow,
  waitForTab,
} from './harness';
import { openToolgate, waitForServer } from './toolgate';
import { makeWorkspace, type Workspace } from './workspace';

describe('Servers of a workspace', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let window: VscodeWindow;
  let page: Page;

  before(async () => {
    workspace = makeWorkspace();
    workspace.configure({
      steered: workspace.steered('steered'),
      locked: workspace.steered('locked', 'exit'),
      lost: { command: 'no-such-program-anywhere' },
    });
    window = await openWindow({ folder: workspace.folder });
    page = window.page;
    await openToolgate(page);
  });
  after(async () => {
    await window.close();
    workspace.remove();
  });

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
    for (const pid of pids()) assert.throws(() => process.kill(Number(pid), 0), /ESRCH/);
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
    const row = treeRow(page, 'Program not found');
    await row.waitFor();
    assert.equal(
      await row.getAttribute('aria-label'),
      'Problem: Server “lost” did not start: the program “no-such-program-anywhere” was not found. Install it, or correct "command" in the configuration.',
    );
    assert.match((await notifications(page)).join(), /the program “no-such-program-anywhere”/);
    await row.click();
    await waitForTab(page, 'mcp.json');
    assert.match(await editorText(page), /"command": "no-such-program-anywhere"/);
  });

  it('show their log, with what the program wrote before it ended', async () => {
    await pressRowAction(page, 'locked', 'Start Server');
    const row = treeRow(page, 'Ended while starting');
    await row.waitFor();
    assert.match(
      (await row.getAttribute('aria-label')) ?? '',
      /its program ended with exit code 3 .* Its last line on stderr: “the database is locked”$/,
    );
    await row.click();
    await eventually(outputText, (text) => text.includes('[stderr] the database is locked'));
    await runCommand(page, 'View: Hide Panel');
  });

  it('say in the tree when one ends by itself, and start again', async () => {
    await runCommand(page, 'Toolgate: Start Server');
    await pick(page, 'steered');
    await waitForServer(page, 'steered', running);
    process.kill(Number(pids().at(-1)), 'SIGKILL');
    await waitForServer(page, 'steered', /failed$/);
    const row = treeRow(page, 'Connection ended');
    assert.match((await row.getAttribute('aria-label')) ?? '', /ended with signal SIGKILL/);
    await row.click(); // Restart Server is what it offers.
    await waitForServer(page, 'steered', running);
  });

  it('follow the file as it is edited, and end when they are taken out of it', async () => {
    const pid = Number(pids().at(-1));
    const second = workspace.steered('second');
    workspace.configure({ second });
    await showsLines(['  second  stopped']);
    await eventually(
      () => Promise.resolve(isAlive(pid)),
      (alive) => !alive,
    );
    writeFileSync(path.join(workspace.folder, '.vscode/mcp.json'), '{ "servers": ');
    const row = treeRow(page, 'Not valid JSON');
    await row.waitFor();
    workspace.configure({ second, third: workspace.steered('third') });
    await showsLines(['  second  stopped', '  third  stopped']);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
