import assert from 'node:assert/strict';
import { toArguments, type Draft } from '../../src/core/arguments/fieldDrafts';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { SchemaValidator } from '../../src/core/schema/schema';
import { ArgumentPage, type FieldEntry } from '../../src/ui/arguments/argumentPage';
import { formatWarning } from '../../src/ui/arguments/fieldChecks';
import { fieldPrompt } from '../../src/ui/arguments/formatField';
import { askUnnamed } from '../../src/ui/arguments/argumentEntry';
import { accept, close, inputsDuring, labelsOf, pressingKey } from './pressingKeys';
import { drafts, fieldsOf, nested, order } from '../ui-node/orderFields';

const validator = new SchemaValidator();

const title = 'order (shop)';

/** What comes of it when this key is pressed until it ends. */
function enter(
  schema: JsonObject,
  begin: Record<string, Draft> = {},
  {
    key = accept,
    judge = validator,
  }: { key?: string; judge?: Pick<SchemaValidator, 'validate'> } = {},
): Promise<FieldEntry> {
  const fields = fieldsOf(schema);
  const options = { title, schema, fields, drafts: drafts(begin), validator: judge };
  return pressingKey(key, new ArgumentPage(options).ask());
}

describe('The page of nested fields and lists', () => {
  it('omits values that were not entered, even if the server has defaults', async () => {
    const entry = await enter(nested);
    assert.equal(entry.kind, 'done');
    assert.deepEqual(toArguments(fieldsOf(nested), entry.drafts), {});
  });

  it('keeps known values, and those of an opened object, with the object’s label in front', async () => {
    const begin = { tags: { values: ['a'] }, kinds: { values: ['y'] }, size: { value: true } };
    const known = { ...begin, '/size/width': '3' };
    const fields = fieldsOf(nested);
    const entry = await enter(nested, known);
    assert.deepEqual(toArguments(fields, entry.drafts), {
      tags: ['a'],
      kinds: ['y'],
      size: { width: 3 },
    });
    const prompts = fields.map(fieldPrompt).filter((prompt) => prompt.startsWith('Size'));
    assert.deepEqual(prompts, ['Size', 'Size › width (integer, optional)']);
  });

  it('keeps a typed value that was not added when a list is closed', async () => {
    const begin = { tags: { values: ['a'], typed: 'b' } };
    const entry = await enter(nested, begin, { key: close });
    assert.deepEqual([entry.kind, entry.drafts], ['cancelled', drafts(begin)]);
  });

  it('continues with the items that a list begins with, and asks for nothing else', async () => {
    const tags = { type: 'array', items: { type: 'string' }, minItems: 1, default: ['a', 'b'] };
    const schema: JsonObject = { properties: { tags }, required: ['tags'] };
    const entry = await enter(schema);
    assert.deepEqual(toArguments(fieldsOf(schema), entry.drafts), { tags: ['a', 'b'] });
  });
});

describe('The question of a single argument', () => {
  const only = (field: JsonObject): JsonObject => ({ properties: { a: field } });

  it('accepts a text with an invalid format after a second Enter', async () => {
    const schema = only({ type: 'string', format: 'date' });
    const entry = await enter(schema, { a: 'yesterday' });
    const [field] = fieldsOf(schema);
    assert.ok(field?.kind === 'string');
    assert.equal(
      formatWarning(field, 'yesterday'),
      'This is not a date. Use the form 2026-07-28. Press Enter again to use it anyway.',
    );
    assert.equal(
      formatWarning(field, '2026-02-31'),
      'This day does not exist. Press Enter again to use it anyway.',
    );
    assert.deepEqual([...entry.drafts], [['a', 'yesterday']]);
    assert.equal(entry.kind, 'done');
  });

  it('evaluates a pattern with catastrophic backtracking only once', async () => {
    let count = 0;
    const judge = {
      validate: () => {
        count += 1;
        return { kind: 'unusable', reason: { code: 'tooSlow', detail: '' } } as const;
      },
    };
    const schema = only({ type: 'string', pattern: '^(a+)+$' });
    const entry = await enter(schema, { a: 'aab' }, { judge });
    assert.deepEqual([entry.kind, count], ['done', 1]);
  });

  it('keeps no proposed value when it is closed', async () => {
    const schema = only({ type: 'string', default: 'tea' });
    const entry = await enter(schema, {}, { key: close });
    assert.deepEqual([entry.kind, [...entry.drafts]], ['cancelled', []]);
  });
});

describe('The page of arguments', () => {
  it('runs with known values, and omits the others', async () => {
    const begin = { item: 'tea', size: { value: 'large' }, express: { value: false } };
    const entry = await enter(order, begin);
    assert.equal(entry.kind, 'done');
    assert.deepEqual(toArguments(fieldsOf(order), entry.drafts), {
      item: 'tea',
      size: 'large',
      express: false,
    });
  });

  it('fills in a required argument from its default, or from its only choice', async () => {
    const schema: JsonObject = {
      properties: {
        count: { type: 'integer', default: 1 },
        unit: { const: 'cup' },
        note: { type: 'string', default: 'x' },
      },
      required: ['count', 'unit'],
    };
    const entry = await enter(schema);
    assert.equal(entry.kind, 'done');
    assert.deepEqual(toArguments(fieldsOf(schema), entry.drafts), { count: 1, unit: 'cup' });
  });

  it('asks once for each unknown argument, and lists the others', async () => {
    const text = { type: 'string' };
    const five = { from: text, to: text, day: text, seat: text, name: text };
    const book: JsonObject = { properties: five, required: Object.keys(five) };
    const shoot: JsonObject = { properties: { url: text, ...five }, required: ['url'] };
    const type = { enum: ['png', 'jpeg'], default: 'png' };
    const known = { from: 'a', to: 'b', day: 'c', seat: 'd', name: 'e' };
    const cases: readonly (readonly [number, JsonObject, Record<string, Draft>])[] = [
      [1, { properties: { word: text }, required: ['word'] }, {}],
      [1, { properties: { word: text }, required: ['word'] }, { word: 'hi' }],
      [5, book, {}],
      [1, book, known],
      [2, shoot, {}],
      [1, shoot, { url: 'x' }],
      [1, { properties: { type, ...five }, required: ['type'] }, {}],
    ];
    for (const [count, schema, begin] of cases) {
      const inputs = await inputsDuring(() => enter(schema, begin));
      assert.equal(inputs.length, count, JSON.stringify([schema, begin]));
    }
  });

  it('offers JSON or nothing if the schema has no properties', async () => {
    let answer;
    const [list, ...others] = await inputsDuring(async () => {
      answer = await pressingKey(accept, askUnnamed('lost (shop)', false));
    });
    assert.equal(list?.placeholder, 'The schema of this tool has no parameters.');
    const rows = ['Enter as JSON', 'Call Without Arguments'];
    assert.deepEqual([labelsOf(list), others, answer], [rows, [], 'document']);
  });

  it('returns what was entered so far when it is closed', async () => {
    const entry = await enter(order, { item: 'x' }, { key: close });
    assert.deepEqual([entry.kind, [...entry.drafts]], ['cancelled', [['item', 'x']]]);
  });
});
