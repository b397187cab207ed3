import assert from 'node:assert/strict';
import { findArgumentHints } from '../../src/core/arguments/argumentHints';
import { toSkeleton } from '../../src/core/arguments/argumentsText';
import { parametersOf } from '../../src/core/arguments/parameters';
import { fillDefaults } from '../../src/core/schema/schemaDefaults';
import { toSchemaGuide } from '../../src/core/schema/schemaGuide';
import { secretPlaces } from '../../src/core/schema/secretPlaces';
import { localTarget } from '../../src/core/schema/subschemas';
import { busiestCount } from '../workCount';

describe('Local references of schemas', () => {
  it('lead to their target, and nowhere if a step is missing', () => {
    const root = { a: { 'b/c': [{ d: 1 }], '': { x: 2 } }, 'e%f': 3, '': 4, '~1': 5 };
    const cases: readonly (readonly [unknown, unknown])[] = [
      ['#', root],
      ['#/', 4],
      ['#/a', root.a],
      ['#/a/', { x: 2 }],
      ['#/a//x', 2],
      ['#/a/b~1c/0/d', 1],
      ['#/a/b%2Fc/0', { d: 1 }],
      ['#/e%25f', 3],
      ['#/e%f', 3],
      ['#/~01', 5],
      ['#/a/constructor', undefined],
      ['#/__proto__', undefined],
      ['#/a/b~1c/00', undefined],
      ['#a', undefined],
      ['a#/a', undefined],
      [3, undefined],
    ];
    for (const [ref, target] of cases) {
      for (let time = 0; time < 2; time += 1) assert.deepEqual(localTarget(ref, root), target);
    }
  });

  it('of any length cost little, however many places lead to them', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `p${index}`);
    const long = `#/${'properties/'.repeat(5_000)}`;
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/a' }]));
    const schema = { properties, required: names, $defs: { a: { $ref: long } } };
    const value = Object.fromEntries(names.map((name) => [name, 'x']));
    const work = async (): Promise<unknown> => [
      parametersOf(schema),
      findArgumentHints(schema, value),
      toSkeleton(schema),
      fillDefaults(schema, value, 'required'),
      toSchemaGuide(schema),
      secretPlaces(schema, value),
    ];
    assert.ok((await busiestCount(work)) < 20_000);
  });
});
