import assert from 'node:assert/strict';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { checkExpectation } from '../../src/core/callFiles/expectations';
import type { Expectation } from '../../src/core/callFiles/callFile';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { ToolResult } from '../../src/core/types';

const places = 2_000;

function expectationOf(expect: object): Expectation {
  const { file } = readCallFile(JSON.stringify({ server: 'a', tool: 'b', expect }));
  assert.ok(file?.calls[0] !== undefined);
  return file.calls[0].expect;
}

/** Judges, and counts texts that were made to be told. */
async function judged(expect: object, result: ToolResult) {
  let told = 0;
  const failures = await checkExpectation(
    expectationOf(expect),
    { result, annotations: {}, durationMs: 1 },
    {
      validator: new SchemaValidator(),
      readText: () => Promise.resolve({ code: 'fileMissing' }),
      redact: (text) => {
        told += 1;
        return text;
      },
    },
  );
  return { failures, told };
}

describe('Checking expectations', () => {
  const text = new Uint8Array(Buffer.from(`${'Größe: 12 €. '.repeat(30_000)}END`));
  const content = Array.from({ length: places }, () => ({ type: 'text' as const, text }));
  const result: ToolResult = { content, isError: false };
  const expected = (of: (index: number) => string) =>
    Object.fromEntries(content.map((_, index) => [`/content/${index}/text`, of(index)]));

  it('creates no message if all are met', async () => {
    const { failures, told } = await judged({ contains: expected(() => 'Größe: 12 €') }, result);
    assert.deepEqual([failures, told], [[], 0]);
  });

  it('creates messages for failing places, twenty at most', async () => {
    const some = expected((index) => (index % 500 === 7 ? 'other' : '12 €'));
    const few = await judged({ contains: some }, result);
    assert.deepEqual([few.failures.length, few.told], [4, 8]);
    assert.deepEqual(
      few.failures.map(({ code, expected: wanted }) => [code, wanted]),
      Array.from({ length: 4 }, () => ['contains', '"other"']),
    );
    const all = await judged({ contains: expected(() => 'other') }, result);
    assert.deepEqual([all.failures.length, all.told], [20, 40]);
  });

  it('yields to other work between two places', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const { failures } = await judged({ contains: expected(() => 'END') }, result);
    isOver = true;
    assert.deepEqual(failures, []);
    assert.ok(turns > 0, `${turns} turns`);
  });
});
