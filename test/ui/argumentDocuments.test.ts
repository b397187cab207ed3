import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { argumentsScheme, commands, settings } from '../../src/ids';
import type { Script } from '../servers/scripted';
import { until, untilEvent } from '../waiting';
import { assertEach, assertNone } from '../assertions';
import { pressStart } from './dialogs';
import { lensTitles } from './lenses';
import { proposalsAt } from './proposals';
import { run, set, useWindow } from './realWindow';
import { atEnd } from './replacing';

/** Its tools want documents; `grow` changes the schema of the other one. */
const script: Script = (server) => {
  const tool = (kinds: readonly { const: string; title: string }[]) => ({
    name: 'sow',
    title: 'Sow seeds',
    inputSchema: {
      type: 'object',
      properties: {
        seeds: {
          type: 'array',
          items: {
            type: 'object',
            properties: { kind: { oneOf: kinds }, count: { type: 'integer', minimum: 1 } },
            required: ['kind'],
          },
        },
      },
      required: ['seeds'],
    },
  });
  const grow = { name: 'grow', inputSchema: { type: 'object' } };
  server.capabilities = { tools: { listChanged: true } };
  server.tools = [
    tool([
      { const: 'b', title: 'Beans' },
      { const: 'p', title: 'Peas' },
    ]),
    grow,
  ];
  server.on('tools/call', (message) => {
    if (message.params?.['name'] === 'grow') {
      server.tools = [tool([{ const: 'k', title: 'Kale' }]), grow];
      server.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    }
    server.text(message, JSON.stringify(message.params?.['arguments']));
  });
};

/** In the real extension, with VS Code's own JSON service. */
describe('A document of arguments', () => {
  const { extension, answers, dialogs } = useWindow({
    press: (dialog) => pressStart(dialog) ?? (dialog.buttons.includes('Run') ? 'Run' : undefined),
    servers: (real) => ({ field: real.scriptedEntry(script) }),
  });

  beforeEach(() => {
    answers.told.length = 0;
    dialogs.seen.length = 0;
  });
  afterEach(() => run('workbench.action.closeAllEditors'));

  async function open(): Promise<vscode.TextEditor> {
    await run(commands.callTool, { serverId: 'field', toolName: 'sow' });
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.scheme, argumentsScheme);
    assert.ok(editor !== undefined);
    return editor;
  }

  async function write(editor: vscode.TextEditor, text: string): Promise<void> {
    const { document } = editor;
    const all = new vscode.Range(
      document.positionAt(0),
      document.positionAt(document.getText().length),
    );
    // An edit of the workspace has VS Code compare the texts, which takes it seconds for a large one.
    assert.ok(await editor.edit((edit) => edit.replace(all, text)));
  }

  const sentences = ({ document }: vscode.TextEditor) =>
    vscode.languages.getDiagnostics(document.uri).map(({ message }) => message);

  /** Waits until the problems, which come a moment after a change, are such. */
  async function untilProblems(
    editor: vscode.TextEditor,
    isEnough: (sentences: readonly string[]) => boolean,
  ): Promise<void> {
    const isSo = () => isEnough(sentences(editor));
    await untilEvent(vscode.languages.onDidChangeDiagnostics, isSo);
  }
  const saying =
    (wanted: RegExp) =>
    (all: readonly string[]): boolean =>
      all.some((sentence) => wanted.test(sentence));

  it('does not open for a tool that a rule denies whatever its arguments are, which is said at once', async () => {
    const when = { '/seeds/*/kind': { equals: 'b' } };
    const opened = async (...rules: readonly object[]) => {
      await set(settings.rules, rules);
      await run(commands.callTool, { serverId: 'field', toolName: 'sow' });
      return vscode.window.activeTextEditor !== undefined;
    };
    atEnd(() => set(settings.rules, undefined));
    assert.equal(await opened({ effect: 'deny', tool: 'sow', reason: 'Not today' }), false);
    assert.deepEqual(answers.told, [
      '“sow” was not called. Rule 1 in your user settings denies it: “Not today”.',
    ]);
    const others = [
      { effect: 'deny', tool: 'sow', when },
      { effect: 'deny', tool: 'sow', origin: 'agent' },
      { effect: 'ask', tool: 'sow' },
    ];
    assert.equal(await opened(...others), true);
    assert.equal(answers.told.length, 1);
  });

  it('begins with required arguments, names its tool and server, and offers to run', async () => {
    const editor = await open();
    const begun = { seeds: [{ kind: '' }] };
    assert.equal(editor.document.getText(), `${JSON.stringify(begun, undefined, 2)}\n`);
    assert.equal(editor.document.uri.path, '/field/sow.arguments.jsonc');
    assert.deepEqual((await lensTitles(editor.document.uri)).slice(0, 2), [
      '$(play)\u00A0Run “Sow seeds” on “field”',
      '$(close)\u00A0Cancel',
    ]);
  });

  it('is shown again while it is open, and is restored with its content', async () => {
    const editor = await open();
    await write(editor, '{"seeds": [{"kind": "b"}]}');
    assert.equal((await open()).document.uri.toString(), editor.document.uri.toString());
    await run(commands.cancelArguments, editor.document.uri);
    assert.equal(vscode.window.tabGroups.activeTabGroup.tabs.length, 0);
    const again = await open();
    assert.notEqual(again.document.uri.toString(), editor.document.uri.toString());
    assert.equal(again.document.getText(), '{"seeds": [{"kind": "b"}]}');
  });

  it('sends nothing while it is invalid, and exactly its content when it is valid', async () => {
    const editor = await open();
    await write(editor, '{"seeds": [{"kind": "x"}]}');
    await run(commands.runArguments, editor.document.uri);
    assert.match(answers.told.join('\n'), /^Not sent: 3 problems\. The first: seeds\.0\.kind: /);
    assert.equal(dialogs.seen.length, 0);
    await write(editor, '// two\n{"seeds": [{"kind": "p", "count": 2},],}');
    await run(commands.runArguments, editor.document.uri);
    const [given = ''] = dialogs.seen[0]?.detail.split('\n\n') ?? [];
    assert.deepEqual(JSON.parse(given), {
      seeds: [{ kind: 'p', count: 2 }],
    });
  });

  it('has each problem marked once, by Toolgate or by VS Code', async () => {
    const editor = await open();
    await write(editor, '{"seeds": [], "note": }');
    await untilProblems(editor, (all) => all.length > 0);
    assert.deepEqual(sentences(editor), ['Value expected']);
    // VS Code has looked at the next text when it takes that back.
    await write(editor, '{"seeds": [{"kind": "x"}]}');
    await untilProblems(editor, (all) => all.length > 0 && !all.includes('Value expected'));
    assertNone(sentences(editor), (sentence) => !sentence.startsWith('Tool schema: '));
    await write(editor, '{"seeds": [{"kind": "p"},],}');
    await untilProblems(editor, (all) => all.length === 0);
  });

  it('stays open if fields cannot show its arguments', async () => {
    const { uri } = (await open()).document;
    await run(commands.enterStepByStep, uri);
    assert.deepEqual(answers.told, ['These arguments cannot be shown as fields.']);
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uri.toString());
  });

  it('proposes names, and values with their titles', async () => {
    const editor = await open();
    const text = '{"seeds": [{"kind": }]}';
    await write(editor, text);
    const values = await proposalsAt(editor.document, text.indexOf('}'), '"b"');
    assertEach(values, ({ label, documentation }) => [label, documentation], [
      ['"b"', 'Beans'],
      ['"p"', 'Peas'],
    ]);
    const names = await proposalsAt(editor.document, text.indexOf('"kind"'), 'count');
    assert.ok(names.some(({ label }) => label === 'count'));
  });

  it('updates its problems and completions when the tool changes', async () => {
    await set(settings.rules, [{ effect: 'allow', server: 'field' }]);
    const editor = await open();
    const text = '{"seeds": [{"kind": "b"}]}';
    await write(editor, text);
    await untilProblems(editor, (all) => all.length === 0);
    await extension.api.callTool({ server: 'field', tool: 'grow', arguments: {} });
    await untilProblems(editor, saying(/"k"|one/));
    await write(editor, '{"seeds": [{"kind": }]}');
    await proposalsAt(editor.document, text.indexOf(' "b"') + 1, '"k"');
    await set(settings.rules, undefined);
  });

  it('says at once that a text is too large to check or to read', async () => {
    const editor = await open();
    await write(editor, `{"seeds": [], "note": "${'x'.repeat(60_000)}"}`);
    await untilProblems(editor, saying(/too large to validate while you type/));
    await write(editor, `{"seeds": [${'1,'.repeat(600_000)}]}`);
    await run(commands.runArguments, editor.document.uri);
    await untilProblems(editor, saying(/Too large to open here/));
    assert.equal(dialogs.seen.length, 0);
    // It is saved by itself only after a while, and until then comes back when it is closed.
    await run('workbench.action.revertAndCloseActiveEditor');
  });

  it('is kept before it is closed, even if it is being saved at that moment', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { document } = await open();
      await write(await open(), `{"seeds": [{"kind": "b", "count": ${round + 1}}]}`);
      const saved = document.save();
      await run(commands.cancelArguments, document.uri);
      await saved;
      assert.equal(document.isDirty, false);
    }
  });

  it('is kept before it is closed, even if saving takes long', async () => {
    const editor = await open();
    const { document } = editor;
    await write(editor, '{"seeds": [{"kind": "p"}]}');
    // As a formatter does that takes its time.
    let goOn: (() => void) | undefined;
    const slow = vscode.workspace.onWillSaveTextDocument((event) =>
      event.waitUntil(new Promise<void>((resolve) => (goOn = resolve))),
    );
    const saved = document.save();
    await until(() => goOn !== undefined);
    const closed = run(commands.cancelArguments, document.uri);
    await vscode.commands.getCommands(); // The other command has begun by then.
    goOn?.();
    await closed;
    assert.equal(document.isDirty, false);
    assert.deepEqual(vscode.window.tabGroups.activeTabGroup.tabs, []);
    await saved;
    slow.dispose();
  });

  it('is kept before it is closed, including what was typed while it was saved', async () => {
    for (const ms of [0, 2, 6, 14, 28]) {
      const editor = await open();
      const { document } = editor;
      await write(editor, '{"seeds": [{"kind": "b"}]}');
      const saved = document.save();
      await delay(ms);
      await write(editor, `{"seeds": [{"kind": "p", "count": ${ms + 1}}]}`);
      await saved;
      await run(commands.cancelArguments, document.uri);
      assert.equal(document.isDirty, false);
      const labels = vscode.window.tabGroups.activeTabGroup.tabs.map(({ label }) => label);
      assert.deepEqual(labels, [], `after ${ms} ms`);
    }
  });

  it('stays closed if it is closed right after typing while VS Code saves automatically', async () => {
    const configuration = vscode.workspace.getConfiguration('files');
    await configuration.update('autoSave', 'afterDelay', true);
    const editor = await open();
    await write(editor, '{"seeds": [{"kind": "b"}]}');
    await run('workbench.action.closeAllEditors');
    // VS Code would open the document again if it could not be saved any more.
    await until(() => !editor.document.isDirty);
    await configuration.update('autoSave', 'off', true);
    assert.deepEqual(vscode.window.tabGroups.activeTabGroup.tabs, []);
  });

  it('stays closed if it is closed while it is saved', async () => {
    const editor = await open();
    let goOn: (() => void) | undefined;
    const slow = vscode.workspace.onWillSaveTextDocument((event) =>
      event.waitUntil(new Promise<void>((resolve) => (goOn = resolve))),
    );
    await write(editor, '{"seeds": [{"kind": "b"}]}');
    const saved = editor.document.save();
    await until(() => goOn !== undefined);
    slow.dispose();
    await run('workbench.action.closeAllEditors');
    goOn?.();
    // VS Code would open the document again if it could not be saved any more.
    assert.equal(await saved, true);
    assert.deepEqual(vscode.window.tabGroups.activeTabGroup.tabs, []);
  });

  it('is deleted when it is closed', async () => {
    const editor = await open();
    const { uri } = editor.document;
    await write(editor, '{}');
    await untilProblems(editor, saying(/must have the property "seeds"/));
    await run('workbench.action.revertAndCloseActiveEditor');
    assert.deepEqual(vscode.languages.getDiagnostics(uri), []);
    await run(commands.runArguments, uri);
    assert.equal(dialogs.seen.length, 0);
    await run('workbench.action.reopenClosedEditor');
    const { tabs } = vscode.window.tabGroups.activeTabGroup;
    assert.ok(tabs.every(({ label }) => label !== path.posix.basename(uri.path)));
  });
});
