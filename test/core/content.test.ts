import assert from 'node:assert/strict';
import { parseToolResult } from '../../src/core/parse/parseResults';
import { toParts, toResourceParts } from '../../src/core/content/content';
import type { FilePart, Part } from '../../src/core/content/contentParts';
import type { ContentBlock, ResourceContents, ToolResult } from '../../src/core/types';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';

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

const text = (value: string | Uint8Array): ContentBlock => ({ type: 'text', text: value });

async function contentOf(part: Part | undefined): Promise<string> {
  assert.ok(part !== undefined && part.kind !== 'link');
  const bytes = await part.read();
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

  it('do not exist for a result without content', () => {
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

  it('have their annotations', () => {
    const annotations = { audience: ['assistant'] } as const;
    assert.deepEqual(partsOf([{ ...text('a'), annotations }])[0]?.annotations, annotations);
  });

  it('omit a text that is the serialized structured content', () => {
    const value = { b: [1, null], a: 'x' };
    assert.deepEqual(partsOf([text('{"a":"x", "b":[1,null]}')], value).map(picture), [
      'a tool.json sameAsText',
    ]);
  });

  const agreements: readonly [string, readonly string[], JsonValue, readonly string[]][] = [
    ['holds just the text', ['a\nb'], { content: 'a\nb' }, ['a tool.txt', '2-structured.json']],
    ['is just the text', ['a'], 'a', ['a tool.txt', '2-structured.json']],
    ['holds the JSON', ['[1, 2]'], { result: [1, 2] }, ['a tool.json', '2-structured.json']],
    ['holds the number', ['5'], { result: 5 }, ['a tool.txt', '2-structured.json']],
    [
      'lists the texts',
      ['{"a":1}', 'x'],
      { result: [{ a: 1 }, 'x'] },
      ['1-text.json', '2-text.txt', 'a tool.json'],
    ],
    [
      'says something else',
      ['{"a":1}'],
      { a: 2 },
      ['1-text.json', '2-structured.json differsFromText'],
    ],
    ['says more than prose', ['done'], { a: 2 }, ['1-text.txt', '2-structured.json']],
    ['has more members', ['a'], { a: 'a', b: 'b' }, ['1-text.txt', '2-structured.json']],
  ];
  for (const [how, texts, value, expected] of agreements) {
    it(`that are texts beside structured content that ${how}: ${expected.join(', ')}`, () => {
      assert.deepEqual(partsOf(texts.map(text), value).map(picture), expected);
    });
  }

  it('have an image as the main one beside a short text, and none beside long texts or a second image', () => {
    const drawn = image(png, 'image/png');
    const mains = (...content: ContentBlock[]) =>
      partsOf(content).flatMap((part) => (part.kind !== 'link' && part.isMain ? [part.name] : []));
    assert.deepEqual(mains(text('A garden'), drawn), ['a tool.png']);
    assert.deepEqual(mains(text('x'.repeat(2_001)), drawn), []);
    assert.deepEqual(mains(text('A garden'), drawn, drawn), []);
  });

  it('compare structured content with few texts, however many there are', () => {
    let looks = 0;
    const structured = new Proxy<JsonObject>(
      { a: 1, b: 2 },
      { ownKeys: (target) => ((looks += 1), Reflect.ownKeys(target)) },
    );
    const texts = Array.from({ length: 500 }, () => text('{"a":1}'));
    assert.equal(partsOf([text('{"b":2,"a":1}'), ...texts], structured).length, 501);
    assert.ok(looks < 100, `${looks} looks`);
  });

  it('have names of their own whatever the tool’s name is', () => {
    const result = { content: [text('a')], structuredContent: { b: 'a' }, isError: false };
    assert.deepEqual(toParts(result, { title: '2-structured' }).map(picture), [
      '1-text.txt',
      '2-structured.json',
    ]);
  });

  it('have the metadata of the answer and its blocks at the end', async () => {
    const block: ContentBlock = { ...text('a'), rest: { _meta: { page: 2 } } };
    const result = { content: [block], isError: false, meta: { took: 1 }, rest: { ttl: 3 } };
    const parts = toParts(result, context);
    assert.deepEqual(parts.map(picture), ['a tool.txt', '2-meta.json']);
    assert.deepEqual(JSON.parse(await contentOf(parts[1])), {
      _meta: { took: 1 },
      ttl: 3,
      'content[0]': { _meta: { page: 2 } },
    });
  });

  it('have no metadata that only names the server, as that of every answer of 2026-07-28', async () => {
    const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'a', version: '1' } };
    const of = (meta: JsonObject) =>
      toParts({ content: [text('a')], isError: false, meta }, context);
    assert.deepEqual(of(serverInfo).map(picture), ['a tool.txt']);
    const parts = of({ ...serverInfo, took: 1 });
    assert.deepEqual(JSON.parse(await contentOf(parts[1])), { _meta: { took: 1 } });
  });

  it('keep a text that differs from the structured content, or is annotated', () => {
    const parts = partsOf([text('{"a":1}'), { ...text('{"a":2}'), annotations: {} }], { a: 2 });
    assert.equal(parts.length, 3);
  });

  for (const value of [null, false, 0, '', []] as const) {
    it(`include structured content ${JSON.stringify(value)}, which is not missing`, async () => {
      assert.equal((await contentOf(partsOf([], value)[0])).trim(), JSON.stringify(value));
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
    ['{"a":1}\n{"a":2}', 'jsonl'],
    ['{"a":1}\n{"a":', 'txt'],
    ['<?xml version="1.0"?>\n<a/>', 'xml'],
    ['<note>\n<to>you</to>\n</note>\n', 'xml'],
    ['<!-- a -->\n<svg xmlns="x"></svg>', 'svg'],
    ['<!DOCTYPE html>\n<p>', 'html'],
    ['<b>bold</b> words', 'txt'],
    ['a < b\nc > d', 'txt'],
    ['name,age\nAda,36\n"Hopper, Grace",85\n', 'csv'],
    ['name\tage\nAda\t36\nGrace\t85\n', 'tsv'],
    ['one, two\nthree, four\nfive, six', 'txt'],
    ['10:00:00,123 a\n10:00:01,456 b\n10:00:02,789 c', 'txt'],
    ['diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b', 'diff'],
    ['--- \nnot a diff\n+++ x', 'txt'],
    ['#!/usr/bin/env python3\nprint(1)', 'py'],
    ['#!/bin/sh\nls', 'sh'],
    ['import os\n\ndef main():\n    pass', 'py'],
    ["import x from 'y';\nconst a = 1;", 'js'],
    ["import x from 'y';\nexport interface A {\n  b: string;\n}", 'ts'],
    ['package main\n\nimport "fmt"\n\nfunc main() {}', 'go'],
    ['use std::fs;\n\nfn main() {}', 'rs'],
    ['#include <stdio.h>\nint main(void) {', 'cpp'],
    ['SELECT a\nFROM b', 'sql'],
    ['import the goods.\nlet us go.', 'txt'],
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

  it('that is JSON on one line is formatted, with unchanged numbers', async () => {
    const value =
      '{"id":12345678901234567890,"f":1.0,"e":1E400,"s":"a\\"{,}\\u0000","o":{},"l":[]}';
    assert.equal(
      await contentOf(partsOf([text(value)])[0]),
      '{\n  "id": 12345678901234567890,\n  "f": 1.0,\n  "e": 1E400,\n' +
        '  "s": "a\\"{,}\\u0000",\n  "o": {},\n  "l": []\n}\n',
    );
  });

  it('that is JSON on several lines stays unchanged', async () => {
    const value = '{\n"a":\t1 }';
    assert.equal(await contentOf(partsOf([text(value)])[0]), value);
  });

  it('that is nested deeply or very long is not formatted', async () => {
    const deep = '['.repeat(3_000) + ']'.repeat(3_000);
    const long = `["${'x'.repeat(3 * 1024 * 1024)}"]`;
    const parts = partsOf([text(deep), text(long)]);
    assert.deepEqual(await Promise.all(parts.map(contentOf)), [deep, long]);
  });

  it('with terminal escapes is shown without them, and is kept unchanged', async () => {
    const sent = '\u001b[1;31mfailed\u001b[0m: \u001b]8;;https://a.b\u0007log\u001b]8;;\u0007';
    const parts = partsOf([text(sent)]);
    assert.deepEqual(parts.map(picture), ['a tool.txt escapesRemoved', '2-as-sent.txt asSent=1']);
    assert.deepEqual(await Promise.all(parts.map(contentOf)), ['failed: log', sent]);
  });

  it('loses only whole terminal escapes', async () => {
    const sequences = [
      '\u001b[38:5:1m',
      '\u001b[?25l',
      '\u001b[1 q',
      '\u009b31m',
      '\u001b]0;a title\u0007',
      '\u001b]8;;https://a.b/(c)?d,e\u001b\\',
      '\u001bPdata\u001b\\',
      '\u001b(B',
      '\u001b7',
    ];
    const [removed] = partsOf([text(`a${sequences.join('')}b`)]);
    assert.equal(await contentOf(removed), 'ab');
    const incomplete = '\u001b[1\n\u001b]8;;https://a.b';
    const [kept] = partsOf([text(incomplete)]);
    assert.equal(await contentOf(kept), incomplete);
  });

  it('with hostile terminal escapes is shown in linear time', () => {
    // The function of Node takes hours for these: its time is quadratic.
    for (const piece of [';?', '\u001b]', '\u001b[', '\u001b]8;', '\u001b[1;', '\u009b1']) {
      const hostile = '\u001b' + piece.repeat((1024 * 1024 - 1) / piece.length);
      assert.equal(partsOf([text(hostile)]).at(-1)?.number, 2);
    }
  });

  it('in bytes is decoded, and formatted up to 1 MiB', async () => {
    const small = Buffer.from('{"ü":1}');
    const large = Buffer.from(`  {"ü": "${'x🙂'.repeat(400_000)}"}\n`);
    const parts = partsOf([text(small), text(large)]);
    assert.deepEqual(parts.map(picture), ['1-text.json', '2-text.json']);
    assert.equal(await contentOf(parts[0]), '{\n  "ü": 1\n}\n');
    assert.equal((await contentOf(parts[1])) === large.toString(), true);
    assert.equal(file(parts[1]).excerpt === large.toString().slice(0, 4_000), true);
  });

  it('in many bytes is recognized by its beginning and end', () => {
    const rest = 'lorem ipsum\n'.repeat(200_000);
    const texts = [
      [`[1, "${rest}"]`, 'json'],
      [`[note] ${rest}`, 'txt'],
      [`{"a": "${rest}`, 'txt'],
      [`# Title\n\n**bold** [a](b)\n${rest}`, 'md'],
      [rest, 'txt'],
    ] as const;
    for (const [value, extension] of texts) {
      const [part] = partsOf([text(Buffer.from(value))]);
      assert.equal(file(part).name, `a tool.${extension}`);
    }
    const [csv] = toResourceParts(
      { contents: [{ uri: 'x:/table.csv', text: Buffer.from(rest) }] },
      context,
    );
    assert.equal(file(csv).name, 'table.csv');
  });

  it('with half a character says so, and with a whole one does not', () => {
    for (const [value, notes] of [
      ['a\uD83D', ['halfCharacter']],
      ['\uDE00a', ['halfCharacter']],
      ['a\u{1F600}', []],
    ] as const) {
      const [part] = partsOf([text(value)]);
      const codes = part?.notes.map(({ code }) => code);
      assert.deepEqual(codes, notes);
    }
  });

  it('that is empty says so', () => {
    assert.deepEqual(partsOf([text('')]).map(picture), ['a tool.txt emptyContent']);
  });

  it('has a bounded excerpt', () => {
    assert.equal(file(partsOf([text('x'.repeat(100_000))])[0]).excerpt?.length, 4_000);
  });

  it('of a hostile shape is processed quickly', () => {
    // An expression that goes back and forth over it would take hours.
    for (const piece of [
      '\u001b[',
      '\u001b]8;',
      'a,"',
      '<a',
      '<!--',
      'import ',
      '**a',
      '[a](',
      '|---',
      '#',
      '"\\',
      '{"',
      '```\n',
    ]) {
      assert.equal(partsOf([text(piece.repeat(2_000_000 / piece.length))])[0]?.number, 1);
    }
  });
});

describe('Structured content', () => {
  it('that is nested too deeply to write is reported, not thrown', () => {
    let value: JsonValue = 1;
    for (let depth = 0; depth < 200_000; depth += 1) value = [value];
    assert.deepEqual(partsOf([], value).map(picture), ['a tool.txt tooDeep']);
  });
});

describe('Bytes', () => {
  it('are decoded from base64 or used unchanged', async () => {
    const parts = partsOf([image(png.toString('base64'), 'image/png'), image(png, 'image/png')]);
    assert.deepEqual(await Promise.all(parts.map(async (part) => file(part).read())), [png, png]);
  });

  const invalid = ['QQ', 'Q===', 'QQ=A', '====', 'QQ==\n', 'Q Q=', 'QQ_-', 'QQé=', 'data:,x'];
  for (const data of invalid) {
    it(`of ${JSON.stringify(data)}, invalid base64, are shown as that text`, async () => {
      const [part] = partsOf([image(data, 'image/png')]);
      assert.deepEqual(
        [part && picture(part), await contentOf(part)],
        ['a tool.txt invalidBase64', data],
      );
    });
  }

  const loose: readonly (readonly [string, string])[] = [
    ['a data URI', `data:image/png;base64,${png.toString('base64')}`],
    ['a data URI with escapes', `data:;base64,${encodeURIComponent(png.toString('base64'))}`],
    ['the alphabet of URLs', png.toString('base64url')],
    ['no padding', png.toString('base64').replace(/=+$/, '')],
    ['line breaks', `${png.toString('base64').replaceAll(/.{10}/g, '$&\r\n')}\n`],
    ['a literal of Python', `b'${png.toString('base64')}'`],
  ];
  for (const [form, data] of loose) {
    it(`that are an image are shown as one, as ${form} too, with a remark`, async () => {
      const [part] = partsOf([image(data, 'image/png')]);
      assert.deepEqual(
        [part && picture(part), await file(part).read()],
        ['a tool.png looseBase64', png],
      );
      const [resource] = partsOf([{ type: 'resource', resource: { uri: 'a://x/y', blob: data } }]);
      assert.equal(resource && picture(resource), 'y.png looseBase64');
    });
  }

  it('of an image or audio without a type are recognized', () => {
    const pictureOf = (raw: object) => {
      const { content } = parseToolResult({ content: [raw] });
      return partsOf(content).map(picture);
    };
    const data = png.toString('base64');
    assert.deepEqual(pictureOf({ type: 'image', data }), ['a tool.png untyped=image/png']);
    assert.deepEqual(
      pictureOf({ type: 'image', data: png.toString('base64url'), mimeType: null }),
      ['a tool.png looseBase64 untyped=image/png'],
    );
    assert.deepEqual(pictureOf({ type: 'audio', data: 'T2dnUw==' }), [
      'a tool.ogg untyped=audio/ogg',
    ]);
    for (const odd of ['hello', '', 5]) {
      assert.match(pictureOf({ type: 'image', data: odd })[0] ?? '', /^a tool\.json unknownType=/);
    }
  });

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
      const parts = toResourceParts({ contents: [resource] }, context);
      assert.deepEqual(parts.map(picture), [expected]);
    });
  }

  it('shows an excerpt if it is text, and nothing if its bytes are not text', () => {
    const contents = [
      { uri: 'a://t.csv', blob: blob('a,b') },
      { uri: 'a://t.csv', blob: blob('a\0b') },
      { uri: 'a://p', blob: png },
    ];
    assert.deepEqual(
      toResourceParts({ contents }, context).map((part) => file(part).excerpt),
      ['a,b', undefined, undefined],
    );
  });

  it('has a unique name if another has the same', () => {
    const same = { uri: 'a://x/a.txt', text: '' };
    assert.deepEqual(
      toResourceParts({ contents: [same, same] }, context).map((part) => file(part).name),
      ['1-a.txt', '2-a.txt'],
    );
  });

  it('have the metadata of a read resource beside its document, unless it only names the server', async () => {
    const read = { contents: [{ uri: 'x:/a.txt', text: 'a' }], rest: { total: 9 } };
    const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'a', version: '1' } };
    const parts = toResourceParts({ ...read, meta: { page: 2 } }, context);
    assert.deepEqual(parts.map(picture), ['a.txt', '2-meta.json']);
    assert.deepEqual(JSON.parse(await contentOf(parts[1])), { _meta: { page: 2 }, total: 9 });
    const { contents } = read;
    assert.equal(toResourceParts({ contents, meta: serverInfo }, context).length, 1);
  });

  it('can have several contents, or none', () => {
    assert.deepEqual(toResourceParts({ contents: [] }, context), []);
  });
});
