import assert from 'node:assert/strict';
import { contentFields } from '../../src/core/arguments/contentFields';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';

const text = { type: 'string' };

function fieldsOf(properties: { readonly [name: string]: JsonValue }): string[] {
  return contentFields({ type: 'object', properties }).map(({ name, takes }) => `${name}=${takes}`);
}

describe('What an editor can give to a tool', () => {
  it('is told by the last word of a name, however it is spelt', () => {
    const names = ['path', 'filePath', 'file_path', 'FileName', 'source-file'];
    for (const name of names) assert.deepEqual(fieldsOf({ [name]: text }), [`${name}=path`]);
    for (const name of ['content', 'fileContent', 'search_query', 'prompt']) {
      assert.deepEqual(fieldsOf({ [name]: text }), [`${name}=text`]);
    }
  });

  it('is told by the format before the name', () => {
    assert.deepEqual(fieldsOf({ text: { type: 'string', format: 'uri' } }), ['text=uri']);
    assert.deepEqual(fieldsOf({ text: { type: 'string', format: 'date' } }), []);
  });

  it('is one field of each kind at most, and of several texts the surest', () => {
    assert.deepEqual(
      fieldsOf({ query: text, path: text, content: text, file: text, uri: text, message: text }),
      ['uri=uri', 'path=path', 'content=text'],
    );
  });

  it('is nothing for what is picked, for other types, and for schemas that are none', () => {
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

  it('may be null, too', () => {
    assert.deepEqual(fieldsOf({ text: { type: ['string', 'null'] } }), ['text=text']);
  });
});
