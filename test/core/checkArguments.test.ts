import assert from 'node:assert/strict';
import { checkArguments } from '../../src/core/arguments/checkArguments';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { JsonObject } from '../../src/core/json/jsonValue';

/** Patient, so that a busy machine changes no answer. */
const validator = new SchemaValidator({ compileMs: 60_000, validateMs: 60_000 });

const judge = (schema: JsonObject, value: JsonObject) => checkArguments(validator, schema, value);

/** `valid` with what is left to the server, or where the arguments are wrong. */
function told(schema: JsonObject, value: JsonObject): string {
  const { verdict, defaults } = judge(schema, value);
  if (verdict.kind === 'unusable') return verdict.reason.code;
  const places = defaults.map((one) => `${one.pointer}=${JSON.stringify(one.value)}`);
  if (verdict.kind === 'valid') return ['valid', ...places].join(' ');
  return verdict.violations.map(({ pointer, keyword }) => `${pointer} ${keyword}`).join(', ');
}

const text = { type: 'string' };
const limit = { type: 'integer', minimum: 1, default: 10 };
const paged = {
  type: 'object',
  properties: { query: text, limit },
  required: ['query', 'limit'],
};

describe('Arguments without a required property that has a default', () => {
  it('are valid, and the default counts as the server’s value', () => {
    assert.equal(told(paged, { query: 'a' }), 'valid /limit=10');
    assert.equal(told(paged, { query: 'a', limit: 3 }), 'valid');
  });

  it('are not changed', () => {
    const given = Object.freeze({ query: 'a', inner: Object.freeze({}) });
    judge({ ...paged, properties: { ...paged.properties, inner: paged } }, given);
    assert.deepEqual(given, { query: 'a', inner: {} });
  });

  it('are checked otherwise, with the default in place', () => {
    assert.equal(told(paged, {}), ' required');
    assert.equal(told(paged, { query: 1 }), '/query type');
    assert.equal(told(paged, { query: 'a', limit: 0 }), '/limit minimum');
    assert.equal(
      told({ ...paged, required: ['query', 'limit', 'x'] }, { query: 'a' }),
      ' required',
    );
  });

  it('are valid at any depth: in objects, lists, maps, tuples, and objects that are a default', () => {
    const whole = (schema: JsonObject) => ({ properties: { a: schema }, required: ['a'] });
    const cases: [JsonObject, JsonObject, string][] = [
      [whole(paged), { a: { query: 'x' } }, 'valid /a/limit=10'],
      [
        whole({ items: paged }),
        { a: [{ query: 'x', limit: 1 }, { query: 'y' }] },
        'valid /a/1/limit=10',
      ],
      [whole({ prefixItems: [text, paged] }), { a: ['', { query: 'x' }] }, 'valid /a/1/limit=10'],
      [
        { $schema: 'http://json-schema.org/draft-07/schema#', ...whole({ items: [paged] }) },
        { a: [{ query: 'x' }] },
        'valid /a/0/limit=10',
      ],
      [
        whole({ additionalProperties: paged }),
        { a: { 'x/y': { query: 'x' } } },
        'valid /a/x~1y/limit=10',
      ],
      [
        whole({ patternProperties: { '^x': paged } }),
        { a: { xy: { query: 'x' } } },
        'valid /a/xy/limit=10',
      ],
      [
        whole({ properties: { limit }, required: ['limit'], default: {} }),
        {},
        'valid /a={"limit":10}',
      ],
    ];
    assert.deepEqual(
      cases.map(([schema, value]) => told(schema, value)),
      cases.map(([, , expected]) => expected),
    );
  });

  it('are valid behind references, and if several schemas describe one object', () => {
    const $defs = {
      limit,
      paged,
      node: { properties: { limit, next: { $ref: '#/$defs/node' } }, required: ['limit'] },
    };
    const properties = { limit: { $ref: '#/$defs/limit' } };
    const cases: [JsonObject, JsonObject, string][] = [
      [{ $defs, properties, required: ['limit'] }, {}, 'valid /limit=10'],
      [{ $defs, $ref: '#/$defs/paged' }, { query: '' }, 'valid /limit=10'],
      [
        { $defs, $ref: '#/$defs/node' },
        { next: { next: {} } },
        'valid /limit=10 /next/limit=10 /next/next/limit=10',
      ],
      [{ allOf: [{ properties: { limit } }, { required: ['limit'] }] }, {}, 'valid /limit=10'],
      [{ properties: { limit: { allOf: [limit] } }, required: ['limit'] }, {}, 'valid /limit=10'],
      [{ properties: { limit }, dependentRequired: { a: ['limit'] } }, { a: 1 }, 'valid /limit=10'],
      [
        { properties: { limit }, dependentSchemas: { a: { required: ['limit'] } } },
        { a: 1 },
        'valid /limit=10',
      ],
    ];
    assert.deepEqual(
      cases.map(([schema, value]) => told(schema, value)),
      cases.map(([, , expected]) => expected),
    );
  });

  it('are valid in the matching part of a union', () => {
    const kind = (name: string, more: JsonObject, ...names: string[]) => ({
      type: 'object',
      properties: { kind: { const: name }, ...more },
      required: ['kind', ...names],
    });
    const union = [kind('text', {}, 'text'), kind('page', { limit }, 'limit')];
    const whole = (schema: JsonObject) => ({ properties: { a: schema }, required: ['a'] });
    const either = [
      { type: 'object', properties: { path: text, limit }, required: ['path', 'limit'] },
      { type: 'object', properties: { url: text, limit }, required: ['url', 'limit'] },
    ];
    const cases: [JsonObject, JsonObject, string][] = [
      [whole({ anyOf: [{ type: 'null' }, paged] }), { a: { query: '' } }, 'valid /a/limit=10'],
      [whole({ oneOf: union }), { a: { kind: 'page' } }, 'valid /a/limit=10'],
      [whole({ items: { anyOf: union } }), { a: [{ kind: 'page' }] }, 'valid /a/0/limit=10'],
      [whole({ anyOf: either }), { a: { url: '' } }, 'valid /a/limit=10'],
      [
        { properties: { limit }, anyOf: [{ required: ['query'] }, { required: ['limit'] }] },
        {},
        'valid /limit=10',
      ],
    ];
    assert.deepEqual(
      cases.map(([schema, value]) => told(schema, value)),
      cases.map(([, , expected]) => expected),
    );
  });

  it('are valid if a condition tests the default', () => {
    const properties = { mode: { enum: ['a', 'b'], default: 'a' }, x: text };
    // A `then` in an object of the program itself would make it look like a promise.
    const condition = '"if": {"properties": {"mode": {"const": "b"}}}, "then": {"required": ["x"]}';
    const schema: JsonObject = { properties, ...JSON.parse(`{${condition}}`) };
    assert.equal(told(schema, {}), 'valid /mode="a"');
    assert.equal(told(schema, { mode: 'b' }), ' required,  if');
  });

  it('are not refused because of other defaults that are not required', () => {
    const schema = {
      properties: { a: text, b: { ...text, default: '' }, limit },
      required: ['limit'],
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    assert.equal(told(schema, { a: '' }), 'valid /limit=10');
    assert.equal(told(schema, { a: '', limit: 1 }), 'valid');
  });

  it('are valid even if the default is invalid: that is the server’s business', () => {
    const odd = { type: 'integer', default: 'ten' };
    const schema = { properties: { odd, query: text }, required: ['odd', 'query'] };
    assert.equal(told(schema, { query: '' }), 'valid /odd="ten"');
    assert.equal(told(schema, { query: 1 }), '/query type');
    assert.equal(told(schema, { query: '', odd: 'ten' }), '/odd type');
    const inner = { properties: { a: { type: 'integer' } }, default: { a: 'ten' } };
    assert.equal(
      told({ properties: { inner }, required: ['inner'] }, {}),
      'valid /inner={"a":"ten"}',
    );
  });

  it('are invalid if the violations of a default leave no room for their own', () => {
    const list = { type: 'array', items: text, default: Array.from({ length: 60 }, () => 1) };
    const schema = { properties: { list, count: { type: 'integer' } }, required: ['list'] };
    assert.equal(told(schema, { count: 'x' }), ' required, /count type');
  });

  it('are invalid if the default belongs to something else', () => {
    const named = { properties: { limit: { properties: { default: text } } }, required: ['limit'] };
    assert.equal(told(named, {}), ' required');
    const inherited = { properties: { toString: text }, required: ['toString'] };
    assert.equal(told(inherited, {}), ' required');
    const parent = { properties: { a: { default: {}, properties: { b: text }, required: ['b'] } } };
    assert.equal(told({ ...parent, required: ['a'] }, { a: {} }), '/a required');
  });

  it('report that a secret default is a secret', () => {
    const pin = { type: 'string', format: 'password', default: 'hunter2' };
    const { defaults } = judge({ properties: { pin }, required: ['pin'] }, {});
    assert.deepEqual(defaults, [{ pointer: '/pin', value: 'hunter2', isSecret: true }]);
  });

  it('treat names of the prototype as names', () => {
    const schema: JsonObject = JSON.parse(
      '{"properties":{"__proto__":{"default":1}},"required":["__proto__"]}',
    );
    assert.equal(told(schema, {}), 'valid /__proto__=1');
  });

  it('are checked in bounded work if defaults and unions are endless', () => {
    const node: JsonObject = {
      properties: { next: { $ref: '#', default: {} } },
      required: ['next'],
    };
    assert.equal(told(node, {}), ' required');
    const branch: JsonObject = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] };
    const schema: JsonObject = { $defs: { a: branch }, $ref: '#/$defs/a', required: ['x'] };
    assert.equal(typeof told(schema, {}), 'string');
    const wide = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`p${n}`, paged]));
    const deep: JsonObject = {
      properties: { list: { items: { properties: wide } } },
      required: ['x'],
    };
    const item = Object.fromEntries(Object.keys(wide).map((name) => [name, {}]));
    const list = Array.from({ length: 400 }, () => item);
    assert.notEqual(told(deep, { list }), 'valid');
  });
});
