import assert from 'node:assert/strict';
import {
  comparableTexts,
  hasPlainText,
  comparableText,
} from '../../src/core/content/comparableResult';
import type { ToolResult } from '../../src/core/types';
import { busiestCount } from '../workCount';

const value = (result: Partial<ToolResult>, volatile?: readonly string[]): unknown =>
  JSON.parse(comparableText({ content: [], isError: false, ...result }, volatile));

describe('A result for comparison', () => {
  it('has sorted names, lines, JSON in texts, and the hash of bytes', () => {
    const result: ToolResult = {
      content: [
        { type: 'text', text: 'one\ntwo\r\nthree' },
        { type: 'text', text: '{"b":1,"a":[2]}' },
        { type: 'image', data: 'AAEC', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'a:b', blob: new Uint8Array([0, 1, 2]) } },
        { type: 'unknown', raw: { type: 'video' }, reason: 'unknown type' },
      ],
      structuredContent: { z: 1, ['__proto__']: 2 },
      isError: false,
      meta: { m: 1 },
    };
    const sha256 = 'ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc';
    assert.deepEqual(comparableText(result).split('\n').slice(0, 4), [
      '{',
      '  "_meta": {',
      '    "m": 1',
      '  },',
    ]);
    assert.deepEqual(value(result), {
      _meta: { m: 1 },
      content: [
        { text: ['one', 'two', 'three'], type: 'text' },
        { text: { a: [2], b: 1 }, type: 'text' },
        { data: { bytes: 3, sha256 }, mimeType: 'image/png', type: 'image' },
        { resource: { blob: { bytes: 3, sha256 }, uri: 'a:b' }, type: 'resource' },
        { type: 'video' },
      ],
      isError: false,
      structuredContent: { z: 1, ['__proto__']: 2 },
    });
  });

  it('omits volatile fields, by name anywhere and by place', () => {
    const result = {
      content: [{ type: 'text' as const, text: '{"id":1,"list":[{"id":2,"at":3}]}' }],
      structuredContent: { id: { deep: 1 }, 'a/b': [1, 2], kept: 'id' },
    };
    assert.deepEqual(
      value(result, ['id', '/structuredContent/a~1b/0', '/content/0/text/list/0/at']),
      {
        content: [{ text: { id: '…', list: [{ at: '…', id: '…' }] }, type: 'text' }],
        isError: false,
        structuredContent: { 'a/b': ['…', 2], id: '…', kept: 'id' },
      },
    );
  });

  it('differs wherever the results differ, also beyond its maximum length', () => {
    const text = (end: string) => ({
      type: 'text' as const,
      text: `${'line of text\n'.repeat(350_000)}${end}`,
    });
    const deep = (end: string) => '['.repeat(100_000) + JSON.stringify(end) + ']'.repeat(100_000);
    const raw = (end: string) => {
      const given: unknown = JSON.parse(deep(end));
      return { type: 'unknown' as const, raw: given, reason: '' };
    };
    const long = { type: 'text' as const, text: 'x'.repeat(5_000_000) };
    const rows = (end: string) =>
      Array.from({ length: 9_000 }, (_, index) => 'x'.repeat(1_000) + (index === 8_999 ? end : ''));
    const results: Record<string, (end: string) => Partial<ToolResult>> = {
      'a long text': (end) => ({ content: [text(end)] }),
      'a very long text': (end) => ({ content: [{ ...long, text: long.text + end }] }),
      'a very long text in bytes': (end) => ({
        content: [{ ...long, text: Buffer.from(long.text + end) }],
      }),
      'a text after a very long one': (end) => ({ content: [long, { type: 'text', text: end }] }),
      'lines after a very long text': (end) => ({ content: [long, text(end)] }),
      'long structured content': (end) => ({ structuredContent: { rows: rows(end) } }),
      'a deep value': (end) => ({ content: [raw(end)] }),
    };
    for (const [name, resultOf] of Object.entries(results)) {
      const [one, other] = ['1', '2'].map((end) =>
        comparableText({ content: [], isError: false, ...resultOf(end) }),
      );
      assert.ok(one !== undefined && one.length < 4_500_000, `${name}: ${one?.length} characters`);
      assert.ok(one !== other, `${name} differs from another`);
    }
    const again = comparableText({ content: [long], isError: false });
    assert.ok(again === comparableText({ content: [{ ...long }], isError: false }));
  });

  it('splits and parses no more texts than fit', async () => {
    const lines = '\n'.repeat(500_000);
    const json = JSON.stringify(Array.from({ length: 200_000 }, () => 0));
    for (const text of [json, lines]) {
      const content = Array.from({ length: 8 }, () => ({ type: 'text' as const, text }));
      const count = await busiestCount(() => comparableText({ content, isError: false }));
      assert.ok(count < 2_500_000, `${count} times for ${8 * text.length} characters`);
    }
  });
});

describe('A result for comparison as text', () => {
  const line = `${'─'.repeat(40)}\n`;
  const text = (said: string) => ({ type: 'text', text: said }) as const;
  const written = (result: Partial<ToolResult>, volatile?: readonly string[]) =>
    comparableTexts({ content: [], isError: false, ...result }, volatile);

  it('has its texts unchanged, and everything else as JSON below them', () => {
    assert.equal(written({ content: [text('one\r\ntwo')] }), 'one\ntwo\n');
    assert.equal(written({ content: [text('a\n'), text('b')] }), `a\n${line}b\n`);
    const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'a', version: '1' } };
    assert.equal(written({ content: [text('a')], meta }), 'a\n');
    const mixed = { content: [text('a'), text('{"b":1}')], structuredContent: { at: 1 } };
    const json = {
      content: [
        { text: '↑ 1', type: 'text' },
        { text: { b: 1 }, type: 'text' },
      ],
      isError: false,
      structuredContent: { at: '…' },
    };
    const expected = `a\n${line}${JSON.stringify(json, undefined, 2)}\n`;
    assert.equal(written(mixed, ['at']), expected);
    assert.match(written({ content: [text('a')], isError: true }), /"isError": true/);
  });

  it('is cut at its maximum length, with the hash of each text that is cut', () => {
    const [one = '', other = ''] = ['1', '2'].map((end) =>
      written({ content: [text('x'.repeat(3_000_000)), text(`${'y'.repeat(3_000_000)}${end}`)] }),
    );
    assert.ok(one.length < 4_500_000, `${one.length} characters`);
    assert.match(one.slice(-200), /y\n… \{"bytes":3000001,"sha256":"[\da-f]{64}"\}\n$/);
    assert.ok(one !== other);
  });

  it('omits volatile texts, and exists only for answers with plain text', () => {
    assert.equal(
      written({ content: [text('a'), text('b')] }, ['/content/1/text']),
      `a\n${line}…\n`,
    );
    assert.equal(hasPlainText({ content: [text('{"a":1}')], isError: false }), false);
    assert.equal(hasPlainText({ content: [text('{"a":1}'), text('a')], isError: false }), true);
  });
});
