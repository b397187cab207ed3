import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ToolResult } from '../../src/core/types';
import { SecretValues } from '../../src/host/secrets/secretValues';
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

  it('is not written if it contains arguments of the call, or if that is unknown', async () => {
    writeCallFile('garden.expected.json');
    for (const secrets of [['Roses'], undefined]) {
      await expected(() => secrets).write(callFile, [{ name: 'list', result, callId: 'a' }]);
      assert.match(answers.told.at(-1) ?? '', /secret/);
    }
    assert.equal(answers.told.length, 2);
    assert.equal(
      vscode.workspace.textDocuments.some(({ isDirty }) => isDirty),
      false,
    );
  });
});
