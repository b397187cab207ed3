import assert from 'node:assert/strict';
import type { Draft } from '../../src/core/arguments/fieldDrafts';
import { planFields } from '../../src/core/arguments/inputFields';
import type { JsonObject } from '../../src/core/json/jsonValue';

/** One field of each simple kind. */
export const order: JsonObject = {
  type: 'object',
  properties: {
    item: { type: 'string', description: 'What to order', minLength: 2 },
    count: { type: 'integer', minimum: 1, default: 1 },
    size: { enum: ['small', 'large'] },
    express: { type: 'boolean' },
  },
  required: ['item', 'express'],
};

/** Lists, and an object. */
export const nested: JsonObject = {
  properties: {
    tags: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
    kinds: { type: 'array', items: { enum: ['x', 'y'] } },
    size: {
      type: 'object',
      title: 'Size',
      properties: { width: { type: 'integer', default: 3 } },
    },
    since: { type: 'string', format: 'date' },
  },
};

export function fieldsOf(schema: JsonObject) {
  const plan = planFields(schema);
  assert.ok(plan.kind === 'fields');
  return plan.fields;
}

export const drafts = (entries: Record<string, Draft>) => new Map(Object.entries(entries));
