import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands } from '../../src/ids';
import { isOwnArgument } from '../../src/ui/editor/ownArguments';
import { DefinitionDocuments } from '../../src/ui/definitions/definitionCommand';
import type { Script } from '../servers/scripted';
import { eventually } from '../waiting';
import { lensCommands } from './lenses';
import { run, useWindow } from './realWindow';
import { chooseRow, ShownPicks } from './shownPicks';

describe('The definition of a tool', () => {
  it('has a lens on its first line that calls the tool', async () => {
    const documents = new DefinitionDocuments();
    try {
      await documents.show('shop', 'sell', 'Sell it\n=======\n', false);
      const { document } = vscode.window.activeTextEditor ?? assert.fail();
      assert.equal(document.lineAt(0).text, 'Sell it');
      const [lens, ...more] = documents.provideCodeLenses(document);
      assert.deepEqual([more, lens?.range.start.line], [[], 0]);
      assert.equal(lens?.command?.title, '$(play)\u00A0Call Tool');
      assert.equal(lens.command.command, commands.callTool);
      const [tool]: readonly unknown[] = lens.command.arguments ?? [];
      assert.deepEqual(tool, { serverId: 'shop', toolName: 'sell' });
      assert.ok(isOwnArgument(tool));
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    } finally {
      documents.dispose();
    }
  });
});

// Short, because the question before a start shows all of it.
const gallery: Script = (server) => {
  const uri = 'ui://easel/page.html';
  const inputSchema = { type: 'object' };
  server.capabilities = { tools: {}, resources: {} };
  server.tools = [
    { name: 'frame', inputSchema },
    { name: 'paint', inputSchema, _meta: { 'ui/resourceUri': uri } },
  ];
  const text = `<script>run()</script>\n${'<p>\u202Ea</p>\n'.repeat(100)}`;
  const meta = { ui: { csp: { connectDomains: ['https://paint.example'] } } };
  server.on('resources/read', (one) =>
    server.reply(one, { contents: [{ uri, text, _meta: meta }] }),
  );
};

describe('The app of a tool', function () {
  this.timeout(60_000);
  const { dialogs, answers } = useWindow({
    servers: (extension) => ({ gallery: extension.scriptedEntry(gallery) }),
  });
  afterEach(() => run('workbench.action.closeAllEditors'));
  const target = { serverId: 'gallery', toolName: 'paint' };
  const shownText = () =>
    eventually(
      () => vscode.window.activeTextEditor?.document.getText() ?? '',
      (text) => text.startsWith('Resource: ui://easel/page.html'),
    );

  it('opens as text from the definition of the tool, with the domains that it requests', async () => {
    await run(commands.showDefinition, target);
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    const lenses = await lensCommands(document.uri);
    const open = lenses.find(({ title }) => title === 'Open App Page') ?? assert.fail();
    await run(open.command, ...(open.arguments ?? []));
    const text = await shownText();
    const lines = text.split('\n');
    assert.ok(lines.includes('    ⚠ It requests connectDomains (1): https://paint.example'), text);
    assert.ok(lines.includes('    │ <script>run()</script>'), text);
    assert.ok(lines.includes('    │ <p>\\u{202E}a</p>'), text);
    assert.match(text, /The rest is in 1-page\.html\./);
    assert.equal(vscode.window.activeTextEditor?.document.languageId, 'mcpresult');
    assert.ok(!dialogs.seen.some(({ message }) => message.startsWith('Read “')));
  });

  it('is read for another extension only after a question, and not for a tool without one', async () => {
    dialogs.press = () => undefined;
    await run(commands.openApp, target);
    assert.match(dialogs.seen.at(-1)?.message ?? '', /^Read “ui:\/\/easel\/page\.html” from/);
    await run(commands.openApp, { ...target, toolName: 'frame' });
    assert.equal(answers.told.at(-1), 'Tool “frame” has no app.');
  });

  it('is picked from the tools that have one', async () => {
    const picks = new ShownPicks();
    try {
      const opening = run(commands.openApp);
      const pick = await picks.shownAfter(0);
      assert.deepEqual(
        pick.items.map(({ label }) => label).filter((label) => /paint|frame/.test(label)),
        ['paint'],
      );
      const row = pick.items.find(({ label }) => label.includes('paint'))?.label ?? '';
      await chooseRow(pick, row.replace(/^\$\(\S+\) /, ''));
      await opening;
      await shownText();
    } finally {
      picks.dispose();
    }
  });
});
