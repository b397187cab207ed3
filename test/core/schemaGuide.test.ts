import assert from 'node:assert/strict';
import { toSchemaGuide } from '../../src/core/schema/schemaGuide';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { busiestCount } from '../workCount';

function propertiesOf(schema: JsonObject): unknown {
  return toSchemaGuide({ properties: schema })?.['properties'];
}

/** Every keyword of a guide, wherever it stands. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [key, ...keysOf(child)]);
}

const any = { oneOf: [{}] };

describe('A schema for completions', () => {
  it('proposes names, required ones first, and listed values', () => {
    const guide = toSchemaGuide({
      type: 'object',
      properties: { size: { enum: ['S', 'L'], description: 'How large' }, on: { type: 'boolean' } },
      required: ['size'],
    });
    assert.deepEqual(guide?.['properties'], {
      size: { description: 'How large', examples: ['S', 'L'], ...any, suggestSortText: '0size' },
      on: { examples: [true, false], ...any, suggestSortText: '1on' },
    });
  });

  it('names values that the editor can insert unchanged', () => {
    const titled = (value: string | number, description: string) => ({
      label: JSON.stringify(value),
      description,
      body: value,
    });
    const kinds = [
      { const: 'b', title: '[Beans](command:x)\u200B' },
      { const: 7, title: 'Seven' },
      { const: '$x', title: 'Variable of a snippet' },
    ];
    assert.deepEqual(propertiesOf({ a: { enum: ['s', 'l'], enumNames: ['Small', 'l'] } }), {
      a: {
        examples: ['l'],
        defaultSnippets: [titled('s', 'Small')],
        ...any,
        suggestSortText: '1a',
      },
    });
    const text = JSON.stringify(propertiesOf({ b: { oneOf: kinds } }));
    const described = [titled('b', '[Beans] (command:x)\\u{200B}'), titled(7, 'Seven')];
    for (const one of described) assert.ok(text.includes(`[${JSON.stringify(one)}]`), text);
    assert.ok(text.includes('"examples":["$x"]'), text);
  });

  it('refuses nothing, so that each problem is reported once', () => {
    const guide = toSchemaGuide({
      type: 'object',
      properties: {
        a: { type: 'string', pattern: '^(a+)+$', minLength: 3, format: 'uri', const: 'aaa' },
        b: { type: 'array', uniqueItems: true, minItems: 2, items: { not: {}, type: 'integer' } },
      },
      required: ['a'],
      additionalProperties: false,
      patternProperties: { '^(x+)+$': { type: 'string' } },
      propertyNames: { pattern: '^(x+)+$' },
      minProperties: 7,
      unevaluatedProperties: false,
    });
    const refusing =
      'type enum const pattern patternProperties propertyNames required minLength minItems ' +
      'uniqueItems not format minProperties unevaluatedProperties';
    const left = keysOf(guide).filter((key) => refusing.split(' ').includes(key));
    assert.deepEqual(left, []);
    assert.notEqual(guide?.['additionalProperties'], false);
  });

  it('contains no keyword from the server that only VS Code knows', () => {
    const guide = propertiesOf({
      a: {
        type: 'object',
        markdownDescription: '[Run](command:x)',
        markdownEnumDescriptions: ['<img>'],
        enumDescriptions: ['x'],
        defaultSnippets: [{ label: 'x', body: { evil: 1 } }],
        errorMessage: 'x',
        deprecationMessage: 'x',
        doNotSuggest: true,
        suggestSortText: '!',
        completionDetail: 'x',
      },
    });
    assert.deepEqual(guide, {
      a: { defaultSnippets: [{ label: '{}', body: {} }], ...any, suggestSortText: '1a' },
    });
  });

  it('shows hidden characters as escapes, and proposes no name or value with any', () => {
    assert.deepEqual(
      propertiesOf({
        a: { title: 'T\u202E', description: ' two\n[lines](x) ', enum: ['ok', 'n\u200Bo'] },
        'n\u200Bo': { type: 'string' },
      }),
      {
        a: {
          title: 'T\\u{202E}',
          description: 'two\n[lines] (x)',
          examples: ['ok'],
          ...any,
          suggestSortText: '1a',
        },
      },
    );
  });

  it('follows internal references, including circular ones, and no others', () => {
    const guide = toSchemaGuide({
      properties: { tree: { $ref: '#/$defs/a%20node' }, far: { $ref: 'https://example.org/x' } },
      $defs: { 'a node': { properties: { next: { $ref: '#/$defs/a%20node' } } } },
    });
    assert.deepEqual(guide, {
      ...any,
      properties: {
        tree: { ...any, allOf: [{ $ref: '#/definitions/0' }], suggestSortText: '1tree' },
        far: { ...any, suggestSortText: '1far' },
      },
      definitions: {
        '0': {
          ...any,
          properties: {
            next: { ...any, allOf: [{ $ref: '#/definitions/0' }], suggestSortText: '1next' },
          },
        },
      },
      allowTrailingCommas: true,
    });
  });

  it('drops an alternative once another one is chosen by its constant', () => {
    const shape = (kind: string, name: string): JsonObject => ({
      properties: { kind: { const: kind }, [name]: { type: 'number' } },
    });
    const guide = toSchemaGuide({ oneOf: [shape('disc', 'radius'), shape('square', 'side')] });
    const all = guide?.['allOf'];
    assert.ok(Array.isArray(all));
    assert.deepEqual(
      all.map((one: JsonObject) => one['if']),
      ['square', 'disc'].map((kind) => ({
        required: ['kind'],
        properties: { kind: { enum: [kind] } },
      })),
    );
  });

  it('is not created from a schema that is too large, too deep, or endless', () => {
    const many = (count: number): JsonObject => ({
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }]),
      ),
    });
    assert.notEqual(toSchemaGuide(many(5_000)), undefined);
    assert.equal(toSchemaGuide(many(20_001)), undefined);
    let deep: JsonObject = {};
    for (let level = 0; level < 5_000; level += 1) deep = { items: deep };
    assert.equal(toSchemaGuide(deep), undefined);
    assert.equal(toSchemaGuide({ $ref: '#' }), undefined);
    const doubling = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => {
        const $ref = `#/$defs/d${index + 1}`;
        return [`d${index}`, { allOf: [{ $ref }, { $ref }] }];
      }),
    );
    const $defs = { ...doubling, d20: {} };
    assert.equal(toSchemaGuide({ properties: { a: { $ref: '#/$defs/d0' } }, $defs }), undefined);
    const chain = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
    );
    assert.equal(toSchemaGuide({ $ref: '#/$defs/d0', $defs: chain }), undefined);
  });

  it('takes linear time for many alternatives and names', async () => {
    const alternatives = Array.from({ length: 3_000 }, (_, index) => ({
      properties: { kind: { const: `k${index}` } },
    }));
    const properties = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`p${index}`, true]),
    );
    const propertyNames = { enum: Array.from({ length: 3_000 }, (_, index) => `q${index}`) };
    const work = () => {
      toSchemaGuide({ anyOf: alternatives });
      toSchemaGuide({ properties, propertyNames });
    };
    const count = await busiestCount(work, undefined, /^none$/);
    assert.ok(count < 200_000, `${count} steps`);
  });

  it('keeps a property named __proto__', () => {
    const schema: JsonObject = JSON.parse('{"properties":{"__proto__":{"type":"null"}}}');
    assert.match(JSON.stringify(toSchemaGuide(schema)), /"__proto__":\{"examples":\[null\]/);
  });
});
