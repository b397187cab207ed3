import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import {
  argumentsScheme,
  commands,
  reviewScheme,
  runAllScheme,
  settings,
  trustScheme,
} from '../../src/ids';
import { eventually } from '../waiting';
import type { Script } from '../servers/scripted';
import { pressStart, type SeenDialog } from './dialogs';
import { run, set, useWindow } from './realWindow';
import { atEnd } from './replacing';

const script: Script = (server) => {
  server.capabilities = { tools: {} };
  const beds = { type: 'array', items: { type: 'object' } };
  server.tools = [
    { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    { name: 'list', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    { name: 'mow', inputSchema: { type: 'object' } },
    { name: 'dig', inputSchema: { type: 'object', properties: { beds }, required: ['beds'] } },
  ];
  server.on('tools/call', (message) => server.text(message, 'done'));
};

/** As a key, the palette, a task and an extension that knows no name run it. */
describe('A confirmation that names no document', () => {
  const { extension, answers, dialogs } = useWindow({
    servers: (real) => ({ lawn: real.scriptedEntry(script) }),
  });
  const entry = () => extension.scriptedEntry(script);
  const reviewing = ({ buttons }: SeenDialog) => buttons.find((button) => button === 'Review');
  const uriInFront = (): vscode.Uri | undefined => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (input instanceof vscode.TabInputText) return input.uri;
    return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
  };
  const inFront = async (scheme: string): Promise<vscode.Uri> => {
    const uri = await eventually(uriInFront, (one) => one?.scheme === scheme);
    assert.ok(uri);
    return uri;
  };
  /** What the last dialog asked, and by which buttons it is answered. */
  const asked = () => {
    const last = dialogs.seen.at(-1);
    return [last?.message, ...(last?.buttons ?? [])];
  };
  /** Closes the dialog, which leaves everything as it was. */
  const notAgreed = async (command: string, ...args: readonly unknown[]) => {
    dialogs.press = () => undefined;
    const before = uriInFront()?.toString();
    await run(command, ...args);
    assert.equal(uriInFront()?.toString(), before);
  };
  const agreed = async (command: string) => {
    dialogs.press = ({ buttons }) => buttons[0];
    await run(command);
  };

  beforeEach(() => {
    dialogs.press = pressStart;
    dialogs.seen.length = 0;
    answers.told.length = 0;
  });
  afterEach(async () => {
    await set(settings.rules, undefined);
    await run('workbench.action.closeAllEditors');
  });

  it('starts no server under review, but asks in a dialog', async () => {
    await extension.configure({ lawn: entry(), pond: entry() });
    dialogs.press = reviewing;
    const starting = run(commands.startServer, 'pond');
    await inFront(trustScheme);
    for (const args of [[], [{ type: 'node' }], [vscode.Uri.file('/x')]]) {
      await notAgreed(commands.startReviewed, ...args);
      assert.deepEqual(asked(), ['Start “pond” as shown?', 'Start Server']);
    }
    assert.equal(extension.server('pond')?.state, 'stopped');
    await agreed(commands.startReviewed);
    await starting;
    assert.equal(extension.server('pond')?.state, 'running');
    await extension.configure({ lawn: entry() });
  });

  it('counts at once from the editor title, which names its document', async () => {
    await extension.configure({ lawn: entry(), brook: entry() });
    dialogs.press = reviewing;
    const starting = run(commands.startServer, 'brook');
    const uri = await inFront(trustScheme);
    dialogs.seen.length = 0;
    await run(commands.startReviewed, uri, { groupId: 0 });
    await starting;
    assert.equal(extension.server('brook')?.state, 'running');
    assert.deepEqual(dialogs.seen, []);
    await extension.configure({ lawn: entry() });
  });

  it('runs no call under review, with any of its buttons, but asks in a dialog', async () => {
    dialogs.press = reviewing;
    const calling = run(commands.callTool, { serverId: 'lawn', toolName: 'look' });
    let isOver = false;
    void calling.then(() => (isOver = true));
    await inFront(reviewScheme);
    const question = 'Run “look” on “lawn”?';
    await notAgreed(commands.allowCalls);
    assert.deepEqual(asked(), [question, 'Allow…']);
    await notAgreed(commands.runArguments);
    assert.deepEqual(asked(), [question, 'Run']);
    assert.equal(isOver, false);
    await agreed(commands.runArguments);
    await calling;
  });

  it('asks once about arguments in front, whether rules allow the call or not', async () => {
    await run(commands.callTool, { serverId: 'lawn', toolName: 'dig' });
    const uri = await inFront(argumentsScheme);
    await notAgreed(commands.runArguments);
    assert.equal(dialogs.seen.length, 1);
    assert.match(asked()[0] ?? '', /^Run “dig” on “lawn”\?$/);
    await set(settings.rules, [{ effect: 'allow', server: 'lawn' }]);
    await notAgreed(commands.runArguments);
    assert.deepEqual(asked(), ['Run “dig” on “lawn” with these arguments?', 'Run']);
    assert.equal(dialogs.seen.length, 2);
    await run(commands.runArguments, uri);
    assert.equal(dialogs.seen.length, 2);
  });

  it('passes on no arguments that a question waits for, but asks in a dialog', async () => {
    dialogs.press = reviewing;
    const calling = run(commands.callTool, { serverId: 'lawn', toolName: 'look' });
    await inFront(reviewScheme);
    await run(commands.editCallArguments);
    await inFront(argumentsScheme);
    await notAgreed(commands.runArguments);
    assert.deepEqual(asked(), ['Use these arguments for “look” on “lawn”?', 'Use']);
    await agreed(commands.runArguments);
    await calling;
    assert.match(asked()[0] ?? '', /^Run “look” on “lawn”\?$/);
  });

  it('runs no calls of a list and checks no destructive one, but asks in a dialog', async () => {
    const file = path.join(extension.folder, 'lawn.mcpcall');
    const call = (tool: string) => ({ server: 'lawn', tool });
    const calls = { a: call('look'), b: call('list'), c: call('mow') };
    await writeFile(file, JSON.stringify({ calls }));
    atEnd(() => rm(file, { force: true }));
    await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    dialogs.press = (dialog) => reviewing(dialog) ?? pressStart(dialog);
    const running = run(commands.runCallFile, vscode.Uri.file(file));
    const uri = await inFront(runAllScheme);
    dialogs.seen.length = 0;
    const text = () =>
      vscode.workspace.textDocuments
        .find((one) => one.uri.toString() === uri.toString())
        ?.getText();
    await run(commands.toggleFileCall, undefined, 2);
    assert.deepEqual(dialogs.seen, []);
    await notAgreed(commands.toggleFileCall, undefined, 2);
    assert.deepEqual(asked(), ['Check “c”?', 'Check']);
    await notAgreed(commands.runCallFile);
    assert.deepEqual(asked(), ['Run the checked calls of “lawn.mcpcall”, 2 of 3?', 'Run']);
    await run(commands.toggleFileCall, uri, 2);
    await eventually(text, (now) => now?.includes('[x] c') === true);
    await notAgreed(commands.runCallFile);
    assert.equal(asked()[0], 'Run the checked calls of “lawn.mcpcall”, 3 of 3?');
    await agreed(commands.runCallFile);
    await running;
    assert.equal(answers.told.at(-1), 'All calls in the file passed: 3.');
  });
});
