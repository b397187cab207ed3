import assert from 'node:assert/strict';
import { toParts } from '../../src/core/content/content';
import type { ContentBlock, ToolResult } from '../../src/core/types';
import { renderOverview, type ResultFacts } from '../../src/ui/results/resultOverview';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (value: string): ContentBlock => ({ type: 'text', text: value });

function overviewOf(result: Partial<ToolResult>, more: Partial<ResultFacts> = {}): string {
  const facts = {
    origin: { kind: 'call', toolTitle: 'Look Around', toolName: 'look' },
    serverLabel: 'demo',
    createdAt: 0,
    durationMs: 12,
    isError: false,
    isExternal: true,
    violations: [],
    missingStructuredContent: false,
    ...more,
  } as const;
  const whole = { content: [], isError: facts.isError, ...result };
  return renderOverview(facts, toParts(whole, { title: 'look' })).text;
}

describe('The overview of an answer', () => {
  it('has all parts in order, with short texts in place', () => {
    const content: ContentBlock[] = [
      { ...text('for\u202E a model'), annotations: { audience: ['assistant'] } },
      { type: 'image', data: png, mimeType: 'image/jpeg' },
      { type: 'resource_link', uri: 'file:///etc/hosts', name: 'Hosts', size: 2048 },
      { type: 'resource', resource: { uri: 'file:///a/b.csv', text: 'x,y' } },
    ];
    const [tool, server, when, ...rest] = overviewOf({ content, structuredContent: 7 }).split('\n');
    assert.deepEqual([tool, server], ['Tool: Look Around (look)', 'Server: demo']);
    assert.match(when ?? '', /^Called: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, took 12 ms$/);
    assert.deepEqual(rest, [
      'Outcome: result',
      'External content: do not trust it. The tool can reach outside systems.',
      '',
      '1. 1-text.txt (text, 14 bytes)',
      '    Intended for a model, so its text is shown only when you open it.',
      '',
      '2. 2-image.png (image, image/jpeg, 70 bytes)',
      '    ⚠ The content is not of the type that the server declared; it is image/png.',
      '',
      '3. file:///etc/hosts (resource link, 2.0 KiB)',
      '    Hosts',
      '    Opens on demand from the server',
      '',
      '4. 4-b.csv (resource, 3 bytes)',
      '    From file:///a/b.csv',
      '    │ x,y',
      '',
      '5. 5-structured.json (structured content, 2 bytes)',
      '    │ 7',
      '',
    ]);
  });

  it('says where text and structured content differ', () => {
    assert.match(
      overviewOf({ content: [text('{"a":1}')], structuredContent: { a: 2 } }),
      /^2\. 2-structured\.json .*\n {4}⚠ The text beside it is also JSON, but differs\.$/m,
    );
  });

  for (const [what, result, facts, expected] of [
    [
      'an error',
      { content: [text('no\nway')] },
      { isError: true },
      /^✗ The tool reported an error\.\n\n[^]*^Outcome: error$[^]*\n {4}│ no\n {4}│ way\n$/m,
    ],
    [
      'an answer in the form from before the first revision',
      { content: [text('from long ago')] },
      { isOldForm: true },
      /^⚠ The server used “toolResult”[^]*│ from long ago/,
    ],
    [
      'structured content that the revision does not allow',
      { structuredContent: [1] },
      { hasBareStructure: true },
      /^⚠ Before MCP 2026-07-28, structured content must be an object\. Tell the server’s author\./,
    ],
    ['nothing', {}, {}, /^The tool returned nothing\.$/m],
    [
      'a promise that was not kept',
      { content: [text('a')] },
      { missingStructuredContent: true },
      /^⚠ The tool has an output schema/,
    ],
    [
      'a schema that cannot be used',
      { structuredContent: 1 },
      { schemaError: 'bad\nschema' },
      /was not validated against the output schema of the tool: “bad\\nschema”/,
    ],
    [
      'structured content that does not fit',
      { structuredContent: 1 },
      { violations: [{ pointer: '/b/1/c~1d', message: 'must be string', keyword: 'type' }] },
      /^⚠ The structured content does not match the output schema of the tool:\n {2}\/b\/1\/c~1d: must be string\n/,
    ],
  ] as const satisfies readonly [string, Partial<ToolResult>, Partial<ResultFacts>, RegExp][]) {
    it(`begins with the most important facts about ${what}`, () => {
      assert.match(overviewOf(result, facts), expected);
    });
  }
});
