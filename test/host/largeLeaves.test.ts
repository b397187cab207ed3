import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkExpectation } from '../../src/core/callFiles/expectations';
import {
  containsValue,
  equalsValue,
  jsonText,
  differenceFromAnswer,
} from '../../src/core/callFiles/expectedValues';
import { valueOfCall } from '../../src/core/callFiles/callVariables';
import { writeExpectation } from '../../src/core/callFiles/writeExpectation';
import { comparableText } from '../../src/core/content/comparableResult';
import { toParts, isSmallResult } from '../../src/core/content/content';
import { copyContent, wireResult } from '../../src/core/content/wireResult';
import { boundedJson } from '../../src/core/json/boundedJson';
import { findValue } from '../../src/core/json/jsonPointer';
import { jsonPieces } from '../../src/core/json/jsonPieces';
import { exactJson } from '../../src/core/json/layOutJson';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';
import { isContainer, isSameJson } from '../../src/core/json/shapes';
import { withWrittenBytes } from '../../src/core/json/writtenBytes';
import { isDeeperThan } from '../../src/core/parse/parsers';
import { parseToolResult } from '../../src/core/parse/parseResults';
import { recordedLine } from '../../src/core/recording/recordedLine';
import { weightUpTo } from '../../src/core/json/valueWeight';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { ContentBlock, ToolResult } from '../../src/core/types';
import { toAgentAnswer } from '../../src/host/agents/agentResult';
import { freezeArguments } from '../../src/host/calls/callArguments';
import { writeAnswer } from '../../src/host/history/answers';
import { repeatsSecret } from '../../src/host/history/storedArguments';
import { resultDigest } from '../../src/host/journal/resultDigest';
import { redactJson } from '../../src/host/secrets/redactSecrets';
import { busiestCount } from '../workCount';

const mib = 1024 * 1024;
const largeLength = 64 * mib;
/** Pieces of 48 KiB, twice over, and room for what each call does besides. */
const mostSteps = 4_000;
/**
 * Looks at each byte of a text before that is parsed, in less time than the parsing takes. Without a
 * bundle it gets its constants from functions.
 */
const eachByte = /^(?:checkCosts|get|backslash|quote)$/;

const bytes = Buffer.alloc(largeLength, 'Just so. ');
const large = {
  bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length),
  text: bytes.toString('latin1'),
};

/** Where a reader leaves bytes in what it could not put into our own types. */
const places: Readonly<Record<string, (leaf: unknown) => ToolResult>> = {
  'a picture': (leaf) =>
    resultOf({ content: [{ type: 'image', data: leaf, mimeType: 'image/png' }] }),
  'a resource with text and blob': (leaf) =>
    resultOf({
      content: [{ type: 'resource', resource: { uri: 'a:b', text: 'small', blob: leaf } }],
    }),
  'contents in place of content': (leaf) => resultOf({ contents: [{ uri: 'a:b', text: leaf }] }),
  annotations: (leaf) =>
    resultOf({ content: [{ type: 'text', text: 'small', annotations: { other: leaf } }] }),
};

function resultOf(wire: object): ToolResult {
  return parseToolResult(wire);
}

const failure = { code: 'value', pointer: '/values/~1content~10' } as const;
const callFile = '{"server": "a", "tool": "b", "expect": {"values": {"/content/0": 1}}}';

/** Everything that walks an answer, and what it may be asked to do with it. */
const walkers: Readonly<Record<string, (result: ToolResult) => unknown>> = {
  depth: (result) => isDeeperThan(50, result),
  weight: (result) => weightUpTo(1_000_000_000, result),
  comparison: (result) => isSameJson(result, { ...result, content: [...result.content] }),
  'copy for another extension': ({ content }) => copyContent(content),
  'digest of the journal': (result) => resultDigest(result),
  'look for secrets': (result) =>
    repeatsSecret(result, [], { redact: (text) => text, isEmpty: false }),
  redaction: ({ content }) => redactJson(content as unknown as JsonValue, (text) => text),
  'answer for an agent': (result) => toAgentAnswer(result),
  documents: (result) => toParts(result, { title: 'large' }),
  'text to compare': (result) => comparableText(result),
  difference: (result) =>
    differenceFromAnswer({ value: { content: [] } as unknown as JsonObject }, result, []),
  'expectation of the whole': (result) =>
    checkExpectation(
      {
        places: [{ kind: 'values', pointer: '/content', steps: ['content'], value: [] }],
        ignored: [],
      } as never,
      { result, annotations: {}, durationMs: 1 },
      { validator: new SchemaValidator(), readText: () => Promise.reject(new Error('none')) },
    ),
  'expected value': ({ content }) => [equalsValue(content, []), containsValue(content, ['a'])],
  'shown value': ({ content }) => jsonText(content),
  'accepted value': (result) =>
    writeExpectation(callFile, { name: '', result, failures: [failure] }, { volatile: [] }),
  'value for a later call': (result) =>
    valueOfCall({ kind: 'call', name: 'a', part: 'content', steps: [], text: '' }, result),
  'place in it': (result) => findValue(result, ['content', '0', 'data', '17']),
  'is small': (result) => isSmallResult(result),
  'bounded JSON': (result) => boundedJson(result, 2_000),
  'JSON in pieces': (result) => {
    for (const piece of jsonPieces(wireResult(result, { text: same, data: same }))) void piece;
  },
  'JSON in one': (result) => exactJson(wireResult(result, { text: same, data: same }), 2),
  'what a server wrote': (result) => withWrittenBytes(result),
  'line of a recording': (result) =>
    recordedLine({ at: 0, server: 'a', to: 'client', message: { result } }, (text) => text, []),
  'file of the history': async (result) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-leaves-'));
    await writeAnswer(path.join(folder, 'a.ndjson'), result, 100 * mib);
    await rm(folder, { recursive: true });
  },
  'arguments of a call': ({ content }) => {
    if (content.length > 0) assert.throws(() => freezeArguments({ content }));
    assert.throws(() => freezeArguments(large.bytes));
  },
};

function same(value: unknown): unknown {
  return value;
}

describe('A large leaf', () => {
  for (const [name, walk] of Object.entries(walkers)) {
    it(`is one value for this walker, wherever it is: ${name}`, async () => {
      const results = Object.values(places).map((make) => make(large.bytes));
      results.push(resultOf({ content: [{ type: 'text', text: large.text }] }));
      const work = async (): Promise<void> => {
        for (const result of results) await walk(result);
      };
      const count = await busiestCount(work, undefined, eachByte);
      assert.ok(count < mostSteps * results.length, `${count} steps`);
    });
  }

  it('is distinguished from similar values, and equals another with the same bytes', () => {
    const [one, other] = [Buffer.from('abcdefgh'), Buffer.from('abcdefgi')];
    const kinds = [one, new DataView(one.buffer), one.buffer, new Float64Array(1)];
    assert.deepEqual(kinds.map(isContainer), [false, false, false, false]);
    assert.deepEqual([{}, [], new Map()].map(isContainer), [true, true, true]);
    assert.deepEqual(
      [isSameJson({ one }, { one: Uint8Array.from(one) }), isSameJson({ one }, { one: other })],
      [true, false],
    );
    assert.equal(isDeeperThan(1, [bytes]), false);
    assert.ok(weightUpTo(1_000_000_000, bytes) >= largeLength / 32);
  });

  it('is as the server wrote it in every document of the answer', async () => {
    const text = 'Größe: 12 €, "so"\n'.repeat(20_000);
    const blob = Buffer.from(text);
    const wire = {
      content: [
        { type: 'text', text: new Uint8Array(blob) },
        { type: 'resource', resource: { uri: 'a:b', text: 'x', blob: new Uint8Array(blob) } },
      ],
      contents: [{ uri: 'c:d', text: new Uint8Array(blob) }],
    };
    const written = {
      content: [
        { type: 'text', text },
        { type: 'resource', resource: { uri: 'a:b', text: 'x', blob: blob.toString('base64') } },
      ],
      isError: false,
      contents: [{ uri: 'c:d', text }],
    };
    const result = resultOf(wire);
    const forms = wireResult(result, { text: same, data: same });
    assert.deepEqual(JSON.parse(exactJson(forms) ?? ''), written);
    assert.deepEqual(JSON.parse([...jsonPieces(forms)].join('')), written);
    const agent = toAgentAnswer(result);
    assert.deepEqual(JSON.parse(JSON.stringify(agent.content)), written.content);
    const own: readonly ContentBlock[] = await copyContent(result.content);
    assert.deepEqual(own[0], { type: 'text', text });
  });
});
