import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { checkDocument, withoutSyntax } from '../../src/ui/arguments/argumentDiagnostics';
import { ArgumentFileSystem } from '../../src/ui/arguments/argumentFileSystem';
import { argumentsText } from '../../src/ui/arguments/argumentMemory';
import { toFileName } from '../../src/ui/editor/fileName';
import { order } from '../ui-node/orderFields';
import { assertEach } from '../assertions';

const validator = new SchemaValidator();

async function problemsOf(text: string, schema?: JsonObject): Promise<string[]> {
  const document = await vscode.workspace.openTextDocument({ language: 'jsonc', content: text });
  return checkDocument(document, schema, validator).problems.map(
    ({ range, message }) => `${document.getText(range)} | ${message}`,
  );
}

describe('Problems of an arguments document', () => {
  it('are at the invalid JSON', async () => {
    assert.deepEqual(await problemsOf('{"item": }', order), ['} | Enter a value.']);
    assert.deepEqual(await problemsOf('{"a": 1, "a": 2}'), [
      '"a" | Duplicate name “a”. Only one can be sent.',
    ]);
  });

  it('are at the schema violations', async () => {
    assert.deepEqual(await problemsOf('{"item": "x", "count": 1.5}', order), [
      '{ | Tool schema: must have the property "express"',
      '"x" | Tool schema: must have at least 2 characters',
      '1.5 | Tool schema: must be integer',
    ]);
  });

  it('do not include probable mistakes, which are hints at their place', async () => {
    const schema = { properties: { due: { type: 'string', format: 'date' }, notify: {} } };
    const content = '{"due": "2026-02-31", "notfy": "me"}';
    const document = await vscode.workspace.openTextDocument({ language: 'jsonc', content });
    const { problems, hints } = checkDocument(document, schema, validator);
    assert.deepEqual(problems, []);
    assertEach(hints, ({ range, message }) => [document.getText(range), message], [
      ['"notfy"', 'The schema of this tool does not have “notfy”. Did you mean “notify”?'],
      ['"2026-02-31"', 'This day does not exist.'],
    ]);
  });

  it('are not shown twice if VS Code marks invalid JSON itself', async () => {
    const content = '{"a": 1, "a": }';
    const document = await vscode.workspace.openTextDocument({ language: 'jsonc', content });
    const problems = checkDocument(document, order, validator).problems;
    assertEach(problems, ({ code }) => code, ['syntax', 'duplicateName']);
    assert.deepEqual(withoutSyntax(problems), problems.slice(1));
  });

  it('do not exist for valid arguments with comments', async () => {
    assert.deepEqual(await problemsOf('// c\n{"item": "tea", "express": true,}', order), []);
  });
});

describe('An arguments document', () => {
  it('begins with the required and known arguments, under a comment that names the others', () => {
    assert.equal(
      argumentsText(order, { size: 'large' }),
      '// Optional: "count"\n{\n  "item": "",\n  "express": false,\n  "size": "large"\n}\n',
    );
  });

  it('says that the schema has no properties', () => {
    assert.equal(argumentsText({}, {}), '// The schema of this tool has no parameters.\n{}\n');
  });

  it('has a name without misleading characters', () => {
    assert.deepEqual(
      ['create_order', '../etc/passwd', 'a\u202Eb/c', '', '日本', 'x'.repeat(99)].map(toFileName),
      ['create_order', 'etc_passwd', 'a_b_c', 'tool', 'tool', 'x'.repeat(60)],
    );
  });

  it('is kept by its file system until it is deleted, and no other file can be created', () => {
    const files = new ArgumentFileSystem();
    const uri = vscode.Uri.parse('toolgate-arguments:/1/a.arguments.jsonc');
    files.create(uri, '{}');
    files.writeFile(uri, new TextEncoder().encode('{"a":1}'));
    assert.equal(new TextDecoder().decode(files.readFile(uri)), '{"a":1}');
    assert.equal(files.stat(uri).size, 7);
    files.forget(uri);
    assert.throws(() => files.readFile(uri), vscode.FileSystemError);
    assert.throws(() => files.writeFile(uri, new Uint8Array()), vscode.FileSystemError);
    files.dispose();
  });
});
