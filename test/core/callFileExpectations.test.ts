import assert from 'node:assert/strict';
import { judge } from '../../src/core/callFiles/expectations';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { KeptJson } from '../../src/core/json/keptJson';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { ToolResult } from '../../src/core/types';

const validator = new SchemaValidator();
const result: ToolResult = {
  content: [{ type: 'text', text: 'three' }],
  structuredContent: { count: 3, list: [{ 'a/b': null }] },
  isError: false,
};

/** `code pointer` of each failure of this `expect`. */
function failures(expect: string | undefined, given: ToolResult = result): string[] {
  const rest = expect === undefined ? '' : `, "expect": ${expect}`;
  const { file, problems } = readCallFile(`{ "server": "s", "tool": "t"${rest} }`);
  assert.deepEqual(problems, []);
  const [call] = file?.calls ?? [];
  assert.ok(call !== undefined);
  return judge(call.expect, given, validator).map(({ code, pointer }) => `${code} ${pointer}`);
}

describe('What is expected of a run', () => {
  it('is only that the tool reports no error, where nothing else is said', () => {
    assert.deepEqual(failures(undefined), []);
    assert.deepEqual(failures(undefined, { ...result, isError: true }), ['isError /isError']);
  });

  it('is not checked where structured content has very many values', () => {
    const kept = new KeptJson([Buffer.from('{"count":3}')], 200_000);
    const many = { ...result, structuredContent: kept };
    assert.deepEqual(failures('{ "schema": { "type": "string" } }', many), [
      'schemaUnusable /schema',
    ]);
    for (const pointer of ['/structuredContent/count', '/structuredContent/segments']) {
      assert.deepEqual(failures(`{ "values": { "${pointer}": 3 } }`, many).length, 1);
    }
  });

  it('may be an error', () => {
    assert.deepEqual(failures('{ "isError": true }', { ...result, isError: true }), []);
    assert.deepEqual(failures('{ "isError": true }'), ['isNoError /isError']);
  });

  it('are exact values, whatever the order of members', () => {
    const values =
      '{ "/structuredContent": { "list": [{ "a/b": null }], "count": 3 }, "/content/0/text": "three", "/structuredContent/list/0/a~1b": null, "/isError": false }';
    assert.deepEqual(failures(`{ "values": ${values} }`), []);
  });

  it('is told with its place where it is not so', () => {
    const values = '{ "/structuredContent/count": 4, "/content/1": 1, "/content/toString": 1 }';
    assert.deepEqual(failures(`{ "values": ${values} }`), [
      'value /values/~1structuredContent~1count',
      'missing /values/~1content~11',
      'missing /values/~1content~1toString',
    ]);
  });

  it('is a schema of the structured content', () => {
    assert.deepEqual(failures('{ "schema": { "required": ["count"] } }'), []);
    assert.deepEqual(failures('{ "schema": { "required": ["total"] } }'), ['schema /schema']);
    assert.deepEqual(failures('{ "schema": { "type": 7 } }'), ['schemaUnusable /schema']);
    const { structuredContent: _, ...bare } = result;
    assert.deepEqual(failures('{ "schema": true }', bare), ['noStructuredContent /schema']);
  });
});
