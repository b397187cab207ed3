import assert from 'node:assert/strict';
import { toParts } from '../../src/core/content/content';
import { largeJsonOf } from '../../src/core/content/contentFiles';
import { parseJson } from '../../src/core/json/parseJson';
import { parseToolResult } from '../../src/core/parse/parseResults';
import type { JsonValue } from '../../src/core/json/jsonValue';

const rows = Array.from({ length: 60_000 }, (_, id) => ({
  id,
  name: `row "${id}" – größer`,
  tags: ['a', ['b', null]],
  price: id / 7,
}));
const large: Record<string, JsonValue> = {
  'one text': { text: 'The quick\n"brown" fox 😀. '.repeat(400_000) },
  'many rows': { rows },
};

/** How often others had their turn while `work` went on. */
async function turnsWhile<T>(work: () => Promise<T>): Promise<[T, number]> {
  let turns = 0;
  const count = setInterval(() => (turns += 1), 0);
  try {
    return [await work(), turns];
  } finally {
    clearInterval(count);
  }
}

describe('Large structured content', () => {
  for (const [what, value] of Object.entries(large)) {
    it(`of ${what} is JSON as JavaScript writes it, and yields to other work`, async () => {
      const expected = JSON.stringify(value);
      const [bytes, turns] = await turnsWhile(() => largeJsonOf(value));
      assert.ok(bytes !== undefined);
      assert.ok(Buffer.from(bytes).equals(Buffer.from(expected)));
      assert.ok(turns > 2, `${turns} turns for ${bytes.length} bytes`);
    });
  }

  it('has numbers as they were written', async () => {
    const text = `{"content":[],"structuredContent":{"text":"${'x'.repeat(1_100_000)}","ids":[12345678901234567890,1.0]}}`;
    const { structuredContent } = parseToolResult(withLargeTexts(text));
    const bytes = await largeJsonOf(structuredContent);
    assert.match(Buffer.from(bytes ?? []).toString(), /"ids":\[12345678901234567890,1\.0\]\}$/);
  });

  it('is text of more than 1 Mi characters', async () => {
    assert.equal(await largeJsonOf(undefined), undefined);
    assert.equal(await largeJsonOf({ text: 'x'.repeat(1024 * 1024 - 11) }), undefined);
    assert.equal((await largeJsonOf({ text: 'x'.repeat(1024 * 1024 - 10) }))?.length, 1_048_577);
  });

  it('is a file like any other, with its notes', async () => {
    const value = { list: rows };
    const other = '{"list":[]}';
    const parsed = { content: [{ type: 'text', text: other }], structuredContent: value };
    const structuredJson = await largeJsonOf(value);
    assert.ok(structuredJson);
    const parts = toParts(parseToolResult(parsed), { title: 'tool', structuredJson });
    const part = parts.at(-1);
    assert.ok(part !== undefined && part.kind === 'structured');
    assert.deepEqual(
      [part.name, part.size, part.excerpt?.slice(0, 20), part.notes],
      [
        '2-structured.json',
        structuredJson.length,
        '{"list":[{"id":0,"na',
        [{ code: 'differsFromText' }],
      ],
    );
    assert.equal(await part.read(), structuredJson);
  });
});

/** As the reader makes it, which takes large texts out before it looks at numbers. */
function withLargeTexts(text: string): unknown {
  const start = text.indexOf('"text":"') + 8;
  const end = text.indexOf('"', start);
  const value = parseJson(`${text.slice(0, start)}${text.slice(end)}`);
  const { structuredContent } = parseToolResult(value);
  Object.assign(structuredContent ?? {}, { text: text.slice(start, end) });
  return value;
}
