import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { SecretValues } from '../../src/host/secrets/secretValues';

const goEscape = (sign: string) => `\\u00${sign.charCodeAt(0).toString(16)}`;
const secret = 'sk-live/4f"Aé+ 9<?z';

function valuesOf(...secrets: string[]): SecretValues {
  const values = new SecretValues();
  for (const value of secrets) values.add(value);
  return values;
}

describe('secret values', () => {
  it('leaves a text without secrets unchanged', () => {
    assert.equal(new SecretValues().redact('nothing known'), 'nothing known');
    assert.equal(valuesOf(secret).redact('nothing of it'), 'nothing of it');
    assert.equal(valuesOf(secret).redact(''), '');
  });

  it('redacts a value anywhere', () => {
    const redacted = valuesOf('hunter22').redact('hunter22 and (hunter22) hunter22hunter22.');
    assert.equal(redacted, '(secret) and ((secret)) (secret).');
  });

  const forms: readonly (readonly [string, string])[] = [
    ['JSON', JSON.stringify({ key: secret })],
    ['JSON within JSON', JSON.stringify({ text: JSON.stringify({ key: secret }) })],
    ['JSON with escaped slashes', JSON.stringify(secret).replaceAll('/', '\\/')],
    ['JSON as Go writes it', JSON.stringify(`${secret}<&>`).replaceAll(/[<>&]/g, goEscape)],
    ['JSON as Python writes it', JSON.stringify(secret).replaceAll('é', String.raw`\u00e9`)],
    ['JSON as .NET writes it', String.raw`"sk-live/4f\u0022A\u00E9\u002B 9\u003C?z"`],
    ['a part of a URL as Python writes it', 'x?key=sk-live/4f%22A%C3%A9%2B%209%3C%3Fz'],
    ['a part of a URL as Go writes it', '/sk-live%2F4f%22A%C3%A9+%209%3C%3Fz'],
    ['a part of a URL', `https://host/x?key=${encodeURIComponent(secret)}&more=1`],
    [
      'a URL in lower case',
      `x?${encodeURIComponent(secret).replaceAll(/%../g, (c) => c.toLowerCase())}`,
    ],
    ['a form', String(new URLSearchParams({ key: secret }))],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64 for URLs', Buffer.from(secret).toString('base64url')],
    ['basic authorization', `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`],
    ['basic authorization of another name', Buffer.from(`you:${secret}`).toString('base64')],
    ['and of another', Buffer.from(`admin:${secret};`).toString('base64')],
  ];
  for (const [where, text] of forms) {
    it(`redacts a value in ${where}`, () => {
      const redacted = valuesOf(secret).redact(text);
      assert.match(redacted, /\(secret\)/);
      // What is left of base64 are the signs that hold bits of a neighbour.
      assert.ok(redacted.length < text.length - secret.length + 16, redacted);
      assert.ok(!redacted.includes('live'), redacted);
    });
  }

  it('redacts signs that some programs escape in URLs and others do not', () => {
    const values = valuesOf("p~ss!w*rd/(x)='");
    for (const text of [
      "p~ss!w*rd%2F(x)%3D'",
      'p%7Ess%21w*rd%2F%28x%29%3D%27',
      'p~ss%21w%2Ard%2F%28x%29%3D%27',
      'p~ss%21w%2Ard/%28x%29%3D%27',
      'p~ss%21w%2Ard%2F%28x%29=%27',
    ]) {
      assert.equal(values.redact(`<${text}>`), '<(secret)>');
    }
  });

  it('redacts both of two overlapping values, and the longer of two with the same beginning', () => {
    const values = valuesOf('abcdef', 'defghi', 'token', 'token-and-more');
    assert.equal(values.redact('abcdefghi token-and-more token'), '(secret) (secret) (secret)');
  });

  it('ignores values of fewer than four characters', () => {
    assert.equal(valuesOf('', 'a', 'abc').redact('a abc'), 'a abc');
    assert.equal(valuesOf('abcd').redact('a abcd'), 'a (secret)');
  });

  it('redacts a key of several lines in each of its lines', () => {
    const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
    const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
    const values = valuesOf(key);
    assert.equal(values.redact(`read ${body}`), 'read (secret)');
    assert.equal(values.redact(JSON.stringify({ key })), '{"key":"(secret)"}');
  });

  it('redacts an unpaired surrogate and a very long value', () => {
    assert.equal(valuesOf('abc\ud83d!').redact('x abc\ud83d!'), 'x (secret)');
    const long = Array.from({ length: 5_000 }, (_, index) => index.toString(36)).join('-');
    assert.equal(valuesOf(long).redact(`<${long}>`), '<(secret)>');
  });

  it('keeps no part of any value that was added, whatever surrounds it', () => {
    const value = fc.string({ minLength: 4, maxLength: 40, unit: 'binary' });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 8 }),
        fc.string(),
        (secrets, between) => {
          const marked = valuesOf(...secrets).redact(secrets.join(between));
          const own = new Set(`(secret)${between}`);
          // Whatever is left comes from what stands between, or is the mark.
          for (const sign of marked) assert.ok(own.has(sign), `${sign} of ${marked}`);
        },
      ),
    );
  });
});
