import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { addingScheme, commands } from '../../src/ids';
import { AddLinks } from '../../src/ui/adding/addLinks';
import type { ServerRegistry } from '../../src/host/connections/registry';
import { eventually, until } from '../waiting';
import { inputStores } from '../host/inputStores';
import { assertEach } from '../assertions';
import { AnsweredDialogs } from './dialogs';
import { accept, close, pressingKey } from './pressingKeys';
import { RealExtension } from './realExtension';
import { run } from './realWindow';
import { atEnd } from './replacing';

const isPreview = ({ input }: vscode.Tab): boolean =>
  input instanceof vscode.TabInputTextDiff && input.modified.scheme === addingScheme;
const previews = (): vscode.Tab[] =>
  vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isPreview);

/** Presses Enter at every step until what will be written is shown. */
async function untilPreview(): Promise<vscode.TextDocument> {
  await until(async () => {
    await run(accept);
    return previews().length > 0;
  });
  const input = previews()[0]?.input;
  assert.ok(input instanceof vscode.TabInputTextDiff);
  return vscode.workspace.openTextDocument(input.modified);
}

const previewUri = (): vscode.Uri | undefined => {
  const input = previews()[0]?.input;
  return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
};

const secret = 'sk-0123456789abcdefghij';
const pasted = `{
  "mcpServers": {
    // the line breaks of this matter
    "weather": { "command": "weather", "env": { "API_KEY": "${secret}" } }
  }
}`;

describe('Add Server', () => {
  let extension: RealExtension;
  let file: string;

  before(async () => {
    extension = await new RealExtension().activate();
    // Enter at every step chooses the first place.
    file = path.join(path.dirname(extension.file), '..', '.mcp.json');
  });
  beforeEach(() => rm(file, { force: true }));
  afterEach(async () => {
    await rm(file, { force: true });
    await extension.clear();
  });

  const written = (): Promise<string> => readFile(file, 'utf8').catch(() => 'no file');

  it('writes nothing for a command that guesses the question, or before the preview is in front', async () => {
    await vscode.env.clipboard.writeText(pasted);
    const adding = run(commands.addServer);
    await untilPreview();
    const uri = previewUri();
    const document = await vscode.workspace.openTextDocument({ content: 'other' });
    await vscode.window.showTextDocument(document, { preview: false });
    for (let guess = 0; guess < 5; guess += 1)
      await run(commands.writeServers, uri?.with({ path: `/${guess}/now/mcp.json` }));
    await run(commands.writeServers);
    await run(commands.writeServers, uri);
    // It is only shown.
    await eventually(
      () => Promise.resolve(vscode.window.tabGroups.activeTabGroup.activeTab),
      (tab) => tab !== undefined && isPreview(tab),
    );
    assert.equal(await written(), 'no file');
    await run(commands.cancelAdding);
    await adding;
    assert.equal(await written(), 'no file');
  });

  it('shows the changed file, and writes it without the secret after a yes', async () => {
    await vscode.env.clipboard.writeText(pasted);
    const adding = run(commands.addServer);
    const shown = await untilPreview();
    const text = shown.getText();
    assert.equal(await written(), 'no file');
    const { showWarningMessage } = vscode.window;
    const told: string[] = [];
    const show = (...said: readonly string[]) => Promise.resolve(void told.push(said.join(' | ')));
    Object.assign(vscode.window, { showWarningMessage: show });
    await run(commands.writeServers, previewUri());
    await adding;
    Object.assign(vscode.window, { showWarningMessage });
    // It cannot start yet.
    assert.deepEqual(told, [
      'Server “weather” was added. Set these environment variables, then restart VS Code: API_KEY',
    ]);
    assert.equal(await written(), text);
    assert.deepEqual(JSON.parse(text), {
      mcpServers: { weather: { command: 'weather', env: { API_KEY: '${API_KEY}' } } },
    });
    assert.deepEqual(previews(), []);
  });

  it('writes nothing for a command that names no question, but asks in a dialog', async () => {
    const dialogs = new AnsweredDialogs(() => undefined).begin();
    await vscode.env.clipboard.writeText(pasted);
    const adding = run(commands.addServer);
    atEnd(() => dialogs.dispose());
    await untilPreview();
    await run(commands.writeServers);
    const asked = { message: 'Write these changes to “.mcp.json”?', buttons: ['Write'] };
    assertEach(dialogs.seen, ({ message, buttons }) => ({ message, buttons }), [asked]);
    assert.deepEqual([await written(), previews().length], ['no file', 1]);
    dialogs.press = () => 'Write';
    await run(commands.writeServers);
    await adding;
    assert.match(await written(), /"weather"/);
  });

  it('is reverted by one undo, including comments', async () => {
    const before = '{\n  // mine\n  "mcpServers": {\n    "a": {"command":   "x"} // odd\n  }\n}\n';
    await vscode.workspace.fs.writeFile(vscode.Uri.file(file), new TextEncoder().encode(before));
    await vscode.env.clipboard.writeText(pasted);
    const adding = run(commands.addServer);
    await untilPreview();
    await run(commands.writeServers, previewUri());
    await adding;
    // The tab of the preview closes meanwhile, and no editor may be the active one for a moment.
    const editor = await eventually(
      () => vscode.window.activeTextEditor,
      (active) => active?.document.uri.fsPath === file,
    );
    assert.ok(editor);
    assert.match(
      editor.document.getText(),
      /"a": \{"command": {3}"x"\}, \/\/ odd\n {4}"weather": \{/,
    );
    // It undoes in what has the focus, and the lists and the preview give theirs back a moment later.
    await eventually(
      async () => {
        await vscode.window.showTextDocument(editor.document);
        await run('undo');
        return editor.document.getText();
      },
      (text) => text === before,
    );
    await run('workbench.action.files.save');
  });

  it('writes nothing when the preview is closed or cancelled', async () => {
    for (const end of ['workbench.action.closeActiveEditor', commands.cancelAdding]) {
      await vscode.env.clipboard.writeText(pasted);
      const adding = run(commands.addServer);
      await untilPreview();
      await run(end);
      await adding;
      assert.equal(await written(), 'no file');
    }
  });

  it('writes nothing over a file that was changed meanwhile', async () => {
    await vscode.env.clipboard.writeText(pasted);
    const adding = run(commands.addServer);
    await untilPreview();
    const uri = vscode.Uri.file(file);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode('{"mcpServers":{}}'));
    await run(commands.writeServers, previewUri());
    await adding;
    assert.equal(await written(), '{"mcpServers":{}}');
  });
});

describe('A link to add a server', () => {
  const shown: string[] = [];
  let dialogs: AnsweredDialogs;
  let links: AddLinks;
  let stores: ReturnType<typeof inputStores>;

  beforeEach(() => {
    shown.length = 0;
    stores = inputStores();
    dialogs = new AnsweredDialogs(() => 'Continue').begin();
    links = new AddLinks({
      registry: { find: () => undefined, servers: [] } satisfies Pick<
        ServerRegistry,
        'find' | 'servers'
      >,
      userFiles: [],
      env: {},
      reload: () => Promise.reject(new Error('nothing is to be read')),
      remembered: stores.remembered,
      previews: {
        ask: ({ after }) => {
          shown.push(after);
          return Promise.resolve(false);
        },
      },
    });
  });
  afterEach(() => {
    dialogs.dispose();
    // Nothing is kept before what will be written was agreed to.
    assert.deepEqual([stores.secrets.kept.size, stores.workspace.kept.size], [0, 0]);
  });

  const uriOf = (query: Record<string, string>): vscode.Uri =>
    vscode.Uri.from({
      scheme: 'vscode',
      authority: 'toolgate.toolgate',
      path: '/add',
      query: new URLSearchParams(query).toString(),
    });
  const config = JSON.stringify({
    command: 'npx',
    args: ['-y', 'pkg', '--dir', 'a b'],
    env: { API_KEY: secret, MODE: 'fast' },
  });

  it('shows the full command first, and only fills in the steps', async () => {
    await pressingKey(accept, links.handleUri(uriOf({ name: 'files', config })));
    const [dialog] = dialogs.seen;
    assert.equal(dialog?.message, 'A link wants to add the server “files”');
    assert.deepEqual(dialog.buttons, ['Continue']);
    assert.match(
      dialog.detail,
      /^Command: npx -y pkg --dir "a b"\nVariable: API_KEY=\$\{input:files-api-key\}\nVariable: MODE=fast\n\n/,
    );
    assert.equal(shown.length, 1);
    assert.match(shown[0] ?? '', /"files": \{\s+"command": "npx",/);
  });

  it('does nothing after a no', async () => {
    dialogs.press = () => undefined;
    await links.handleUri(uriOf({ name: 'files', config }));
    assert.deepEqual(shown, []);
  });

  it('asks nothing if it is malicious', async () => {
    await links.handleUri(uriOf({ name: 'a\u202Eb', config }));
    await links.handleUri(uriOf({ config, run: 'now' }));
    await links.handleUri(uriOf({ config: 'x'.repeat(20_000) }));
    assert.deepEqual([dialogs.seen, shown], [[], []]);
    await run(close);
  });
});
