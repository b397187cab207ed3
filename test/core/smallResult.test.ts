import assert from 'node:assert/strict';
import { isSmallResult } from '../../src/core/content/content';
import type { JsonValue } from '../../src/core/json/jsonValue';
import { RawJson } from '../../src/core/json/rawJson';
import type { ContentBlock, ToolResult } from '../../src/core/types';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const isSmall = (result: Partial<ToolResult>): boolean =>
  isSmallResult({ content: [], isError: false, ...result });

describe('A small answer', () => {
  it('has a few texts and a value', () => {
    assert.equal(isSmall({}), true);
    assert.equal(isSmall({ content: [text('a'), text('b'.repeat(10_000))] }), true);
    assert.equal(isSmall({ structuredContent: { rows: [{ a: 1 }, { a: null }] } }), true);
  });

  it('has no long or many texts or values anywhere', () => {
    assert.equal(isSmall({ content: [text('a'.repeat(9_000)), text('b'.repeat(9_000))] }), false);
    assert.equal(isSmall({ content: Array.from({ length: 17 }, () => text('')) }), false);
    assert.equal(isSmall({ structuredContent: Array.from({ length: 2_000 }, () => 1) }), false);
    assert.equal(isSmall({ structuredContent: { ['k'.repeat(20_000)]: 1 } }), false);
    assert.equal(isSmall({ meta: { a: 'x'.repeat(20_000) } }), false);
    assert.equal(isSmall({ rest: { a: Array.from({ length: 2_000 }, () => 1) } }), false);
  });

  it('has no deep value, no value that is kept as text, and no content but texts', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    assert.equal(isSmall({ rest: { deep } }), false);
    const kept = new RawJson(['1'], 1);
    assert.equal(isSmall({ structuredContent: kept }), false);
    assert.equal(
      isSmall({ content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
      false,
    );
    assert.equal(isSmall({ content: [{ type: 'text', text: new Uint8Array(3) }] }), false);
  });
});
