import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { FormField } from '../../src/core/arguments/inputField';
import { planFields } from '../../src/core/arguments/inputFields';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { AnswerValue } from '../../src/host/history/answerValues';
import { fieldOffers, answerOffers } from '../../src/ui/arguments/fieldOffers';
import { WindowAnswers } from './windowAnswers';

function fieldOf(name: string, schema: JsonObject): FormField {
  const plan = planFields({ properties: { [name]: schema }, required: [name] });
  assert.ok(plan.kind === 'fields' && plan.fields[0] !== undefined);
  return plan.fields[0];
}

const text = { type: 'string' };

/** The buttons of the step, and what each of them fetches. */
async function offered(field: FormField): Promise<[tooltip: string, taken: readonly string[]][]> {
  return Promise.all(
    fieldOffers(field).map(async ({ tooltip, take }): Promise<[string, readonly string[]]> => [
      tooltip,
      await take(),
    ]),
  );
}

describe('The buttons of a step', () => {
  let answers: WindowAnswers;

  before(() => {
    answers = new WindowAnswers().begin();
  });
  after(async () => {
    answers.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  async function show(content: string): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument({ content });
    return vscode.window.showTextDocument(document, { preview: false });
  }

  it('insert the selection, and the text of the editor', async () => {
    const editor = await show('one two');
    assert.deepEqual(await offered(fieldOf('content', text)), [
      ['Use the Text of the Active Editor', ['one two']],
    ]);
    editor.selection = new vscode.Selection(0, 4, 0, 7);
    assert.deepEqual(await offered(fieldOf('content', text)), [
      ['Use the Selection', ['two']],
      ['Use the Text of the Active Editor', ['one two']],
    ]);
  });

  it('insert nothing larger than the limit, and say so', async () => {
    await show('x'.repeat(1_000_001));
    assert.deepEqual(await offered(fieldOf('content', text)), [
      ['Use the Text of the Active Editor', []],
    ]);
    assert.match(answers.told.at(-1) ?? '', /Too large to send from here/);
  });

  it('choose files and folders, as paths or URLs', async () => {
    const uri = vscode.Uri.file('/a/b c');
    answers.opened = [uri];
    assert.deepEqual(await offered(fieldOf('path', text)), [
      ['Choose a File…', ['/a/b c']],
      ['Choose a Folder…', ['/a/b c']],
    ]);
    assert.deepEqual(await offered(fieldOf('cwd', text)), [['Choose a Folder…', ['/a/b c']]]);
    assert.deepEqual(await offered(fieldOf('target', { ...text, format: 'uri' })), [
      ['Choose a File…', ['file:///a/b%20c']],
      ['Choose a Folder…', ['file:///a/b%20c']],
    ]);
    answers.opened = undefined;
    assert.deepEqual(await offered(fieldOf('cwd', text)), [['Choose a Folder…', []]]);
  });

  it('insert what is open in an editor, as a path or a URL', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-'));
    const file = vscode.Uri.file(path.join(folder, 'a b.txt'));
    writeFileSync(file.fsPath, 'x');
    await vscode.window.showTextDocument(file, { preview: false });
    answers.pick = 'a b.txt';
    const [open] = await offered(fieldOf('path', text));
    assert.deepEqual(open, ['Use an Open File…', [file.fsPath]]);
    const [address] = await offered(fieldOf('target', { ...text, format: 'uri' }));
    assert.deepEqual(address, ['Use an Open File…', [file.toString()]]);
    answers.pick = undefined;
    assert.deepEqual((await offered(fieldOf('path', text)))[0], ['Use an Open File…', []]);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true });
    assert.equal((await offered(fieldOf('path', text)))[0]?.[0], 'Choose a File…');
  });

  it('insert a value that an answer returned under the name of the field, with its type', async () => {
    const known: AnswerValue[] = [
      { value: 's-1', toolTitle: '$(flame) Begin', at: 0 },
      { value: 7, toolTitle: 'Count', at: 60_000 },
      { value: 'two\nlines', toolTitle: 'Tell', at: 0 },
    ];
    const taken = async (schema: JsonObject, pick: string): Promise<readonly string[]> => {
      answers.pick = pick;
      const [offer] = answerOffers(fieldOf('session', schema), known, 120_000);
      return (await offer?.take()) ?? ['no button'];
    };
    assert.deepEqual(await taken(text, 's-1'), ['s-1']);
    assert.deepEqual(answers.listed, ['s-1', '7']);
    assert.deepEqual(await taken({ type: 'integer' }, '7'), ['7']);
    assert.deepEqual(answers.listed, ['7']);
    assert.deepEqual(await taken({ type: 'array', items: text }, '7'), ['7']);
    assert.deepEqual(await taken({ ...text, format: 'password' }, '7'), ['no button']);
    assert.deepEqual(await taken({ type: 'boolean' }, '7'), ['no button']);
  });

  it('do not exist for secrets and for texts of another kind', async () => {
    const secret = { ...text, format: 'password' };
    assert.deepEqual(fieldOffers(fieldOf('content', secret)), []);
    assert.deepEqual(fieldOffers(fieldOf('path', { ...text, format: 'date' })), []);
    assert.deepEqual(fieldOffers(fieldOf('count', { type: 'integer' })), []);
  });
});
