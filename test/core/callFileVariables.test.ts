import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  escapeVariables,
  fillVariables,
  parseTemplate,
  findVariables,
} from '../../src/core/callFiles/callFileVariables';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';

const values: Readonly<Record<string, JsonValue>> = {
  '${env:NAME}': 'Ada',
  '${var:limit}': 10,
  '${var:flags}': ['a', true],
  '${input:token}': '${env:NAME}',
  '${calls.one.structuredContent./id}': 7,
};
const filled = (value: JsonObject) => fillVariables(value, ({ text }) => values[text] ?? null);

describe('Variables of a call file', () => {
  it('keep the type of their value if they are the whole text', () => {
    assert.deepEqual(filled({ a: '${var:limit}', b: ['${var:flags}'], c: '${env:NAME}' }), {
      a: 10,
      b: [['a', true]],
      c: 'Ada',
    });
  });

  it('are inserted as text inside other text', () => {
    assert.deepEqual(filled({ a: '${env:NAME}: ${var:limit} ${var:flags}' }), {
      a: 'Ada: 10 ["a",true]',
    });
  });

  it('are not replaced if they are escaped, or in names', () => {
    assert.deepEqual(filled({ '${env:NAME}': 'a $${env:NAME} $$${x} $ {} $' }), {
      '${env:NAME}': 'a ${env:NAME} $${x} $ {} $',
    });
  });

  it('are not searched for in replaced values', () => {
    assert.deepEqual(filled({ a: '${input:token}' }), { a: '${env:NAME}' });
  });

  it('create a member called __proto__ like any other', () => {
    const given: JsonObject = JSON.parse('{"__proto__": {"a": "${var:limit}"}}');
    assert.equal(JSON.stringify(filled(given)), '{"__proto__":{"a":10}}');
  });

  it('of calls name the call, the part and the place', () => {
    const { pieces } = parseTemplate('${calls.the first.one.content./0/a~1b}');
    assert.deepEqual(pieces, [
      {
        kind: 'call',
        name: 'the first.one',
        part: 'content',
        steps: ['0', 'a/b'],
        text: '${calls.the first.one.content./0/a~1b}',
      },
    ]);
  });

  it('are found with their places, in the order of the text', () => {
    const found = findVariables({ a: ['x', '${file}'], 'b/c': { d: '${selectedText}${env:X}' } });
    assert.deepEqual(
      found.map(({ pointer, variable }) => [pointer, variable.text]),
      [
        ['/a/1', '${file}'],
        ['/b~1c/d', '${selectedText}'],
        ['/b~1c/d', '${env:X}'],
      ],
    );
  });

  it('never result from escaped text: it is sent exactly as written', () => {
    const text = fc
      .array(fc.constantFrom('$', '{', '}', 'env:X', 'a', '${', '$${'))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), text), (given) => {
        const escaped = escapeVariables(given);
        assert.deepEqual(findVariables(escaped), []);
        assert.deepEqual(JSON.stringify(fillVariables(escaped, () => null)), JSON.stringify(given));
      }),
    );
  });
});
