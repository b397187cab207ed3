import assert from 'node:assert/strict';
import { toParts, toResourceParts } from '../../src/core/content/content';
import type { FilePart, Part } from '../../src/core/content/contentParts';
import type { ContentBlock, JsonValue, ResourceContents, ToolResult } from '../../src/core/types';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const context = { title: 'a tool' };

function partsOf(content: readonly ContentBlock[], structuredContent?: JsonValue): readonly Part[] {
  const result: ToolResult = {
    content,
    isError: false,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  };
  return toParts(result, context);
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value });

function contentOf(part: Part | undefined): string {
  assert.ok(part !== undefined && part.kind !== 'link');
  const bytes = part.read();
  assert.equal(bytes.length, part.size);
  return Buffer.from(bytes).toString('utf8');
}

const image = (data: string | Uint8Array, mimeType: string): ContentBlock => ({
  type: 'image',
  data,
  mimeType,
});

const blob = (latin1: string) => Buffer.from(latin1, 'latin1');

/** Name, then the codes of the notes with their details. */
function picture(part: Part): string {
  const notes = part.notes.map(({ code, detail }) => (detail ? `${code}=${detail}` : code));
  return [part.kind === 'link' ? part.uri : part.name, ...notes].join(' ');
}

function file(part: Part | undefined): FilePart {
  assert.ok(part !== undefined && part.kind !== 'link');
  return part;
}

describe('The parts of a result', () => {
  it('keep the order of the server, with structured content last', () => {
    const content: ContentBlock[] = [
      text('plain'),
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'resource_link', uri: 'demo://b', name: 'b', size: 3 },
      { type: 'audio', data: Buffer.from('RIFF....WAVEfmt '), mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'demo://a/report.csv', text: 'a,b' } },
      { type: 'unknown', raw: { type: 'hologram' }, reason: 'hologram' },
    ];
    assert.deepEqual(partsOf(content, { a: 1 }).map(picture), [
      '1-text.txt',
      '2-image.png',
      'demo://b',
      '4-audio.wav',
      '5-report.csv',
      '6-unknown.json unknownType=hologram',
      '7-structured.json',
    ]);
  });

  it('are none for a result without content', () => {
    assert.deepEqual(partsOf([]), []);
  });

  it('keep everything about a link and read nothing', () => {
    const link = {
      uri: 'FILE:///etc/%70asswd#x',
      title: 'T',
      description: 'D',
      mimeType: 'text/plain',
      size: 9,
    };
    const annotations = { priority: 0.5 };
    assert.deepEqual(partsOf([{ type: 'resource_link', name: 'n', ...link, annotations }]), [
      { kind: 'link', number: 1, linkName: 'n', ...link, annotations, notes: [] },
    ]);
  });

  it('carry their annotations', () => {
    const annotations = { audience: ['assistant'] } as const;
    assert.deepEqual(partsOf([{ ...text('a'), annotations }])[0]?.annotations, annotations);
  });

  it('leave out a text that is just the serialised structured content', () => {
    const value = { b: [1, null], a: 'x' };
    assert.deepEqual(partsOf([text('{"a":"x", "b":[1,null]}')], value).map(picture), [
      'a tool.json',
    ]);
  });

  it('keep a text that differs from the structured content, or is annotated', () => {
    const parts = partsOf([text('{"a":1}'), { ...text('{"a":2}'), annotations: {} }], { a: 2 });
    assert.equal(parts.length, 3);
  });

  for (const value of [null, false, 0, '', []] as const) {
    it(`show structured content ${JSON.stringify(value)}, which is not an absent one`, () => {
      assert.equal(contentOf(partsOf([], value)[0]).trim(), JSON.stringify(value));
    });
  }
});

describe('Text', () => {
  const kinds: readonly [string, string][] = [
    ['hello', 'txt'],
    ['{"a": 1}', 'json'],
    [' [1, 2]\n', 'json'],
    ['42', 'txt'],
    ['{"a": 1', 'txt'],
    ['[INFO] started', 'txt'],
    ['{"a":1}\n{"a":2}', 'txt'],
    ['# Title\n\nSee [this](https://a.b).', 'md'],
    ['Table:\n| a | b |\n|---|---|\n| **1** | 2 |', 'md'],
    ['Code:\n```js\nx\n```\n## More', 'md'],
    ['# a comment\nPORT=1', 'txt'],
    ['# a comment\n- item\n- item', 'txt'],
    ['- a\n- b', 'txt'],
    ['2 ** 3 and a ** b', 'txt'],
  ];
  for (const [value, extension] of kinds) {
    it(`${JSON.stringify(value)} becomes .${extension}`, () => {
      assert.equal(file(partsOf([text(value)])[0]).name, `a tool.${extension}`);
    });
  }

  it('that is JSON in one line is laid out, and no number changes', () => {
    const value =
      '{"id":12345678901234567890,"f":1.0,"e":1E400,"s":"a\\"{,}\\u0000","o":{},"l":[]}';
    assert.equal(
      contentOf(partsOf([text(value)])[0]),
      '{\n  "id": 12345678901234567890,\n  "f": 1.0,\n  "e": 1E400,\n' +
        '  "s": "a\\"{,}\\u0000",\n  "o": {},\n  "l": []\n}\n',
    );
  });

  it('that is JSON with lines of its own stays as it came', () => {
    const value = '{\n"a":\t1 }';
    assert.equal(contentOf(partsOf([text(value)])[0]), value);
  });

  it('that is nested deeply or very long is not laid out', () => {
    const deep = '['.repeat(3_000) + ']'.repeat(3_000);
    const long = `["${'x'.repeat(3 * 1024 * 1024)}"]`;
    assert.deepEqual(partsOf([text(deep), text(long)]).map(contentOf), [deep, long]);
  });

  it('that is empty says so', () => {
    assert.deepEqual(partsOf([text('')]).map(picture), ['a tool.txt emptyContent']);
  });

  it('has an excerpt that is bounded', () => {
    assert.equal(file(partsOf([text('x'.repeat(100_000))])[0]).excerpt?.length, 4_000);
  });

  it('of a hostile shape takes no long time to look at', () => {
    // An expression that goes back and forth over it would take hours.
    for (const piece of ['**a', '[a](', '|---', '#', '"\\', '{"', '```\n']) {
      assert.equal(partsOf([text(piece.repeat(2_000_000 / piece.length))]).length, 1);
    }
  });
});

describe('Structured content', () => {
  it('that is nested beyond what can be written is said, not thrown', () => {
    let value: JsonValue = 1;
    for (let depth = 0; depth < 200_000; depth += 1) value = [value];
    assert.deepEqual(partsOf([], value).map(picture), ['a tool.txt tooDeep']);
  });
});

describe('Bytes', () => {
  it('are decoded from base64 or taken as they are', () => {
    const parts = partsOf([image(png.toString('base64'), 'image/png'), image(png, 'image/png')]);
    assert.deepEqual(
      parts.map((part) => Buffer.from(file(part).read()).equals(png)),
      [true, true],
    );
  });

  const invalid = ['QQ', 'Q===', 'QQ=A', '====', 'QQ==\n', 'Q Q=', 'QQ_-', 'QQé=', 'data:,x'];
  for (const data of invalid) {
    it(`of ${JSON.stringify(data)}, no base64, are shown as that text`, () => {
      const [part] = partsOf([image(data, 'image/png')]);
      assert.deepEqual(
        [part && picture(part), contentOf(part)],
        ['a tool.txt invalidBase64', data],
      );
    });
  }

  it('above the limit are not decoded', () => {
    const result: ToolResult = { content: [image('QUFBQUFB', 'image/png')], isError: false };
    assert.deepEqual(toParts(result, { title: 'x', maxDecodedBytes: 5 }).map(picture), [
      'x.txt tooLarge',
    ]);
    assert.deepEqual(toParts(result, { title: 'x', maxDecodedBytes: 6 }).map(picture), [
      'x.png mimeMismatch',
    ]);
  });

  const kinds: readonly [string, string, string][] = [
    ['image/png', '\xff\xd8\xff', 'jpg mimeMismatch=image/jpeg'],
    ['image/jpg', '\xff\xd8\xff', 'jpg'],
    ['image/png', 'hello', 'png mimeMismatch'],
    ['image/x-new', 'hello', 'bin'],
    ['text/html', '<p>', 'bin mimeMismatch'],
    ['text/html', '<svg >', 'svg mimeMismatch=image/svg+xml'],
    ['nonsense', 'hello', 'bin mimeMismatch'],
    ['image/png', '', 'png emptyContent'],
  ];
  for (const [mimeType, head, expected] of kinds) {
    it(`of an image that is declared ${mimeType} and begins ${JSON.stringify(head)}: ${expected}`, () => {
      assert.deepEqual(partsOf([image(Buffer.from(head, 'latin1'), mimeType)]).map(picture), [
        `a tool.${expected}`,
      ]);
    });
  }
});

describe('An embedded or read resource', () => {
  const cases: readonly [ResourceContents, string][] = [
    [{ uri: 'a://x/notes.md', text: 'hi' }, 'notes.md'],
    [{ uri: 'a://x/notes', mimeType: 'text/markdown', text: 'hi' }, 'notes.md'],
    [{ uri: 'a://x/main.py', mimeType: 'text/plain', text: '{}' }, 'main.py'],
    [{ uri: 'a://x/data', text: '{"a":1}' }, 'data.json'],
    [{ uri: 'a://x/pic.png', text: 'no picture' }, 'pic.txt'],
    [{ uri: 'a://x/pic', blob: png }, 'pic.png'],
    [{ uri: 'a://x/pic.txt', blob: png, mimeType: 'text/plain' }, 'pic.png mimeMismatch=image/png'],
    [{ uri: 'a://x/pic', blob: blob('abc'), mimeType: 'image/png' }, 'pic.png mimeMismatch'],
    [{ uri: 'a://x/t.csv', blob: blob('a,b'), mimeType: 'application/octet-stream' }, 't.csv'],
    [{ uri: 'a://x/t', blob: blob('\0\x01') }, 't.bin'],
    [{ uri: 'a://x/t', blob: '?' }, 't.txt invalidBase64'],
    [{ uri: 'a://x/t' }, 't.txt emptyResource'],
    [{ uri: 'a://x/t.log', text: '' }, 't.log emptyContent'],
    [{ uri: 'demo://', text: 'x' }, 'demo.txt'],
    [{ uri: '', text: 'x' }, 'resource.txt'],
    [{ uri: 'a://x/..%2f..%2fetc%2fpasswd', text: 'x' }, 'etc-passwd.txt'],
    [{ uri: 'file:///c:\\..\\..\\con.txt', text: 'x' }, '_con.txt'],
    [{ uri: 'a://x/%E0%A4%A', text: 'x' }, 'E0-A4-A.txt'],
    [{ uri: `a://x/${'n'.repeat(500)}`, text: 'x' }, `${'n'.repeat(80)}.txt`],
    [{ uri: 'a://x/a%0A%E2%80%AEb\uD800', text: 'x' }, 'ab.txt'],
  ];
  for (const [resource, expected] of cases) {
    it(`${JSON.stringify(resource).slice(0, 80)} becomes ${expected.slice(0, 40)}`, () => {
      const parts = toResourceParts([resource], context);
      assert.deepEqual(parts.map(picture), [expected]);
    });
  }

  it('that is text shows an excerpt, and bytes that are none show nothing', () => {
    const contents = [
      { uri: 'a://t.csv', blob: blob('a,b') },
      { uri: 'a://t.csv', blob: blob('a\0b') },
      { uri: 'a://p', blob: png },
    ];
    assert.deepEqual(
      toResourceParts(contents, context).map((part) => file(part).excerpt),
      ['a,b', undefined, undefined],
    );
  });

  it('of the same name as another has a name of its own', () => {
    const same = { uri: 'a://x/a.txt', text: '' };
    assert.deepEqual(
      toResourceParts([same, same], context).map((part) => file(part).name),
      ['1-a.txt', '2-a.txt'],
    );
  });

  it('may be several, or none', () => {
    assert.deepEqual(toResourceParts([], context), []);
  });
});
