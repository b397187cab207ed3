import assert from 'node:assert/strict';
import { wireResult } from '../../src/core/content/wireResult';
import { parseToolResult } from '../../src/core/parse/parseResults';

const forms = { text: (text: unknown) => text, data: (data: unknown) => data };

describe('A wire result', () => {
  it('is the same when it is parsed again, with all unknown members', () => {
    const results: object[] = [
      {},
      { content: 'none', isError: 'yes' },
      { structuredContent: null, _meta: 1, resultType: 'complete' },
      { content: [], isError: true, _meta: { a: 1 }, more: [1] },
      {
        content: [
          { type: 'text', text: 'a', annotations: { priority: 2, audience: ['user'] }, odd: 1 },
          { type: 'image', data: 'AAAA', mimeType: 'image/png', _meta: { b: 2 } },
          { type: 'resource_link', uri: 'a:b', name: 'n', size: -1, icons: [] },
          {
            type: 'resource',
            resource: { uri: 'a:c', text: 't', annotations: { priority: 9 }, extra: true },
            _meta: {},
          },
          {
            type: 'resource',
            resource: { uri: 'a:d', blob: 'AAAA', annotations: { priority: 1 } },
          },
          { type: 'video', data: 1 },
          'text',
          null,
        ],
      },
    ];
    for (const raw of results) {
      const parsed = parseToolResult(raw);
      const again = parseToolResult(JSON.parse(JSON.stringify(wireResult(parsed, forms))));
      // Of an answer without content all is one unknown block, which comes back as one.
      const known = parsed.content.some((block) => block.type === 'unknown' && block.raw === raw);
      if (known)
        assert.deepEqual(
          again.content.map(({ type }) => type),
          ['unknown'],
        );
      else assert.deepEqual(withoutReasons(again), withoutReasons(parsed));
    }
  });
});

/** Why a block is unknown depends on what stood around it. */
function withoutReasons(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (key === 'reason' ? 0 : member)),
  );
}
