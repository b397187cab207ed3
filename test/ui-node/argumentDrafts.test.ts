import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import {
  ArgumentMemory,
  argumentsText,
  lastArgumentsOf,
} from '../../src/ui/arguments/argumentMemory';
import type { PastCall } from '../../src/host/history/pastCall';
import { pastCall } from '../host/pastCalls';
import { assertEach } from '../assertions';
import { toArguments, toDrafts, typedDrafts } from '../../src/core/arguments/fieldDrafts';
import { choiceLabel, fieldPrompt } from '../../src/ui/arguments/formatField';
import { drafts, fieldsOf, order } from './orderFields';

describe('Argument drafts', () => {
  const fields = fieldsOf(order);

  it('become arguments without the omitted values', () => {
    const entered = drafts({ item: 'tea', count: '', size: {}, express: { value: false } });
    assert.deepEqual(toArguments(fields, entered), { item: 'tea', express: false });
  });

  it('are restored from arguments, unless fields cannot express them', () => {
    const value = { item: 'tea', count: 2, size: 'large', express: true };
    const back = toDrafts(fields, value);
    assert.ok(back !== undefined);
    assert.deepEqual(toArguments(fields, back), value);
    assert.equal(toDrafts(fields, { ...value, note: 'x' }), undefined);
    assert.equal(toDrafts(fields, { ...value, item: 'two\nlines' }), undefined);
    assert.equal(toDrafts(fields, { ...value, size: 'huge' }), undefined);
  });

  it('are made of values that were typed by name', () => {
    const schema: JsonObject = {
      properties: {
        size: { enum: ['small', 'large'] },
        count: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        ids: { type: 'array', items: { type: 'integer' } },
        to: { type: 'object', properties: { city: { type: 'string' } } },
      },
    };
    const own = fieldsOf(schema);
    const typed = { size: 'large', count: '2', tags: 'a,b', 'to.city': 'Oslo', colour: 'red' };
    const made = typedDrafts(own, new Map(Object.entries(typed)));
    assert.deepEqual(toArguments(own, made.drafts), {
      size: 'large',
      count: 2,
      tags: ['a', 'b'],
      to: { city: 'Oslo' },
    });
    assert.deepEqual(made.unknown, ['colour']);
    assert.deepEqual(typedDrafts(own, new Map([['size', 'huge']])).unknown, ['size']);
    const lists = typedDrafts(
      own,
      new Map([
        ['tags', ''],
        ['ids', '1,x,3'],
      ]),
    );
    assert.deepEqual(lists.unknown, ['ids']);
    assert.deepEqual(toArguments(own, lists.drafts), {});
  });

  it('keep a property named __proto__', () => {
    const schema: JsonObject = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
    const value = toArguments(fieldsOf(schema), new Map([['__proto__', 'x']]));
    assert.equal(JSON.stringify(value), '{"__proto__":"x"}');
  });
});

describe('The label of a field', () => {
  it('says its purpose, its constraints, and whether it is optional', () => {
    assert.deepEqual(fieldsOf(order).map(fieldPrompt), [
      'item: What to order (at least 2 characters)',
      'count (integer, at least 1, optional)',
      'size',
      'express',
    ]);
  });

  it('counts characters as users see them', () => {
    const limited = (limits: JsonObject) => ({
      properties: { a: { type: 'string', ...limits } },
      required: ['a'],
    });
    const words = [
      { minLength: 0 },
      { minLength: 1, maxLength: 1 },
      { minLength: 2, maxLength: 5 },
    ].flatMap((limits) => fieldsOf(limited(limits)).map(fieldPrompt));
    assert.deepEqual(words, [
      'a',
      'a (at least one character, at most one character)',
      'a (at least 2 characters, at most 5 characters)',
    ]);
  });

  it('contains no icon, no link, and no hidden characters', () => {
    const [field] = fieldsOf({
      properties: {
        a: { type: 'string', title: '$(verified)', description: '[Help](command:x)\u200B' },
      },
      required: ['a'],
    });
    assert.ok(field !== undefined);
    assert.equal(fieldPrompt(field), '\\$(verified): [Help] (command:x)\\u{200B}');
    assert.deepEqual(['$(check) ok', '', ' ', 5, null].map(choiceLabel), [
      '\\$(check) ok',
      '""',
      '" "',
      '5',
      'null',
    ]);
  });
});

describe('The arguments of the last call', () => {
  const schema: JsonObject = {
    properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
    required: ['user', 'password'],
  };
  const nested: JsonObject = {
    properties: { pages: { type: 'array', items: { type: 'object' } } },
  };
  const last = (of: JsonObject, ...knownCalls: readonly PastCall[]) =>
    lastArgumentsOf({ read: () => Promise.resolve(), knownCalls }, of, 'shop', 'sell');

  it('come from the newest sent call of the user, without its secrets', async () => {
    const known = { user: 'ann', password: '(secret)' };
    const mine = pastCall('1', { arguments: known, hasSecrets: true });
    const { sentAt: _, ...unsent } = pastCall('2', { arguments: { user: 'unsent' } });
    const others = [
      unsent,
      pastCall('3', { origin: 'agent', arguments: { user: 'agent' } }),
      pastCall('4', { isForeign: true, arguments: { user: 'other' } }),
      pastCall('5', { tool: 'buy', arguments: { user: 'buyer' } }),
    ];
    assert.deepEqual(await last(schema, ...others, mine), {
      kind: 'drafts',
      drafts: drafts({ user: 'ann' }),
    });
    assert.equal(await last(schema, ...others), undefined);
  });

  it('are a document if fields cannot express them', async () => {
    const remembered = await last(nested, pastCall('1', { arguments: { pages: [{ n: 1 }] } }));
    assert.ok(remembered?.kind === 'text');
    assert.match(remembered.text, /"pages": \[/);
  });
});

describe('Argument memory', () => {
  const secret: JsonObject = {
    properties: { user: { type: 'string' }, token: { type: 'string', writeOnly: true } },
    required: ['token'],
  };

  it('stores no secret, from fields or from a document', () => {
    const memory = new ArgumentMemory(() => secret);
    memory.set('s', 'fields', { kind: 'drafts', drafts: drafts({ user: 'Ann', token: 'x' }) });
    memory.set('s', 'text', { kind: 'text', text: '{"user": "Ann", "token": "x"}' });
    memory.set('s', 'broken', { kind: 'text', text: '{"user": "Ann", "token": "x"' });
    assertEach(['fields', 'text', 'broken'], (tool) => memory.get('s', tool), [
      { kind: 'drafts', drafts: drafts({ user: 'Ann' }) },
      { kind: 'text', text: '{"user": "Ann", "token": ""}' },
      undefined,
    ]);
    assert.match(argumentsText(secret, {}), /^\/\/ Optional: "user"\n\/\/ Secrets are plain text/);
  });

  it('stores nothing of a tool that no longer exists, whose secrets are unknown', () => {
    const memory = new ArgumentMemory(() => undefined);
    memory.set('s', 't', { kind: 'text', text: '{}' });
    assert.equal(memory.get('s', 't'), undefined);
  });

  it('stores the last 200 tools', () => {
    const memory = new ArgumentMemory(() => ({}));
    for (let index = 0; index <= 200; index += 1) {
      memory.set('s', `t${index}`, { kind: 'text', text: `${index}` });
    }
    assert.equal(memory.get('s', 't0'), undefined);
    assert.deepEqual(memory.get('s', 't1'), { kind: 'text', text: '1' });
    assert.deepEqual(memory.get('s', 't200'), { kind: 'text', text: '200' });
  });
});
