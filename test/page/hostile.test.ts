import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { dismissDialog, pressDialog, readDialog } from './dialog';
import { editorText, waitForTab } from './editors';
import { readQuickInput, runCommand, typeAndAccept } from './quickInput';
import { expandRow, readTree, treeLines, treeRow } from './sideBar';
import { chooseTool, closeEditors, openToolgate, startAll, waitForServer } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';
import { scriptedServer } from './workspace';

/** Texts that would hide, turn around, run or draw something if they were not shown as text. */
const liar = `(server) => {
  const inputSchema = { type: 'object' };
  server.tools = [
    { name: 'turned\\u202Edlrow', inputSchema },
    { name: 'tagged\\u{E0041}\\u{E0042}', inputSchema },
    { name: 'broken\\nServer: bank', inputSchema },
    { name: 'linked', title: '$(check) [press](command:workbench.action.quit)', inputSchema },
    { name: 'endless', description: 'x'.repeat(100_000), inputSchema },
  ];
}`;

/** Writes what is no message, and on demand a line that is longer than it may be. */
const noisy = `(server) => {
  server.raw('Listening on port 8080\\n{"half": \\n\\u0000\\u0007\\n');
  server.tools = [{ name: 'shout', inputSchema: { type: 'object' } }];
  server.on('tools/call', (message) => server.text(message, 'a'.repeat(3_000_000)));
}`;

describe('A server that lies or misbehaves', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow(
    {
      builtInExtensions: 'all', // Any of them might open what comes.
      servers: (own) => ({
        'liar\u202E': scriptedServer(liar),
        noisy: scriptedServer(noisy),
        steered: own.steered('steered'),
      }),
      viewport: { width: 1280, height: 1400 }, // Every row fits.
      settings: {
        'toolgate.connections.maxMessageBytes': 2_000_000,
        'toolgate.demoServer.enabled': true,
      },
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
      // VS Code may read the settings after the extension starts; the demo server says when it has.
      await treeRow(page, 'Demo').waitFor();
      await startAll(page, 4);
      // So many rows do not open by themselves.
      await expandRow(page, 'noisy');
      await expandRow(page, 'liar\\u{202E}');
    },
  );

  it('shows its texts in the tree with every hidden character as an escape', async () => {
    const lines = await eventually(
      async () => treeLines(await readTree(page)),
      (all) => all.some((line) => line.includes('endless')),
    );
    assert.deepEqual(lines.slice(0, 6), [
      '▾ liar\\u{202E}  5 tools',
      '    turned\\u{202E}dlrow  destructive? · hides characters',
      '    tagged\\u{E0041}\\u{E0042}  destructive? · hides characters',
      '    broken\\nServer: bank  destructive?',
      '    $(check) [press](command:workbench.action.quit)  destructive? · linked',
      '    endless  destructive?',
    ]);
  });

  it('shows them in the picker as text too, without icons and links', async () => {
    await runCommand(page, 'Toolgate: Call Tool…');
    const { items } = await eventually(
      () => readQuickInput(page),
      ({ items: all }) => all.length >= 5,
    );
    assert.deepEqual(
      items.slice(0, 5).map(({ label }) => label),
      [
        'turned\\u{202E}dlrow',
        'tagged\\u{E0041}\\u{E0042}',
        'broken\\nServer: bank',
        '$(check) [press](command:workbench.action.quit)',
        'endless',
      ],
    );
    const list = page.locator('.quick-input-widget:visible .quick-input-list');
    assert.equal(await list.locator('.codicon-check:not(.monaco-custom-toggle)').count(), 0);
    await page.keyboard.press('Escape');
  });

  it('cannot add a line or a link to the question', async () => {
    await chooseTool(page, 'broken\\nServer: bank');
    const { message, detail } = await readDialog(page);
    assert.equal(message, 'Run “broken\\nServer: bank” on “liar\\u{202E}”?');
    assert.deepEqual(detail.split('\n'), [
      '{}',
      '',
      'Risk: destructive (assumed); may reach outside systems',
    ]);
    await dismissDialog(page);
    await chooseTool(page, '$(check) [press](command:workbench.action.quit)');
    await readDialog(page);
    const box = page.locator('.monaco-dialog-box');
    assert.equal(await box.locator('a[href], .codicon-check').count(), 0);
    await dismissDialog(page);
  });

  it('is told in the tree when it writes what is no message, and works on', async () => {
    const row = treeRow(page, 'Not MCP on stdout');
    assert.match(await row.innerText(), /^\s*Not MCP on stdout\s*3 lines\s*$/);
  });

  it('ends with its own connection when a line is too long, and nothing else ends', async () => {
    await chooseTool(page, 'shout');
    await pressDialog(page, 'Run');
    await waitForServer(page, 'noisy', /failed$/);
    await treeRow(page, 'Message too large').waitFor();
    await chooseTool(page, 'echo');
    await typeAndAccept(page, '1');
    await pressDialog(page, 'Run');
    await waitForTab(page, 'echo.mcpjson');
    assert.match(await editorText(page), /"n": 1/);
    await closeEditors(page);
  });
});
