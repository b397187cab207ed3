import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import {
  argumentsScheme,
  commands,
  internalCommands,
  reviewScheme,
  trustScheme,
} from '../../src/ids';
import type { Script } from '../servers/scripted';
import { until } from '../waiting';
import { pressStart, type SeenDialog } from './dialogs';
import { run, useWindow } from './realWindow';

const script: Script = (server) => {
  server.capabilities = { tools: {}, resources: {} };
  const seeds = { type: 'array', items: { type: 'object' } };
  server.tools = [
    { name: 'bare', inputSchema: { type: 'object' } },
    { name: 'look', inputSchema: { type: 'object' } },
    { name: 'sow', inputSchema: { type: 'object', properties: { seeds }, required: ['seeds'] } },
  ];
  server.on('tools/call', (message) => server.text(message, 'done'));
};

/** What a link, a key, a task or another extension can run, with whatever arguments. */
describe('A command that another extension runs', () => {
  const { extension, answers, dialogs } = useWindow();
  let elsewhere: string;
  const entry = () => extension.scriptedEntry(script);

  const setRules = (rules: readonly object[] | undefined) =>
    vscode.workspace.getConfiguration().update('toolgate.rules', rules, true);

  before(async () => {
    elsewhere = await mkdtemp(path.join(tmpdir(), 'elsewhere-'));
    // No other file names a server so. A yes to one is kept for the window, and what changed since is
    // then asked with what was before: too long for the dialog, which has no button to start.
    await extension.configure({ meadow: entry() });
    await extension.api.start('meadow');
    await setRules([{ effect: 'allow', server: 'meadow', tool: 'look' }]);
  });
  beforeEach(() => {
    dialogs.press = pressStart;
    dialogs.seen.length = 0;
    answers.told.length = 0;
  });
  afterEach(() => run('workbench.action.closeAllEditors'));
  after(async () => {
    await setRules(undefined);
    await rm(elsewhere, { recursive: true, force: true });
  });

  const shown = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  const uriOf = ({ input }: vscode.Tab): vscode.Uri | undefined => {
    if (input instanceof vscode.TabInputText) return input.uri;
    return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
  };
  const opened = (scheme: string) =>
    shown()
      .flatMap((tab) => uriOf(tab) ?? [])
      .find((uri) => uri.scheme === scheme);
  const inFront = () => {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return (tab && uriOf(tab))?.toString();
  };
  /** Whether the last question says that the call may not be the person's own wish. */
  const isForeign = () => dialogs.seen.at(-1)?.detail.includes('not you') === true;
  const bringOther = async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'other' });
    await vscode.window.showTextDocument(document, { preview: false });
  };

  /** A call that a rule allows: another that was begun before is over by then, or will not be. */
  const callMeanwhile = async () => {
    const { kind } = await extension.api.callTool({ server: 'meadow', tool: 'look' });
    assert.equal(kind, 'result');
  };

  it('calls no tool as if the user had clicked its row', async () => {
    const row = { kind: 'tool', key: 'meadow/bare', serverId: 'meadow', toolName: 'bare' };
    await run(commands.callTool, row);
    assert.equal(isForeign(), true);
    await run(commands.callTool, Object.create(row));
    assert.equal(isForeign(), true);
    assert.equal(dialogs.seen.length, 2);
  });

  it('calls nothing from a file as if the user wished it, except from the file in front', async () => {
    const text = JSON.stringify({ server: 'meadow', tool: 'bare' });
    const file = path.join(extension.folder, 'one.mcpcall');
    const outside = path.join(elsewhere, 'two.mcpcall');
    const link = path.join(extension.folder, 'link.mcpcall');
    const other = path.join(extension.folder, 'answer.json');
    for (const each of [file, outside, other]) await writeFile(each, text);
    await symlink(outside, link);
    const provider = vscode.workspace.registerTextDocumentContentProvider('evil', {
      provideTextDocumentContent: () => text,
    });
    const show = async (uri: vscode.Uri) => {
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document, { preview: false });
    };
    try {
      const uri = vscode.Uri.file(file);
      await show(uri);
      for (const command of [commands.runFileCall, commands.runCallFile]) {
        await run(command, uri, '');
        assert.equal(isForeign(), false, command);
      }
      await run(commands.runFileCall);
      assert.equal(isForeign(), false);
      await bringOther();
      for (const command of [commands.runFileCall, commands.runCallFile]) {
        await run(command, uri, '');
        assert.equal(isForeign(), true, command);
      }
      const others = [
        vscode.Uri.file(outside),
        vscode.Uri.file(link),
        vscode.Uri.file(other),
        vscode.Uri.from({ scheme: 'evil', path: '/three.mcpcall' }),
        vscode.Uri.file(file).with({ scheme: 'evil' }),
      ];
      for (const one of others) {
        await show(one);
        dialogs.seen.length = 0;
        for (const command of [commands.runFileCall, commands.runCallFile]) {
          await run(command, one, '');
          assert.equal(isForeign(), true, `${command} ${one.toString()}`);
        }
      }
      const untitled = vscode.Uri.file(path.join(extension.folder, 'new.mcpcall')).with({
        scheme: 'untitled',
      });
      const document = await vscode.workspace.openTextDocument(untitled);
      const editor = await vscode.window.showTextDocument(document);
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
      await run(commands.runCallFile, untitled);
      assert.equal(isForeign(), false);
    } finally {
      provider.dispose();
      await run('workbench.action.revertAndCloseActiveEditor');
      for (const each of [file, link, other]) await rm(each, { force: true });
    }
  });

  it('activates no button of a review, except of the one in front', async () => {
    dialogs.press = ({ buttons }: SeenDialog) => buttons.find((button) => button === 'Review');
    const calling = run(commands.callTool, { serverId: 'meadow', toolName: 'bare' });
    await until(() => opened(reviewScheme) !== undefined);
    const uri = opened(reviewScheme);
    assert.ok(uri);
    let isOver = false;
    void calling.then(() => (isOver = true));
    const guesses = Array.from({ length: 5 }, (_, id) =>
      vscode.Uri.from({ scheme: reviewScheme, path: `/${id}/bare.review.txt` }),
    );
    await bringOther();
    const presses = [commands.runArguments, commands.allowCalls, commands.editCallArguments];
    for (const command of presses) {
      for (const guess of guesses) await run(command, guess);
    }
    await run(commands.runArguments);
    await callMeanwhile();
    assert.deepEqual([isOver, opened(reviewScheme)?.toString()], [false, uri.toString()]);
    // Known, but not in front: it is only shown.
    assert.notEqual(inFront(), uri.toString());
    await run(commands.runArguments, uri);
    await until(() => inFront() === uri.toString());
    await callMeanwhile();
    assert.equal(isOver, false);
    await run(commands.runArguments, uri);
    await calling;
    assert.equal(opened(reviewScheme), undefined);
  });

  it('agrees to no server, except to the one in the review in front', async () => {
    await extension.configure({ meadow: entry(), fresh: entry() });
    dialogs.press = ({ buttons }: SeenDialog) => buttons.find((button) => button === 'Review');
    const starting = run(commands.startServer, 'fresh');
    await until(() => opened(trustScheme) !== undefined);
    const uri = opened(trustScheme);
    await bringOther();
    for (let guess = 0; guess < 5; guess += 1) {
      await run(commands.startReviewed, uri?.with({ path: `/${guess}/now/fresh.start.txt` }));
      await run(commands.startReviewed, guess);
    }
    await run(commands.startReviewed);
    await run(commands.startReviewed, uri);
    await until(() => inFront() === uri?.toString());
    await callMeanwhile();
    assert.equal(extension.server('fresh')?.state, 'stopped');
    await run(commands.startReviewed, uri);
    await starting;
    assert.equal(extension.server('fresh')?.state, 'running');
    await extension.configure({ meadow: entry() });
  });

  it('runs only the arguments in front, under a name that cannot be guessed', async () => {
    await run(commands.callTool, { serverId: 'meadow', toolName: 'sow' });
    const uri = opened(argumentsScheme);
    assert.ok(uri);
    for (let slot = 0; slot <= 5; slot += 1) {
      for (const count of [0, 1, 2, 3]) {
        await run(commands.runArguments, uri.with({ authority: `${slot}.${count}` }));
      }
    }
    await bringOther();
    await run(commands.runArguments);
    await run(commands.runArguments, uri);
    await until(() => inFront() === uri.toString());
    await callMeanwhile();
    assert.deepEqual(dialogs.seen, []);
    await run(commands.runArguments, uri);
    assert.equal(dialogs.seen.length, 1);
  });

  it('enables, disables, removes or reads nothing without a yes', async () => {
    const asks = async (command: string, argument: unknown, message: RegExp) => {
      dialogs.seen.length = 0;
      await run(command, argument);
      assert.deepEqual(dialogs.seen.length, 1, command);
      assert.match(dialogs.seen[0]?.message ?? '', message);
      assert.match(dialogs.seen[0]?.detail ?? '', /other extension/);
    };
    const isListed = () =>
      extension.server('meadow')?.state === 'running' &&
      extension.server('meadow')?.tools.length === 3;
    await asks(commands.disableServer, 'meadow', /^Disable “meadow”\?$/);
    await asks(commands.disableServer, { serverId: 'meadow' }, /^Disable “meadow”\?$/);
    await asks(
      commands.disableTool,
      { serverId: 'meadow', toolName: 'bare' },
      /^Disable “bare”\?$/,
    );
    const bare = { serverId: 'meadow', toolName: 'bare' };
    await asks(commands.runAsTask, bare, /^Run “bare” as a task from now on\?$/);
    await asks(commands.runDirectly, bare, /^Run “bare” directly from now on\?$/);
    assert.ok(isListed());
    dialogs.press = ({ buttons }) => buttons.find((button) => /^(?:Disable|Start)/.test(button));
    await run(commands.disableTool, { serverId: 'meadow', toolName: 'bare' });
    await until(() => !isListed());
    await asks(commands.enableTool, { serverId: 'meadow', toolName: 'bare' }, /^Enable “bare”\?$/);
    assert.ok(!isListed());
    dialogs.press = ({ buttons }) => buttons.find((button) => button === 'Enable');
    await run(commands.enableTool, { serverId: 'meadow', toolName: 'bare' });
    await until(isListed);
    dialogs.press = pressStart;
    const uri = 'file:///etc/passwd';
    await asks(commands.openResource, { serverId: 'meadow', uri }, /^Read “file:/);
    // A template without variables is a URI.
    const template = { serverId: 'meadow', uriTemplate: uri };
    await asks(commands.openTemplate, template, /^Read “file:/);
  });

  it('acts on nothing else for a row that VS Code has just forgotten', async () => {
    const file = path.join(extension.folder, 'front.mcpcall');
    await writeFile(file, JSON.stringify({ server: 'meadow', tool: 'bare' }));
    await vscode.window.showTextDocument(vscode.Uri.file(file));
    const ofRows = [
      commands.runFileCall,
      commands.runCallFile,
      commands.copyCallAs,
      commands.expectAnswer,
      commands.copyResourceUri,
      commands.cancelSignIn,
      commands.stopRecording,
      commands.refreshResources,
      commands.refreshPrompts,
      commands.refreshSkills,
    ];
    for (const command of ofRows) await run(command, undefined, undefined);
    const sentence = 'Nothing was done, because the row was just being updated. Try again.';
    assert.deepEqual(
      answers.told,
      ofRows.map(() => sentence),
    );
    assert.deepEqual(dialogs.seen, []);
    await rm(file);
  });

  it('changes no file by a quick fix that was not offered', async () => {
    const secret = { ...entry(), env: { API_KEY: 'k-1234567890' } };
    await extension.configure({ meadow: secret });
    const before = await readFile(extension.file, 'utf8');
    const uri = vscode.Uri.file(extension.file);
    await vscode.window.showTextDocument(uri);
    for (const at of [
      ['servers', 'meadow', 'env', 'API_KEY'],
      ['servers', 'meadow', 'command'],
    ]) {
      await run(internalCommands.moveSecret, uri, at);
    }
    assert.equal(await readFile(extension.file, 'utf8'), before);
    await extension.configure({ meadow: entry() });
  });
});
