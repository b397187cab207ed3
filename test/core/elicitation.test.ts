import assert from 'node:assert/strict';
import {
  parseElicitation,
  parseRequiredElicitations,
  toElicitResult,
} from '../../src/core/input/elicitation';
import type { ElicitationRequest } from '../../src/core/input/elicitation';

const ask = (properties: unknown, more: object = {}) =>
  parseElicitation({ message: 'm', requestedSchema: { type: 'object', properties, ...more } });

/** The fields without their names and labels, or the reason why there are none. */
function kinds(properties: Record<string, unknown>): unknown {
  const request = ask(properties);
  if (typeof request === 'string' || request.mode !== 'form') return request;
  return request.fields.map(({ name: _n, label: _l, required: _r, ...kind }) => kind);
}

/** What becomes of a form with one such field. */
const formOf = (property: unknown) => kinds({ p: property });

const switches = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: 'boolean' }]));

const listOf = (count: number) => ({
  c: { type: 'string', enum: Array.from({ length: count }, (_, i) => `${i}`) },
});

describe('A question of a server', () => {
  it('is a form if it names no mode', () => {
    const modes = [undefined, null, 'form'];
    assert.deepEqual(
      modes.map((mode) => parseElicitation({ mode, message: 'm', requestedSchema: {} })),
      modes.map(() => ({ mode: 'form', message: 'm', fields: [], schema: {} })),
    );
  });

  it('has fields in the order of the server, with titles, descriptions and required marks', () => {
    const request = ask(
      {
        b: { type: 'string', title: 'Bee', description: 'buzz' },
        a: { type: 'boolean', title: ' ' },
      },
      { required: ['a'] },
    );
    assert.ok(typeof request !== 'string' && request.mode === 'form');
    assert.deepEqual(request.fields, [
      { name: 'b', label: 'Bee', description: 'buzz', required: false, kind: 'string' },
      { name: 'a', label: 'a', required: true, kind: 'boolean' },
    ]);
  });

  it('can ask for texts, numbers and booleans, with limits and defaults', () => {
    assert.deepEqual(
      kinds({
        s: { type: 'string', minLength: 1, maxLength: 3, pattern: '^a', default: 'a' },
        f: { type: 'string', format: 'date', default: 5 },
        n: { type: 'number', minimum: 0, maximum: 1, default: 0.5 },
        i: { type: 'integer', default: 0.5 },
        z: { type: 'integer', default: 0 },
        b: { type: 'boolean', default: false },
      }),
      [
        { kind: 'string', minLength: 1, maxLength: 3, pattern: '^a', default: 'a' },
        { kind: 'string', format: 'date' },
        { kind: 'number', minimum: 0, maximum: 1, default: 0.5 },
        { kind: 'integer' },
        { kind: 'integer', default: 0 },
        { kind: 'boolean', default: false },
      ],
    );
  });

  it('can offer one of a list in three notations', () => {
    const options = [
      { value: 'r', title: 'Red' },
      { value: 'g', title: 'Green' },
    ];
    const titled = options.map(({ value, title }) => ({ const: value, title }));
    assert.deepEqual(
      kinds({
        plain: { type: 'string', enum: ['r', 'g'], default: 'g' },
        titled: { type: 'string', oneOf: titled, default: 'r' },
        legacy: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], default: 'Red' },
        short: { type: 'string', enum: ['r', 'g'], enumNames: ['Red'] },
      }),
      [
        {
          kind: 'choice',
          options: options.map(({ value }) => ({ value, title: value })),
          default: 'g',
        },
        { kind: 'choice', options, default: 'r' },
        { kind: 'choice', options },
        { kind: 'choice', options: [options[0], { value: 'g', title: 'g' }] },
      ],
    );
  });

  it('can offer several of a list in two notations', () => {
    const anyOf = [
      { const: 'r', title: 'Red' },
      { const: 'g', title: 'Green' },
    ];
    assert.deepEqual(
      kinds({
        plain: {
          type: 'array',
          items: { type: 'string', enum: ['r', 'g'] },
          minItems: 1,
          maxItems: 2,
          default: ['g', 'x'],
        },
        titled: { type: 'array', items: { anyOf }, default: [] },
      }),
      [
        {
          kind: 'choices',
          options: ['r', 'g'].map((value) => ({ value, title: value })),
          minItems: 1,
          maxItems: 2,
          default: ['g'],
        },
        {
          kind: 'choices',
          options: anyOf.map((o) => ({ value: o.const, title: o.title })),
          default: [],
        },
      ],
    );
  });

  it('can ask for nullable values, as the Python SDK writes them, and for a list of texts', () => {
    const ofNull = { type: 'null' };
    const options = ['r', 'g'].map((value) => ({ value, title: value }));
    assert.deepEqual(
      kinds({
        text: { anyOf: [{ type: 'string', minLength: 1 }, ofNull], default: null, title: 'T' },
        number: { anyOf: [{ type: 'integer', minimum: 0 }, ofNull], default: 5 },
        one: { anyOf: [{ enum: ['r', 'g'], type: 'string' }, ofNull], default: null },
        either: { type: ['boolean', 'null'] },
        texts: { type: 'array', items: { type: 'string', maxLength: 9 }, maxItems: 3 },
        list: { anyOf: [{ type: 'array', items: { type: 'string' } }, ofNull], default: ['a'] },
      }),
      [
        { kind: 'string', minLength: 1 },
        { kind: 'integer', minimum: 0, default: 5 },
        { kind: 'choice', options },
        { kind: 'boolean' },
        { kind: 'texts', item: { kind: 'string', maxLength: 9 }, maxItems: 3 },
        { kind: 'texts', item: { kind: 'string' }, default: ['a'] },
      ],
    );
    const $defs = { Colour: { type: 'string', enum: ['r', 'g'] } };
    const colour = { $ref: '#/$defs/Colour' };
    const properties = {
      c: { ...colour, description: 'd' },
      maybe: { anyOf: [colour, ofNull], default: null },
      some: { type: 'array', items: colour },
      maybeSome: { anyOf: [{ type: 'array', items: colour }, ofNull] },
    };
    const request = ask(properties, { $defs });
    assert.ok(typeof request !== 'string' && request.mode === 'form');
    assert.deepEqual(
      request.fields.map(({ kind }) => kind),
      ['choice', 'choice', 'choices', 'choices'],
    );
  });

  it('asks for JSON if no field can show the value', () => {
    const all = [
      formOf({ type: 'object', properties: {} }),
      formOf({ type: 'array', items: { type: 'object' } }),
      formOf({ $ref: '#/x' }),
      formOf({ anyOf: [{ type: 'string' }, { type: 'integer' }], default: 5 }),
      formOf({ type: 'string', enum: [] }),
      formOf({ type: 'string', enum: [1] }),
      formOf({ type: 'string', oneOf: [{ title: 'x' }] }),
      formOf({ type: 'string', if: {} }),
    ];
    for (const each of all) assert.equal(Object(each)[0].kind, 'json');
    assert.match(String(formOf('string')), /^p: /);
  });

  it('is refused if it is invalid', () => {
    const refused = [
      undefined,
      'hello',
      [],
      {},
      { message: 5, requestedSchema: {} },
      { message: 'm' },
      { message: 'm', requestedSchema: { type: 'array' } },
      { message: 'm', requestedSchema: { properties: [] } },
      { message: 'm', requestedSchema: { required: 'a' } },
      { message: 'm', requestedSchema: { required: ['a'] } },
      { message: 'm', requestedSchema: { allOf: [] } },
      { message: 'm', mode: 'voice', requestedSchema: {} },
      { message: 'm', mode: 'url' },
      { message: 'm', mode: 'url', url: 'nowhere' },
    ].map(parseElicitation);
    assert.deepEqual(
      refused.filter((answer) => typeof answer !== 'string'),
      [],
    );
  });

  it('has at most 100 fields with at most 1,000 choices', () => {
    assert.deepEqual(
      [switches(100), switches(101), listOf(1_000), listOf(1_001)].map(
        (each) => typeof kinds(each),
      ),
      ['object', 'string', 'object', 'object'],
    );
  });

  it('can be a web page', () => {
    const params = { mode: 'url', message: 'm', url: 'https://example.org/a?b' };
    assert.deepEqual(
      [parseElicitation({ ...params, elicitationId: 'e 1' }), parseElicitation(params)],
      [{ ...params, elicitationId: 'e 1' }, params],
    );
  });
});

describe('Web pages that an error requires', () => {
  it('are those in its data that are web pages', () => {
    const step = { mode: 'url', message: 'm', url: 'https://example.org', elicitationId: 'e' };
    const form = { mode: 'form', message: 'm', requestedSchema: {} };
    assert.deepEqual(parseRequiredElicitations({ elicitations: [step, form, 5] }), [step]);
    assert.deepEqual(
      [undefined, {}, { elicitations: step }].flatMap(parseRequiredElicitations),
      [],
    );
  });
});

describe('The answer of the user', () => {
  const form: ElicitationRequest = { mode: 'form', message: 'm', fields: [], schema: {} };
  const url: ElicitationRequest = { mode: 'url', message: 'm', url: 'https://example.org' };

  it('has content only if a form was accepted', () => {
    const content = { a: 1 };
    assert.deepEqual(
      [
        toElicitResult(form, { action: 'accept', content }),
        toElicitResult(form, { action: 'accept' }),
        toElicitResult(form, { action: 'decline' }),
        toElicitResult(form, { action: 'cancel' }),
        toElicitResult(url, { action: 'accept', content }),
        toElicitResult(url, { action: 'decline' }),
      ],
      [
        { action: 'accept', content },
        { action: 'accept', content: {} },
        { action: 'decline' },
        { action: 'cancel' },
        { action: 'accept' },
        { action: 'decline' },
      ],
    );
  });
});
