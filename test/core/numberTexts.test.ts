import assert from 'node:assert/strict';
import { comparableText } from '../../src/core/content/comparableResult';
import { toParts } from '../../src/core/content/content';
import { jsonPieces } from '../../src/core/json/jsonPieces';
import { jsonTextOf } from '../../src/core/json/jsonText';
import { hasNumberTexts } from '../../src/core/json/numberTexts';
import { parseFollowedJson, parseJson } from '../../src/core/json/parseJson';
import { parseToolResult } from '../../src/core/parse/parseResults';

const written = ['12345678901234567890', '1.0', '1e2', '-0', '0.10', '1E400', '9007199254740993'];

/** What an answer reads like after it was parsed. */
function again(text: string): string {
  return [...jsonPieces(parseFollowedJson(text))].join('');
}

describe('Numbers of an answer', () => {
  it('are written as they came, wherever they stand', () => {
    for (const number of written) {
      const texts = [
        `{"content":[],"structuredContent":{"a":[${number},{"b":${number}}],"c":${number}}}`,
        `{"structuredContent":[[[${number}]],"${number}",{"\\u0061\\"":${number},"":[{},${number}]}]}`,
        `{"content":[{"type":"text","text":"\\\\\\"[1.0,","size":${number}}],"_meta":{"x":${number}}}`,
      ];
      for (const text of texts) assert.equal(again(text), text.replace('\\u0061', 'a'));
    }
  });

  it('are written as they came also very deep, and where many are deep it takes no longer', () => {
    const open = '[1.0,'.repeat(10_000);
    const close = ']'.repeat(10_000);
    const text = `{"content":${open}${'1.0,'.repeat(40_000)}1.0${close}}`;
    assert.ok(text.length < 256 * 1024);
    assert.equal(again(text), text);
  });

  it('are those that count where a name stands twice', () => {
    const text = '{"content":[],"structuredContent":{"a":1.0,"a":2,"b":{"c":1.0},"b":{"c":3}}}';
    assert.equal(again(text), '{"content":[],"structuredContent":{"a":2,"b":{"c":3}}}');
  });

  it('of one answer say nothing about another, whatever the names in it are', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    for (const name of names) {
      parseJson(`{"content":[],"a":{"${name}":{"amount":1.0}},"a":{}}`);
      parseJson(`{"content":[],"a":[{"${name}":{"amount":1.0}}],"a":[]}`);
      assert.equal(hasNumberTexts({}), false, name);
      assert.equal(jsonTextOf({ a: { amount: 1 } }), '{\n  "a": {\n    "amount": 1\n  }\n}\n');
    }
  });

  it('are written as they came in every document that is made of an answer', async () => {
    for (const number of written) {
      const block = `{"type":"resource","resource":{"uri":"a:b","text":"","c":${number}},"d":${number}}`;
      const files = {
        structured: `{"list":[${number}],"member":${number}}`,
        meta: `{"_meta":{"a":${number}},"b":${number},"content[0]":{"d":${number},"resource":{"c":${number}}}}`,
      };
      const text = `{"content":[${block}],"structuredContent":${files.structured},"_meta":{"a":${number}},"b":${number}}`;
      const parts = toParts(parseToolResult(parseJson(text)), { title: 'tool' });
      for (const [kind, expected] of Object.entries(files)) {
        const part = parts.find((each) => each.kind === kind);
        if (part === undefined || part.kind === 'link') throw new Error(`no ${kind}`);
        const shown = Buffer.from(await part.read()).toString();
        assert.equal(shown.replaceAll(/\s/g, ''), expected);
      }
    }
  });

  it('that are all of the structured content are written as they came', async () => {
    const result = parseToolResult(parseJson('{"content":[],"structuredContent":1e2}'));
    const [part] = toParts(result, { title: 'tool' });
    if (part === undefined || part.kind === 'link') throw new Error('no part');
    assert.equal(Buffer.from(await part.read()).toString(), '1e2\n');
  });

  it('are compared as they were written, because JavaScript takes different ones for the same', () => {
    const [one, other] = ['12345678901234567890', '12345678901234567891'].map((number) => {
      const text = `{"content":[{"type":"text","text":"{\\"a\\":[${number}]}"}],"structuredContent":{"b":{"c":${number}}}}`;
      return comparableText(parseToolResult(parseJson(text)));
    });
    assert.match(one ?? '', /"a": \[\s+12345678901234567890\s+\][^]+"c": 12345678901234567890\n/);
    assert.notEqual(one, other);
  });
});
