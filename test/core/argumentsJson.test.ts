import assert from 'node:assert/strict';
import { exactJson } from '../../src/core/json/layOutJson';
import { readArgumentsText } from '../../src/core/arguments/argumentsJson';
import { toSchemaGuide } from '../../src/core/schema/schemaGuide';
import { optionalNames, toSkeleton } from '../../src/core/arguments/argumentsText';
import type { JsonObject } from '../../src/core/json/jsonValue';

/** Each problem as its code and the text that it stands at. */
function problemsOf(text: string): string[] {
  return readArgumentsText(text).problems.map(
    ({ code, offset, length }) => `${code} ${text.slice(offset, offset + length)}`,
  );
}

function placeOf(text: string, pointer: string, keyword = 'type'): string {
  const { placeOf: find } = readArgumentsText(text);
  const { offset, length } = find({ pointer, keyword, message: '' });
  return `${offset}:${text.slice(offset, offset + length)}`;
}

describe('readArgumentsText', () => {
  it('returns the value without comments and trailing commas', () => {
    const text = '// who\n{ "a": [1, /* no */ 2.5,], "b": { "c": null, }, }';
    assert.deepEqual(readArgumentsText(text).value, { a: [1, 2.5], b: { c: null } });
  });

  it('treats names of the prototype as names', () => {
    const { value } = readArgumentsText('{"__proto__": {"x": 1}, "constructor": 2}');
    assert.equal(JSON.stringify(value), '{"__proto__":{"x":1},"constructor":2}');
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });

  it('returns no value for invalid JSON', () => {
    assert.equal(readArgumentsText('{"a": }').value, undefined);
    assert.deepEqual(problemsOf('{"a": }'), ['syntax }']);
    assert.deepEqual(problemsOf('{"a": 1'), ['syntax ']);
    assert.deepEqual(problemsOf('{"a": 01x}').length > 0, true);
  });

  it('marks nothing after the end of the text', () => {
    for (const text of ['/*', '{ "a": 1 /*', '{"a": "x', '{']) {
      for (const { offset, length } of readArgumentsText(text).problems) {
        assert.ok(offset + length <= text.length, text);
      }
    }
  });

  it('requires an object', () => {
    assert.deepEqual(problemsOf('[1]'), ['notAnObject [1]']);
    assert.deepEqual(problemsOf(' "a" '), ['notAnObject "a"']);
    assert.equal(readArgumentsText('').value, undefined);
    assert.equal(problemsOf('// only words').length, 1);
  });

  it('refuses a duplicate name, and keeps every number as written', () => {
    assert.deepEqual(problemsOf('{"a": 1, "b": {"a": 2}, "a": 3}'), ['duplicateName "a"']);
    const text = '{"__proto__":[9007199254740993,-9007199254740991,1e999,0.1,-0,1.0],"b":1E2}';
    assert.equal(exactJson(readArgumentsText(text).value), text);
  });

  it('handles unlimited nesting', () => {
    const [problem] = readArgumentsText(`{"a":${'['.repeat(200_000)}`).problems;
    assert.ok(problem !== undefined);
  });

  it('finds the place of a violation', () => {
    const text = '{"a": {"b/c": [1, "x"]}, "d": 5}';
    assert.deepEqual(
      [
        placeOf(text, '/d'),
        placeOf(text, '/a/b~1c/1'),
        placeOf(text, '/a/b~1c'),
        placeOf(text, '', 'required'),
        placeOf(text, '/a', 'required'),
        placeOf(text, '/d', 'additionalProperties'),
        placeOf(text, '/gone/deeper'),
        placeOf('', '/a'),
      ],
      ['30:5', '18:"x"', '7:"b/c"', '0:{', '1:"a"', '25:"d"', '0:{', '0:'],
    );
  });

  it('is not read if it has too many tokens, also behind an unclosed text or a comment', () => {
    const many = '1,'.repeat(50);
    for (const text of [`[${many}`, `{"a": "x\n${many}`, `{"a": "x\r${many}`, `//\r[${many}`]) {
      assert.equal(readArgumentsText(text, 50).problems[0]?.code, 'tooLarge', text);
    }
    // One text has any length, with quotes and line breaks that are escaped.
    for (const text of [`{"a": "${many}"}`, `{"a": "\\"${many}"}`, `{"a": "\\\n${many}"}`]) {
      assert.notEqual(readArgumentsText(text, 50).problems[0]?.code, 'tooLarge', text);
    }
  });
});

describe('toSkeleton', () => {
  it('names no $schema, which the editor would fetch', () => {
    const uri = 'https://a.example/schema.json';
    for (const $schema of [
      { default: uri },
      { const: uri },
      { enum: [uri] },
      { allOf: [{ const: uri }] },
    ]) {
      const schema = { properties: { $schema, more: { const: 1 } }, required: ['$schema', 'more'] };
      assert.deepEqual(toSkeleton(schema), { $schema: '', more: 1 });
      assert.doesNotMatch(JSON.stringify(toSchemaGuide(schema)), /a\.example/);
    }
  });

  it('has the required properties with the constant, the default or the empty value of the type', () => {
    const text = { type: 'string' };
    const schema: JsonObject = {
      type: 'object',
      properties: {
        text,
        count: { type: 'integer', minimum: 5 },
        size: { type: 'string', enum: ['s', 'm'] },
        kind: { const: 'order' },
        days: { type: 'number', default: 7 },
        list: { type: 'array', items: text },
        who: { $ref: '#/$defs/who' },
        either: { anyOf: [{ type: 'boolean' }, text] },
        anything: {},
        optional: text,
      },
      required: 'text count size kind days list who either anything undescribed'.split(' '),
      $defs: { who: { type: 'object', properties: { name: text }, required: ['name'] } },
    };
    assert.deepEqual(toSkeleton(schema), {
      text: '',
      count: 5,
      size: '',
      kind: 'order',
      days: 7,
      list: [],
      who: { name: '' },
      either: false,
      anything: null,
      undescribed: null,
    });
    assert.deepEqual(optionalNames(schema), ['optional']);
  });

  it('has the required properties of every part of the schema, once', () => {
    const named = { properties: { name: { type: 'string' } }, required: ['name'] };
    const schema: JsonObject = {
      allOf: [
        { $ref: '#/$defs/named' },
        { properties: { name: { default: 'Ann' }, size: { type: 'integer' } }, required: ['size'] },
        { properties: { note: { type: 'string' } } },
      ],
      properties: { owner: { allOf: [{ $ref: '#/$defs/named' }, { required: ['id'] }] } },
      required: ['owner', 'name'],
      $defs: { named },
    };
    assert.deepEqual(toSkeleton(schema), { owner: { name: '', id: null }, name: 'Ann', size: 0 });
    assert.deepEqual(optionalNames(schema), ['note']);
  });

  it('has one item if items have required members, and at least minItems', () => {
    const text = { type: 'string' };
    const entity: JsonObject = {
      type: 'object',
      properties: { name: text, observations: { type: 'array', items: text, minItems: 2 } },
      required: ['name', 'observations'],
    };
    const listOf = (schema: JsonObject): JsonObject => ({
      properties: { list: { type: 'array', ...schema } },
      required: ['list'],
    });
    const made = (schema: JsonObject) => toSkeleton(listOf(schema))['list'];
    const one = { name: '', observations: ['', ''] };
    assert.deepEqual(made({ items: entity }), [one]);
    assert.deepEqual(made({ items: entity, minItems: 2 }), [one, one]);
    assert.deepEqual(made({ items: entity, maxItems: 0 }), []);
    assert.deepEqual(made({ items: text }), []);
    const kind = { oneOf: [{ const: 'pea' }, { const: 'bean' }] };
    const seed = { properties: { kind }, required: ['kind'] };
    assert.deepEqual(made({ items: seed }), [{ kind: '' }]);
    assert.deepEqual(made({ items: { type: 'integer', minimum: 3 }, minItems: 1 }), [3]);
    assert.deepEqual(made({ minItems: 3 }), []);
    assert.equal((made({ items: text, minItems: 1e9 }) as unknown[]).length, 10);
  });

  it('has the number nearest to 0 within its bounds', () => {
    const made = (schema: JsonObject) =>
      toSkeleton({ properties: { n: schema }, required: ['n'] })['n'];
    assert.equal(made({ type: 'integer', minimum: 1 }), 1);
    assert.equal(made({ type: 'integer', exclusiveMinimum: 0 }), 1);
    assert.equal(made({ type: 'integer', minimum: 0.5 }), 1);
    assert.equal(made({ type: 'integer', maximum: -2 }), -2);
    assert.equal(made({ type: 'integer', exclusiveMaximum: 0 }), -1);
    assert.equal(made({ type: 'number', minimum: 0.5, maximum: 2 }), 0.5);
    assert.equal(made({ type: 'number', minimum: -1, maximum: 1 }), 0);
  });

  it('is bounded in size', () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/all' }]));
    const all: JsonObject = { type: 'object', properties, required: names };
    const json = JSON.stringify(toSkeleton({ ...all, $defs: { all } }));
    assert.equal(json.split('"n').length - 1, 500);
  });

  it('ends at a recursive schema, and resolves only references inside it', () => {
    const self: JsonObject = {
      type: 'object',
      properties: { next: { $ref: '#' }, again: { $ref: '#/properties/again' } },
      required: ['next', 'again'],
    };
    assert.deepEqual(toSkeleton(self), { next: null, again: null });
    assert.deepEqual(toSkeleton({ required: ['a', 5], properties: { a: { $ref: 'http://x/' } } }), {
      a: null,
    });
  });
});
