import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ContentBlock, ToolResult } from '../../src/core/types';
import { parseJson } from '../../src/core/json/parseJson';
import { isJsonValue } from '../../src/core/json/shapes';
import { ResultStore } from '../../src/host/results/resultStore';
import { mainPart, partsOfCall } from '../../src/ui/results/partsOfCall';
import { ResultDocuments } from '../../src/ui/results/resultDocuments';
import { lensCommands, linksOf, press } from './lenses';
import { useResults } from './resultCommands';
import { finishedCall } from '../host/decidedCalls';
import { entryOf, toolOf } from '../host/treeFixtures';
import { assertEach } from '../assertions';

const scheme = 'toolgate-tables-test';
const text = (value: string): ContentBlock => ({ type: 'text', text: value });

const outcome = (result: Partial<ToolResult>) =>
  finishedCall(result, { entry: entryOf('demo', toolOf('list')), callId: 'c1' });

describe('Lists of rows in results', () => {
  let opensTables = true;
  const questions: string[] = [];
  const { results, commands } = useResults(scheme, {
    opensTables: () => opensTables,
    askToOpen: async (...question) => {
      questions.push(question.join('\n'));
      return false;
    },
    argumentsOf: () => ({ value: {} }),
  });

  afterEach(() => {
    opensTables = true;
    questions.length = 0;
  });

  const json =
    '[{"name":"Rose","height":1.0,"isRed":true},{"name":"Fern","height":12,"note":null}]';
  const lines = [
    'Rows: 2',
    '',
    'name  height  isRed  note',
    'Rose     1.0  true',
    'Fern      12         null',
    '',
  ];

  it('open as a table with aligned columns, and numbers as they were written', async () => {
    const uri = await results.show(outcome({ content: [text(json)] }));
    assert.deepEqual([shown().name, shown().language], ['list.mcptable', 'mcptable']);
    assert.deepEqual(shown().text.split('\n'), lines);
    assert.equal(uri?.path.endsWith('/list.mcptable'), true);
  });

  it('have no editor decorations and folds caused by right-aligned numbers', () => {
    const editor = vscode.workspace.getConfiguration('editor', { languageId: 'mcptable' });
    const drawn = ['guides.indentation', 'folding'].map((name) => editor.get<boolean>(name));
    assert.deepEqual(drawn, [false, false]);
  });

  it('show their JSON on one click, and the table again', async () => {
    await results.show(outcome({ content: [text(json)] }));
    const lenses = await lensesHere();
    assertEach(lenses, ({ title }) => title, [
      '$(json)\u00A0Show JSON',
      '$(debug-restart)\u00A0Run Again',
      '$(edit)\u00A0Edit Arguments…',
      'Show Overview',
    ]);
    await press(lenses[0]);
    assert.equal(shown().name, 'list.mcpjson');
    assert.deepEqual(parsed(shown().text), parsed(json));
    await vscode.commands.executeCommand(commands.showTable);
    assert.equal(shown().name, 'list.mcptable');
    await press(lenses[3]);
    assert.equal(shown().name, 'list.mcpresult');
    await press((await lensesHere()).find(({ title }) => title === 'Show as Table'));
    assert.equal(shown().name, 'list.mcptable');
  });

  it('open as JSON if the setting says so', async () => {
    opensTables = false;
    await results.show(outcome({ content: [text(json)] }));
    assert.equal(shown().name, 'list.mcpjson');
  });

  it('are JSON for programs that ask for the document of a call', async () => {
    const uri = await results.keep(outcome({ content: [text(json)] }));
    assert.equal(uri?.path.endsWith('/list.mcpjson'), true);
  });

  it('open as an overview if there is more than the table', async () => {
    const content = [text(json), text('and then some')];
    await results.show(outcome({ content }));
    assert.equal(shown().name, 'list.mcpresult');
    await results.show(outcome({ content: [text(json)], isError: true }));
    assert.equal(shown().name, 'error-list.mcpresult');
  });

  it('count as the kept answer if the table is made at once', async () => {
    const rows = Array.from({ length: 40_000 }, (_, n) => ({ name: `Rose ${n}`, height: n }));
    const given = outcome({ structuredContent: { rows } });
    const made = await partsOfCall(given.result, 'list');
    const main = mainPart(made.parts);
    assert.ok(main && made.makeTable);
    const store = new ResultStore({ budgetBytes: 64 * 1024 * 1024, isOpen: () => false });
    const documents = new ResultDocuments(store, scheme);
    const { entry } = documents.keep({
      serverId: 'demo',
      facts: {
        origin: { kind: 'call', toolTitle: 'List', toolName: 'list' },
        serverLabel: 'demo',
        createdAt: 0,
        durationMs: 1,
        isError: false,
        isExternal: false,
        violations: [],
        missingStructuredContent: false,
      },
      ...made,
    });
    documents.dispose();
    const table = entry.files.find(({ name }) => name.endsWith('.mcptable'));
    const { length } = await made.makeTable(main);
    assert.ok(length > 1_000);
    assert.equal(table?.size, length);
  });

  it('report the size of the table before it is read', async () => {
    const uri = await results.show(outcome({ content: [text(json)] }));
    assert.ok(uri);
    const { size } = await vscode.workspace.fs.stat(uri);
    assert.equal(size, Buffer.byteLength(lines.join('\n')));
    assert.equal((await vscode.workspace.fs.readFile(uri)).length, size);
  });

  it('do not open a URL that is shown only in part', async () => {
    const whole = 'https://a.example/b';
    const rows = [{ at: whole }, { at: `https://good.example/${'x'.repeat(60)}` }];
    await results.show(outcome({ content: [text(JSON.stringify(rows))] }));
    const links = await linksOf(vscode.window.activeTextEditor?.document.uri);
    assertEach(links, ({ tooltip }) => tooltip, [
      'Open in Browser…',
      'This URL is shortened. Select “Show JSON” above the table for the full URL.',
    ]);
    for (const { target } of links) await follow(target);
    assert.equal(questions.length, 1);
    assert.match(questions[0] ?? '', /URL: https:\/\/a\.example\/b$/m);
  });
});

function parsed(json: string) {
  const value = parseJson(json);
  assert.ok(isJsonValue(value));
  return value;
}

function shown(): { readonly name: string; readonly text: string; readonly language: string } {
  const document = vscode.window.activeTextEditor?.document ?? assert.fail('no editor');
  const name = document.uri.path.split('/').at(-1) ?? '';
  return { name, text: document.getText(), language: document.languageId };
}

function lensesHere(): Promise<vscode.Command[]> {
  return lensCommands(vscode.window.activeTextEditor?.document.uri);
}

async function follow(target: vscode.Uri | undefined): Promise<void> {
  assert.ok(target);
  const given: unknown = JSON.parse(target.query);
  assert.ok(Array.isArray(given));
  await vscode.commands.executeCommand(target.path, ...given);
}
