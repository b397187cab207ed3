import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toParts, toResourceParts } from '../../src/core/content/content';
import type { Part } from '../../src/core/content/contentParts';
import { parseFollowedJson, parseJson } from '../../src/core/json/parseJson';
import { parseReadResult, parseToolResult } from '../../src/core/parse/parseResults';
import { exactJson } from '../../src/core/json/layOutJson';

const context = { title: 'tool' };
const file = path.resolve(__dirname, '../fixtures/mcp-schema/examples-2026-07-28.json');
const { examples }: { examples: Record<string, unknown> } = JSON.parse(readFileSync(file, 'utf8'));

/** Every value that is no object or list, with its key. */
function* leaves(value: unknown, key = ''): Generator<[key: string, leaf: unknown]> {
  if (typeof value !== 'object' || value === null) yield [key, value];
  else for (const [name, item] of Object.entries(value)) yield* leaves(item, name);
}

/**
 * Fails if something of `answer` can be found in none of its parts: their files as text or bytes,
 * or the facts that stand beside them.
 */
async function assertNothingLost(answer: unknown, parts: readonly Part[]): Promise<void> {
  const shown: string[] = [];
  for (const part of parts) {
    shown.push(JSON.stringify(part), ...Object.values(part).map(String));
    if (part.kind === 'link') continue;
    const bytes = Buffer.from(await part.read());
    assert.equal(bytes.length, part.size);
    shown.push(bytes.toString('utf8'), bytes.toString('base64'));
  }
  const all = shown.join('\n');
  for (const [key, leaf] of leaves(answer)) {
    // What a member says by being there shows in the kind of the part, or in the outcome.
    if (['type', 'isError', 'resultType'].includes(key)) continue;
    // A text that only repeats the structured content.
    if (key === 'text' && all.includes('sameAsText')) continue;
    const isThere = all.includes(String(leaf)) || all.includes(JSON.stringify(leaf));
    assert.ok(isThere, `lost ${key}: ${JSON.stringify(leaf)} in\n${all}`);
  }
}

/** Name, or URI, with the codes of the notes. */
function picture(part: Part): string {
  const notes = part.notes.map(({ code, detail }) => (detail ? `${code}=${detail}` : code));
  const main = part.kind !== 'link' && part.isMain ? ['main'] : [];
  return [part.kind === 'link' ? part.uri : part.name, ...main, ...notes].join(' ');
}

const resultOf = (value: object) => ('result' in value ? value.result : value);

describe('The examples of the specification', () => {
  it('are complete', () => assert.equal(Object.keys(examples).length, 129));

  for (const [name, example] of Object.entries(examples)) {
    it(`${name} loses nothing as content, as an answer or as structured content`, async () => {
      for (const answer of [
        { content: [example] },
        { content: example },
        { structuredContent: example },
        example,
      ]) {
        await assertNothingLost(answer, toParts(parseToolResult(answer), context));
      }
    });
  }

  const pictures: readonly [string, readonly string[]][] = [
    ['CallToolResult/invalid-tool-input-error', ['tool.txt main']],
    ['CallToolResult/result-with-array-structured-content', ['1-text.txt', '2-structured.json']],
    ['CallToolResult/result-with-structured-content', ['tool.json main sameAsText']],
    ['CallToolResult/result-with-unstructured-text', ['tool.txt main']],
    ['CallToolResultResponse/call-tool-result-response', ['tool.txt main']],
  ];
  for (const [name, expected] of pictures) {
    it(`${name} is ${expected.join(', ')}`, () => {
      const parts = toParts(parseToolResult(resultOf(Object(examples[name]))), context);
      assert.deepEqual(parts.map(picture), expected);
    });
  }

  const blocks: readonly [string, string][] = [
    ['TextContent/text-content', 'tool.txt main'],
    ['ImageContent/image-png-content-with-annotations', 'tool.png main'],
    ['AudioContent/audio-wav-content', 'tool.wav main'],
    ['EmbeddedResource/embedded-file-resource-with-annotations', 'main.rs main'],
    ['ResourceLink/file-resource-link', 'file:///project/src/main.rs'],
  ];
  for (const [name, expected] of blocks) {
    it(`${name} is ${expected}`, () => {
      const parts = toParts(parseToolResult({ content: [examples[name]] }), context);
      assert.deepEqual(parts.map(picture), [expected]);
    });
  }

  for (const name of Object.keys(examples).filter((each) =>
    each.startsWith('ReadResourceResult'),
  )) {
    it(`${name} is files`, async () => {
      const answer = resultOf(Object(examples[name]));
      const parts = toResourceParts(parseReadResult(answer, 'asked:uri'), context);
      assert.deepEqual(parts.map(picture), ['main.rs main']);
    });
  }
});

describe('Numbers in documents', () => {
  const written =
    '{"id":12345678901234567890,"e":1e400,"f":1.0,"z":-0,"d":[0.12345678901234567891,{"x":5E2}],"n":7}';
  const message = (id: string) =>
    parseJson(
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${written}}}`,
    );

  it('of structured content are shown as written', async () => {
    const result = parseToolResult(Object(message('1')).result);
    const [part] = toParts(result, context);
    assert.ok(part !== undefined && part.kind !== 'link');
    const shown = Buffer.from(await part.read()).toString();
    assert.equal(shown.replaceAll(/\s/g, ''), written);
    assert.equal(exactJson(result.structuredContent), written);
  });

  it('of unknown content are shown as written', async () => {
    const answer = parseJson('{"content":[{"type":"measure","value":1.50}]}');
    const [part] = toParts(parseToolResult(answer), context);
    assert.ok(part !== undefined && part.kind !== 'link');
    assert.match(Buffer.from(await part.read()).toString(), /"value": 1\.50\n/);
  });

  it('are read in answers that are nested too deeply, or very long', () => {
    const deep = `{"content":${'['.repeat(50_000)}1.0${']'.repeat(50_000)}}`;
    const long = `{"content":[1.0,"${'x'.repeat(300_000)}"]}`;
    for (const text of [deep, long]) assert.ok(parseFollowedJson(text) !== undefined);
  });
});

describe('A broken answer', () => {
  const corpus: readonly [answer: object, ...expected: string[]][] = [
    [{}, 'tool.json main unknownType=content is missing'],
    [{ content: null }, 'tool.json main unknownType=content is missing'],
    [{ content: 'hi' }, 'tool.json main unknownType=content is not an array'],
    [
      { content: { type: 'text', text: 'hi' } },
      'tool.json main unknownType=content is not an array',
    ],
    [{ toolResult: { a: [1] } }, 'tool.json main'],
    [{ content: [null] }, 'tool.json main unknownType=not an object'],
    [
      { content: ['hi', 5] },
      '1-unknown.json unknownType=not an object',
      '2-unknown.json unknownType=not an object',
    ],
    [{ content: [{ type: 'video', data: 'AAAA' }] }, 'tool.json main unknownType=unknown type'],
    [{ content: [{ type: 'text' }] }, 'tool.json main unknownType=text is not a string'],
    [{ content: [{ text: 'hi' }] }, 'tool.json main unknownType=type is not a string'],
    [
      { content: [{ type: 'image', data: '!', mimeType: 'image/png' }] },
      'tool.txt main invalidBase64',
    ],
    [
      { content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }] },
      'tool.png main mimeMismatch',
    ],
    [{ content: [{ type: 'image', data: '', mimeType: '' }] }, 'tool.bin main emptyContent'],
    [{ content: [{ type: 'image', data: 'iVBORw0KGgo=' }] }, 'tool.png main untyped=image/png'],
    [
      { content: [{ type: 'audio', data: 'iVBORw0KGgo=', mimeType: 'audio/wav' }] },
      'tool.png main mimeMismatch=image/png',
    ],
    [{ content: [{ type: 'resource', resource: { uri: 'a://b' } }] }, 'b.txt main emptyResource'],
    [
      { content: [{ type: 'resource', resource: { uri: 'a://b', text: 't', blob: 'AAAA' } }] },
      'b.txt main',
      '2-meta.json',
    ],
    [
      { content: [{ type: 'resource', resource: {} }] },
      'tool.json main unknownType=resource: uri is not a string',
    ],
    [
      { content: [{ type: 'resource_link', name: 'n' }] },
      'tool.json main unknownType=uri is not a string',
    ],
    [{ content: [{ type: 'resource_link', uri: '' }] }, ''],
    [{ content: [{ type: 'text', text: 'a', annotations: 'x' }] }, 'tool.txt main', '2-meta.json'],
    [
      { content: [{ type: 'text', text: 'a', annotations: { audience: ['dog'], priority: 9 } }] },
      'tool.txt main',
      '2-meta.json',
    ],
    [{ content: [], isError: 'yes', _meta: 5, extra: [] }, '1-meta.json'],
    [{ content: [], structuredContent: null }, 'tool.json main'],
    [{ content: [{ type: 'text', text: '' }] }, 'tool.txt main emptyContent'],
    [
      { content: [{ type: 'text', text: '\u001b[31mred\u001b[0m' }] },
      'tool.txt main escapesRemoved',
      '2-as-sent.txt asSent=1',
    ],
    [
      JSON.parse('{"content":[{"type":"text","text":"a","__proto__":{"x":1}}]}'),
      'tool.txt main',
      '2-meta.json',
    ],
  ];
  for (const [answer, ...expected] of corpus) {
    it(`${JSON.stringify(answer).slice(0, 90)} is ${expected.join(', ')}`, async () => {
      const parts = toParts(parseToolResult(answer), context);
      assert.deepEqual(parts.map(picture), expected);
      await assertNothingLost(answer, parts);
    });
  }

  it('with large bytes in the wrong place shows their base64', async () => {
    const blob = Buffer.from('hello');
    const resource = { uri: 'a://b', text: 't', blob };
    const parts = toParts(parseToolResult({ content: [{ type: 'resource', resource }] }), context);
    const meta = parts[1];
    assert.ok(meta !== undefined && meta.kind !== 'link');
    assert.match(Buffer.from(await meta.read()).toString(), /"blob": "aGVsbG8="/);
  });
});
