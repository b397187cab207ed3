import assert from 'node:assert/strict';
import { withSecretsAs } from '../../src/core/arguments/argumentsText';
import type { JsonValue } from '../../src/core/json/jsonValue';
import { secretMarker } from '../../src/host/secrets/redactSecrets';

const password = { type: 'string', format: 'password' };
const secret = 'hunter2';

const parsed = (json: string): object => JSON.parse(json) as object;

/** A schema, arguments, and what of them may be written, if that is not just the marker in place of the secret. */
const cases: readonly (readonly [string, object, JsonValue, JsonValue?])[] = [
  [
    'format: password',
    { properties: { user: { type: 'string' }, key: password } },
    { user: 'u', key: secret },
  ],
  [
    'writeOnly, whatever its type',
    { properties: { login: { type: 'object', writeOnly: true } } },
    { login: { pin: secret } },
    { login: '(secret)' },
  ],
  [
    'one deep inside',
    {
      properties: {
        hosts: { items: { properties: { auth: { properties: { token: password } } } } },
      },
    },
    { hosts: [{ name: 'a', auth: { token: secret } }, { name: 'b' }] },
  ],
  [
    'behind a reference',
    { properties: { key: { $ref: '#/$defs/key' } }, $defs: { key: password } },
    { key: secret },
  ],
  [
    'behind a reference to a reference, escaped',
    {
      properties: { key: { $ref: '#/$defs/a~1b' } },
      $defs: { 'a/b': { $ref: '#/$defs/c%20d' }, 'c d': password },
    },
    { key: secret },
  ],
  [
    'behind an anchor',
    { properties: { key: { $ref: '#key' } }, $defs: { any: { $anchor: 'key', ...password } } },
    { key: secret },
  ],
  [
    'in a schema that refers to itself',
    {
      $defs: {
        node: { properties: { key: password, next: { $ref: '#/$defs/node' } } },
      },
      $ref: '#/$defs/node',
    },
    { next: { next: { key: secret, n: 1 } } },
  ],
  [
    'in one branch of a choice',
    { anyOf: [{ properties: { key: { type: 'string' } } }, { properties: { key: password } }] },
    { key: secret },
  ],
  [
    'under a condition',
    // As text, because an object literal with `then` looks like a promise.
    parsed('{"if":{},"then":{"properties":{"key":{"format":"password"}}}}'),
    { kind: 'x', key: secret },
  ],
  ['by a pattern of names', { patternProperties: { _key$: password } }, { a_key: secret }],
  [
    'by additionalProperties, but not what is listed',
    { properties: { user: {} }, additionalProperties: password },
    { user: 'u', key: secret },
  ],
  [
    'in a tuple, old and new',
    {
      properties: {
        now: { prefixItems: [{}, password] },
        before: { items: [{}, password] },
      },
    },
    { now: ['a', secret], before: ['a', secret] },
  ],
  [
    'behind a reference that nobody follows',
    { properties: { key: { $ref: 'https://example.com/key.json' }, lost: { $ref: '#/no' } } },
    { key: secret, lost: secret, user: 'u' },
  ],
];

describe('Arguments in the journal', () => {
  const marked = (value: JsonValue): JsonValue =>
    JSON.parse(JSON.stringify(value).replaceAll(secret, '(secret)'));
  for (const [what, schema, value, written = marked(value)] of cases) {
    it(`hide a secret ${what}`, () => {
      const hidden = withSecretsAs(secretMarker, schema, value);
      assert.deepEqual(hidden, { value: written, hasSecrets: true });
    });
  }

  it('are unchanged without secrets, including `__proto__`', () => {
    const value = JSON.parse('{"a":[1,"x",null,{"b":true}],"__proto__":{"c":1}}') as JsonValue;
    const { value: copy, hasSecrets } = withSecretsAs(
      secretMarker,
      { properties: { a: {} } },
      value,
    );
    assert.equal(JSON.stringify(copy), JSON.stringify(value));
    assert.equal(hasSecrets, false);
  });

  it('treat values that are nested too deeply to check as secret', () => {
    let value: JsonValue = secret;
    for (let depth = 0; depth < 1_000; depth += 1) value = { a: value };
    const { value: copy, hasSecrets } = withSecretsAs(secretMarker, {}, value);
    assert.equal(JSON.stringify(copy).includes(secret), false);
    assert.equal(hasSecrets, true);
  });

  it('treat everything as secret if the schema has no end', () => {
    const anyOf = Array.from({ length: 50 }, (_, index) => ({ $ref: `#/$defs/${index}` }));
    const $defs = Object.fromEntries(
      anyOf.map((_, index) => [index, { anyOf, additionalProperties: { anyOf } }]),
    );
    const value = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, secret]));
    const { value: copy } = withSecretsAs(secretMarker, { $defs, anyOf }, value);
    assert.equal(JSON.stringify(copy).endsWith('"(secret)"}'), true);
  });
});
