import assert from 'node:assert/strict';
import { toParts, toResourceParts } from '../../src/core/content/content';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { ContentBlock, ToolResult } from '../../src/core/types';
import { renderOverview, type ResultFacts } from '../../src/ui/results/resultOverview';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (value: string): ContentBlock => ({ type: 'text', text: value });

const facts: ResultFacts = {
  origin: { kind: 'call', toolTitle: 'Look Around', toolName: 'look' },
  serverLabel: 'demo',
  createdAt: 0,
  durationMs: 12,
  isError: false,
  isExternal: true,
  violations: [],
  missingStructuredContent: false,
};

function overviewOf(result: Partial<ToolResult>, more: Partial<ResultFacts> = {}): string {
  const all = { ...facts, ...more };
  const whole = { content: [], isError: all.isError, ...result };
  return renderOverview(all, toParts(whole, { title: 'look' })).text;
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

  for (const [what, result, more, expected] of [
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
      assert.match(overviewOf(result, more), expected);
    });
  }

  describe('of the page of an app', () => {
    const uri = 'ui://board/page.html';
    const html = '<script src="https://cdn.example/a.js"></script>';
    const linesOf = (ui: JsonObject | undefined, page: string = html) => {
      const mimeType = 'text/html;profile=mcp-app';
      const contents = {
        uri,
        mimeType,
        text: page,
        ...(ui === undefined ? {} : { _meta: { ui } }),
      };
      const parts = toResourceParts({ contents: [contents] }, { title: 'page' });
      return renderOverview({ ...facts, origin: { kind: 'resource', uri } }, parts).text.split(
        '\n',
      );
    };
    const shown = '    This is the page of an app, as text. Toolgate does not render it.';

    it('names everything that it wants from other sites, and shows its text', () => {
      const lines = linesOf({
        csp: {
          connectDomains: ['https://api.example', 'wss://\u202Elive.example'],
          resourceDomains: ['https://cdn.example'],
          frameDomains: [],
        },
        permissions: { camera: {}, microphone: {} },
        domain: 'a.example',
        prefersBorder: true,
      });
      assert.deepEqual(lines.slice(4, -1), [
        '1. 1-page.html (resource, text/html;profile=mcp-app, 48 bytes)',
        `    From ${uri}`,
        shown,
        '    ⚠ It requests connectDomains (2): https://api.example, wss://\\u{202E}live.example',
        '    ⚠ It requests resourceDomains (1): https://cdn.example',
        '    ⚠ It requests permissions (2): camera, microphone',
        '    ⚠ It requests domain (1): a.example',
        `    │ ${html}`,
      ]);
    });

    it('says where it requests nothing', () => {
      for (const ui of [undefined, {}, { csp: { connectDomains: [] } }]) {
        assert.equal(linesOf(ui)[6], `${shown} It comes with no requests for other sites.`);
      }
    });

    it('stays short, whatever it requests', () => {
      const many = Array.from({ length: 10_000 }, (_, index) => `https://${index}.example`);
      const csp = Object.fromEntries(many.map((name) => [name, many]));
      const lines = linesOf({ csp, domain: 'd'.repeat(100_000), permissions: 7 }, '<p>');
      assert.ok(lines.length < 60, `${lines.length}`);
      assert.ok(lines.join('\n').length < 40_000);
      assert.match(lines[7] ?? '', /^ {4}⚠ It requests https:\/\/0\.example \(10000\): https/);
    });
  });
});
