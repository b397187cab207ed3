import assert from 'node:assert/strict';
import { contentFields } from '../../src/core/arguments/contentFields';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';

const text = { type: 'string' };

function fieldsOf(properties: { readonly [name: string]: JsonValue }): string[] {
  return contentFields({ type: 'object', properties }).map(({ name, takes }) => `${name}=${takes}`);
}

describe('The field for editor content', () => {
  it('is found by the last word of a name, in any spelling', () => {
    const names = ['path', 'filePath', 'file_path', 'FileName', 'source-file'];
    for (const name of names) assert.deepEqual(fieldsOf({ [name]: text }), [`${name}=path`]);
    for (const name of ['content', 'fileContent', 'search_query', 'prompt']) {
      assert.deepEqual(fieldsOf({ [name]: text }), [`${name}=text`]);
    }
  });

  it('is found by the format before the name', () => {
    assert.deepEqual(fieldsOf({ text: { type: 'string', format: 'uri' } }), ['text=uri']);
    assert.deepEqual(fieldsOf({ text: { type: 'string', format: 'date' } }), []);
  });

  it('is at most one of each kind, and of several texts the likeliest', () => {
    assert.deepEqual(
      fieldsOf({ query: text, path: text, content: text, file: text, uri: text, message: text }),
      ['uri=uri', 'path=path', 'content=text'],
    );
  });

  it('is not a choice, another type, or from an invalid schema', () => {
    assert.deepEqual(
      fieldsOf({
        text: { type: 'string', enum: ['a'] },
        path: { type: 'array' },
        pathology: text,
        content: true,
        input: { const: 'x', type: 'string' },
      }),
      [],
    );
    const odd: readonly JsonObject[] = [{}, { properties: [] }, { properties: null }];
    for (const schema of odd) assert.deepEqual(contentFields(schema), []);
  });

  it('can be nullable', () => {
    assert.deepEqual(fieldsOf({ text: { type: ['string', 'null'] } }), ['text=text']);
  });
});
