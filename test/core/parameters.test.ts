import assert from 'node:assert/strict';
import { busiestCount } from '../workCount';
import { parameterCount, parametersOf } from '../../src/core/arguments/parameters';

const types = (properties: object, more: object = {}): Record<string, string> =>
  Object.fromEntries(
    parametersOf({ ...more, properties: { ...properties } }).map(({ name, type }) => [name, type]),
  );

describe('The parameters of a tool', () => {
  it('are its properties, the required ones first, each group in its order', () => {
    const schema = {
      type: 'object',
      properties: {
        b: { type: 'string', default: 'x', description: 'The second' },
        a: { type: 'number' },
        c: { type: 'boolean' },
      },
      required: ['c', 'a', 'missing', 3],
    } as const;
    assert.deepEqual(parametersOf(schema), [
      { name: 'a', type: 'number', isRequired: true },
      { name: 'c', type: 'boolean', isRequired: true },
      { name: 'b', type: 'string', isRequired: false, default: '"x"', description: 'The second' },
    ]);
  });

  it('have short types', () => {
    const $defs = { point: { type: 'object' }, loop: { $ref: '#/$defs/loop' } };
    const shown = types(
      {
        list: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
        bare: { type: 'array' },
        choice: { enum: ['a', 2, null] },
        fixed: { const: 'x' },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }] },
        several: { type: ['string', 'null'] },
        point: { $ref: '#/$defs/point' },
        loop: { $ref: '#/$defs/loop' },
        far: { $ref: 'https://example.com/schema' },
        no: false,
        odd: 7,
      },
      { $defs },
    );
    assert.deepEqual(shown, {
      list: 'array of array of number',
      bare: 'array',
      choice: '"a" | 2 | null',
      fixed: '"x"',
      either: 'string | null',
      several: 'string | null',
      point: 'object',
      loop: 'any',
      far: 'any',
      no: 'any',
      odd: 'any',
    });
  });

  it('take no exponential time for alternatives that refer to each other', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`p${index}`, { $ref: '#/$defs/a' }]),
    );
    const a = { anyOf: Array.from({ length: 9 }, () => ({ $ref: '#/$defs/a' })) };
    const work = async (): Promise<unknown> => types(properties, { $defs: { a } });
    assert.ok((await busiestCount(work)) < 60_000);
  });

  it('are as many as asked for, and each has its type', () => {
    const properties = { a: { type: 'string' }, b: { type: 'number' }, c: { type: 'boolean' } };
    assert.deepEqual(
      parametersOf({ properties }, 2).map(({ type }) => type),
      ['string', 'number'],
    );
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `p${index}`,
        { anyOf: [{ type: 'string' }, { type: 'null' }] },
      ]),
    );
    assert.deepEqual(new Set(Object.values(types(many))), new Set(['string | null']));
  });

  it('have their bounds in the terms of the schema', () => {
    const properties = {
      seats: { type: 'integer', minimum: 1, maximum: 8, multipleOf: 3 },
      name: { type: 'string', minLength: 2, pattern: '^[a-z]+$', format: 'slug' },
      tags: { type: 'array', maxItems: 5, uniqueItems: true },
      odd: { minimum: {}, maxLength: null, uniqueItems: false },
      long: { pattern: 'x'.repeat(1_000) },
    };
    const limits = parametersOf({ properties }).map((each) => each.limits);
    assert.deepEqual(limits.slice(0, 4), [
      'minimum 1, maximum 8, multipleOf 3',
      'format slug, minLength 2, pattern ^[a-z]+$',
      'maxItems 5, uniqueItems',
      undefined,
    ]);
    assert.equal(limits[4]?.length, 300);
  });

  it('are bounded, whatever the schema is', () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `key_${n}`);
    const deep = JSON.parse(
      `${'{"type":"array","items":'.repeat(5_000)}{}${'}'.repeat(5_000)}`,
    ) as never;
    const properties = Object.fromEntries(names.map((name) => [name, deep]));
    const schema = { properties, required: names };
    assert.deepEqual([parametersOf(schema).length, parameterCount(schema)], [200, 5_000]);
    assert.equal(parametersOf(schema)[0]?.type, 'array of array of array of array of array of any');
    const wide = { enum: Array.from({ length: 9_000 }, (_, n) => 'x'.repeat(n)) };
    assert.ok((types({ wide })['wide']?.length ?? 0) <= 80);
    for (const odd of [undefined, null, 3, [], 'x']) {
      assert.deepEqual(parametersOf({ properties: odd } as never), []);
    }
  });
});
