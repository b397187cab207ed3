import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { SchemaValidator } from '../../src/core/schema/schema';
import { CallAnswers } from '../../src/host/callFiles/callAnswers';
import { findDiagnostics } from '../../src/ui/callFiles/callFileDiagnostics';
import { callAt, readDocument } from '../../src/ui/callFiles/callFileDocuments';
import { CallFileLenses } from '../../src/ui/callFiles/callFileLenses';
import { CallFileRuns } from '../../src/ui/callFiles/callFileRuns';
import { CallFilesView } from '../../src/ui/callFiles/callFilesView';
import { assertEach } from '../assertions';
import { atEnd, replace } from './replacing';

const answers = new CallAnswers({
  folder: { newPath: () => Promise.reject(new Error('no disk')) },
  maxBytes: () => 2 ** 20,
  onError: (error) => assert.fail(String(error)),
});
const runs = new CallFileRuns(answers);
const nobody = { registry: { find: () => undefined }, validator: new SchemaValidator(), runs };
let count = 0;

async function documentOf(text: string): Promise<vscode.TextDocument> {
  count += 1;
  const uri = vscode.Uri.from({ scheme: 'untitled', path: `/unit-${count}.mcpcall` });
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), text);
  await vscode.workspace.applyEdit(edit);
  return document;
}

const two = `{
  "calls": {
    "a": { "server": "gone", "tool": "t" },
    "b": { "server": "gone", "tool": "t", "expect": { "values": { "/content/0/text": 1 } } }
  }
}`;

describe('A call file in the editor', () => {
  after(() => runs.dispose());

  it('is JSON with comments, and marks servers that do not exist', async () => {
    const document = await documentOf(two);
    assert.equal(document.languageId, 'jsonc');
    assert.deepEqual(
      findDiagnostics(document, nobody).map(({ message, range }) => [range.start.line, message]),
      [
        [2, 'Server “gone” does not exist.'],
        [3, 'Server “gone” does not exist.'],
      ],
    );
  });

  it('has one call at the cursor, and none between calls', async () => {
    const document = await documentOf(two);
    const at = (line: number) => callAt(document, new vscode.Position(line, 0))?.name;
    assert.deepEqual([0, 2, 3, 4].map(at), [undefined, 'a', 'b', undefined]);
  });

  it('shows the outcome of the last run of a call, as long as the call is unchanged', async () => {
    const document = await documentOf(two);
    const lenses = new CallFileLenses(runs, { titleFor: () => undefined });
    const titles = () =>
      lenses.provideCodeLenses(document).map(({ command }) => command?.title ?? '');
    const [, call] = readDocument(document).file?.calls ?? [];
    assert.ok(call !== undefined);
    const pointer = '/values/~1content~10~1text';
    const failures = [
      { code: 'value', pointer, expected: '1', actual: '"$(flame)\u202E"' },
    ] as const;
    runs.setState(document.uri, call, { kind: 'unmet', durationMs: 5, failures });
    assert.deepEqual(titles(), [
      '$(run-all)\u00A0Run All',
      '$(play)\u00A0Run',
      'Copy As…',
      '$(play)\u00A0Run',
      String.raw`✗ Expected 1, but got "\$(flame)\u{202E}".`,
      'Copy As…',
    ]);
    assertEach(findDiagnostics(document, nobody), ({ code }) => code, [
      'unknownServer',
      'unknownServer',
      'value',
    ]);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, document.lineAt(3).range, '"b": { "server": "x", "tool": "t" }');
    await vscode.workspace.applyEdit(edit);
    assert.equal(titles().length, 5);
  });

  it('marks differences from the expectation at their place', async () => {
    const expect = `"matches": { "/content/0/text": "^a" }, "count": { "/content": 2 }, "under": 5,
      "annotations": { "readOnlyHint": true }, "answer": "x.json"`;
    const document = await documentOf(`{ "server": "gone", "tool": "t", "expect": { ${expect} } }`);
    const [call] = readDocument(document).file?.calls ?? [];
    assert.ok(call !== undefined);
    const at = (kind: string, pointer: string) => `/${kind}/${pointer.replaceAll('/', '~1')}`;
    runs.setState(document.uri, call, {
      kind: 'unmet',
      durationMs: 7,
      failures: [
        {
          code: 'matches',
          pointer: at('matches', '/content/0/text'),
          expected: '^a',
          actual: '"b"',
        },
        { code: 'count', pointer: at('count', '/content'), expected: '2', actual: '1' },
        { code: 'slow', pointer: '/under', expected: '5', actual: '7' },
        {
          code: 'annotation',
          pointer: '/annotations/readOnlyHint',
          expected: 'true',
          detail: 'readOnlyHint',
        },
        { code: 'fileMissing', pointer: '/answer', detail: 'x.json' },
      ],
    });
    const [, ...found] = findDiagnostics(document, nobody);
    assertEach(found, ({ message, range }) => [message, document.getText(range)], [
      ['Expected a match for ^a, but got "b".', '"^a"'],
      ['Expected 2 at /content, but got 1.', '2'],
      ['Expected a result in less than 5 ms, but it took 7 ms.', '5'],
      ['Expected the tool to declare readOnlyHint true, but it declares nothing.', 'true'],
      ['The file “x.json” does not exist.', '"x.json"'],
    ]);
    const edit = new vscode.WorkspaceEdit();
    const offset = document.getText().indexOf('^a');
    const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + 2));
    edit.replace(document.uri, range, '^b');
    await vscode.workspace.applyEdit(edit);
    assert.equal(findDiagnostics(document, nobody).length, 1);
  });

  it('marks invalid expectations', async () => {
    const expect =
      '"matches": { "/isError": "(" }, "count": { "/content": -1 }, "under": 0, "schema": "/etc/x", "ignore": 1';
    const document = await documentOf(`{ "server": "s", "tool": "t", "expect": { ${expect} } }`);
    assertEach(findDiagnostics(document, nobody), ({ message }) => message, [
      '“/etc/x” is not a relative path to a file, such as "answers/list.json".',
      'The value must be an integer in milliseconds, from 1 to 86400000.',
      '“(” is not a regular expression, or takes too long.',
      'A count must be an integer, or an object with "least", "most" or both.',
      '“ignore” must be a list of strings.',
    ]);
  });
});

describe('The view of call files', () => {
  it('has read its rows before it tells VS Code, which forgets them then', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail();
    const file = (name: string) => vscode.Uri.joinPath(folder, name);
    const write = (uri: vscode.Uri, text: string) =>
      vscode.workspace.fs.writeFile(uri, Buffer.from(text));
    const [first, second] = [file('view-1.mcpcall'), file('view-2.mcpcall')];
    atEnd(() => Promise.all([first, second].map((uri) => vscode.workspace.fs.delete(uri))));
    await write(first, two);
    // The view of the extension stays.
    replace(vscode.window, {
      registerTreeDataProvider: () => new vscode.Disposable(() => undefined),
    });
    const view = new CallFilesView();
    atEnd(() => view.dispose());
    const shown = async () =>
      (await view.getChildren()).map(({ uri }) => uri.path.split('/').at(-1));
    const [row] = await view.getChildren();
    assert.deepEqual(await shown(), ['view-1.mcpcall']);
    assert.equal((await view.getChildren(row)).length, 2);

    // The first event may be about the first file.
    const told = new Promise<void>((resolve, reject) =>
      view.onDidChangeTreeData(() => {
        const end = replace(vscode.workspace, { findFiles: () => assert.fail('not read yet') });
        shown()
          .then((names) => names.length === 2 && resolve(), reject)
          .finally(end);
      }),
    );
    await write(second, two);
    await told;
    assert.deepEqual(await shown(), ['view-1.mcpcall', 'view-2.mcpcall']);
    assert.equal((await view.getChildren(row)).length, 2);
  });
});
