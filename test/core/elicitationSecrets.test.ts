import assert from 'node:assert/strict';
import { parseElicitation, findSecretFields } from '../../src/core/input/elicitation';

function secretsOf(properties: Record<string, object>, message = 'Please fill this in.') {
  const request = parseElicitation({
    message,
    requestedSchema: { type: 'object', properties },
  });
  assert.ok(typeof request !== 'string' && request.mode === 'form');
  return [...findSecretFields(request)];
}

/** Text fields of these names. */
const named = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: 'string' }]));

describe('A form that asks for a secret', () => {
  it('is recognized by the names of its fields, in any spelling', () => {
    const names = ['password', 'apiKey', 'API_KEY', 'access-token', 'userPassword', 'clientSecret'];
    assert.deepEqual(secretsOf(named(names)), names);
    const rest = ['pin', 'OTP', 'private_key', 'creditCardNumber', 'recovery code', 'token'];
    assert.deepEqual(secretsOf(named(rest)), rest);
  });

  it('is recognized by titles and by requests in descriptions', () => {
    assert.deepEqual(
      secretsOf({
        a: { type: 'string', title: 'Your Password' },
        b: { type: 'string', description: 'Enter the API key of your account.' },
        c: { type: 'string', description: 'A number (not your pin).' },
      }),
      ['a', 'b'],
    );
  });

  it('is recognized by its message, and then every text field counts', () => {
    const fields = { value: { type: 'string' }, again: { type: 'boolean' } };
    assert.deepEqual(secretsOf(fields, 'Please enter your GitHub password.'), ['value']);
  });

  it('is not recognized by similar names', () => {
    const names = ['maxTokenCount', 'token limit', 'passenger', 'pinned', 'monkey', 'keyword'];
    assert.deepEqual(secretsOf(named([...names, 'secretary', 'key', 'compass'])), []);
    assert.deepEqual(secretsOf({ password: { type: 'boolean' } }), []);
  });
});
