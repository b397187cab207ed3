import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { isWithin } from '../../src/core/bounds/pathWithin';
import type { ToolResult } from '../../src/core/types';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { readerFor } from '../../src/ui/callFiles/callFileDocuments';
import { ExpectedAnswers } from '../../src/ui/callFiles/expectedAnswers';
import { answersOfTest, type WindowAnswers } from './windowAnswers';
import { atEnd } from './replacing';

const result: ToolResult = { content: [{ type: 'text', text: 'Roses' }], isError: false };

describe('The answer of a call as its expected answer', () => {
  let outer: string;
  let callFile: vscode.Uri;
  let answers: WindowAnswers;

  const expected = (secretsOf: (callId: string) => readonly string[] | undefined = () => []) =>
    new ExpectedAnswers({
      volatileFields: () => [],
      known: new SecretValues(),
      history: { find: () => undefined },
      secretsOf,
    });
  /** A call file that names this file as the answer that it expects. */
  const writeCallFile = (answer: string) =>
    writeFileSync(
      callFile.fsPath,
      JSON.stringify({ calls: { list: { server: 'demo', tool: 'list', expect: { answer } } } }),
    );

  beforeEach(() => {
    outer = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-expected-')));
    callFile = vscode.Uri.file(path.join(outer, 'garden.mcpcall'));
    answers = answersOfTest();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(outer, { recursive: true });
  });

  it('opens no file outside the folder, whatever the call file names', async () => {
    const outside = `${outer}.outside.json`;
    writeFileSync(outside, 'mine');
    atEnd(() => rmSync(outside));
    for (const named of [`../${path.basename(outside)}`, outside]) {
      writeCallFile(named);
      await expected().write(callFile, [{ name: 'list', result, callId: 'a' }]);
      assert.match(answers.told.at(-1) ?? '', /^Not written: “.+” is outside the folder\.$/);
    }
    const open = vscode.workspace.textDocuments.map(({ uri }) => uri.fsPath);
    assert.equal(open.includes(outside), false);
    assert.equal(readFileSync(outside, 'utf8'), 'mine');
  });

  it('is read again from the file that it was written to, also outside every workspace folder', async () => {
    assert.equal(vscode.workspace.getWorkspaceFolder(callFile), undefined);
    writeCallFile('garden.expected.json');
    await expected().write(callFile, [{ name: 'list', result }]);
    const read = await readerFor(callFile)('garden.expected.json');
    assert.ok('text' in read && read.text.includes('Roses'), JSON.stringify(read));
    assert.deepEqual(await readerFor(callFile)('../other.json'), { code: 'fileMissing' });
  });

  it('is not written if it contains arguments of the call, or if that is unknown', async () => {
    writeCallFile('garden.expected.json');
    for (const secrets of [['Roses'], undefined]) {
      await expected(() => secrets).write(callFile, [{ name: 'list', result, callId: 'a' }]);
      assert.match(answers.told.at(-1) ?? '', /secret/);
    }
    assert.equal(answers.told.length, 2);
    assert.equal(
      vscode.workspace.textDocuments.some(
        ({ uri, isDirty }) => isDirty && isWithin(outer, uri.fsPath),
      ),
      false,
    );
  });

  it('of several calls goes into a file for each, also beside those of other call files', async () => {
    const long = (text: string): ToolResult => ({
      content: [{ type: 'text', text: text.repeat(1_000) }],
      isError: false,
    });
    const calls = (...names: readonly string[]) =>
      JSON.stringify({
        calls: Object.fromEntries(names.map((name) => [name, { server: 'demo', tool: 'list' }])),
      });
    writeFileSync(callFile.fsPath, calls('搜索', '订单', 'list open', 'List/Open'));
    // It was left by another call file.
    writeFileSync(path.join(outer, 'garden.tool.expected.json'), '"of another"');
    await expected().write(callFile, [
      { name: '搜索', result: long('A') },
      { name: '订单', result: long('B') },
      { name: 'list open', result: long('C') },
      { name: 'List/Open', result: long('D') },
    ]);
    const document = await vscode.workspace.openTextDocument(callFile);
    const named = [...document.getText().matchAll(/"([^"]+\.expected\.json)"/g)].map(
      ([, file]) => file,
    );
    assert.deepEqual(named, [
      'garden.tool-2.expected.json',
      'garden.tool-3.expected.json',
      'garden.list_open.expected.json',
      'garden.List_Open-2.expected.json',
    ]);
    const texts = named.map((file) => {
      const place = path.join(outer, file ?? '');
      return vscode.workspace.textDocuments.find(({ uri }) => uri.path === place)?.getText();
    });
    assert.deepEqual(
      texts.map((text) => /A{9}|B{9}|C{9}|D{9}/.exec(text ?? '')?.[0][0]),
      ['A', 'B', 'C', 'D'],
    );
  });

  it('replaces whole characters', async () => {
    const answerOf = (text: string): ToolResult => ({
      content: [{ type: 'text', text }],
      isError: false,
    });
    writeFileSync(callFile.fsPath, '{"calls": {"a": {"server": "demo", "tool": "a"}}}');
    for (const text of ['Status 🔴', 'Status 🟢']) {
      await expected().write(callFile, [{ name: 'a', result: answerOf(text) }]);
    }
    const document = await vscode.workspace.openTextDocument(callFile);
    assert.match(document.getText(), /"Status 🟢"/);
    assert.equal(await document.save(), true);
    assert.match(readFileSync(callFile.fsPath, 'utf8'), /"Status 🟢"/);
  });

  it('is not written over what the user types meanwhile', async () => {
    const calls = { calls: { a: { server: 'demo', tool: 'a' }, b: { server: 'demo', tool: 'b' } } };
    writeFileSync(callFile.fsPath, JSON.stringify(calls));
    const document = await vscode.workspace.openTextDocument(callFile);
    await expected().write(
      callFile,
      (async function* () {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(callFile, new vscode.Position(0, 0), '// mine\n');
        await vscode.workspace.applyEdit(edit);
        yield { name: 'a', result };
      })(),
    );
    assert.match(document.getText(), /^\/\/ mine\n/);
    assert.match(answers.told.at(-1) ?? '', /changed meanwhile/);
    const both = expected();
    await Promise.all(['a', 'b'].map((name) => both.write(callFile, [{ name, result }])));
    assert.equal(document.getText().match(/"Roses"/g)?.length, 2);
    assert.match(document.getText(), /^\/\/ mine\n/);
  });
});
