import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { makeTemporaryFolder } from '../vscode/server';
import { dismissDialog, isDialogOpen, pressDialog, readDialog, waitForDialogFocus } from './dialog';
import { chooseQuickFix, editorText, tabs, waitForTab } from './editors';
import { clearNotifications, notifications, pressNotificationLink } from './notifications';
import {
  acceptQuickInput,
  checkedRows,
  peekQuickInput,
  pick,
  pressQuickButton,
  readQuickInput,
  runCommand,
  typeAndAccept,
  typeInto,
} from './quickInput';
import {
  chooseFromRowMenu,
  expandRow,
  pressRowAction,
  readTree,
  showRow,
  treeLines,
  treeRow,
} from './sideBar';
import { storedFiles } from './storedFiles';
import {
  approveServers,
  closeEditors,
  openToolgate,
  serverRows,
  startAll,
  waitForServer,
  waitForStatus,
} from './toolgate';
import { eventually, exactly } from '../waiting';
import { useWindow } from './window';
import { scriptedServer, type ConfiguredServer, type Workspace } from './workspace';

/** Its one tool is named after its inputs. */
const shed = scriptedServer(`(server) => {
  const name = process.env.WHO + '-' + process.env.KEY.length;
  server.tools = [{ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
}`);
const inputs = [
  { id: 'who', type: 'promptString', description: 'Whose plants' },
  { id: 'key', type: 'promptString', description: 'Key of the shed', password: true },
];
const withInputs = { ...shed, env: { WHO: '${input:who}', KEY: '${input:key}' } };

const callFile = `{
  "inputs": { "to": { "password": true } },
  "calls": {
    "one": { "server": "shed", "tool": "bob-7", "arguments": { "from": "\${input:from}" } },
    "two": { "server": "shed", "tool": "bob-7", "arguments": { "to": "\${input:to}" } }
  }
}
`;

const secret = 'sk-typed-by-a-person-0123456789';

/** A program that writes down what it was given, and ends. */
const writes = (file: string): string =>
  `require("fs").appendFileSync(${JSON.stringify(file)},process.env.API_KEY+";")`;

describe('Servers', function () {
  this.timeout(180_000);
  let workspace: Workspace;
  let page: Page;
  const home = makeTemporaryFolder('home');

  useWindow(
    {
      files: { 'walk.mcpcall': callFile },
      servers: (own) => ({ steered: own.steered('steered') }),
      hasWorkspaceFile: true,
      workspaceTrust: true,
      environment: { HOME: home.folder },
      // Those of one place are not grouped.
      settings: { 'toolgate.tree.groupByOrigin': true },
    },
    (opened) => void ({ workspace, page } = opened),
  );
  after(() => home.remove());

  const inTree = (...expected: readonly string[]) =>
    eventually(
      async () => treeLines(await readTree(page)),
      (lines) => isDeepStrictEqual(lines, expected),
    );
  const diff = () => page.locator('.monaco-diff-editor');
  const writeToFile = () =>
    page.locator('.editor-actions .action-label[aria-label^="Write to File"]').click();

  describe('in Restricted Mode', () => {
    /** Without what a busy window says of itself. */
    const told = () =>
      eventually(
        async () =>
          (await notifications(page)).filter((text) => !text.startsWith('Activating Ext')),
        (all) => all.length > 0,
      );

    it('are listed but neither started nor asked about, say why, and can start once the workspace is trusted', async () => {
      assert.deepEqual(treeLines(await openToolgate(page)), ['▸ steered  stopped']);
      const message = page.locator('.sidebar .tree-explorer-viewlet-tree-view .message:not(.hide)');
      assert.equal(
        await message.innerText(),
        'Restricted Mode: servers cannot start until you trust this workspace.',
      );
      await runCommand(page, 'Toolgate: Start All Servers');
      assert.match(
        (await told()).join(),
        /^No server was started because this workspace is not trusted/,
      );
      await clearNotifications(page);
      await expandRow(page, 'steered');
      const lines = ['▾ steered  stopped', '    Manage Workspace Trust  to start servers'];
      await eventually(
        async () => treeLines(await readTree(page)),
        (shown) => isDeepStrictEqual(shown, lines),
      );
      const row = await showRow(page, 'steered');
      await row.hover();
      assert.equal(await row.locator('.action-label[aria-label^="Start"]').count(), 0);
      await runCommand(page, 'Toolgate: Call Tool…');
      assert.match((await told()).join(), /^Restricted Mode: servers cannot start/);
      assert.deepEqual([workspace.received('steered'), await isDialogOpen(page)], [[], false]);
      assert.deepEqual(await tabs(page), []);
      await clearNotifications(page);
      await (await showRow(page, 'Manage Workspace Trust')).click();
      await page
        .locator('.workspace-trust-editor .monaco-button', { hasText: exactly('Trust') })
        .click();
      await message.waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await closeEditors(page);
      await pressRowAction(page, 'steered', 'Start Server');
      assert.equal((await readDialog(page)).message, 'Start “steered” for the first time?');
      await dismissDialog(page);
    });
  });

  describe('that are added', () => {
    const cursor = path.join(home.folder, '.cursor/mcp.json');
    const inCursor = {
      mcpServers: {
        garden: { command: 'garden-server', env: { GARDEN_TOKEN: 'token-in-cursor-file' } },
        off: { command: 'never', disabled: true },
      },
    };
    before(() => {
      mkdirSync(path.dirname(cursor));
      writeFileSync(cursor, JSON.stringify(inCursor));
      rmSync(path.join(workspace.folder, '.vscode'), { recursive: true });
    });

    const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    const configured = (): string => textOf(path.join(workspace.folder, '.vscode/mcp.json'));
    const notes = (): string => path.join(workspace.folder, '../written.txt');
    const isWritten = (times: number) =>
      eventually(
        () => textOf(notes()),
        (text) => text === `${secret};`.repeat(times),
      );
    const rowsOf = async (title: string) => {
      const { items } = await readQuickInput(page, title);
      return items.map(({ label, description }) => `${label} (${description})`);
    };
    const inWorkspace = async () => {
      await readQuickInput(page, 'Location of the Entry');
      await pick(page, path.join('.vscode', 'mcp.json'));
      await readQuickInput(page, 'Name of the Server');
    };
    /** Its row may say so of an earlier start until it is drawn anew. */
    const startWriter = async () => {
      await waitForServer(page, 'writer', /: (?:stopped|failed)/);
      await pressRowAction(page, 'writer', 'Start Server');
    };

    it('turns a pasted command line into an entry after the steps, Back and a preview; its secret is in secret storage, asked for once after it was removed, and written to no file', async () => {
      await runCommand(page, 'Toolgate: Add Server…');
      await typeInto(page, 'Add Server', '{"command": "x" "args": []}');
      await eventually(
        () => rowsOf('Add Server'),
        ([row]) => row?.startsWith('Not valid JSON in line 1') === true,
      );
      await page.keyboard.press('Escape');
      const typed = `API_KEY=${secret} '${process.execPath}' -e '${writes(notes())}'`;
      await runCommand(page, 'Toolgate: Add Server…');
      await typeInto(page, 'Add Server', typed);
      await eventually(
        () => readQuickInput(page, 'Add Server'),
        ({ items }) => items.some(({ label }) => label === 'Command line'),
      );
      await acceptQuickInput(page);
      await inWorkspace();
      await typeAndAccept(page, 'writer');
      await readQuickInput(page, 'Secrets');
      await page.keyboard.press('Space');
      // Each step has what was answered there.
      await pressQuickButton(page, 'Back');
      assert.equal((await readQuickInput(page, 'Name of the Server')).value, 'writer');
      // The key that VS Code has for it on this system.
      await page.keyboard.press('Control+Alt+Minus');
      await readQuickInput(page, 'Location of the Entry');
      await pressQuickButton(page, 'Back');
      assert.equal((await readQuickInput(page, 'Add Server')).value, typed);
      await acceptQuickInput(page);
      await inWorkspace();
      await typeAndAccept(page, 'writer');
      assert.deepEqual(await rowsOf('Secrets'), ['writer (variable API_KEY)']);
      await acceptQuickInput(page);
      await diff().waitFor();
      assert.equal(configured(), '');
      await writeToFile();
      await diff().waitFor({ state: 'detached' });
      await waitForTab(page, 'mcp.json');
      await eventually(configured, (text) => text.includes('"API_KEY": "${input:writer-api-key}"'));
      await startWriter();
      await approveServers(page);
      await isWritten(1);

      await runCommand(page, 'Toolgate: Manage Secrets…');
      const { items } = await readQuickInput(page, 'Secrets and Other Inputs');
      assert.deepEqual(
        items.map(({ label, description, detail }) => [label, description, detail]),
        [['writer-api-key', '.vscode/mcp.json', 'In secret storage; used by writer']],
      );
      const row = page.locator('.quick-input-list .monaco-list-row').first();
      await row.hover();
      await row.locator('.action-label[aria-label^="Forget"]').click();
      await page.locator('.quick-input-widget:visible').waitFor({ state: 'detached' });
      await startWriter();
      await readQuickInput(page, 'Input “writer-api-key” of .vscode/mcp.json');
      await typeAndAccept(page, secret);
      await isWritten(2);
      await startWriter();
      await isWritten(3);

      const files = storedFiles(workspace);
      assert.ok(files.length > 5);
      assert.deepEqual(
        files.filter(({ text }) => text.includes(secret)).map(({ file }) => file),
        [],
      );
      await clearNotifications(page);
    });

    it('imports exactly the checked servers of another client', async () => {
      await runCommand(page, 'Toolgate: Import Servers…');
      assert.deepEqual(await rowsOf('Import Servers'), [
        'garden (~/.cursor/mcp.json)',
        'off (~/.cursor/mcp.json)',
      ]);
      assert.deepEqual(await checkedRows(page), ['garden']);
      await acceptQuickInput(page);
      await inWorkspace();
      await typeAndAccept(page, 'garden');
      assert.deepEqual(await rowsOf('Secrets'), ['garden (variable GARDEN_TOKEN)']);
      await acceptQuickInput(page);
      await diff().waitFor();
      // From elsewhere the link only leads to what it would write.
      await runCommand(page, 'File: New Untitled Text File');
      await waitForTab(page, /^Untitled-1/);
      await pressNotificationLink(page, 'Write');
      await diff().waitFor();
      assert.doesNotMatch(configured(), /garden/);
      await pressNotificationLink(page, 'Write');
      await diff().waitFor({ state: 'detached' });
      await waitForServer(page, 'garden', /^Server garden: stopped/);
      assert.equal((await serverRows(page)).length, 2);
      assert.doesNotMatch(configured(), /token-in-cursor-file|never/);
      assert.deepEqual(JSON.parse(readFileSync(cursor, 'utf8')), inCursor);
      // It is not chosen again.
      await runCommand(page, 'Toolgate: Import Servers…');
      assert.deepEqual(await rowsOf('Import Servers'), [
        'garden (already configured · ~/.cursor/mcp.json)',
        'off (~/.cursor/mcp.json)',
      ]);
      assert.deepEqual(await checkedRows(page), []);
      await page.keyboard.press('Escape');
    });

    it('opens from a link, shows everything in it first, and does so for a second link', async () => {
      const config = encodeURIComponent(JSON.stringify({ command: 'linked-server' }));
      for (const name of ['pond', 'bench']) {
        await runCommand(page, 'Developer: Open URL');
        await typeAndAccept(page, `vscode://toolgate.toolgate/add?name=${name}&config=${config}`);
        await pressDialog(page, 'Open');
        const { message } = await eventually(
          () => readDialog(page),
          (dialog) => dialog.message.includes('A link wants'),
        );
        assert.equal(message, `A link wants to add the server “${name}”`);
        await pressDialog(page, 'Cancel');
      }
      assert.doesNotMatch(configured(), /linked-server/);
    });
  });

  describe('that start for the first time', () => {
    const runs = (server = 'steered') =>
      workspace.received(server).filter((line) => line.startsWith('started ')).length;
    const steered = (...args: readonly string[]): ConfiguredServer => {
      const server = workspace.steered('steered');
      return { ...server, args: [...(server.args ?? []), ...args] };
    };
    before(async () => {
      workspace.configure({ steered: steered('two words') });
      await treeRow(page, 'steered').waitFor();
      await clearNotifications(page);
      await closeEditors(page);
    });
    const start = () => pressRowAction(page, 'steered', 'Start Server');
    const running = /^Server steered: 9 tools/;
    const stopped = /^Server steered: stopped$/;
    async function review(...args: readonly string[]): Promise<void> {
      workspace.configure({ steered: steered(...args) });
      await waitForServer(page, 'steered', stopped);
      await start();
      await pressDialog(page, 'Review');
    }

    it('asks until the user agrees in a dialog or an editor, then never again until the entry changes, and then with a diff and three places for the answer', async () => {
      await start();
      const { message, buttons } = await readDialog(page);
      assert.equal(message, 'Start “steered” for the first time?');
      assert.deepEqual(buttons.toSorted(), ['Cancel', 'Review', 'Start Server']);
      await pressDialog(page, 'Cancel');
      await start();
      await dismissDialog(page);
      await start();
      await pressDialog(page, 'Review');
      await waitForTab(page, /\.start\.txt$/);
      assert.match(await editorText(page), /^ {4}Argument: "two words"$/m);
      await runCommand(page, 'View: Close Editor');
      await eventually(
        () => notifications(page),
        (all) => all.length === 0,
      );
      await waitForServer(page, 'steered', stopped);
      assert.deepEqual([runs(), await tabs(page)], [0, []]);
      await start();
      await pressDialog(page, 'Start Server');
      await waitForServer(page, 'steered', running);
      await pressRowAction(page, 'steered', 'Stop Server');
      await waitForServer(page, 'steered', stopped);
      await start();
      await waitForServer(page, 'steered', running);
      assert.equal(await isDialogOpen(page), false);

      await review('two', 'words');
      await diff().locator('.line-insert').first().waitFor();
      const text = await diff().locator('.editor.modified .view-lines').innerText();
      assert.match(text.replaceAll('\u00A0', ' '), /Argument: "words"/);
      await eventually(
        () => notifications(page),
        ([told = '']) => told.startsWith('Review the server, then select Start Server or Cancel.'),
      );
      await pressNotificationLink(page, 'Start Server');
      await waitForServer(page, 'steered', running);
      await diff().waitFor({ state: 'detached' });
      assert.deepEqual(await tabs(page), []);

      // What a key runs others can run, too.
      await review('three');
      await diff().locator('.editor.modified .view-line').first().click();
      await page.keyboard.press('ControlOrMeta+Enter');
      const shown = await readDialog(page);
      assert.equal(shown.message, 'Start “steered” as shown?');
      assert.deepEqual(shown.buttons.toSorted(), ['Cancel', 'Start Server']);
      await waitForDialogFocus(page);
      await page.keyboard.press('Enter');
      await waitForServer(page, 'steered', running);

      await review('four');
      await page.locator('.editor-actions .action-label[aria-label^="Start as Shown"]').click();
      await waitForServer(page, 'steered', running);
      assert.deepEqual([await isDialogOpen(page), await tabs(page)], [false, []]);
    });

    it('asks once about several servers, and in an editor if a command is too long for a dialog', async () => {
      const [one, two] = [workspace.steered('one'), workspace.steered('two')];
      workspace.configure({ one, two, remote: { command: 'no-such-program-anywhere' } });
      await treeRow(page, 'remote').waitFor();
      await runCommand(page, 'Toolgate: Start All Servers');
      const several = await readDialog(page);
      assert.equal(several.message, 'Start 3 servers for the first time?');
      await pressDialog(page, 'Cancel');
      assert.deepEqual([runs('one'), runs('two')], [0, 0]);
      await startAll(page, 2);

      const long = workspace.steered('long');
      const args = [...(long.args ?? []), 'x'.repeat(10_000), 'the end'];
      workspace.configure({ long: { ...long, args } });
      await treeRow(page, 'long').waitFor();
      await pressRowAction(page, 'long', 'Start Server');
      assert.deepEqual((await readDialog(page)).buttons.toSorted(), ['Cancel', 'Review']);
      const box = await page.locator('.monaco-dialog-box').boundingBox();
      assert.ok(box !== null && box.height < 700, JSON.stringify(box));
      await approveServers(page);
      await waitForServer(page, 'long', /^Server long: 9 tools/);
    });

    const leavesNothingOpen = () =>
      page.locator('.quick-input-widget:visible').waitFor({ state: 'detached' });

    it('asks for inputs with Back, and keeps none until all are entered; call files do the same', async () => {
      const file = path.join(workspace.folder, '.vscode/mcp.json');
      writeFileSync(file, JSON.stringify({ inputs, servers: { shed: withInputs } }));
      await treeRow(page, 'shed').waitFor();
      const who = 'Input “who” of .vscode/mcp.json';
      const key = 'Input “key” of .vscode/mcp.json';
      /** Leaves at the second one, whereupon the first is asked anew; then goes back to change it. */
      async function answer(
        first: string,
        second: string,
        left: () => Promise<void>,
      ): Promise<void> {
        await readQuickInput(page, first);
        await typeAndAccept(page, 'ann');
        await readQuickInput(page, second);
        await page.keyboard.press('Escape');
        await left();
        assert.equal((await readQuickInput(page, first)).value, '');
        await typeAndAccept(page, 'ann');
        await readQuickInput(page, second);
        await pressQuickButton(page, 'Back');
        assert.equal((await readQuickInput(page, first)).value, 'ann');
        await typeAndAccept(page, 'bob');
        await readQuickInput(page, second);
        await typeAndAccept(page, 'seven77');
      }
      await pressRowAction(page, 'shed', 'Start Server');
      await approveServers(page);
      await answer(who, key, async () => {
        await waitForServer(page, 'shed', /stopped/);
        await pressRowAction(page, 'shed', 'Start Server');
      });
      await waitForServer(page, 'shed', /1 tool/);
      await treeRow(page, 'bob-7').waitFor();
      await leavesNothingOpen();
      await pressRowAction(page, 'shed', 'Stop Server');
      await waitForServer(page, 'shed', /stopped/);
      await pressRowAction(page, 'shed', 'Start Server');
      await waitForServer(page, 'shed', /1 tool/);
      await leavesNothingOpen();

      await runCommand(page, 'Toolgate: Open Call File…');
      await waitForTab(page, 'walk.mcpcall');
      const runAll = () => runCommand(page, 'Toolgate: Run All Calls in File');
      await runAll();
      await answer('Input “from”', 'Input “to”', async () => {
        await waitForStatus(page, 'No call in the file was run.');
        await runAll();
      });
      await pressDialog(page, 'Review');
      await waitForTab(page, 'Run All.mcptext');
      const list = await editorText(page);
      assert.match(list, /\{"from":"bob"\}/);
      assert.match(list, /\{"to":"seven77"\}/);
    });
  });

  describe('of a workspace', () => {
    before(async () => {
      workspace.configure({
        worker: workspace.steered('worker'),
        locked: workspace.steered('locked', 'exit'),
        lost: { command: 'no-such-program-anywhere' },
        hanging: workspace.steered('hanging', 'silent'),
      });
      await treeRow(page, 'worker').waitFor();
      await closeEditors(page);
    });
    const file = () => path.join(workspace.folder, '.vscode/mcp.json');
    const running = /^Server worker: 9 tools/;
    const stopped = /^Server \w+: stopped$/;
    const pids = () =>
      workspace.received('worker').flatMap((line) => /^started (\d+)/.exec(line)?.[1] ?? []);
    const labelOf = async (label: string) =>
      (await treeRow(page, label).getAttribute('aria-label')) ?? '';
    const lenses = async (): Promise<string> => {
      const texts = await page.locator('.codelens-decoration').allInnerTexts();
      return texts.join().replaceAll(/\s+/g, ' ');
    };
    const lensesBecome = (pattern: RegExp) => eventually(lenses, (text) => pattern.test(text));

    it('start, stop and restart from their rows and the command palette, also after they exited, and not because they are enabled', async () => {
      await pressRowAction(page, 'worker', 'Start Server');
      await approveServers(page);
      await waitForServer(page, 'worker', running);
      process.kill(Number(pids().at(-1)), 'SIGKILL');
      await eventually(pids, ({ length }) => length === 2);
      await waitForServer(page, 'worker', running);
      await runCommand(page, 'Toolgate: Restart Server');
      await pick(page, 'worker');
      await eventually(pids, ({ length }) => length === 3);
      await waitForServer(page, 'worker', running);
      // Its row is open, and stays so.
      await chooseFromRowMenu(page, 'worker', 'Disable Server');
      await waitForServer(page, 'worker', /^Server worker: disabled$/);
      await chooseFromRowMenu(page, 'worker', 'Enable Server');
      await waitForServer(page, 'worker', stopped);
      // The tree is read whole, so whatever opened by itself has been told.
      await readTree(page);
      assert.equal(pids().length, 3);
      await pressRowAction(page, 'worker', 'Start Server');
      await waitForServer(page, 'worker', running);
      assert.equal(pids().length, 4);
      await pressRowAction(page, 'worker', 'Stop Server');
      await waitForServer(page, 'worker', stopped);
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
      const { command, env = {}, args: [script = ''] = [] } = workspace.steered('worker');
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
      await inTree('▸ keyed  stopped');
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
        if (isAsked) await acceptQuickInput(page);
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

  describe('of several folders', () => {
    const place = () => path.dirname(workspace.file);
    const configure = (name: string, servers: object): void => {
      mkdirSync(path.join(place(), name, '.vscode'), { recursive: true });
      const file = path.join(place(), name, '.vscode/mcp.json');
      writeFileSync(file, JSON.stringify({ servers }));
    };

    before(() => closeEditors(page));

    it('lists a server of two folders once, follows added and removed folders, and offers their files separately', async () => {
      configure('two', { same: { command: 'node', args: ['-v'] }, second: { command: 'node' } });
      configure('three', { third: { command: 'node' } });
      workspace.open('garden', 'two');
      await pressDialog(page, 'Yes'); // VS Code asks about the trust in the folder.
      await treeRow(page, 'second').waitFor();
      configure('garden', {
        same: { command: 'node' },
        'of-two': { command: 'node', args: ['${workspaceFolder:two}'] },
      });
      await inTree(
        '▾ garden/.vscode/mcp.json  2 servers',
        '  ▸ same  stopped',
        '  ▸ of-two  stopped',
        '▾ two/.vscode/mcp.json  1 server',
        '  ▸ second  stopped',
      );
      workspace.open('garden', 'three');
      await pressDialog(page, 'Yes');
      await eventually(
        async () => treeLines(await readTree(page)).join('\n'),
        (all) => /same[^]*Variable without value[^]*third/.test(all) && !all.includes('second'),
      );
      await runCommand(page, 'Toolgate: Open Server Configuration');
      const { items } = await readQuickInput(page, 'Open Server Configuration');
      assert.deepEqual(
        items.slice(0, 2).map(({ label, description }) => `${label} (${description})`),
        ['garden/.vscode/mcp.json (garden)', 'three/.vscode/mcp.json (three)'],
      );
      await page.keyboard.press('Escape');

      await runCommand(page, 'Toolgate: Move All Servers…');
      await pick(page, 'three/.vscode/mcp.json');
      const places = await readQuickInput(page, 'Location of the Entry');
      const labels = places.items.map(({ label, description }) => `${label} ${description}`);
      assert.deepEqual(labels.slice(0, 2), [
        '.mcp.json In the folder garden',
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
      await acceptQuickInput(page);
      await writeToFile();
      const textOf = (...names: string[]) => readFileSync(path.join(place(), ...names), 'utf8');
      await eventually(
        () => textOf('three', '.vscode/mcp.json'),
        (text) => !text.includes('third'),
      );
      assert.deepEqual(JSON.parse(textOf('garden', '.mcp.json')).mcpServers, {
        third: { command: 'node' },
      });
      assert.match(textOf('garden', '.vscode/mcp.json'), /same[^]*of-two/);
    });

    it('tells folders of the same name apart before it writes the lock file of one', async () => {
      configure('behind/garden', { fourth: workspace.steered('fourth') });
      workspace.open('garden', 'behind/garden');
      await pressDialog(page, 'Yes');
      await treeRow(page, 'fourth').waitFor();
      await pressRowAction(page, 'fourth', 'Start Server');
      await pressDialog(page, 'Start Server');
      await waitForServer(page, 'fourth', /^Server fourth: 9 tools/);
      await chooseFromRowMenu(page, 'fourth', 'Write Lock File…');
      assert.match((await readDialog(page)).message, / in folder “garden \(behind\/garden\)”\? /);
      await dismissDialog(page);
    });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
