import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parseTool } from '../../src/core/parse/parseTool';
import { numberOf } from '../../src/core/json/writtenNumber';
import { schemaChanges, definitionChanges } from '../../src/core/schema/schemaChanges';

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const text = { type: 'string' };

/** Of a schema as arguments, and as content: what changed, and with `!` what breaks a caller. */
function said(before: object, now: object): readonly [string, string] {
  const of = (side: 'arguments' | 'content') =>
    schemaChanges(before, now, side)
      .map(({ code, pointer, breaks }) => `${breaks ? '!' : ''}${code} ${pointer}`.trim())
      .join(', ');
  return [of('arguments'), of('content')];
}

describe('Changes of a definition', () => {
  const one = object({ a: text });
  const cases: Readonly<Record<string, readonly [object, object, string, string]>> = {
    none: [one, one, '', ''],
    'another order': [object({ a: text, b: text }), object({ b: text, a: text }), '', ''],
    'a new member': [one, object({ a: text, b: text }), 'propertyNew /b', 'propertyNew /b'],
    'a new member that is wanted': [
      one,
      object({ a: text, b: text }, { required: ['b'] }),
      'propertyNew /b, !nowRequired /b',
      'propertyNew /b, nowRequired /b',
    ],
    'a member that is wanted no more': [
      object({ a: text }, { required: ['a'] }),
      one,
      'noLongerRequired /a',
      '!noLongerRequired /a',
    ],
    'a member that is gone': [one, object({}), '!propertyGone /a', '!propertyGone /a'],
    'a narrower type': [object({ a: { type: ['string', 'null'] } }), one, '!type /a', 'type /a'],
    'a wider type': [
      object({ a: { type: 'integer' } }),
      object({ a: { type: 'number' } }),
      'type /a',
      '!type /a',
    ],
    'fewer values': [
      object({ a: { enum: ['x', 'y'] } }),
      object({ a: { const: 'x' } }),
      '!values /a',
      'values /a',
    ],
    'more values': [
      object({ a: { enum: ['x'] } }),
      object({ a: { enum: ['x', 'y'] } }),
      'values /a',
      '!values /a',
    ],
    'a tighter limit': [
      object({ a: { type: 'string', maxLength: 9 } }),
      object({ a: { type: 'string', maxLength: 8 } }),
      '!limit /a',
      'limit /a',
    ],
    'a looser limit with another spelling': [
      object({ a: { maximum: 8 } }),
      object({ a: { maximum: numberOf('9.0') } }),
      'limit /a',
      'limit /a',
    ],
    'a tighter limit with another spelling': [
      object({ a: { minimum: numberOf('1.0') } }),
      object({ a: { minimum: numberOf('1.5e0') } }),
      '!limit /a',
      'limit /a',
    ],
    'a limit that differs in digits that JavaScript does not hold': [
      object({ a: { maximum: numberOf('9007199254740993') } }),
      object({ a: { maximum: 9007199254740992 } }),
      '!limit /a',
      'limit /a',
    ],
    'a value that differs in digits that JavaScript does not hold': [
      object({ a: { enum: [numberOf('9007199254740993')] } }),
      object({ a: { enum: [9007199254740992] } }),
      '!values /a',
      '!values /a',
    ],
    'values with another spelling': [
      object({ a: { enum: [numberOf('1.0'), 2] } }),
      object({ a: { enum: [1, numberOf('2.0')] } }),
      '',
      '',
    ],
    'a looser limit': [
      object({ a: { type: 'number', minimum: 1 } }),
      object({ a: { type: 'number', minimum: 0 } }),
      'limit /a',
      'limit /a',
    ],
    'no others any more': [one, { ...one, additionalProperties: false }, '!closed', 'closed'],
    'others from now on': [{ ...one, additionalProperties: false }, one, 'opened', 'opened'],
    'another description': [
      one,
      object({ a: { ...text, description: 'other' } }),
      'note /a',
      'note /a',
    ],
    'a pattern': [one, object({ a: { ...text, pattern: 'x' } }), '!other /a', '!other /a'],
    'no pattern any more': [object({ a: { ...text, pattern: 'x' } }), one, 'other /a', '!other /a'],
    'items of a list': [
      object({ a: { type: 'array', items: text } }),
      object({ a: { type: 'array', items: { type: 'number' } } }),
      '!type /a/*',
      '!type /a/*',
    ],
    'what a reference stands for': [
      { ...object({ a: { $ref: '#/$defs/x' } }), $defs: { x: text } },
      { ...object({ a: { $ref: '#/$defs/x' } }), $defs: { x: { type: 'number' } } },
      '!type /a',
      '!type /a',
    ],
    'a reference in place of the same': [
      one,
      { ...object({ a: { $ref: '#/$defs/x' } }), $defs: { x: text } },
      '',
      '',
    ],
    'a schema that refers to itself': [
      { $ref: '#/$defs/n', $defs: { n: object({ next: { $ref: '#/$defs/n' }, v: text }) } },
      { $ref: '#/$defs/n', $defs: { n: object({ next: { $ref: '#/$defs/n' }, v: {} }) } },
      'type /v, type /next/v',
      '!type /v, !type /next/v',
    ],
  };
  for (const [what, [before, now, asArguments, asContent]] of Object.entries(cases)) {
    it(`say what breaks callers: ${what}`, () => {
      const [inArguments, inContent] = said(before, now);
      const sorted = (all: string) => all.split(', ').toSorted().join(', ');
      assert.deepEqual(
        [sorted(inArguments), sorted(inContent)],
        [sorted(asArguments), sorted(asContent)],
      );
    });
  }

  it('cover a whole tool: texts, hints, and added or removed schemas', () => {
    const tool = (rest: object) =>
      parseTool({ name: 't', inputSchema: { type: 'object' }, ...rest });
    const kinds = (before: object, now: object) =>
      definitionChanges(tool(before), tool(now)).map(
        ({ kind, breaks }) => `${breaks ? '!' : ''}${kind}`,
      );
    const [readOnly, output] = [{ annotations: { readOnlyHint: true } }, { outputSchema: one }];
    assert.deepEqual(kinds(readOnly, {}), ['!hint', '!hint']);
    assert.deepEqual(kinds({}, readOnly), ['hint', 'hint']);
    assert.deepEqual(kinds(output, {}), ['!outputGone']);
    assert.deepEqual(kinds({}, output), ['outputNew']);
    assert.deepEqual(kinds({ title: 'a' }, { description: 'b' }), ['text', 'text']);
    assert.deepEqual(kinds({ annotations: { title: 'a' } }, {}), ['other']);
    assert.deepEqual(kinds({ annotations: { title: 'a' } }, { annotations: { title: 'a' } }), []);
    assert.deepEqual(definitionChanges(tool({}), undefined), [{ kind: 'gone', breaks: true }]);
    assert.deepEqual(definitionChanges(undefined, tool({})), [{ kind: 'new', breaks: false }]);
  });

  it('are bounded, whatever the schemas are', () => {
    const wide = (kind: string) =>
      object(
        Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, { type: kind }])),
      );
    const many = schemaChanges(wide('string'), wide('number'), 'arguments');
    assert.equal(many.length, 101);
    assert.deepEqual(many.at(-1), { code: 'tooMuch', pointer: '', breaks: true });
    const deep = (leaf: object): object => {
      let schema = leaf;
      for (let level = 0; level < 400; level += 1) schema = object({ a: schema });
      return schema;
    };
    const [only, ...more] = schemaChanges(deep(text), deep({}), 'arguments');
    assert.deepEqual([only?.code, only?.breaks, more], ['tooMuch', true, []]);
  });

  it('are bounded, however often a large definition is referred to', () => {
    const referring = (uses: number, members: number, more: object = {}) => {
      const properties = Array.from({ length: uses }, (_, at) => [
        `p${at}`,
        { $ref: '#/$defs/a', title: String(at) },
      ]);
      const large = Array.from({ length: members }, (_, at) => [`x-${at}`, at]);
      const $defs = { a: Object.fromEntries(large), ...more };
      return object(Object.fromEntries(properties), { $defs });
    };
    const changes = (uses: number, members: number) =>
      schemaChanges(referring(uses, members), referring(uses, members, { b: {} }), 'arguments');
    assert.deepEqual(changes(200, 200), []);
    assert.deepEqual(
      changes(1_000, 1_000).map(({ code, breaks }) => [code, breaks]),
      [['tooMuch', true]],
    );
  });

  it('are empty for a schema and itself, and never throw', () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 3 }), fc.anything({ maxDepth: 3 }), (first, second) => {
        assert.deepEqual(schemaChanges(first, first, 'content'), []);
        schemaChanges(first, second, 'arguments');
        const loop = { properties: first, $ref: '#/properties/a', items: second, required: second };
        schemaChanges(loop, second, 'arguments');
      }),
    );
  });
});
