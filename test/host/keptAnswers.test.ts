import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { comparableText } from '../../src/core/content/comparableResult';
import { toParts } from '../../src/core/content/content';
import { largeJsonOf } from '../../src/core/content/contentFiles';
import { JsonAssembler } from '../../src/core/json/jsonAssembler';
import { RawJson } from '../../src/core/json/rawJson';
import { withValue } from '../../src/core/content/structuredAgreement';
import { parseToolResult } from '../../src/core/parse/parseResults';
import type { ToolResult } from '../../src/core/types';
import { readAnswer, writeAnswer } from '../../src/host/history/answers';
import { resultDigest } from '../../src/host/journal/resultDigest';
import { assertEach } from '../assertions';

const rows = Array.from({ length: 30_000 }, (_, id) => ({
  id,
  name: `größe "${id}"`,
  tags: ['a'],
}));
const text = 'a "text"\n'.repeat(60_000);

/** As it comes from a server. */
function received(result: object): ToolResult {
  const assembler = new JsonAssembler({ maxBytes: 2 ** 27, maxValues: 500_000 });
  const bytes = Buffer.from(JSON.stringify({ result }));
  for (let at = 0; at < bytes.length; at += 65_536) assembler.push(bytes.subarray(at, at + 65_536));
  return parseToolResult(Reflect.get(Object(assembler.end()), 'result'));
}

async function partsOf(result: ToolResult) {
  const structuredJson = await largeJsonOf(result.structuredContent);
  return toParts(result, {
    title: 'tool',
    ...(structuredJson === undefined ? {} : { structuredJson }),
  });
}

describe('Structured content of very many values', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'toolgate-kept-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [what, structuredContent] of Object.entries({
    rows: { rows },
    'rows behind a very large text': { text, rows },
    'rows before a very large text': { rows, text },
  })) {
    it(`is the same when it is read from disk: ${what}`, async () => {
      const result = received({ content: [], structuredContent });
      assert.ok(result.structuredContent instanceof RawJson);
      const file = path.join(folder, 'answer.ndjson');
      const bytes = await writeAnswer(file, result, 2 ** 27);
      const read = await readAnswer(file, Number(bytes));
      assert.ok(read.structuredContent instanceof RawJson);
      assert.equal(read.structuredContent.values, result.structuredContent.values);
      assert.deepEqual((await withValue(read)).structuredContent, structuredContent);
      assert.equal(await resultDigest(read), await resultDigest(result));
      const [part] = await partsOf(result);
      assert.ok(part !== undefined && part.kind === 'structured');
      assert.equal(part.name, 'tool.json');
      assert.equal(
        Buffer.from(await part.read()).toString() === JSON.stringify(structuredContent),
        true,
      );
      // Also where nobody has made a file of it before.
      const [other] = toParts(result, { title: 'tool' });
      assert.ok(other !== undefined && other.kind === 'structured');
      assert.equal(Buffer.from(await other.read()).equals(Buffer.from(await part.read())), true);
    });
  }

  it('is not shown twice if a text repeats it in another format', async () => {
    const small = Array.from({ length: 60_000 }, (_, id) => [id]);
    for (const indent of [undefined, 1]) {
      const block = { type: 'text', text: JSON.stringify(small, undefined, indent) };
      const result = received({ content: [block], structuredContent: small });
      assert.ok(result.structuredContent instanceof RawJson);
      const parts = await partsOf(result);
      assertEach(parts, ({ kind, notes }) => [kind, notes], [
        ['structured', [{ code: 'sameAsText' }]],
      ]);
    }
    const other = { type: 'text', text: JSON.stringify([...small, 1]) };
    const parts = await partsOf(received({ content: [other], structuredContent: small }));
    assertEach(parts, ({ kind }) => kind, ['text', 'structured']);
  });

  it('is compared by its hash above the limit of values', () => {
    const one = comparableText(received({ content: [], structuredContent: rows }));
    assert.match(one, /"sha256": "[\da-f]{64}",\n\s+"values": 150001\n/);
    assert.equal(one, comparableText(received({ content: [], structuredContent: rows })));
    const changed = [...rows.slice(1), { id: 0 }];
    assert.notEqual(one, comparableText(received({ content: [], structuredContent: changed })));
  });

  it('remembers that it is not an object, which its revision does not allow', async () => {
    const result = { content: [], structuredContent: [1], isError: false } as const;
    for (const given of [result, { ...result, hasBareStructure: true as const }]) {
      const file = path.join(folder, 'bare.ndjson');
      const bytes = await writeAnswer(file, given, 1_000);
      assert.deepEqual(await readAnswer(file, Number(bytes)), given);
    }
  });

  it('has no value if it would need too much memory', async () => {
    const kept = new RawJson([Buffer.from('[]')], 2_000_001);
    const result = { content: [], structuredContent: kept, isError: false };
    assert.equal(await withValue(result), result);
  });
});
