import assert from 'node:assert/strict';
import { argumentsExcerpt, indentedJson } from '../../src/core/arguments/argumentsText';

describe('argumentsExcerpt', () => {
  it('is the whole of short arguments, indented', () => {
    assert.deepEqual(argumentsExcerpt('{"a":{"b":[1]}}'), {
      text: '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}',
      restChars: 0,
    });
    assert.deepEqual(argumentsExcerpt('{}'), { text: '{}', restChars: 0 });
  });

  it('is at most 20 lines, and counts the rest', () => {
    const whole = JSON.stringify(Array.from({ length: 100 }, (_, index) => index));
    const { text, restChars } = argumentsExcerpt(whole);
    assert.equal(text.split('\n').length, 20);
    assert.equal(text + indentedJson(whole).slice(-restChars), indentedJson(whole));
  });

  it('is at most 1,000 characters, and counts the rest', () => {
    const { text, restChars } = argumentsExcerpt(JSON.stringify({ a: 'x'.repeat(5_000) }));
    assert.equal(text.length, 1_000);
    assert.equal(restChars, '{\n  "a": ""\n}'.length + 5_000 - 1_000);
  });

  it('shows hidden characters, and does not grow by them', () => {
    assert.equal(argumentsExcerpt('{"a":"x\u202Ey"}').text, '{\n  "a": "x\\u{202E}y"\n}');
    const { text, restChars } = argumentsExcerpt(JSON.stringify({ a: '\u200B'.repeat(900) }));
    assert.ok(text.length <= 1_500 && text.length > 1_000, `${text.length}`);
    const shownEscapes = text.split('\\u{200B}').length - 1;
    assert.equal(restChars, 900 - shownEscapes + '"\n}'.length);
  });

  it('leaves what is nested beyond reading as it is, without making it larger', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    assert.equal(indentedJson(deep), deep);
    assert.equal(indentedJson(`{"a":"${'['.repeat(300)}"}`).split('\n').length, 3);
  });

  it('does not cut a character in two', () => {
    const texts = ['', 'a'].map((start) => start + '😀'.repeat(600));
    for (const value of texts) {
      const { text } = argumentsExcerpt(JSON.stringify({ value }));
      assert.ok(text.endsWith('😀'), text.slice(-10));
    }
  });
});
