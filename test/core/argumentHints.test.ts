import assert from 'node:assert/strict';
import { findArgumentHints } from '../../src/core/arguments/argumentHints';
import type { JsonObject } from '../../src/core/json/jsonValue';

const text = { type: 'string' };
const date = { type: 'string', format: 'date' };

function hints(schema: JsonObject, value: JsonObject): readonly string[] {
  return findArgumentHints(schema, value).map((hint) =>
    hint.kind === 'format'
      ? `${hint.pointer} is no ${hint.format}`
      : `${hint.pointer} may be ${hint.nearest}`,
  );
}

describe('Hints about valid arguments', () => {
  it('are texts without their format and names near to missing ones, at any depth', () => {
    const schema = {
      $defs: { stop: { properties: { at: date, notify: text } } },
      properties: { due: date, stops: { items: { $ref: '#/$defs/stop' } }, note: text },
    };
    const value = {
      due: '',
      stops: [{ at: '2026-02-28', notfy: 'me' }, { at: '2026-02-31' }],
      note: 'any',
      'a/b': 1,
    };
    assert.deepEqual(hints(schema, value), [
      '/due is no date',
      '/stops/0/notfy may be notify',
      '/stops/1/at is no date',
    ]);
  });

  it('are no names where others are meant to be there, or where the near one is there', () => {
    const properties = { notify: text };
    for (const more of [
      { additionalProperties: text },
      { patternProperties: { x: text } },
      { anyOf: [{ properties: { notfy: text } }] },
    ]) {
      assert.deepEqual(hints({ properties, ...more }, { notfy: 'me' }), []);
    }
    assert.deepEqual(hints({ properties }, { notfy: 'me', notify: 'you' }), []);
  });

  it('are few, whatever the schema and the arguments are', () => {
    const loop = { properties: { a: { $ref: '#' } }, items: { $ref: '#' } };
    let deep: JsonObject = { b: 1 };
    for (let count = 0; count < 5_000; count += 1) deep = { a: deep };
    assert.deepEqual(hints(loop, deep), []);
    assert.deepEqual(hints({ properties: { a: { $ref: '#/properties/a' } } }, { a: 'x' }), []);
    const names = (start: string) =>
      Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`${start}${index}`, 'x']));
    const many = hints({ properties: names('name'), items: loop }, names('nam'));
    assert.ok(many.length > 0 && many.length <= 20);
    const dates = { properties: { all: { items: date } } };
    assert.equal(hints(dates, { all: Array.from({ length: 50_000 }, () => 'x') }).length, 20);
  });
});
