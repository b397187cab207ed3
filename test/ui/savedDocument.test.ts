import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { saveDocument } from '../../src/ui/editor/savedDocument';

describe('A document', () => {
  let folder: string;
  let file: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'saved-'));
    file = path.join(folder, 'notes.txt');
    await writeFile(file, '');
  });
  after(() => rm(folder, { recursive: true }));

  it('is saved also while an auto save of it begins, during which VS Code refuses another one', async () => {
    const document = await vscode.workspace.openTextDocument(file);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'new');
    await vscode.workspace.applyEdit(edit);
    let formatted: () => void = () => undefined;
    const formatting = new Promise<void>((resolve) => (formatted = resolve));
    let participant: vscode.Disposable | undefined;
    const begun = new Promise<void>((resolve) => {
      participant = vscode.workspace.onWillSaveTextDocument((event) => {
        event.waitUntil(formatting);
        resolve();
      });
    });
    const autoSave = document.save();
    await begun;
    participant?.dispose();
    assert.equal(await document.save(), false, 'VS Code refuses no save any more.');
    const own = saveDocument(document);
    formatted();
    assert.deepEqual([await own, await autoSave], [true, true]);
    assert.equal(await readFile(file, 'utf8'), 'new');
  });
});
