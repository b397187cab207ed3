import assert from 'node:assert/strict';
import {
  parseFieldText,
  toFieldText,
  type FormField,
  type TextField,
} from '../../src/core/arguments/inputField';
import { planFields } from '../../src/core/arguments/inputFields';
import { readField } from '../../src/core/arguments/readField';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { numberOf } from '../../src/core/json/writtenNumber';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

function textField(schema: JsonObject, required = false): TextField {
  const field = readField('x', schema, required);
  assert.ok(field?.kind === 'string' || field?.kind === 'number' || field?.kind === 'integer');
  return field;
}

function defaultOf(field: FormField | undefined): unknown {
  return field !== undefined && 'default' in field ? field.default : undefined;
}

/** The value, or why there is none. */
function parseAs(type: string | string[], text: string): unknown {
  const parsed = parseFieldText(textField({ type }), text);
  return parsed.kind === 'value' ? parsed.value : parsed.kind === 'error' && parsed.code;
}

/** The plan in one line: each field as `name:kind`, `!` when required, then what is none. */
function picture(schema: JsonObject): string {
  const plan = planFields(schema);
  if (plan.kind !== 'fields') return plan.kind;
  const fields = plan.fields.map((field) => {
    const choices = field.kind === 'choice' ? JSON.stringify(field.choices) : field.kind;
    return `${field.name}:${choices}${field.required ? '!' : ''}`;
  });
  const others = plan.others.map(({ name, parent }) => (parent ? `${parent.name}.${name}` : name));
  return [...fields, ...(others.length === 0 ? [] : ['|', ...others])].join(' ');
}

describe('planFields', () => {
  it('returns nothing if there are no properties', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    assert.equal(picture({ type: 'object' }), 'none');
    assert.equal(picture(object({}, { additionalProperties: false, $defs: { a: {} } })), 'none');
    assert.equal(picture(object({}, { $schema })), 'none');
    assert.equal(picture({ $schema, properties: {} }), 'none');
    assert.equal(picture({ $schema, type: 'object', additionalProperties: false }), 'none');
  });

  it('returns no fields if the schema neither lists nor excludes arguments', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    const silent: JsonObject[] = [
      {},
      { $schema },
      { $schema, type: 'object' },
      { title: 'Arguments', description: 'What to do', required: [] },
      { $schema, $defs: { a: { type: 'string' } } },
    ];
    assert.deepEqual(
      silent.map(picture),
      silent.map(() => 'unnamed'),
    );
    assert.equal(picture({ $schema, additionalProperties: true }), 'document');
    assert.equal(picture({ $schema, $ref: '#/$defs/a' }), 'document');
    assert.equal(picture({ $schema, required: ['a'] }), 'document');
  });

  it('returns fields for the rest if only optional properties need a document', () => {
    const text = { type: 'string' };
    const map = { type: 'object' };
    const expected: [JsonObject, string][] = [
      [object({ a: text, b: map, c: true, d: { anyOf: [text, map] } }), 'a:string | b c d'],
      [object({ b: { $ref: '#/$defs/b' }, a: text }, { required: ['a'] }), 'a:string! | b'],
      [object({ a: text, b: map }, { required: ['b'] }), 'document'],
      [object({ a: text, b: { ...map, default: {} } }, { required: ['b'] }), 'a:string | b'],
      [object({ a: { type: 'string', default: 'two\nlines' }, b: text }), 'b:string | a'],
      [object({ a: map, b: { type: 'array' } }), 'document'],
      [
        object({ a: object({ b: text, c: map }, { required: ['b'] }) }, { required: ['a'] }),
        'b:string! | a.c',
      ],
      [object({ a: object({ b: text, c: map }) }), 'a:[true] b:string | a.c'],
      [object({ a: object({ b: text, c: map }, { required: ['c'] }), d: text }), 'd:string | a'],
      [object({ a: object({ c: map }) }, { required: ['a'] }), 'document'],
      [object({ a: object({ c: map }), d: text }), 'd:string | a'],
      [object({ a: false, d: text }), 'd:string'],
      [object({ a: false, d: text }, { required: ['a'] }), 'document'],
    ];
    assert.deepEqual(
      expected.map(([schema]) => picture(schema)),
      expected.map(([, plan]) => plan),
    );
  });

  it('returns a field for every simple property, in the order of the schema', () => {
    const schema = object(
      {
        city: { type: 'string' },
        days: { type: 'integer' },
        factor: { type: 'number', 'x-unknown': 1 },
        metric: { type: 'boolean' },
        size: { enum: ['s', 2] },
        version: { const: 1 },
      },
      { required: ['city', 'metric'], additionalProperties: true },
    );
    assert.equal(
      picture(schema),
      'city:string! days:integer factor:number metric:[true,false]! size:["s",2] version:[1]',
    );
  });

  it('accepts null beside a simple type, in both notations', () => {
    const schema = object({
      a: { type: ['string', 'null'] },
      b: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
      c: { type: ['boolean', 'null'] },
      d: { enum: ['x', null] },
    });
    assert.equal(picture(schema), 'a:string b:integer c:[true,false,null] d:["x",null]');
  });

  it('requires a document for what fields cannot express', () => {
    const text = { type: 'string' };
    const expected: [JsonObject, string][] = [
      [object({ a: { type: 'object' } }), 'document'],
      [object({ a: { type: 'array' } }), 'document'],
      [object({ a: { type: 'array', items: { type: 'object' } } }), 'document'],
      [object({ a: { type: 'array', items: [text] } }), 'document'],
      [object({ a: { type: 'array', items: text, contains: text } }), 'document'],
      [object({ a: {} }), 'document'],
      [object({ a: true }), 'document'],
      [object({ a: { $ref: '#/$defs/a' } }), 'document'],
      [object({ a: { type: ['string', 'number'] } }), 'document'],
      [object({ a: { enum: [] } }), 'document'],
      [object({ a: { enum: [['x']] } }), 'document'],
      [object({ a: { type: 'string', enum: [{}] } }), 'document'],
      [object({ a: { anyOf: [text, { type: 'number' }] } }), 'document'],
      [object({ a: { type: ['string', 'null'] } }, { required: ['a'] }), 'document'],
      [object({ a: text }, { required: ['b'] }), 'document'],
      [object({ a: text }, { required: ['toString'] }), 'document'],
      [object({ a: text }, { allOf: [] }), 'document'],
      [object({ a: text }, { minProperties: 1 }), 'document'],
      [object({ a: text }, { required: 'a' }), 'document'],
      [{ properties: [] }, 'document'],
      [{ type: 'string' }, 'document'],
      [{ type: 'object', additionalProperties: true }, 'document'],
      [object({ a: text }, { additionalProperties: text }), 'document'],
    ];
    assert.deepEqual(
      expected.map(([schema]) => picture(schema)),
      expected.map(([, plan]) => plan),
    );
  });

  it('requires a document for more than twelve fields', () => {
    const thirteen = Array.from({ length: 13 }, (_, i) => [`f${i}`, { const: 0 }]);
    const twelve = thirteen.slice(1);
    assert.equal(planFields(object(Object.fromEntries(twelve))).kind, 'fields');
    assert.equal(picture(object(Object.fromEntries(thirteen))), 'document');
  });

  it('treats names of the prototype as names', () => {
    const schema: JsonObject = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"const":1}}}',
    );
    assert.equal(picture(schema), '__proto__:string constructor:[1]');
  });

  it('keeps title, description, limits and a valid default', () => {
    const schema = { type: 'integer', title: 'Days', description: 'How many', minimum: 1 };
    assert.deepEqual(readField('days', { ...schema, default: 7 }, true), {
      name: 'days',
      label: 'Days',
      prompt: 'How many',
      required: true,
      schema: { ...schema, default: 7 },
      kind: 'integer',
      isNullable: false,
      limits: { minimum: 1 },
      default: 7,
    });
    const wrong = readField('days', { ...schema, default: '7', title: ' ' }, true);
    assert.deepEqual([defaultOf(wrong), wrong?.label], [undefined, 'days']);
  });

  it('requires a document for a default that one line would hide or change', () => {
    const texts = ['one line', 'two\nlines', 'zero\u200Bwidth', 'x'.repeat(1_001)];
    assert.deepEqual(
      texts.map((text) => defaultOf(readField('a', { type: 'string', default: text }, false))),
      ['one line', undefined, undefined, undefined],
    );
  });
});

describe('parseFieldText', () => {
  it('sends a text as it was typed', () => {
    const field = textField({ type: 'string' });
    assert.deepEqual(parseFieldText(field, ' 5 '), { kind: 'value', value: ' 5 ' });
    assert.deepEqual(parseFieldText(field, 'null'), { kind: 'value', value: 'null' });
  });

  it('treats empty input as absent, and as an empty text if it is required', () => {
    const schema = { type: 'string' };
    assert.deepEqual(parseFieldText(textField(schema), ''), { kind: 'absent' });
    assert.deepEqual(parseFieldText(textField(schema, true), ''), { kind: 'value', value: '' });
    const number = textField({ type: 'number' }, true);
    assert.deepEqual(parseFieldText(number, ''), { kind: 'error', code: 'empty' });
  });

  it('converts numbers, with every digit', () => {
    assert.deepEqual(
      [
        '0',
        '-1.5',
        ' 2 ',
        '.5',
        '1e3',
        '+1',
        '1,5',
        '0x10',
        'NaN',
        '1e999',
        '-0009007199254740993.50',
      ].map((text) => parseAs('number', text)),
      [
        0,
        -1.5,
        2,
        0.5,
        1000,
        1,
        'notANumber',
        'notANumber',
        'notANumber',
        numberOf('1e999'),
        numberOf('-9007199254740993.50'),
      ],
    );
    assert.deepEqual(
      ['7', '7.0', '7.5', '-0', '9007199254740993', '9007199254740993.1'].map((text) =>
        parseAs('integer', text),
      ),
      [7, 7, 'notAnInteger', -0, numberOf('9007199254740993'), 'notAnInteger'],
    );
  });

  it('accepts null for a nullable number only', () => {
    assert.deepEqual(
      [parseAs(['number', 'null'], 'null'), parseAs('number', 'null')],
      [null, 'notANumber'],
    );
  });
});

describe('toFieldText', () => {
  it('returns the input for a value, and nothing if no line expresses it', () => {
    const text = textField({ type: 'string' });
    const number = textField({ type: ['integer', 'null'] });
    assert.deepEqual(
      [
        toFieldText(text, ' a '),
        toFieldText(text, ''),
        toFieldText(text, 'a\tb'),
        toFieldText(text, 1),
      ],
      [' a ', undefined, undefined, undefined],
    );
    assert.equal(toFieldText(textField({ type: 'string' }, true), ''), '');
    assert.deepEqual(
      [toFieldText(number, 5), toFieldText(number, null), toFieldText(number, '5')],
      ['5', 'null', undefined],
    );
  });
});
