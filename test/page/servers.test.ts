import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeTemporaryFolder } from '../vscode/server';
import { openWindow, type VscodeWindow } from '../vscode/window';
import { isDialogOpen, pressDialog, readDialog } from './dialog';
import { chooseQuickFix, waitForTab } from './editors';
import { peekQuickInput, pick, readQuickInput, runCommand } from './quickInput';
import { chooseFromRowMenu, pressRowAction, readTree, treeLines, treeRow } from './sideBar';
import { approveServers, openToolgate, waitForServer } from './toolgate';
import { eventually } from '../waiting';
import { useWindow } from './window';
import type { Workspace } from './workspace';

const inTree = (page: Page, ...expected: readonly string[]) =>
  eventually(
    async () => treeLines(await readTree(page)),
    (lines) => JSON.stringify(lines) === JSON.stringify(expected),
  );

describe('Servers of a workspace', function () {
  this.timeout(120_000);
  let workspace: Workspace;
  let page: Page;

  useWindow(
    {
      servers: (own) => ({
        steered: own.steered('steered'),
        locked: own.steered('locked', 'exit'),
        lost: { command: 'no-such-program-anywhere' },
        hanging: own.steered('hanging', 'silent'),
      }),
    },
    async (opened) => {
      ({ workspace, page } = opened);
      await openToolgate(page);
    },
  );

  const file = () => path.join(workspace.folder, '.vscode/mcp.json');
  const running = /^Server steered: 9 tools/;
  const stopped = /^Server \w+: stopped$/;
  const pids = () =>
    workspace.received('steered').flatMap((line) => /^started (\d+)/.exec(line)?.[1] ?? []);
  const labelOf = async (label: string) =>
    (await treeRow(page, label).getAttribute('aria-label')) ?? '';
  const lenses = async (): Promise<string> => {
    const texts = await page.locator('.codelens-decoration').allInnerTexts();
    return texts.join().replaceAll(/\s+/g, ' ');
  };
  const lensesBecome = (pattern: RegExp) => eventually(lenses, (text) => pattern.test(text));

  it('start, stop and restart from their rows and the command palette, also after they exited, and not because they are enabled', async () => {
    await pressRowAction(page, 'steered', 'Start Server');
    await approveServers(page);
    await waitForServer(page, 'steered', running);
    process.kill(Number(pids().at(-1)), 'SIGKILL');
    await eventually(pids, ({ length }) => length === 2);
    await waitForServer(page, 'steered', running);
    await runCommand(page, 'Toolgate: Restart Server');
    await pick(page, 'steered');
    await eventually(pids, ({ length }) => length === 3);
    await waitForServer(page, 'steered', running);
    // Its row is open, and stays so.
    await chooseFromRowMenu(page, 'steered', 'Disable Server');
    await waitForServer(page, 'steered', /^Server steered: disabled$/);
    await chooseFromRowMenu(page, 'steered', 'Enable Server');
    await waitForServer(page, 'steered', stopped);
    // The tree is read whole, so whatever opened by itself has been told.
    await readTree(page);
    assert.equal(pids().length, 3);
    await pressRowAction(page, 'steered', 'Start Server');
    await waitForServer(page, 'steered', running);
    assert.equal(pids().length, 4);
    await pressRowAction(page, 'steered', 'Stop Server');
    await waitForServer(page, 'steered', stopped);
    await eventually(
      () => pids().filter((pid) => isAlive(Number(pid))),
      (left) => left.length === 0,
    );
  });

  it('show in their row why one did not start, open what to change, and are diagnosed step by step', async () => {
    await pressRowAction(page, 'lost', 'Start Server');
    await approveServers(page);
    await treeRow(page, 'Program not found').waitFor();
    assert.match(
      await labelOf('Program not found'),
      /^Problem: Server “lost” did not start: “no-such-program-anywhere” was not found in \/.+ \(and \d+ more\)\. Install it, or enter its full path\.$/,
    );
    await treeRow(page, 'Program not found').click();
    await waitForTab(page, 'mcp.json');
    await pressRowAction(page, 'locked', 'Start Server');
    await approveServers(page);
    await treeRow(page, 'Exited while starting').waitFor();
    assert.match(
      await labelOf('Exited while starting'),
      /its program exited with exit code 3\. .* stderr: “the database is locked”$/,
    );
    await treeRow(page, 'Exited while starting').click();
    await eventually(
      async () =>
        (await page.locator('.panel .view-lines').allInnerTexts())
          .join('\n')
          .replaceAll('\u00A0', ' '),
      (text) => text.includes('[stderr] the database is locked'),
    );
    await runCommand(page, 'View: Hide Panel');

    await chooseFromRowMenu(page, 'hanging', 'Diagnose Server…');
    await approveServers(page);
    await waitForTab(page, 'hanging.mcptext');
    await page.locator('.view-line', { hasText: 'Process runs' }).first().waitFor();
    await page.locator('.codelens-decoration a', { hasText: 'Cancel' }).click();
    await eventually(lenses, (all) => all.includes('Copy') && !all.includes('Cancel'));
  });

  it('are shown in their file, and a quick fix moves a secret to secret storage', async () => {
    const seen = path.join(workspace.folder, 'key.txt');
    const { command, env = {}, args: [script = ''] = [] } = workspace.steered('steered');
    // Writes down what it got, and then is the server.
    const code = `require('fs').writeFileSync(process.env.SEEN, process.env.API_KEY);import(${JSON.stringify(script)})`;
    const keyed = {
      command,
      args: ['-e', code],
      env: { ...env, SEEN: seen, API_KEY: 'hunter2-in-the-file' },
    };
    writeFileSync(file(), '{ "servers": ');
    await treeRow(page, 'Not valid JSON').waitFor();
    workspace.configure({ keyed });
    await inTree(page, '▸ keyed  stopped');
    await chooseFromRowMenu(page, 'keyed', 'Open Server Configuration');
    await waitForTab(page, 'mcp.json');
    await lensesBecome(/Toolgate: stopped/);
    // VS Code has a line of its own there; one of the two starts the server.
    assert.equal(
      await page.locator('.codelens-decoration a', { hasText: /^\W*Start$/ }).count(),
      1,
    );

    await page.keyboard.press('F8');
    await page.locator('.zone-widget, .marker-widget').first().waitFor();
    await page.keyboard.press('Escape');
    await chooseQuickFix(page, 'Move to secret storage');
    await eventually(
      () => readFileSync(file(), 'utf8'),
      (text) => text.includes('${input:keyed-api-key}') && !text.includes('hunter2'),
    );
    // The server starts as the file was when it was read last.
    await page.locator('.editor-instance .squiggly-warning').waitFor({ state: 'detached' });

    await pressRowAction(page, 'keyed', 'Start Server');
    // The button of a row that is read anew just then asks which server is meant.
    await eventually(async () => {
      const isAsked = (await peekQuickInput(page))?.title === 'Start Server';
      if (isAsked) await page.keyboard.press('Enter');
      return isDialogOpen(page);
    }, Boolean);
    const { detail } = await readDialog(page);
    assert.match(detail, /^Variable API_KEY = "\$\{input:keyed-api-key\}"$/m);
    assert.doesNotMatch(detail, /hunter2/);
    await pressDialog(page, 'Start Server');
    await waitForServer(page, 'keyed', /^Server keyed: 9 tools/);
    await lensesBecome(/Toolgate: running, 9 tools/);
    assert.equal(readFileSync(seen, 'utf8'), 'hunter2-in-the-file');
  });
});

describe('A workspace of several folders', function () {
  this.timeout(120_000);
  const { folder: place, remove } = makeTemporaryFolder('folders');
  const workspaceFile = path.join(place, 'garden.code-workspace');
  let window: VscodeWindow;
  let page: Page;

  const open = (...names: readonly string[]): void => {
    const folders = names.map((name) => ({ path: name }));
    writeFileSync(workspaceFile, JSON.stringify({ folders }));
  };
  const configure = (name: string, servers: object): void => {
    mkdirSync(path.join(place, name, '.vscode'), { recursive: true });
    const file = path.join(place, name, '.vscode/mcp.json');
    writeFileSync(file, JSON.stringify({ servers }));
  };

  before(async () => {
    configure('one', {
      same: { command: 'node' },
      'of-two': { command: 'node', args: ['${workspaceFolder:two}'] },
    });
    configure('two', { same: { command: 'node', args: ['-v'] }, second: { command: 'node' } });
    configure('three', { third: { command: 'node' } });
    open('one', 'two');
    window = await openWindow({
      folder: workspaceFile,
      settings: { 'toolgate.tree.groupByOrigin': true },
    });
    ({ page } = window);
    await openToolgate(page);
  });
  after(async () => {
    await window?.close();
    remove();
  });

  it('lists a server of two folders once, follows added and removed folders, and offers their files separately', async () => {
    await inTree(
      page,
      '▾ one/.vscode/mcp.json  2 servers',
      '  ▸ same  stopped',
      '  ▸ of-two  stopped',
      '▾ two/.vscode/mcp.json  1 server',
      '  ▸ second  stopped',
    );
    open('one', 'three');
    await eventually(
      async () => treeLines(await readTree(page)).join('\n'),
      (all) => /same[^]*Variable without value[^]*third/.test(all) && !all.includes('second'),
    );
    await runCommand(page, 'Toolgate: Open Server Configuration');
    const { items } = await readQuickInput(page, 'Open Server Configuration');
    assert.deepEqual(
      items.slice(0, 2).map(({ label, description }) => `${label} (${description})`),
      ['one/.vscode/mcp.json (one)', 'three/.vscode/mcp.json (three)'],
    );
    await page.keyboard.press('Escape');

    await runCommand(page, 'Toolgate: Move All Servers…');
    await pick(page, 'three/.vscode/mcp.json');
    const places = await readQuickInput(page, 'Location of the Entry');
    const labels = places.items.map(({ label, description }) => `${label} ${description}`);
    assert.deepEqual(labels.slice(0, 2), [
      '.mcp.json In the folder one',
      '.mcp.json In the folder three',
    ]);
    const readers = new Map(places.items.map(({ label, detail }) => [label, detail]));
    assert.deepEqual(
      [...readers],
      [
        ['.mcp.json', 'Also read by VS Code, Copilot CLI and Claude Code'],
        ['Your mcp-config.json', 'Also read by VS Code and Copilot CLI'],
        ['.github/mcp.json', 'Also read by Copilot CLI if there is no .mcp.json'],
        ['.vscode/mcp.json', 'Also read by VS Code, which calls it deprecated'],
        ['Your mcp.json', 'Also read by VS Code, which calls it deprecated'],
      ],
    );
    await page.keyboard.press('Enter');
    await page.locator('.editor-actions .action-label[aria-label^="Write to File"]').click();
    const textOf = (...names: string[]) => readFileSync(path.join(place, ...names), 'utf8');
    await eventually(
      () => textOf('three', '.vscode/mcp.json'),
      (text) => !text.includes('third'),
    );
    assert.deepEqual(JSON.parse(textOf('one', '.mcp.json')).mcpServers, {
      third: { command: 'node' },
    });
    assert.match(textOf('one', '.vscode/mcp.json'), /same[^]*of-two/);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
