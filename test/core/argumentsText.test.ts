import assert from 'node:assert/strict';
import {
  argumentsExcerpt,
  compactJson,
  indentedJson,
} from '../../src/core/arguments/argumentsText';

/** Of a dialog in which a line has room for 50 characters. */
const linesOf = (line: string): number => Math.max(1, Math.ceil(line.length / 50));
const excerptOf = (value: unknown, lines = 20) =>
  argumentsExcerpt(JSON.stringify(value), { lines, linesOf });

describe('compactJson', () => {
  it('puts short lists and objects on one line, and members of long ones on their own lines', () => {
    const value = { path: '/a', tags: ['a', 'b'], at: { x: 1, y: { z: null } }, none: [], no: {} };
    const lines = [
      '{',
      '  "path": "/a",',
      '  "tags": ["a", "b"],',
      '  "at": { "x": 1, "y": { "z": null } },',
      '  "none": [],',
      '  "no": {}',
      '}',
    ];
    assert.equal(compactJson(JSON.stringify(value)), lines.join('\n'));
    assert.equal(compactJson('{"n":45}'), '{ "n": 45 }');
    assert.equal(compactJson('{"list":[1,[2,{"a":true}]]}'), '{ "list": [1, [2, { "a": true }]] }');
  });

  it('breaks lines longer than 56 characters', () => {
    const words = Array.from({ length: 40 }, (_, index) => `word ${index}`);
    const text = compactJson(JSON.stringify({ words, inner: { words } }));
    assert.ok(text.split('\n').every((line) => line.length <= 56));
    assert.deepEqual(JSON.parse(text), { words, inner: { words } });
  });

  it('is equivalent to the JSON, whatever its names are', () => {
    const json = '{"__proto__":{"a":1},"constructor":[],"a\\nb":{"":"\\u0000"},"e":1e+30}';
    assert.equal(JSON.stringify(JSON.parse(compactJson(json))), json);
  });
});

describe('argumentsExcerpt', () => {
  it('is the whole text of short arguments, compact', () => {
    assert.deepEqual(argumentsExcerpt('{"a":{"b":[1]}}', { lines: 1, linesOf }), {
      text: '{ "a": { "b": [1] } }',
      restChars: 0,
      restLines: 0,
    });
    assert.equal(argumentsExcerpt('{}', { lines: 1, linesOf }).text, '{}');
  });

  it('has a maximum of lines, and counts the rest', () => {
    const value = Array.from({ length: 100 }, (_, index) => index);
    const whole = compactJson(JSON.stringify(value));
    const { text, restChars, restLines } = excerptOf(value);
    assert.equal(text.split('\n').length, 20);
    assert.equal(restLines, whole.split('\n').length - 20);
    assert.equal(text + whole.slice(-restChars), whole);
  });

  it('shortens a line that does not fit, and counts the missing characters', () => {
    const { text, restChars, restLines } = excerptOf({ a: 'x'.repeat(5_000) }, 5);
    assert.equal(text.length, '{\n'.length + 4 * 50);
    assert.equal(restChars, '{\n  "a": ""\n}'.length + 5_000 - text.length);
    assert.equal(restLines, undefined);
  });

  it('shows the beginning of a long line, even if other lines take the space', () => {
    const long = 'y'.repeat(120);
    const { text, restChars, restLines } = excerptOf({ a: long, b: long, c: 1 }, 5);
    assert.deepEqual(
      [text, restLines],
      [`{\n  "a": "${long}",\n  "b": "${'y'.repeat(42)}`, undefined],
    );
    assert.equal(restChars, `${'y'.repeat(120 - 42)}",\n  "c": 1\n}`.length);
  });

  it('omits the second of two lines rather than shorten it', () => {
    const [long, short] = ['y'.repeat(120), 'z'.repeat(60)];
    const { text, restLines } = excerptOf({ a: long, b: short, c: 1 }, 5);
    assert.deepEqual([text, restLines], [`{\n  "a": "${long}",`, 3]);
  });

  it('shows hidden characters, and does not grow by them', () => {
    assert.equal(excerptOf({ a: 'x\u202Ey' }).text, '{ "a": "x\\u{202E}y" }');
    const { text, restChars } = excerptOf({ a: '\u200B'.repeat(900) });
    assert.ok(text.length <= 1_000, `${text.length}`);
    const shownEscapes = text.split('\\u{200B}').length - 1;
    assert.ok(shownEscapes > 100);
    assert.equal(restChars, 900 - shownEscapes + '"\n}'.length);
  });

  it('leaves deeply nested values as they are', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    assert.equal(indentedJson(deep), deep);
    assert.equal(compactJson(deep), deep);
    assert.ok(argumentsExcerpt(deep, { lines: 20, linesOf }).restChars > 3_500);
    assert.equal(indentedJson(`{"a":"${'['.repeat(300)}"}`).split('\n').length, 3);
  });

  it('does not split a character', () => {
    const texts = ['', 'a'].map((start) => start + '😀'.repeat(600));
    for (const value of texts) {
      const { text } = excerptOf({ value });
      assert.ok(text.endsWith('😀'), text.slice(-10));
    }
  });
});
