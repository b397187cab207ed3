import assert from 'node:assert/strict';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { JsonObject } from '../../src/core/json/jsonValue';

const typing = { compileMs: 1_000, validateMs: 20 };
const runaway = { reason: 'tooSlow', kind: 'unusable' };

/** The verdict, and why a schema cannot be used, without words. */
function judge(schema: JsonObject, value: unknown): { kind: string; reason?: string } {
  const verdict = new SchemaValidator().validate(schema, value, typing);
  return verdict.kind === 'unusable'
    ? { kind: verdict.kind, reason: verdict.reason.code }
    : { kind: verdict.kind };
}

describe('Validating while the user types', () => {
  it('stops a pattern with catastrophic backtracking', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(\\w+\\s?)*$' } } };
    assert.deepEqual(judge(schema, { a: `${'aaaaaaaaaa '.repeat(10)}!` }), runaway);
    assert.deepEqual(judge(schema, { a: 'fine' }), { kind: 'valid' });
  });

  it('stops a recursive schema that branches at each level', () => {
    const branch = { properties: { next: { $ref: '#' } } };
    const schema = { anyOf: [branch, branch, branch, { ...branch, required: ['never'] }] };
    let value: JsonObject = { next: 1 };
    for (let level = 0; level < 40; level += 1) value = { next: value };
    const all = { allOf: [branch, branch, branch] };
    assert.deepEqual(judge(all, value), runaway);
    assert.ok(['valid', 'invalid', 'unusable'].includes(judge(schema, value).kind));
  });

  it('stops comparing every item with every other', () => {
    const items = Array.from({ length: 15_000 }, (_, index) => ({ index: `x${index}` }));
    assert.deepEqual(judge({ properties: { a: { uniqueItems: true } } }, { a: items }), runaway);
  });

  it('stops compiling, and compiles again if there is more time', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    );
    const schema = { properties };
    const validator = new SchemaValidator({ compileMs: 60_000, validateMs: 60_000 });
    const first = validator.validate(schema, { p1: 1 }, { compileMs: 1, validateMs: 1_000 });
    assert.equal(first.kind, 'unusable');
    assert.equal(validator.validate(schema, { p1: 1 }).kind, 'invalid');
    const later = validator.validate(schema, { p1: 1 }, { compileMs: 1, validateMs: 10_000 });
    assert.equal(later.kind, 'invalid');
  });

  it('uses the whole time before a call', () => {
    const schema = { properties: { a: { uniqueItems: true } } };
    const validator = new SchemaValidator({ compileMs: 60_000, validateMs: 60_000 });
    const a = Array.from({ length: 3_000 }, (_, index) => ({ index: `x${index}` }));
    assert.equal(
      validator.validate(schema, { a }, { compileMs: 60_000, validateMs: 1 }).kind,
      'unusable',
    );
    assert.equal(validator.validate(schema, { a }).kind, 'valid');
  });
});
