import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands } from '../../src/ids';
import type { Script } from '../servers/scripted';
import { eventually } from '../waiting';
import { lensCommands } from './lenses';
import { run, useWindow } from './realWindow';
import { chooseRow, ShownPicks } from './shownPicks';
import { atEnd } from './replacing';

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
  server.on('resources/read', (one) => server.reply(one, { contents: [{ uri, text }] }));
  const meta = { ui: { csp: { connectDomains: ['https://paint.example'] } } };
  server.on('resources/list', (one) =>
    server.reply(one, { resources: [{ uri, name: 'page', _meta: meta }] }),
  );
};

describe('The definition and the app of a tool', () => {
  const { dialogs, answers } = useWindow({
    servers: (extension) => ({ gallery: extension.scriptedEntry(gallery) }),
  });
  afterEach(() => run('workbench.action.closeAllEditors'));
  const target = { serverId: 'gallery', toolName: 'paint' };
  /** The definition as text, which is the same document as its page. */
  async function definitionText() {
    await run(commands.showDefinition, target);
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? assert.fail();
    assert.ok(input instanceof vscode.TabInputCustom, 'a page');
    await run('vscode.openWith', input.uri, 'default');
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    assert.match(document.getText(), /^paint\n=====\nTool “paint” of server “gallery”\n/);
    return document;
  }
  const shownText = () =>
    eventually(
      () => vscode.window.activeTextEditor?.document.getText() ?? '',
      (text) => text.startsWith('Resource: ui://easel/page.html'),
    );

  it('are texts too: the definition calls the tool and opens the app, with the domains that it requests', async () => {
    const lenses = await lensCommands((await definitionText()).uri);
    const [call] = lenses;
    assert.equal(call?.title, '$(play)\u00A0Call Tool');
    const [tool]: readonly unknown[] = call.arguments ?? [];
    assert.deepEqual([call.command, tool], [commands.callTool, target]);
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
    atEnd(() => picks.dispose());
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
  });
});
