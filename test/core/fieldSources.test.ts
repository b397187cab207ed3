import assert from 'node:assert/strict';
import { fieldSources, takesUri } from '../../src/core/arguments/contentFields';
import { readField } from '../../src/core/arguments/readField';
import type { JsonObject } from '../../src/core/json/jsonValue';

/** What is offered for a property, as words. */
function offered(name: string, schema: JsonObject = { type: 'string' }): string {
  const field = readField(name, schema, true);
  assert.ok(field !== undefined);
  return [...fieldSources(field), ...(takesUri(field) ? ['as uri'] : [])].join(' ');
}

describe('The source that a field suggests', () => {
  it('is recognized by the words of its name', () => {
    const names = ['path', 'filePath', 'OUTPUT_DIR', 'cwd', 'fileUri', 'content', 'sourceCode'];
    assert.deepEqual(
      names.map((name) => offered(name)),
      [
        'openFile file folder',
        'openFile file folder',
        'folder',
        'folder',
        'openFile file folder as uri',
        'selection fileText',
        'selection fileText',
      ],
    );
    assert.deepEqual(
      ['name', 'profile', 'context', 'pathology', 'inputs'].map((name) => offered(name)),
      ['', '', '', '', ''],
    );
  });

  it('is recognized by its format, and a text of another format is no file', () => {
    assert.equal(
      offered('where', { type: 'string', format: 'uri' }),
      'openFile file folder as uri',
    );
    assert.equal(offered('path', { type: 'string', format: 'date' }), '');
  });

  it('is several files for several lines, and nothing for secrets, numbers and lists', () => {
    assert.equal(
      offered('paths', { type: 'array', items: { type: 'string' } }),
      'openFile file folder',
    );
    assert.equal(offered('text', { type: 'array', items: { type: 'string' } }), '');
    assert.equal(offered('code', { type: 'string', format: 'password' }), '');
    assert.equal(offered('code', { type: 'integer' }), '');
    assert.equal(offered('code', { enum: ['x'] }), '');
  });
});
