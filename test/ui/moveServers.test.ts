import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { addingScheme, commands } from '../../src/ids';
import { writeTexts } from '../../src/ui/adding/writeAddition';
import { eventually, until } from '../waiting';
import { accept } from './pressingKeys';
import { replace } from './replacing';
import { RealExtension } from './realExtension';
import { run } from './realWindow';
import { chooseRow, ShownPicks } from './shownPicks';

const secret = 'sk-0123456789abcdefghij';
const written = `{
  // all of mine
  "servers": {
    "movedOne": {
      "command": "one", // odd
      "env": { "API_KEY": "${secret}", "TOKEN": "\${input:moved-token}" }
    },
    // the other
    "movedTwo": { "command":   "two" }
  },
  "inputs": [{ "id": "moved-token", "type": "promptString", "password": true }]
}
`;

describe('Move Server', () => {
  let extension: RealExtension;
  let shared: string;

  before(async () => {
    extension = await new RealExtension().activate();
    shared = path.join(extension.folder, '.mcp.json');
    await mkdir(path.dirname(extension.file), { recursive: true });
  });
  afterEach(async () => {
    await rm(shared, { force: true });
    await extension.clear();
  });

  const preview = (): vscode.Uri | undefined =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .map(({ input }) => (input instanceof vscode.TabInputTextDiff ? input.modified : undefined))
      .find((uri) => uri?.scheme === addingScheme);
  /** A file that is removed before its save has ended leaves a document with unsaved changes. */
  const untilSaved = () =>
    until(() =>
      vscode.workspace.textDocuments.every(
        ({ uri, isDirty }) => !isDirty || ![extension.file, shared].includes(uri.fsPath),
      ),
    );
  const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => 'no file');

  it('leaves no new file if another file has other text by now', async () => {
    // No other test has opened this file, whose document is as old as the file.
    const other = path.join(extension.folder, 'other-servers.json');
    await writeFile(other, written);
    const document = await vscode.workspace.openTextDocument(other);
    const typed = new vscode.WorkspaceEdit();
    typed.insert(document.uri, new vscode.Position(0, 0), '// typed\n');
    await vscode.workspace.applyEdit(typed);
    const outcome = await writeTexts([
      { uri: vscode.Uri.file(shared), before: '', after: '{}' },
      { uri: document.uri, before: written, after: '{}' },
    ]);
    assert.equal(outcome, 'impossible');
    assert.equal(await textOf(shared), 'no file');
    assert.equal(document.getText(), `// typed\n${written}`);
    await document.save();
    await rm(other);
  });

  it('moves all entries of a file after a diff of both, without their secrets, and undoes it in one step', async () => {
    const told: string[] = [];
    let undo: (title: string | undefined) => void = () => undefined;
    replace(vscode.window, {
      showInformationMessage: (message: string, ...rest: unknown[]) => {
        told.push(message, ...rest.map(String));
        return new Promise((resolve) => (undo = resolve));
      },
    });
    await writeFile(extension.file, written);
    await extension.until(() => extension.api.servers.length === 2);
    const moving = run(commands.moveAllServers);
    await until(async () => {
      await run(accept);
      return preview() !== undefined;
    });
    const shown = await vscode.workspace.openTextDocument(preview() ?? assert.fail());
    assert.match(shown.getText(), /"servers": \{[^]*\/\/ \.mcp\.json[^]*"mcpServers": \{/);
    assert.deepEqual([await textOf(extension.file), await textOf(shared)], [written, 'no file']);
    await run(commands.writeServers, preview());
    await moving;

    const portable = await textOf(shared);
    assert.deepEqual(JSON.parse(portable), {
      mcpServers: {
        movedOne: { command: 'one', env: { API_KEY: '${API_KEY}', TOKEN: '${TOKEN}' } },
        movedTwo: { command: 'two' },
      },
    });
    assert.match(portable, /"movedTwo": \{ "command": {3}"two" \}/);
    const left = await textOf(extension.file);
    assert.match(left, /all of mine[^]*the other/);
    assert.doesNotMatch(left + portable, /sk-0|movedOne.*one|input:/);
    await extension.until(() => extension.picture().includes('movedTwo'));
    const moved = told.find((each) => each.startsWith('Moved: movedOne, movedTwo.'));
    assert.match(moved ?? told.join(), /Set these environment variables.*API_KEY, TOKEN/);

    undo('Undo');
    const both = () => Promise.all([textOf(extension.file), textOf(shared)]);
    // An empty file is no JSON, so the file that the move created goes again.
    await eventually(both, ([mine, other]) => mine === written && other === 'no file');
    await untilSaved();
  });

  for (const [title, before] of [
    ['an emptied file', ''],
    ['a file of comments', '// nothing yet\n'],
    ['a file with comments', '{\n  // mine\n  "servers": { /* none */ },\n}\n'],
  ] as const) {
    it(`keeps the comments of a file of another format, and undoes exactly that: ${title}`, async () => {
      const portable = `{
  // of all programs
  "mcpServers": {
    /* the first */
    "movedFour": { // odd
      "command": "four", // as ever
      "env": { "DIR": "\${HOME_OF_FOUR}" },
    }, // after it
    "movedFive": { "command": "five" } // stays
  }
}
`;
      let undo: (title: string | undefined) => void = () => undefined;
      replace(vscode.window, {
        showInformationMessage: () => new Promise((resolve) => (undo = resolve)),
      });
      await writeFile(extension.file, before);
      await writeFile(shared, portable);
      await extension.until(() => extension.api.servers.length === 2);
      const picks = new ShownPicks();
      const moving = run(commands.moveServer, 'movedFour');
      await chooseRow(await picks.shownAfter(0), path.join('.vscode', 'mcp.json'));
      picks.dispose();
      await until(() => preview() !== undefined);
      await run(commands.writeServers, preview());
      await moving;
      const both = () => Promise.all([textOf(extension.file), textOf(shared)]);
      const [mine, rest] = await both();
      assert.match(mine, /"movedFour": \{ \/\/ odd[^]*\/\/ as ever[^]*"\$\{env:HOME_OF_FOUR\}"/);
      for (const comment of before.match(/\/\/ [a-z ]+|\/\*.*?\*\//g) ?? []) {
        assert.ok(mine.includes(comment), mine);
      }
      assert.match(rest, /of all programs[^]*"movedFive": \{ "command": "five" \} \/\/ stays/);
      assert.doesNotMatch(rest, /"four"/);
      undo('Undo');
      await eventually(both, (texts) => texts.join('|') === [before, portable].join('|'));
      await untilSaved();
    });
  }

  it('moves nothing that the other format cannot express', async () => {
    const servers = { movedThree: { command: '${config:a.b}' } };
    await extension.configure(servers);
    const told: string[] = [];
    replace(vscode.window, {
      showErrorMessage: (message: string) => Promise.resolve(void told.push(message)),
    });
    const moving = run(commands.moveAllServers);
    await until(async () => {
      await run(accept);
      return told.length > 0;
    });
    await moving;
    assert.match(told.join(), /Nothing was moved\..*config:a\.b/);
    assert.equal(await textOf(shared), 'no file');
  });

  it('says which file is left to save, if the user has other changes there', async () => {
    const told: string[] = [];
    replace(vscode.window, {
      showInformationMessage: (message: string) => Promise.resolve(void told.push(message)),
    });
    await extension.configure({ movedSix: { command: 'six' } });
    const empty = '{ "mcpServers": {} }\n';
    await writeFile(shared, empty);
    const edited = await vscode.workspace.openTextDocument(shared);
    await until(() => edited.getText() === empty);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(edited.uri, edited.positionAt(edited.getText().length), '// mine\n');
    await vscode.workspace.applyEdit(edit);
    const moving = run(commands.moveAllServers);
    await until(async () => {
      await run(accept);
      return preview() !== undefined;
    });
    await run(commands.writeServers, preview());
    await moving;
    assert.match(
      told.find((each) => each.startsWith('Moved: movedSix.')) ?? told.join(),
      /\.mcp\.json has other unsaved changes\. Save it to finish the move\./,
    );
    assert.ok(await edited.save());
    assert.match(await textOf(shared), /movedSix[^]*\/\/ mine/);
    await untilSaved();
  });
});
