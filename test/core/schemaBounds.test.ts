import assert from 'node:assert/strict';
import { SchemaValidator, type Validation } from '../../src/core/schema/schema';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';

const limits = { compileMs: 30_000, validateMs: 2_000 };

function check(schema: JsonObject, value: unknown, validateMs = limits.validateMs): Validation {
  return new SchemaValidator({ ...limits, validateMs }).validate(schema, value);
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Written as text, because an object literal with a `then` looks like a promise. */
function withThen(value: JsonValue, schema: JsonObject): JsonObject {
  const added: JsonObject = JSON.parse(`{"then":${JSON.stringify(value)}}`);
  return { ...schema, ...added };
}

/** What V8 holds more after the work than before it, in MiB. */
function heldBy(work: () => unknown): number {
  const before = process.memoryUsage().heapUsed;
  work();
  return (process.memoryUsage().heapUsed - before) / 1_048_576;
}

/** Names that are all missing. */
const names = many(9_900, (index) => `n${index}`);

/** Each says something of every one of a list of odd values. */
const wide: Readonly<Record<string, JsonObject>> = {
  required: { items: { required: names } },
  enum: { items: { enum: many(900, (index) => index) } },
  allOf: { items: { allOf: many(250, () => ({ type: 'string' })) } },
  const: { items: { allOf: many(250, (index) => ({ const: index })) } },
  not: { items: { allOf: many(250, () => ({ not: {} })) } },
  anyOf: { items: { anyOf: many(250, () => ({ type: 'string' })) } },
  oneOf: { items: { oneOf: many(250, () => ({ type: 'string' })) } },
  if: { items: { allOf: many(250, () => withThen(false, { if: {} })) } },
  dependentRequired: { items: { dependentRequired: { a: names.slice(0, 150) } } },
  dependentSchemas: { items: { dependentSchemas: { a: { required: names } } } },
  additionalProperties: { items: { allOf: many(250, () => ({ additionalProperties: false })) } },
  unevaluatedProperties: { items: { allOf: many(250, () => ({ unevaluatedProperties: false })) } },
  propertyNames: { items: { propertyNames: { allOf: many(250, () => ({ minLength: 5 })) } } },
  patternProperties: { items: { patternProperties: { a: { required: names } } } },
  contains: { contains: { required: names } },
  reference: { $defs: { a: { required: names } }, items: { $ref: '#/$defs/a' } },
  dynamicReference: {
    $dynamicAnchor: 'a',
    required: names,
    items: { $dynamicRef: '#a' },
  },
  recursiveReference: {
    $schema: 'https://json-schema.org/draft/2019-09/schema',
    $recursiveAnchor: true,
    required: names,
    items: { $recursiveRef: '#' },
  },
};

describe('A validation keeps few violations of any keyword:', () => {
  for (const [keyword, schema] of Object.entries(wide)) {
    it(keyword, () => {
      const value = many(9_900, () => ({ a: {} }));
      const held = heldBy(() => {
        // However long it takes: the limit of time must not be what keeps them few.
        const verdict = check(schema, value, 30_000);
        assert.ok(verdict.kind === 'invalid' && verdict.violations.length <= 50);
      });
      assert.ok(held < 300, `${held} MiB`);
    });
  }

  it('alternatives that refer to failing alternatives', () => {
    const $defs: Record<string, JsonObject> = { d40: { type: 'string' } };
    for (let index = 0; index < 40; index += 1) {
      const next = { $ref: `#/$defs/d${index + 1}` };
      $defs[`d${index}`] = { anyOf: [next, next] };
    }
    const held = heldBy(() =>
      assert.notEqual(check({ $defs, $ref: '#/$defs/d0' }, 1).kind, 'valid'),
    );
    assert.ok(held < 300, `${held} MiB`);
  });

  it('many at a place with a long name', () => {
    const schema = { additionalProperties: { allOf: many(100, () => ({ type: 'string' })) } };
    const held = heldBy(() => {
      // A verdict, however long it takes: what is asked is how much it holds.
      const verdict = check(schema, { ['~'.repeat(1_000_000)]: 1 }, 30_000);
      assert.equal(verdict.kind, 'invalid');
    });
    assert.ok(held < 300, `${held} MiB`);
  });

  it('some at every level of a deep value', () => {
    let value: JsonValue = {};
    for (let level = 0; level < 2_000; level += 1) value = { a: value };
    const schema = { required: names.slice(0, 5_000), properties: { a: { $ref: '#' } } };
    const held = heldBy(() => assert.notEqual(check(schema, value).kind, 'valid'));
    assert.ok(held < 300, `${held} MiB`);
  });

  it('discarded ones of each of many references', () => {
    const numbers = many(9_000, () => 1);
    const $defs = Object.fromEntries(
      many(300, (at) => [`d${at}`, { items: { type: 'string' } }] as const),
    );
    const properties = Object.fromEntries(
      many(300, (at) => {
        const alternatives = [{ $ref: `#/$defs/d${at}` }, { type: 'array' }];
        return [`p${at}`, { anyOf: alternatives }] as const;
      }),
    );
    const value = Object.fromEntries(many(300, (at) => [`p${at}`, numbers] as const));
    const held = heldBy(() =>
      assert.equal(check({ $defs, properties }, value, 30_000).kind, 'valid'),
    );
    assert.ok(held < 300, `${held} MiB`);
  });

  it('a large constant, once and shortened', () => {
    const schema = { items: { const: many(9_000, (index) => `${index}`) } };
    const verdict = check(
      schema,
      many(5_000, (index) => index),
    );
    assert.ok(verdict.kind === 'invalid');
    assert.ok(verdict.violations.every(({ message }) => message.length < 200));
  });
});

describe('Many violations', () => {
  it('of a large value are all reported, up to the limit', () => {
    const rows: unknown[] = many(50_000, () => 'a');
    rows[7] = 1;
    rows[49_999] = 2;
    const verdict = check({ items: { type: 'string' } }, rows);
    assert.ok(verdict.kind === 'invalid');
    const pointers = verdict.violations.map(({ pointer }) => pointer);
    assert.deepEqual(pointers, ['/7', '/49999']);
  });

  it('of failed alternatives do not count: the value is valid', () => {
    const schema = {
      items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/n' }] },
      $defs: { n: { type: 'null' } },
    };
    assert.equal(
      check(
        schema,
        many(200_000, () => null),
      ).kind,
      'valid',
    );
  });

  it('leave a value invalid if there are too many to keep', () => {
    const schema = { items: { anyOf: many(900, () => ({ type: 'string' })) } };
    const verdict = check(
      schema,
      many(100, () => 1),
    );
    assert.ok(verdict.kind === 'invalid');
    assert.equal(verdict.violations[0]?.pointer, '/0');
  });
});

const odd: readonly JsonValue[] = [true, 1, 'yes', {}, [], { a: 1 }];

describe('A keyword that only Ajv knows', () => {
  for (const value of odd) {
    const text = JSON.stringify(value);

    it(`$async: ${text} makes nothing valid, wherever it is`, () => {
      const rejections: unknown[] = [];
      const onRejection = (reason: unknown) => rejections.push(reason);
      process.on('unhandledRejection', onRejection);
      try {
        const bad = { $async: value, type: 'string' };
        const schemas: readonly JsonObject[] = [
          bad,
          { $async: value, properties: { a: bad } },
          { properties: { a: bad } },
          { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: bad } },
          { $async: value, $ref: '#/$defs/a', $defs: { a: { ...bad, required: ['b'] } } },
          { properties: { a: { $ref: '#/other/a' } }, other: { a: bad } },
          { $dynamicAnchor: 'x', properties: { a: { $dynamicRef: '#x' } }, ...bad },
          withThen(bad, { allOf: [bad], anyOf: [bad], not: { not: bad }, if: true }),
          { properties: { a: { items: bad, prefixItems: [bad], type: 'array' } } },
          { $ref: '#/properties', properties: { $async: value, type: 'string' } },
          { $schema: 'http://json-schema.org/draft-07/schema#', ...bad },
          { $schema: 'https://json-schema.org/draft/2019-09/schema', ...bad },
        ];
        for (const schema of schemas) {
          assert.notEqual(check(schema, { a: 1 }).kind, 'valid', JSON.stringify(schema));
        }
      } finally {
        process.off('unhandledRejection', onRejection);
      }
      assert.deepEqual(rejections, []);
    });

    it(`nullable: ${text} is ignored`, () => {
      const kind = (schema: JsonObject, instance: unknown) => check(schema, instance).kind;
      assert.equal(kind({ nullable: value }, null), 'valid');
      assert.equal(kind({ nullable: value, type: 'string' }, null), 'invalid');
      assert.equal(
        kind({ properties: { a: { anyOf: [{ nullable: value }] } } }, { a: 1 }),
        'valid',
      );
    });
  }

  it('is kept as a name or a value', () => {
    const kind = (schema: JsonObject, instance: unknown) => check(schema, instance).kind;
    const closed = { properties: { nullable: true, $async: true }, additionalProperties: false };
    assert.equal(kind(closed, { nullable: 1, $async: 1 }), 'valid');
    assert.equal(kind(closed, { other: 1 }), 'invalid');
    assert.equal(kind({ const: { nullable: true } }, { nullable: true }), 'valid');
    assert.equal(kind({ enum: [{ $async: true }] }, { $async: true }), 'valid');
    assert.equal(kind({ const: { nullable: true } }, {}), 'invalid');
    assert.equal(
      kind({ dependentSchemas: { $async: { required: ['a'] } } }, { $async: 1 }),
      'invalid',
    );
  });
});

describe('A name in a schema is only a name', () => {
  const nasty = [
    'vErrors.push(err0);',
    'vErrors = [err1];',
    'vErrors = null;',
    'a"; vErrors.length = _errs0; "',
    'async await',
    '\\"; throw 1; //',
    '`${1}`',
    "'",
    '\u2028',
    '*/',
    '\n',
    'obj0.check(vErrors);',
    'vErrors',
    'async',
    'await',
    'errors',
    'self',
    'validate0.errors = vErrors;',
  ];
  for (const name of nasty) {
    it(JSON.stringify(name), () => {
      const schema = {
        properties: { [name]: { const: name } },
        required: [name],
        additionalProperties: false,
      };
      assert.equal(check(schema, { [name]: name }).kind, 'valid');
      const verdict = check(schema, { [name]: 1 });
      assert.ok(verdict.kind === 'invalid');
      assert.equal(verdict.violations.length, 1);
      assert.equal(verdict.violations[0]?.message, `must be ${JSON.stringify(name)}`);
      const absent = check(schema, {});
      assert.ok(absent.kind === 'invalid');
      assert.equal(absent.violations[0]?.message, `must have the property ${JSON.stringify(name)}`);
    });
  }
});

describe('Compiling is limited', () => {
  it('by the text of a schema', () => {
    const verdict = check({ const: 'x'.repeat(5_000_000) }, 1);
    assert.ok(verdict.kind === 'unusable');
    assert.equal(verdict.reason.code, 'tooLarge');
    const key = check({ properties: { ['x'.repeat(5_000_000)]: true } }, 1);
    assert.equal(key.kind, 'unusable');
  });

  it('also of a long id, which the reason for a failure does not search at length', () => {
    const $id = `${'#'.repeat(300_000)}\n`;
    assert.equal(check({ $id, $ref: 'other' }, 1).kind, 'unusable');
  });

  it('by the length of a pattern', () => {
    for (const schema of [
      { pattern: '\\p{L}'.repeat(10_000) },
      { patternProperties: { ['\\p{L}'.repeat(10_000)]: true } },
    ]) {
      const verdict = check(schema, 'a');
      assert.ok(verdict.kind === 'unusable');
      assert.equal(verdict.reason.code, 'tooLarge');
    }
  });

  it('by the choices in a pattern, which cannot be interrupted', () => {
    const pattern = 'a?'.repeat(100) + 'a'.repeat(100) + 'b';
    for (const schema of [
      { pattern },
      { patternProperties: { [pattern]: true } },
      { $defs: { a: { pattern } }, $ref: '#/$defs/a' },
    ]) {
      const verdict = check(schema, { aaa: 1 });
      assert.ok(verdict.kind === 'unusable');
      assert.equal(verdict.reason.code, 'tooSlow');
    }
  });

  it('by the names that one property requires, each of which would list all others', () => {
    for (const keyword of ['dependentRequired', 'dependencies']) {
      const verdict = check({ [keyword]: { a: names.slice(0, 9_000) } }, { a: 1 });
      assert.ok(verdict.kind === 'unusable');
      assert.equal(verdict.reason.code, 'tooLarge');
    }
  });

  it('for all schemas together: schemas that were compiled long ago are dropped', () => {
    const validator = new SchemaValidator(limits);
    const schemas = many(12, () => ({ properties: { a: { enum: many(9_000, (n) => n) } } }));
    let reads = 0;
    const watched: JsonObject = Object.defineProperty({ type: 'object' }, 'title', {
      enumerable: true,
      get: () => `${(reads += 1)}`,
    });
    validator.validate(watched, {});
    const once = reads;
    for (const schema of schemas) assert.equal(validator.validate(schema, {}).kind, 'valid');
    validator.validate(watched, {});
    assert.equal(reads, 2 * once);
  });
});

describe('A validation in seemingly linear time', () => {
  it('is stopped like any other', () => {
    const schema = { items: { allOf: many(4_000, () => ({ maxLength: 1_000_000 })) } };
    const value = many(2_000, () => 'ab'.repeat(5_000));
    const verdict = new SchemaValidator({ compileMs: 30_000, validateMs: 50 }).validate(
      schema,
      value,
    );
    assert.ok(verdict.kind === 'unusable');
    assert.equal(verdict.reason.code, 'tooSlow');
  });

  it('is stopped if it lists thousands of names for each of thousands of objects', () => {
    const properties = Object.fromEntries(
      names.slice(0, 4_900).map((name) => [name, { type: 'string' }]),
    );
    const value = many(200_000, () => ({}));
    const verdict = new SchemaValidator({ compileMs: 30_000, validateMs: 50 }).validate(
      { items: { properties } },
      value,
    );
    assert.equal(verdict.kind, 'unusable');
  });
});
