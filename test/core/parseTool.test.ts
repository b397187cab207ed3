import assert from 'node:assert/strict';
import { JsonAssembler } from '../../src/core/json/jsonAssembler';
import { parseJson } from '../../src/core/json/parseJson';
import { listAllTools, parseTool } from '../../src/core/parse/parseTool';
import { parseListPage } from '../../src/core/parse/parseResults';
import type { Tool } from '../../src/core/types';

const schema = { type: 'object' };
const problemsOf = (value: unknown): string[] =>
  parseTool(value).problems.map(({ code, detail }) => `${code} ${detail}`);
const named = (name: string) => ({ name, inputSchema: schema });
const shown = (tool: Tool) => `${tool.name}${tool.callable ? '' : '!'}`;

describe('parseTool', () => {
  it('keeps everything in the specification, and schemas unchanged', () => {
    const inputSchema = { type: 'object', $defs: { a: {} }, allOf: [{ $ref: '#/$defs/a' }], x: 1 };
    const tool = parseTool({
      name: 'Get.Weather-2_x',
      title: 'Weather',
      description: 'Gets it.',
      inputSchema,
      outputSchema: { type: 'array' },
      annotations: { title: 'T', readOnlyHint: true, openWorldHint: false },
      icons: [],
      execution: {},
      _meta: { a: 1 },
      unknownThing: true,
    });
    assert.deepEqual(tool, {
      name: 'Get.Weather-2_x',
      title: 'Weather',
      description: 'Gets it.',
      inputSchema,
      outputSchema: { type: 'array' },
      annotations: { title: 'T', readOnlyHint: true, openWorldHint: false },
      callable: true,
      problems: [],
    });
    assert.equal(tool.inputSchema, inputSchema);
  });

  it('reads the app of a tool, from both keys, and who may call it', () => {
    const appOf = (meta: unknown) => parseTool({ ...named('a'), _meta: meta }).app;
    const resourceUri = 'ui://page/a';
    assert.deepEqual(appOf({ ui: { resourceUri } }), { resourceUri });
    assert.deepEqual(appOf({ 'ui/resourceUri': resourceUri }), { resourceUri });
    assert.deepEqual(appOf({ ui: { visibility: ['app'] } }), { isForAppOnly: true });
    assert.deepEqual(appOf({ ui: { resourceUri, visibility: ['app', 'model'] } }), { resourceUri });
    const odd = { ...named('a'), title: 5, _meta: { ui: { resourceUri, visibility: [] } } };
    assert.deepEqual(parseTool(odd).app, { resourceUri, isForAppOnly: true });
    const others = [
      5,
      {},
      { ui: null },
      { ui: { resourceUri: 'https://h/', visibility: 'app' } },
      { 'ui/resourceUri': `ui://${'x'.repeat(3_000)}` },
    ];
    for (const meta of others) assert.equal(appOf(meta), undefined);
  });

  it('omits an app from a list, too, whose levels were counted when its text was read', async () => {
    for (const [levels, isCallable] of [
      [480, true],
      [520, false],
    ] as const) {
      const deep = `${'{"a":'.repeat(levels)}"${'.'.repeat(2_000)}"${'}'.repeat(levels)}`;
      const tools = `[{"name":"a","inputSchema":{"type":"object","properties":${deep}}}]`;
      const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":${tools}}}`;
      const assembler = new JsonAssembler({ maxBytes: 1e6, maxValues: 1e6, minFollowedBytes: 1 });
      assembler.push(Buffer.from(text));
      for (const message of [parseJson(text), assembler.end()]) {
        const page = parseListPage(Object(message).result, 'tools');
        // Message, result, list, tool and schema are levels, too.
        assert.equal(page.levels, levels + 5);
        const { tools: listed } = await listAllTools(() => Promise.resolve(page));
        assert.deepEqual(
          listed.map(({ callable }) => callable),
          [isCallable],
        );
      }
    }
  });

  it('omits a schema of more than 500 levels, which could not be copied or compared', () => {
    const nested = (levels: number): object =>
      JSON.parse('{"a":'.repeat(levels) + '[]' + '}'.repeat(levels)) as object;
    for (const levels of [600, 100_000]) {
      const deep = { type: 'object', ...nested(levels) };
      const uncallable = parseTool({ name: 'a', inputSchema: deep });
      assert.deepEqual([uncallable.callable, uncallable.inputSchema], [false, {}]);
      assert.deepEqual(problemsOf({ name: 'a', inputSchema: deep }), ['schemaTooDeep inputSchema']);
      const unchecked = parseTool({ name: 'a', inputSchema: schema, outputSchema: deep });
      assert.deepEqual([unchecked.callable, unchecked.outputSchema], [true, undefined]);
      const listed = { type: 'object', enum: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) };
      assert.deepEqual(problemsOf({ name: 'a', inputSchema: listed }), [
        'schemaTooDeep inputSchema',
      ]);
      for (const odd of [
        { annotations: deep },
        { icons: [deep] },
        { title: deep },
        { _meta: deep },
        deep,
      ]) {
        const tool = parseTool({ name: 'a', inputSchema: schema, ...odd });
        assert.deepEqual(structuredClone(tool), tool);
      }
    }
    const flat = { type: 'object', ...nested(400) };
    assert.equal(parseTool({ name: 'a', inputSchema: flat }).callable, true);
  });

  it('requires only a name and a schema', () => {
    assert.deepEqual(parseTool({ name: 'a', inputSchema: {} }), {
      name: 'a',
      inputSchema: {},
      annotations: {},
      callable: true,
      problems: [],
    });
  });

  for (const [value, problem] of [
    [null, 'notAnObject null'],
    ['echo', 'notAnObject "echo"'],
    [[], 'notAnObject []'],
    [{ inputSchema: schema }, 'nameMissing undefined'],
    [{ name: '', inputSchema: schema }, 'nameMissing ""'],
    [{ name: 5, inputSchema: schema }, 'nameMissing 5'],
    [{ name: 'a' }, 'inputSchemaMissing inputSchema'],
    [{ name: 'a', inputSchema: null }, 'inputSchemaMissing inputSchema'],
    [{ name: 'a', inputSchema: [] }, 'inputSchemaNotObject []'],
    [{ name: 'a', inputSchema: true }, 'inputSchemaNotObject true'],
    [{ name: 'a', inputSchema: { type: 'string' } }, 'inputSchemaNotObject "string"'],
    [
      { name: 'a', inputSchema: { type: ['array', 'null'] } },
      'inputSchemaNotObject ["array","null"]',
    ],
  ] as const) {
    it(`keeps ${JSON.stringify(value)} as not callable and says why`, () => {
      assert.deepEqual([parseTool(value).callable, problemsOf(value)], [false, [problem]]);
    });
  }

  it('keeps a tool callable whatever else is unusual, and notes that', () => {
    const odd = {
      name: 'über tool',
      title: 5,
      description: ['x'],
      inputSchema: schema,
      outputSchema: 'string',
      annotations: [],
    };
    assert.equal(parseTool(odd).callable, true);
    assert.deepEqual(problemsOf(odd), [
      'nameUnusual über tool',
      'fieldIgnored title',
      'fieldIgnored description',
      'outputSchemaNotObject "string"',
      'fieldIgnored annotations',
    ]);
  });

  it('accepts only booleans under the specified names as hints', () => {
    const annotations = {
      readOnlyHint: 'true',
      destructiveHint: 0,
      idempotentHint: null,
      openWorldHint: false,
      destructive: false,
      read_only: true,
      requiresConfirmation: false,
      'Open-World-Hint': true,
      readonlyhint: true,
      audience: ['user'],
    };
    const tool = { name: 'a', inputSchema: schema, annotations };
    assert.deepEqual(parseTool(tool).annotations, { openWorldHint: false });
    assert.deepEqual(problemsOf(tool), [
      'annotationIgnored readOnlyHint',
      'annotationIgnored destructiveHint',
      'annotationIgnored destructive',
      'annotationIgnored read_only',
      'annotationIgnored requiresConfirmation',
      'annotationIgnored Open-World-Hint',
      'annotationIgnored readonlyhint',
    ]);
  });

  it('is not affected by special keys of JavaScript', () => {
    const text =
      '{"__proto__":{"name":"evil","title":"evil"},"constructor":1,"inputSchema":{"__proto__":{"type":"string"}},' +
      '"annotations":{"__proto__":{"readOnlyHint":true},"toString":1}}';
    const tool = parseTool(JSON.parse(text));
    assert.deepEqual([tool.name, tool.title, tool.annotations], ['', undefined, {}]);
    assert.equal(Object.getPrototypeOf(tool), Object.prototype);
  });

  it('limits what it repeats of an invalid value', () => {
    const [problem] = parseTool({ name: 'n'.repeat(9_999), inputSchema: schema }).problems;
    assert.equal(problem?.detail?.length, 200);
  });
});

/** A summary of the list over these pages; page `i` is asked for by cursor `String(i)`. */
async function list(pages: readonly unknown[], cursorOf = (page: number) => String(page)) {
  const asked: (string | undefined)[] = [];
  const result = await listAllTools(async (cursor) => {
    asked.push(cursor);
    const index = asked.length - 1;
    const page = pages[index];
    if (page instanceof Error) throw page;
    const isLast = index === pages.length - 1;
    const items = Array.isArray(page) ? page : [];
    return isLast ? { items } : { items, nextCursor: cursorOf(index + 1) };
  });
  return { tools: result.tools.map(shown), problems: result.problems, asked };
}

describe('listAllTools', () => {
  it('reads all pages in order, with empty ones and the cursor ""', async () => {
    const pages = [[named('a')], [], [named('b'), named('c')]];
    assert.deepEqual(await list(pages, (page) => (page === 1 ? '' : 'x y')), {
      tools: ['a', 'b', 'c'],
      problems: [],
      asked: [undefined, '', 'x y'],
    });
  });

  it('keeps valid tools beside invalid ones', async () => {
    assert.deepEqual((await list([[null, named('a'), { name: 'b' }, named('c')]])).tools, [
      '!',
      'a',
      'b!',
      'c',
    ]);
  });

  it('keeps the first of several tools of one name callable, across pages', async () => {
    const pages = [[{ name: 'a' }, named('a'), named('A')], [{ ...named('a'), title: 'another' }]];
    assert.deepEqual((await list(pages)).tools, ['a!', 'a', 'A', 'a!']);
  });

  it('ends at a page with nothing new, whatever its cursor is, and lists no tool twice', async () => {
    const eight = Array.from({ length: 8 }, (_, index) => named(`t${index}`));
    const [names, problems] = [eight.map(({ name }) => name), [{ code: 'repeatedCursor' }]];
    const cursors = [() => 'x', (page: number) => `${page}`, () => ''];
    for (const cursor of cursors) {
      const { tools, problems: told, asked } = await list(Array(50).fill(eight), cursor);
      assert.deepEqual([tools, told, asked.length], [names, problems, 2]);
    }
    const alternating = Array.from({ length: 50 }, (_, page) =>
      page % 2 === 0 ? eight : [named('z')],
    );
    const found = await list(alternating);
    assert.deepEqual([found.tools, found.problems], [[...names, 'z'], problems]);
    const growing = [[named('a')], [named('a'), named('b')], [named('b'), named('c')]];
    const { tools, problems: told } = await list(growing);
    assert.deepEqual([tools, told], [['a', 'b', 'c'], [{ code: 'repeatedEntries', count: 2 }]]);
  });

  it('looks at a large tool once, however many of later pages have its name', async () => {
    let looks = 0;
    const large = new Proxy<Record<string, number>>(
      { x: 1 },
      { ownKeys: (target) => ((looks += 1), Reflect.ownKeys(target)) },
    );
    const first = { ...named('a'), _meta: large };
    const later = Array.from({ length: 500 }, (_, index) => ({ ...named('a'), _meta: { index } }));
    const { tools } = await list([[first], later]);
    assert.equal(tools.length, 501);
    assert.ok(looks < 10, `${looks} looks`);
  });

  it('ends at a repeated cursor', async () => {
    const { problems, asked } = await list([[], [], [], [], []], (page) => (page % 2 ? 'x' : 'y'));
    assert.deepEqual([problems, asked], [[{ code: 'repeatedCursor' }], [undefined, 'x', 'y']]);
  });

  it('keeps the received tools if a cursor is not a string', async () => {
    const page = { items: [named('a')], isCursorUnusable: true } as const;
    const { tools, problems } = await listAllTools(() => Promise.resolve(page));
    const told = { code: 'pageFailed', detail: 'nextCursor is not a string' };
    assert.deepEqual([tools.map(({ name }) => name), problems], [['a'], [told]]);
  });

  it('continues after empty pages, and ends at ten in a row', async () => {
    const empty = (count: number) => Array.from({ length: count }, () => []);
    const fine = [...empty(9), [named('a')], ...empty(9), [named('b')]];
    assert.deepEqual((await list(fine)).problems, []);
    const { tools, problems, asked } = await list([[named('a')], ...empty(50), [named('b')]]);
    assert.deepEqual(
      [tools, problems, asked.length],
      [['a'], [{ code: 'emptyPages', limit: 10 }], 11],
    );
  });

  it('ends at 1,000 pages', async () => {
    const pages = Array.from({ length: 2_000 }, (_, page) => [named(`t${page}`)]);
    const { problems, asked } = await list(pages);
    assert.deepEqual([problems, asked.length], [[{ code: 'tooManyPages', limit: 1_000 }], 1_000]);
  });

  it('ends at 100,000 tools', async () => {
    const page = (at: number) => Array.from({ length: 60_000 }, (_, i) => named(`${at} ${i}`));
    const { problems, tools } = await list([page(0), page(1), page(2)]);
    assert.deepEqual(
      [problems, tools.length],
      [[{ code: 'tooManyTools', limit: 100_000 }], 100_000],
    );
  });

  it('keeps the received tools if a later page fails', async () => {
    const { tools, problems } = await list([[named('a')], new Error('gone'), []]);
    assert.deepEqual(
      [tools, problems],
      [['a'], [{ code: 'pageFailed', detail: 'internal: gone' }]],
    );
  });

  it('rejects if the first page fails', async () => {
    await assert.rejects(list([new Error('gone')]), /gone/);
  });
});
