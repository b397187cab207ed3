import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { finishedCall } from '../host/decidedCalls';
import { entryOf, toolOf } from '../host/treeFixtures';
import { eventually } from '../waiting';
import { lensCommands, press } from './lenses';
import { accept, watchMade } from './pressingKeys';
import { useResults } from './resultCommands';

const scheme = 'toolgate-filters-test';
const beds = [
  { name: 'Roses', plants: [1, 2] },
  { name: 'Beans', plants: [] },
];

describe('Filters of results', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-filters-'));
  const { results, fileCommands } = useResults(scheme, {
    saveQuestions: {
      file: async (proposed) => vscode.Uri.file(path.join(folder, path.basename(proposed.path))),
      folder: async () => undefined,
    },
  });
  let box: vscode.InputBox | undefined;
  let count = 0;

  beforeEach(() => {
    box = undefined;
    watchMade({ box: (made) => (box = made) });
  });
  after(() => rmSync(folder, { recursive: true }));

  async function show(structuredContent: unknown, tool: string): Promise<vscode.Uri> {
    const call = { entry: entryOf('demo', toolOf(tool)), callId: `f${(count += 1)}` };
    const uri = await results.show(finishedCall({ structuredContent } as object, call));
    return uri ?? assert.fail();
  }
  const filter = (uri?: vscode.Uri) => vscode.commands.executeCommand(fileCommands.filter, uri);
  const shownBox = async () =>
    (await eventually(
      () => box,
      (now) => now !== undefined,
    )) ?? assert.fail();
  const shown = () => vscode.window.activeTextEditor?.document;

  /** Types into the box and presses Enter until the filter is taken. */
  async function answer(expression: string): Promise<void> {
    const asked = filter();
    const open = await shownBox();
    open.value = expression;
    const state = { isDone: false };
    void asked.then(() => (state.isDone = true));
    await eventually(
      async () => {
        await vscode.commands.executeCommand(accept);
        return state.isDone;
      },
      (isDone) => isDone,
    );
  }

  it('open as a document that says so, and are cleared by its lens', async () => {
    const uri = await show({ beds }, 'plan');
    assert.equal(shown()?.uri.toString(), uri.toString());
    await answer('beds[?length(plants) > `0`].name');
    const document = await eventually(shown, (now) => now?.uri.query !== '');
    assert.equal(path.basename(document?.uri.path ?? ''), 'plan (filtered).mcpjson');
    assert.equal(document?.languageId, 'toolgate-json');
    assert.deepEqual(JSON.parse(document?.getText() ?? ''), ['Roses']);
    const [again, clear] = await lensCommands(document?.uri);
    assert.match(again?.title ?? '', /Filter: beds\[\?length\(plants\) > `0`\]\.name/);
    await press(clear);
    await eventually(shown, (now) => now?.uri.toString() === uri.toString());
  });

  it('are proposed again for the same tool, and only for it', async () => {
    const valueFor = async (tool: string) => {
      await show({ beds }, tool);
      box = undefined;
      const asked = filter();
      const open = await shownBox();
      const { value } = open;
      open.hide();
      await asked;
      return value;
    };
    await show({ beds }, 'often');
    await answer('/beds/0');
    assert.equal(await valueFor('often'), '/beds/0');
    assert.equal(await valueFor('seldom'), '');
  });

  it('that cannot be read keep the box open with the place of the mistake', async () => {
    await show({ beds }, 'plan');
    const asked = filter();
    const open = await shownBox();
    open.value = 'beds[0] name';
    const message = await eventually(
      async () => {
        await vscode.commands.executeCommand(accept);
        const { validationMessage: said } = open;
        return typeof said === 'object' ? said.message : said;
      },
      (said) => said !== undefined,
    );
    assert.equal(message, 'Character 9: “name” is not expected here: beds[0] ▸name');
    assert.equal(shown()?.uri.query, '');
    open.hide();
    await asked;
  });

  it('are saved as what they select, and read again from their URI alone', async () => {
    const { path: whole } = await show({ beds }, 'plan');
    const name = path.posix.join(path.posix.dirname(whole), 'plan (filtered).mcpjson');
    const uri = vscode.Uri.from({ scheme, path: name, query: '1:beds[].name' });
    const bytes = await vscode.workspace.fs.readFile(uri);
    assert.deepEqual(JSON.parse(Buffer.from(bytes).toString()), ['Roses', 'Beans']);
    await vscode.commands.executeCommand(fileCommands.saveAs, uri);
    const saved = readFileSync(path.join(folder, 'plan (filtered).json'), 'utf8');
    assert.deepEqual(JSON.parse(saved), ['Roses', 'Beans']);
  });

  it('exist only under their own name, and for JSON of the result', async () => {
    const { path: whole } = await show({ beds }, 'plan');
    const at = (name: string, query: string) =>
      vscode.Uri.from({ scheme, path: path.posix.join(path.posix.dirname(whole), name), query });
    const own = 'plan (filtered).mcpjson';
    for (const uri of [
      at('plan (filtered).mcphtml', '1:beds'),
      at('plan.mcpjson', '1:beds'),
      at(own, '7:beds'),
      at(own, 'beds'),
      at(own, `1:${'a'.repeat(1_001)}`),
      at(own, '1:beds['),
    ]) {
      await assert.rejects(async () => vscode.workspace.fs.readFile(uri), uri.toString());
    }
    // VS Code's preview of an image reads it with a query of its own.
    const bytes = await vscode.workspace.fs.readFile(at('plan.mcpjson', 'version=1'));
    assert.deepEqual(JSON.parse(Buffer.from(bytes).toString()), { beds });
  });
});
