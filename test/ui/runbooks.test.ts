import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { commands, settings } from '../../src/ids';
import { eventually, untilEvent } from '../waiting';
import { assertEach } from '../assertions';
import { pressStart, type SeenDialog } from './dialogs';
import { lensesOf } from './lenses';
import { run, set, useWindow } from './realWindow';

const fence = '```';
const weather = (place: string) => `{
  "server": "demo",
  "tool": "look_up_weather",
  "arguments": { "place": ${JSON.stringify(place)} }
}`;
const block = (text: string, info = 'mcpcall') => `${fence}${info}\n${text}\n${fence}\n`;

function pressRun(dialog: SeenDialog): string | undefined {
  return pressStart(dialog) ?? (dialog.buttons.includes('Run') ? 'Run' : undefined);
}

/** In the real extension, with the real demo server. */
describe('A Markdown file with blocks of calls', () => {
  const { extension, answers, dialogs } = useWindow({
    press: pressRun,
    servers: (real) => ({ demo: real.demoEntry() }),
  });
  const file = path.join(extension.folder, 'deploy.md');

  beforeEach(() => {
    dialogs.seen.length = 0;
    answers.told.length = 0;
  });
  after(async () => {
    await set(settings.rules, undefined);
    await rm(file, { force: true });
  });

  async function open(text: string): Promise<vscode.TextDocument> {
    await run('workbench.action.closeAllEditors');
    await writeFile(file, text);
    const document = await vscode.workspace.openTextDocument(file);
    if (document.getText() !== text) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
      await document.save();
    }
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }

  async function runLensesOf(uri: vscode.Uri): Promise<string[]> {
    return (await lensesOf(uri))
      .map(({ range, command }) => `${range.start.line} ${command?.title ?? ''}`)
      .filter((title) => /Run|[✓✗⊘]/.test(title));
  }

  async function problemsOf({ uri }: vscode.TextDocument, count: number): Promise<string[]> {
    const all = () =>
      vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Toolgate');
    await untilEvent(vscode.languages.onDidChangeDiagnostics, () => all().length === count);
    return all().map(({ message, range }) => `${range.start.line} ${message}`);
  }

  it('has lenses at its blocks, runs each with the same question, and shows the outcome', async () => {
    const document = await open(
      `# Deploy\n\n${block(weather('Oslo'), 'mcpcall look')}\nThen:\n\n${block(weather('${calls.look.content./0/text}'))}`,
    );
    const lenses = await eventually(
      () => runLensesOf(document.uri),
      (found) => found.length > 0,
    );
    assert.deepEqual(lenses, [
      '3 $(run-all)\u00A0Run All',
      '3 $(play)\u00A0Run',
      '13 $(play)\u00A0Run',
    ]);
    await run(commands.runFileCall, document.uri, '#2');
    assert.match(answers.told.at(-1) ?? '', /^Not sent\. Run “look” first/);
    assert.equal(dialogs.seen.length, 0);
    await run(commands.runFileCall, document.uri, 'look');
    assertEach(dialogs.seen, ({ detail }) => JSON.parse(detail.split('\n\n', 1).join()), [
      { place: 'Oslo' },
    ]);
    await run(commands.runFileCall, document.uri, '#2');
    assert.equal(dialogs.seen.length, 2);
    assert.match(dialogs.seen[1]?.detail ?? '', /"place": ?"Oslo: /);
    assert.match((await runLensesOf(document.uri)).join(), /3 ✓ .*13 ✓ /);
    await set(settings.rules, [{ effect: 'allow', server: 'demo' }]);
    await vscode.window.showTextDocument(document);
    await run(commands.runCallFile, document.uri);
    assert.equal(answers.told.at(-1), 'All calls in the file passed: 2.');
    await set(settings.rules, undefined);
  });

  it('marks the errors of one block at their lines, and runs the others', async () => {
    const document = await open(
      `Text\n${block('{ "server": "demo" }')}\n${block('{ "server": ')}${block(weather('Oslo'), 'mcpcall good')}`,
    );
    const problems = await problemsOf(document, 3);
    assert.match(problems.join('\n'), /^2 “tool” is missing\.\n7 .*\n7 /);
    await run(commands.runFileCall, document.uri, 'good');
    assert.equal(dialogs.seen.length, 1);
    await run(commands.runFileCall, document.uri, '#1');
    assert.match(
      answers.told.at(-1) ?? '',
      /^Not sent: 3 problems\. The first: “tool” is missing\./,
    );
    assert.equal(dialogs.seen.length, 1);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(
      document.uri,
      new vscode.Range(0, 0, document.lineCount, 0),
      'No calls any more.\n',
    );
    await vscode.workspace.applyEdit(edit);
    assert.deepEqual(await problemsOf(document, 0), []);
    assert.deepEqual(await runLensesOf(document.uri), []);
    await document.save();
  });

  it('runs no other call of the same name instead of the clicked one', async () => {
    const broken = '{ "server": "demo", "tool": "look_up_weather", "wrong": 1 }';
    const document = await open(
      `${block(broken, 'mcpcall look')}\n${block(weather('Oslo'), 'mcpcall look')}`,
    );
    await run(commands.runFileCall, document.uri, 'look');
    assert.match(answers.told.at(-1) ?? '', /^Not sent\. /);
    assert.equal(dialogs.seen.length, 0);
  });

  it('has completions for names, servers, tools, arguments and variables', async () => {
    const text = block(
      '{ "server": "demo", "tool": "plant_note", "arguments": { "color": , "pinned": , "name": "${}" } }',
    );
    const document = await open(`# Notes\n\n${text}\n\${}\n`);
    const proposed = async (offset: number): Promise<string[]> => {
      const list: unknown = await run(
        'vscode.executeCompletionItemProvider',
        document.uri,
        document.positionAt(offset),
      );
      const items = list instanceof vscode.CompletionList ? list.items : [];
      return items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    };
    const at = (word: string, after = 0) => document.getText().indexOf(word) + after;
    assert.ok((await proposed(at('"server"', 1))).includes('"timeout"'));
    assert.ok((await proposed(at('"demo"', 1))).includes('"demo"'));
    assert.ok((await proposed(at('"plant_note"', 1))).includes('"look_up_weather"'));
    assert.ok((await proposed(at('"color"', 1))).includes('"heightCm"'));
    const colors = await proposed(at('"color": ', '"color": '.length));
    assert.deepEqual(colors.filter((label) => label.startsWith('"')).toSorted(), [
      '"blue"',
      '"red"',
      '"white"',
      '"yellow"',
    ]);
    const pinned = await proposed(at('"pinned": ', '"pinned": '.length));
    assert.ok(pinned.includes('true') && pinned.includes('false'), pinned.join());
    const variables = await proposed(at('${}', 2));
    assert.ok(
      variables.includes('${uuid}') && variables.includes('${random:1..6}'),
      variables.join(),
    );
    // Outside of a block the same letters are text.
    const outside = await proposed(document.getText().lastIndexOf('${}') + 2);
    assert.equal(outside.includes('${uuid}'), false);
  });

  it('shows what a variable means, in a call file too', async () => {
    const hovered = async (document: vscode.TextDocument, word: string): Promise<string> => {
      const at = document.positionAt(document.getText().indexOf(word) + 3);
      const hovers: unknown = await run('vscode.executeHoverProvider', document.uri, at);
      assert.ok(Array.isArray(hovers));
      const contents = hovers.flatMap((hover: vscode.Hover) => hover.contents);
      return contents.map((each) => (typeof each === 'string' ? each : each.value)).join();
    };
    const document = await open(block(weather('${now:date -1d}')));
    assert.match(await hovered(document, '${now'), /^Generated.once|^Generated&nbsp;once/);
    const uri = vscode.Uri.from({ scheme: 'untitled', path: '/hover.mcpcall' });
    const untitled = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), weather('${calls.a <b>.content}'));
    await vscode.workspace.applyEdit(edit);
    assert.match(
      await hovered(untitled, '${calls'),
      /Value(?:&nbsp;| )from(?:&nbsp;| )the(?:&nbsp;| )last(?:&nbsp;| )result/,
    );
  });

  it('is only text if it is not a file', async () => {
    const content = `# X\n${block(weather('Oslo'))}`;
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    assert.deepEqual(await runLensesOf(document.uri), []);
    await run(commands.runFileCall, document.uri, '#1');
    assert.equal(dialogs.seen.length, 0);
  });
});
