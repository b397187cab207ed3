import assert from 'node:assert/strict';
import type { Variable } from '../../src/core/callFiles/callFileVariables';
import { fileValuesOf, alwaysAsk } from '../../src/core/callFiles/callVariables';

const inputs = new Map([
  ['name', { isPassword: false }],
  ['pw', { isPassword: true }],
]);
const no = (): boolean => false;
const tool = { target: { kind: 'tool', name: 't' } } as const;

/** By every kind of variable there is: what it counts as when it comes from another server. */
const table: Readonly<Record<Variable['kind'], readonly (readonly [string, string])[]>> = {
  env: [['${env:PATH}', 'env']],
  input: [
    ['${input:name}', 'input'],
    ['${input:pw}', 'password'],
    ['${input:unknown}', 'input'],
  ],
  var: [['${var:project}', 'var']],
  workspaceFolder: [['${workspaceFolder}', 'workspaceFolder']],
  file: [['${file}', 'file']],
  selectedText: [['${selectedText}', 'selectedText']],
  call: [
    ['${calls.one.content}', 'answer'],
    ['${calls.one.structuredContent./id}', 'answer'],
  ],
  generated: [
    ['${uuid}', ''],
    ['${now}', ''],
    ['${random:1..6}', ''],
  ],
};

describe('Values from outside a call file', () => {
  it('are found by kind, as the whole text, inside other text and nested', () => {
    for (const [text, kind] of Object.values(table).flat()) {
      const expected = kind === '' ? [] : [kind];
      for (const value of [text, `a ${text} b`, [{ deep: [text] }], `$$\${x} ${text}`]) {
        const call = { ...tool, arguments: { value } };
        assert.deepEqual(
          fileValuesOf({ inputs }, call, () => true),
          expected,
          text,
        );
      }
    }
  });

  it('are not escaped ones, those in names, or those that return to the same server', () => {
    const own = '${calls.one.content}';
    const given = { ...tool, arguments: { '${env:A}': '$${env:A}', n: 1, own } };
    assert.deepEqual(fileValuesOf({ inputs }, given, no), []);
    assert.deepEqual(fileValuesOf({ inputs }, tool, no), []);
  });

  it('are found in answers to questions, which always ask, but not in expectations', () => {
    const content = { a: '${var:x}' };
    const call = { ...tool, answers: [{ action: 'accept', content }] } as const;
    const kinds = fileValuesOf({ inputs }, call, no);
    assert.deepEqual(kinds, ['var', 'toQuestions']);
    assert.equal(alwaysAsk(kinds), true);
    const error = { message: '${env:PATH}' };
    const expect = { places: [], answer: { content: ['${file}'] }, error };
    assert.deepEqual(fileValuesOf({ inputs }, { ...tool, answers: [], expect }, no), []);
  });

  it('are found in the URI of a resource, and in no name of a prompt', () => {
    const named = (kind: 'resource' | 'prompt') => ({ target: { kind, name: 'x://${env:PATH}' } });
    assert.deepEqual(fileValuesOf({ inputs }, named('resource'), no), ['env']);
    assert.deepEqual(fileValuesOf({ inputs }, named('prompt'), no), []);
  });

  it('may be secrets if they include environment variables or a password', () => {
    const secret = Object.values(table)
      .flat()
      .filter(([text]) => {
        const call = { ...tool, arguments: { both: ['${file}', text] } };
        return alwaysAsk(fileValuesOf({ inputs }, call, () => true));
      });
    assert.deepEqual(
      secret.map(([text]) => text),
      ['${env:PATH}', '${input:pw}'],
    );
  });
});
