import assert from 'node:assert/strict';
import {
  textWithoutSecrets,
  withoutSecrets,
  withSecretsAs,
  toSkeleton,
} from '../../src/core/arguments/argumentsText';
import { fillDefaults } from '../../src/core/schema/schemaDefaults';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { busiestCount } from '../workCount';

const schema: JsonObject = {
  type: 'object',
  $defs: { login: { properties: { token: { type: 'string', writeOnly: true } } } },
  properties: {
    user: { type: 'string' },
    password: { type: 'string', format: 'password', default: 'hunter2' },
    login: { $ref: '#/$defs/login' },
    others: { type: 'array', items: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/login' }] } },
    vault: { type: 'object', writeOnly: true, properties: { pin: { format: 'password' } } },
    again: { $ref: '#' },
  },
  required: ['user', 'password'],
};

const value: JsonObject = {
  user: 'Ann',
  password: 'a',
  login: { token: 'b', note: 'n' },
  others: [{ token: 'c' }, null],
  vault: { pin: 'd' },
  again: { password: 'e', user: 'f' },
};

describe('Secrets in arguments', () => {
  it('are removed wherever the schema declares them: by reference, in unions, in arrays', () => {
    assert.deepEqual(withoutSecrets(schema, value), {
      user: 'Ann',
      login: { note: 'n' },
      others: [{}, null],
      again: { user: 'f' },
    });
  });

  it('are emptied in a text, which otherwise stays as it was written', () => {
    const text = '{\n  // who\n  "user": "Ann", "password": "a", "login": {"token": "b"},\n}';
    assert.equal(
      textWithoutSecrets(schema, text),
      '{\n  // who\n  "user": "Ann", "password": "", "login": {"token": ""},\n}',
    );
    const whole = textWithoutSecrets(schema, JSON.stringify(value));
    assert.deepEqual(JSON.parse(whole ?? ''), {
      user: 'Ann',
      password: '',
      login: { token: '', note: 'n' },
      others: [{ token: '' }, null],
      vault: '',
      again: { password: '', user: 'f' },
    });
  });

  it('are emptied in one pass, however many there are', async () => {
    const ofTokens: JsonObject = {
      properties: { tokens: { type: 'array', items: { type: 'string', format: 'password' } } },
    };
    const tokens = Array.from({ length: 1_000 }, (_, at) => `t${at}`);
    let emptied: string | undefined;
    const work = () => (emptied = textWithoutSecrets(ofTokens, JSON.stringify({ tokens })));
    // The parser is counted, too.
    assert.ok((await busiestCount(work, /jsonc-parser|tests\.js$/)) < 200_000);
    assert.deepEqual(JSON.parse(emptied ?? ''), { tokens: tokens.map(() => '') });
  });

  it('prevent storing a text with invalid JSON, unless the schema has no secrets', () => {
    assert.equal(textWithoutSecrets(schema, '{"password": "a"'), undefined);
    assert.equal(textWithoutSecrets({ type: 'object' }, '{"password": '), '{"password": ');
  });

  it('are found in a schema that branches without end', () => {
    const branch = { $ref: '#/$defs/a' };
    const endless: JsonObject = {
      $ref: '#/$defs/a',
      $defs: { a: { allOf: [branch, branch, branch] } },
      properties: { a: { writeOnly: true } },
    };
    assert.equal(textWithoutSecrets(endless, '{"a": "secret"}'), '{"a": ""}');
    assert.deepEqual(withoutSecrets(endless, { a: 'secret', b: 1 }), { b: 1 });
  });

  it('are all values if very many schemas could apply to them', () => {
    const many: JsonObject = { anyOf: Array.from({ length: 150_000 }, () => ({})) };
    assert.deepEqual(withSecretsAs('secret', many, { a: 1 }).value, { a: 'secret' });
    const parts = Array.from({ length: 2_000 }, () => ({}));
    const wide: JsonObject = { allOf: parts, $ref: '#/$defs/a', $defs: { a: {} } };
    const wideValue = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, n]));
    // The last members are secret, because looking at them all would take 4,000,000 steps.
    const marked = withSecretsAs('secret', wide, wideValue).value;
    assert.equal(Object(marked).k1999, 'secret');
    assert.equal(fillDefaults({ ...wide, required: ['x'] }, wideValue, 'required'), undefined);
    assert.equal(fillDefaults({ allOf: many['anyOf'] ?? [] }, { a: 1 }, 'required'), undefined);
  });

  it('are removed from lists, item by item', () => {
    const list: JsonObject = {
      properties: {
        keys: { type: 'array', items: { format: 'password' } },
        pair: { prefixItems: [{ type: 'string' }, { writeOnly: true }] },
      },
    };
    const given = { keys: ['secret', 'secret'], pair: ['a', 'secret', 'b'] };
    assert.deepEqual(withoutSecrets(list, given), { keys: [], pair: ['a', 'b'] });
  });

  it('are not part of an initial document, not even their defaults', () => {
    assert.deepEqual(toSkeleton(schema), { user: '', password: '' });
  });
});
