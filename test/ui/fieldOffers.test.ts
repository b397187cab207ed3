import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FormField } from '../../src/core/arguments/inputField';
import { planFields } from '../../src/core/arguments/inputFields';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { offersOf } from '../../src/ui/arguments/fieldOffers';
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
    offersOf(field).map(async ({ tooltip, take }): Promise<[string, readonly string[]]> => [
      tooltip,
      await take(),
    ]),
  );
}

describe('The buttons of a step', () => {
  let answers: WindowAnswers;

  before(() => {
    answers = new WindowAnswers();
  });
  after(async () => {
    answers.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  async function show(content: string): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument({ content });
    return vscode.window.showTextDocument(document, { preview: false });
  }

  it('take what is selected, and the text of the editor', async () => {
    const editor = await show('one two');
    assert.deepEqual(await offered(fieldOf('content', text)), [
      ['Take the Text of the Active Editor', ['one two']],
    ]);
    editor.selection = new vscode.Selection(0, 4, 0, 7);
    assert.deepEqual(await offered(fieldOf('content', text)), [
      ['Take the Selection', ['two']],
      ['Take the Text of the Active Editor', ['one two']],
    ]);
  });

  it('take nothing that is larger than a person sends, and say so', async () => {
    await show('x'.repeat(1_000_001));
    assert.deepEqual(await offered(fieldOf('content', text)), [
      ['Take the Text of the Active Editor', []],
    ]);
    assert.match(answers.told.at(-1) ?? '', /too large to be sent from here/);
  });

  it('fetch files and folders, as paths or as addresses', async () => {
    const uri = vscode.Uri.file('/a/b c');
    answers.opened = [uri];
    assert.deepEqual(await offered(fieldOf('path', text)), [
      ['Pick a File…', ['/a/b c']],
      ['Pick a Folder…', ['/a/b c']],
    ]);
    assert.deepEqual(await offered(fieldOf('cwd', text)), [['Pick a Folder…', ['/a/b c']]]);
    assert.deepEqual(await offered(fieldOf('target', { ...text, format: 'uri' })), [
      ['Pick a File…', ['file:///a/b%20c']],
      ['Pick a Folder…', ['file:///a/b%20c']],
    ]);
    answers.opened = undefined;
    assert.deepEqual(await offered(fieldOf('cwd', text)), [['Pick a Folder…', []]]);
  });

  it('are none for secrets and for texts of another kind', async () => {
    const secret = { ...text, format: 'password' };
    assert.deepEqual(offersOf(fieldOf('content', secret)), []);
    assert.deepEqual(offersOf(fieldOf('path', { ...text, format: 'date' })), []);
    assert.deepEqual(offersOf(fieldOf('count', { type: 'integer' })), []);
  });
});
