import assert from 'node:assert/strict';
import { SchemaValidator, type Validation } from '../../src/core/schema/schema';
import type { JsonObject } from '../../src/core/json/jsonValue';

/** Patient, so that a busy machine changes no answer. */
const validator = new SchemaValidator({ compileMs: 60_000, validateMs: 60_000 });

/** One line per violation, or the verdict. */
function verdict(validation: Validation): string | string[] {
  if (validation.kind === 'valid') return 'valid';
  if (validation.kind === 'invalid') {
    return validation.violations.map((v) => `${v.pointer} ${v.message}`);
  }
  return `${validation.reason.code}: ${validation.reason.detail}`;
}
const check = (schema: JsonObject | boolean, value: unknown) =>
  verdict(validator.validate(schema, value));

const withReference = (uri: string, keyword = '$ref') =>
  check({ properties: { a: { [keyword]: uri } } }, { a: 1 });

const tuple = { prefixItems: [{ type: 'string' }], items: false };
const oldTuple = { items: [{ type: 'string' }], additionalItems: false };

describe('SchemaValidator: dialects', () => {
  it('reads a schema without $schema as 2020-12 (R-324)', () => {
    assert.equal(check(tuple, ['a']), 'valid');
    assert.deepEqual(check(tuple, ['a', 1]), [' must have at most 1 item']);
  });

  for (const uri of [
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-06/schema#',
    'https://json-schema.org/draft/2019-09/schema',
  ]) {
    it(`reads tuples of ${uri} (R-327)`, () => {
      const schema = { $schema: uri, ...oldTuple };
      assert.equal(check(schema, ['a']), 'valid');
      assert.deepEqual(check(schema, ['a', 1]), [' must have at most 1 item']);
    });
  }

  for (const uri of [
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/draft/2020-12/schema#',
  ]) {
    it(`reads ${uri}`, () => {
      assert.equal(check({ $schema: uri, ...tuple }, ['a']), 'valid');
    });
  }

  it('names an unsupported dialect (R-326)', () => {
    const uri = 'http://json-schema.org/draft-04/schema#';
    assert.equal(check({ $schema: uri, type: 'object' }, {}), `dialect: ${uri}`);
    assert.equal(check({ $schema: '__proto__' }, {}), 'dialect: __proto__');
    assert.equal(check({ $schema: 7 }, {}), 'dialect: 7');
    assert.equal(check({ $schema: '' }, {}), 'dialect: ');
  });
});

describe('SchemaValidator: references', () => {
  it('follows references inside the document: pointer, anchor, $id (R-329)', () => {
    const schema = {
      $id: 'https://example.com/order.json',
      $defs: {
        name: { type: 'string' },
        count: { $anchor: 'count', type: 'integer' },
        flag: { $id: 'flag.json', type: 'boolean' },
      },
      properties: {
        a: { $ref: '#/$defs/name' },
        b: { $ref: '#count' },
        c: { $ref: 'flag.json' },
        d: { $ref: 'https://example.com/order.json#/$defs/name' },
      },
    };
    assert.equal(check(schema, { a: '', b: 1, c: true, d: '' }), 'valid');
    assert.deepEqual(check(schema, { a: 1, b: '', c: '', d: 1 }), [
      '/a must be string',
      '/b must be integer',
      '/c must be boolean',
      '/d must be string',
    ]);
  });

  it('never fetches: an external reference makes the schema unusable (R-328, R-331)', () => {
    assert.equal(
      withReference('https://example.com/a.json#/$defs/x'),
      'externalRef: https://example.com/a.json#/$defs/x',
    );
    assert.equal(withReference('other.json'), 'externalRef: other.json');
    assert.equal(withReference('file:///etc/passwd'), 'externalRef: file:///etc/passwd');
    assert.match(
      String(withReference('https://example.com/a.json', '$dynamicRef')),
      /^doesNotCompile: /,
    );
  });

  it('distinguishes a dangling reference from an external one', () => {
    assert.equal(check({ $ref: '#/$defs/x' }, 1), 'doesNotCompile: #/$defs/x');
    const schema = { $id: 'https://example.com/s', $ref: '#/$defs/x' };
    assert.match(String(check(schema, 1)), /^doesNotCompile: .*#\/\$defs\/x$/);
  });

  it('resolves references to the metaschema', () => {
    const schema = { properties: { s: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } };
    assert.equal(check(schema, { s: { type: 'object' } }), 'valid');
    assert.notEqual(check(schema, { s: { type: 7 } }), 'valid');
  });

  it('follows recursive schemas', () => {
    const schema = {
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
    };
    assert.equal(check(schema, { name: '', children: [{ name: '', children: [] }] }), 'valid');
    assert.deepEqual(check(schema, { name: '', children: [{ name: 1, children: [{}] }] }), [
      '/children/0/name must be string',
      '/children/0/children/0 must have the property "name"',
    ]);
  });

  it('keeps schemas with the same $id apart', () => {
    const text = {
      $id: 'urn:example:same',
      $defs: { x: { $id: 'urn:example:part', type: 'string' } },
      $ref: 'urn:example:part',
    };
    const number = {
      $id: 'urn:example:same',
      $defs: { x: { $id: 'urn:example:part', type: 'number' } },
      $ref: 'urn:example:part',
    };
    assert.equal(check(text, 'a'), 'valid');
    assert.equal(check(number, 1), 'valid');
    assert.notEqual(check(text, 1), 'valid');
  });
});

describe('SchemaValidator: keywords', () => {
  it('accepts true and false as schemas', () => {
    assert.equal(check(true, undefined), 'valid');
    assert.deepEqual(check(false, 1), [' the schema allows no value at all']);
    assert.equal(check({}, null), 'valid');
  });

  it('treats format and unknown keywords as annotations (R-333)', () => {
    const schema = {
      properties: {
        a: { type: 'string', format: 'email', 'x-mcp-header': 'A', id: 'a', optional: true },
        b: { format: 'made-up', anyOf: [{ type: 'string' }], nullable: true },
      },
    };
    assert.equal(check(schema, { a: 'no mail', b: '' }), 'valid');
  });

  it('ignores $async, for which Ajv would return a promise', () => {
    assert.deepEqual(check({ $async: true, type: 'object' }, 1), [' must be object']);
  });

  it('treats a property named nullable or $async as a property', () => {
    const schema = { properties: { nullable: { type: 'boolean' }, $async: { type: 'string' } } };
    assert.deepEqual(check(schema, { nullable: 1, $async: 1 }), [
      '/nullable must be boolean',
      '/$async must be string',
    ]);
  });

  it('treats names of Object.prototype like any other', () => {
    const schema = {
      properties: { constructor: { type: 'string' }, toString: { type: 'number' } },
      required: ['valueOf'],
    };
    assert.deepEqual(check(schema, {}), [' must have the property "valueOf"']);
    const value: unknown = JSON.parse('{"__proto__": {"admin": true}, "valueOf": 1}');
    assert.equal(check(schema, value), 'valid');
    assert.deepEqual(check({ additionalProperties: false }, value), [
      '/__proto__ the property "__proto__" is not allowed here',
      '/valueOf the property "valueOf" is not allowed here',
    ]);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  it('never changes the value or the schema', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'number', default: 1 }, s: { type: 'string' } },
      additionalProperties: false,
    };
    const value = { s: 5, extra: true };
    const before = JSON.stringify([schema, value]);
    assert.notEqual(check(schema, value), 'valid');
    assert.equal(JSON.stringify([schema, value]), before);
  });

  it('checks decimal multiples exactly', () => {
    assert.equal(check({ multipleOf: 0.01 }, 19.99), 'valid');
    assert.notEqual(check({ multipleOf: 0.01 }, 19.995), 'valid');
  });

  it('accepts patterns that are valid without the u flag', () => {
    assert.equal(check({ pattern: String.raw`^\_[a-z]+\-$` }, '_a-'), 'valid');
    assert.notEqual(check({ pattern: String.raw`^\_[a-z]+\-$` }, 'a'), 'valid');
  });
});

describe('SchemaValidator: violations', () => {
  it('describe place and error', () => {
    const schema = {
      type: 'object',
      properties: {
        size: { enum: ['small', 'large', 3, null] },
        kind: { const: 'x' },
        count: { type: ['integer', 'null'], minimum: 1 },
        'a/b~c': { type: 'string', maxLength: 2, pattern: '^z' },
        list: { type: 'array', items: { type: 'string' } },
        both: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        map: { propertyNames: { maxLength: 1 } },
      },
      required: ['name'],
      dependentRequired: { count: ['unit'] },
      additionalProperties: false,
    };
    const value = {
      size: 'huge',
      kind: 'y',
      count: 0.5,
      'a/b~c': 'abc',
      list: ['a', 1],
      both: true,
      map: { long: 1 },
      'e/x': 1,
    };
    assert.deepEqual(check(schema, value), [
      ' must have the property "name"',
      '/e~1x the property "e/x" is not allowed here',
      '/size must be one of "small", "large", 3, null',
      '/kind must be "x"',
      '/count must be integer or null',
      '/count must be at least 1',
      '/a~1b~0c must have at most 2 characters',
      '/a~1b~0c must match the pattern "^z"',
      '/list/1 must be string',
      '/both must be string',
      '/both must be number',
      '/both must match at least one of the alternatives (anyOf)',
      '/map must have at most 1 character',
      '/map the property name "long" is not allowed',
      ' must have the property "unit" because "count" is there',
    ]);
  });

  it('name the number that is too small or too large', () => {
    const sized = (limits: JsonObject, value: unknown) =>
      check({ properties: { x: limits } }, { x: value });
    assert.deepEqual(
      [
        sized({ minLength: 1 }, ''),
        sized({ minItems: 1 }, []),
        sized({ maxItems: 2 }, [1, 2, 3]),
        sized({ minProperties: 1 }, {}),
        sized({ maxProperties: 0 }, { a: 1 }),
        sized({ maximum: 18 }, 25),
        sized({ exclusiveMinimum: 0 }, 0),
        sized({ exclusiveMaximum: 1 }, 1),
      ].flat(),
      [
        '/x must have at least 1 character',
        '/x must have at least 1 item',
        '/x must have at most 2 items',
        '/x must have at least 1 property',
        '/x must have at most 0 properties',
        '/x must be at most 18',
        '/x must be more than 0',
        '/x must be less than 1',
      ],
    );
  });

  it('are at most fifty, and short', () => {
    const schema = {
      items: { enum: Array.from({ length: 1_000 }, (_, i) => `${i}`.repeat(1_000)) },
    };
    const validation = validator.validate(
      schema,
      Array.from({ length: 1_000 }, (_, i) => i),
    );
    assert.ok(validation.kind === 'invalid');
    const { violations } = validation;
    assert.equal(violations.length, 50);
    assert.ok(
      violations.every((v) => v.message.length < 1_500),
      violations[0]?.message,
    );
    assert.equal(violations[49]?.pointer, '/49');
  });
});

describe('SchemaValidator: invalid schemas', () => {
  for (const [what, schema, reason] of [
    ['an unknown type', { type: 'strng' }, /^doesNotCompile: .*type/],
    [
      'required as a boolean',
      { properties: { a: { required: true } } },
      /^doesNotCompile: .*required/,
    ],
    [
      'a word in place of a schema',
      { properties: { a: 'string' } },
      /^doesNotCompile: #\/properties\/a /,
    ],
    ['a number in place of a schema', { anyOf: [{}, 5] }, /^doesNotCompile: #\/anyOf\/1 /],
    ['null in place of a schema', { items: { not: null } }, /^doesNotCompile: #\/items\/not /],
    ['properties as a list', { properties: [] }, /^doesNotCompile: properties /],
    ['a pattern that is none', { pattern: '(' }, /^doesNotCompile: .*Invalid regular expression/],
    ['an old tuple in 2020-12', { items: [{}] }, /^doesNotCompile: .*items/],
    ['a number as a reference', { $ref: 5 }, /^doesNotCompile: /],
  ] as const) {
    it(`are described: ${what}`, () => assert.match(String(check(schema, {})), reason));
  }
});

/** For the tests that give it much to do, on a busy machine. */

describe('SchemaValidator: limits (R-332)', () => {
  it('stops a pattern with catastrophic backtracking, and the next validation works', () => {
    let validateMs = 100;
    const hasty = new SchemaValidator({
      compileMs: 60_000,
      get validateMs() {
        return validateMs;
      },
    });
    const schema = { type: 'string', pattern: '^(a+)+$' };
    assert.equal(verdict(hasty.validate(schema, `${'a'.repeat(64)}!`)), 'tooSlow: 100 ms');
    validateMs = 60_000;
    assert.equal(verdict(hasty.validate(schema, 'aaa')), 'valid');
  });

  /** Forty levels, each of which leads to the next one twice. */
  function branching(keyword: 'allOf' | 'anyOf'): JsonObject {
    const $defs: Record<string, JsonObject> = { d40: { type: 'string' } };
    for (let i = 0; i < 40; i++) {
      const next = { $ref: `#/$defs/d${i + 1}` };
      $defs[`d${i}`] = { [keyword]: [next, next] };
    }
    return { $defs, $ref: '#/$defs/d0' };
  }

  it('stops schemas that branch without end', () => {
    const hasty = new SchemaValidator({ compileMs: 60_000, validateMs: 100 });
    assert.equal(verdict(hasty.validate(branching('allOf'), 'fits')), 'tooSlow: 100 ms');
  });

  it('stops alternatives that branch without end, by violations or by time', () => {
    const hasty = new SchemaValidator({ compileMs: 60_000, validateMs: 100 });
    const said = String(verdict(hasty.validate(branching('anyOf'), 1)));
    // Which of them comes first depends on the machine.
    assert.match(said, /^(?:tooSlow: 100 ms|tooManyViolations: 10000 violations)$/);
  });

  it('compiles a schema again that was too slow once', () => {
    let wait = 1;
    const properties = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [`p${i}`, { type: 'string' }] as const),
    );
    const hasty = new SchemaValidator({
      get compileMs() {
        return wait;
      },
      validateMs: 60_000,
    });
    const schema = { properties };
    assert.equal(verdict(hasty.validate(schema, {})), 'tooSlow: 1 ms');
    wait = 60_000;
    assert.equal(verdict(hasty.validate(schema, {})), 'valid');
  });

  it('refuses a schema that is too large or too deep', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 10_001 }, (_, i) => [`p${i}`, true] as const),
    );
    assert.equal(check({ properties }, {}), 'tooLarge: 10000 values');
    let deep: JsonObject = {};
    for (let i = 0; i < 100_000; i++) deep = { not: deep };
    assert.equal(check(deep, {}), 'tooDeep: 200 levels');
  });

  it('compiles a schema of the maximum size and depth', () => {
    let deep: JsonObject = { type: 'string' };
    for (let i = 0; i < 99; i++) deep = { properties: { a: deep } };
    assert.equal(check(deep, { a: { a: 1 } }), 'valid');
    const properties = Object.fromEntries(
      Array.from({ length: 4_900 }, (_, i) => [`p${i}`, { type: 'string' }] as const),
    );
    assert.deepEqual(check({ properties }, { p7: 1 }), ['/p7 must be string']);
  });

  it('handles a value nested a million deep', () => {
    const value: unknown = JSON.parse('{"a":'.repeat(1_000_000) + '1' + '}'.repeat(1_000_000));
    const schema = { properties: { a: { $ref: '#' } } };
    assert.match(String(check(schema, value)), /^tooDeep: /);
    assert.equal(check({ type: 'object' }, value), 'valid');
    assert.deepEqual(check({ required: ['b'] }, value), [' must have the property "b"']);
  });

  it('reports only the first violation in a very large value', () => {
    const value = Array.from({ length: 1_000_000 }, () => 1);
    assert.deepEqual(check({ items: { type: 'string' } }, value), ['/0 must be string']);
  });
});

describe('SchemaValidator: cost', () => {
  it('compiles a schema once, on first use', () => {
    let reads = 0;
    const schema: JsonObject = Object.defineProperty({ type: 'object' }, 'title', {
      enumerable: true,
      get: () => `${(reads += 1)}`,
    });
    const own = new SchemaValidator();
    assert.equal(reads, 0);
    own.validate(schema, {});
    const afterFirst = reads;
    assert.ok(afterFirst > 0);
    for (let i = 0; i < 100; i++) own.validate(schema, {});
    assert.equal(reads, afterFirst);
  });
});
