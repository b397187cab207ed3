import assert from 'node:assert/strict';
import {
  parseProgress,
  parseInitializeResult,
  parseReadResult,
  parseListPage,
  parseToolResult,
} from '../../src/core/parse/parseResults';
import { parseLogMessage } from '../../src/core/log';
import { wireResult } from '../../src/core/content/wireResult';
import { outcome } from './wire';

/** The one block that this becomes. */
const block = (value: unknown) => parseToolResult({ content: [value] }).content[0];
const reason = (value: unknown): string => {
  const parsed = block(value);
  assert.ok(parsed?.type === 'unknown', JSON.stringify(parsed));
  assert.deepEqual(parsed.raw, value);
  return parsed.reason;
};
const failure = (parse: () => unknown) => outcome(Promise.resolve().then(parse));
const raw = (value: object) => parseToolResult(value).content;
const isError = (value: unknown) => parseToolResult({ content: [], isError: value }).isError;
const read = (value: unknown) => parseReadResult(value, 'asked:uri');
const cursor = (nextCursor: unknown) =>
  parseListPage({ tools: [], nextCursor }, 'tools').nextCursor;

describe('parseToolResult', () => {
  const good = [
    { type: 'text', text: '' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'audio', data: '', mimeType: 'audio/wav' },
    {
      type: 'resource_link',
      uri: 'x:%20 y',
      name: 'n',
      title: 't',
      description: 'd',
      mimeType: 'm',
      size: 0,
    },
    { type: 'resource', resource: { uri: 'u', mimeType: 'm', text: 't' } },
    { type: 'resource', resource: { uri: 'u', blob: 'AAAA' } },
    { type: 'resource', resource: { uri: 'u' } },
  ];
  it('keeps blocks of every kind, in order', () => {
    assert.deepEqual(parseToolResult({ content: good }), { content: good, isError: false });
  });

  it('keeps unknown members, and blocks with invalid members, beside the rest', () => {
    const rests = [
      { type: 'text', text: 'a', _meta: { b: 1 }, mimeType: 'x', annotations: { priority: 2 } },
      { type: 'resource_link', uri: 'u', name: 'n', size: -1, icons: [] },
      { type: 'resource', resource: { uri: 'u', text: 't', blob: 'AAAA', _meta: {} } },
      { type: 'text', text: 'a', annotations: { audience: ['user'], priority: 1 } },
    ].map((each) => block(each)?.rest);
    assert.deepEqual(rests, [
      { _meta: { b: 1 }, mimeType: 'x', annotations: { priority: 2 } },
      { size: -1, icons: [] },
      { resource: { blob: 'AAAA', _meta: {} } },
      undefined,
    ]);
    const result = parseToolResult({ content: [], ttlMs: 1, isError: false, _meta: { a: 1 } });
    assert.deepEqual([result.meta, result.rest], [{ a: 1 }, { ttlMs: 1 }]);
    assert.equal(parseToolResult({ resultType: 'complete', content: [] }).rest, undefined);
    assert.equal(parseToolResult({ answer: 1 }).rest, undefined);
  });

  for (const [value, why] of [
    [null, 'not an object'],
    ['text', 'not an object'],
    [{}, 'type is not a string'],
    [{ type: 'video', data: '' }, 'unknown type'],
    [{ type: 'text' }, 'text is not a string'],
    [{ type: 'image', data: 5, mimeType: 'a' }, 'data is not a string'],
    [{ type: 'image', data: '' }, 'mimeType is not a string'],
    [{ type: 'resource_link', name: 'n' }, 'uri is not a string'],
    [{ type: 'resource' }, 'resource: not an object'],
    [{ type: 'resource', resource: { text: 'a' } }, 'resource: uri is not a string'],
    [{ type: 'resource', resource: { uri: 'u', text: 1 } }, 'resource: text is not a string'],
    [{ type: 'resource', resource: { uri: 'u', blob: {} } }, 'resource: blob is not a string'],
  ] as const) {
    it(`keeps ${JSON.stringify(value)} raw, because: ${why}`, () => {
      assert.equal(reason(value), why);
    });
  }

  it('keeps an answer whose content is missing or no array', () => {
    assert.deepEqual(raw({ content: 'hi' }), [
      { type: 'unknown', raw: 'hi', reason: 'content is not an array' },
    ]);
    assert.deepEqual(raw({ answer: 1 }), [
      { type: 'unknown', raw: { answer: 1 }, reason: 'content is missing' },
    ]);
    assert.deepEqual(raw({ structuredContent: null }), []);
    assert.deepEqual(raw({ content: [] }), []);
  });

  describe('reads the content of "toolResult", a form from before 2024-11-05', () => {
    const text = (said: string) => ({ type: 'text', text: said });
    const old = (result: object) => ({ isOldForm: true, isError: false, content: [], ...result });
    const table: readonly (readonly [what: string, result: object, expected: object])[] = [
      ['a result', { toolResult: { content: [text('a')] } }, { content: [text('a')] }],
      [
        'an error',
        { toolResult: { content: [text('a')], isError: true } },
        { content: [text('a')], isError: true },
      ],
      [
        'an error that is said outside',
        { toolResult: { content: [text('a')], isError: false }, isError: true },
        { content: [text('a')], isError: true },
      ],
      ['a text', { toolResult: 'a' }, { content: [text('a')] }],
      ['an empty text', { toolResult: '' }, { content: [text('')] }],
      ['blocks', { toolResult: [text('a'), text('b')] }, { content: [text('a'), text('b')] }],
      ['null', { toolResult: null }, {}],
      ['nothing', { toolResult: [] }, { structuredContent: [] }],
      ['a number', { toolResult: 5 }, { structuredContent: 5 }],
      ['a list', { toolResult: [1, { a: 2 }] }, { structuredContent: [1, { a: 2 }] }],
      ['any object', { toolResult: { a: 1 } }, { structuredContent: { a: 1 } }],
      [
        'an object that says it is an error',
        { toolResult: { error: 'no', isError: true } },
        { structuredContent: { error: 'no', isError: true }, isError: true },
      ],
      [
        'structured content',
        { toolResult: { structuredContent: { a: 1 } } },
        { structuredContent: { a: 1 } },
      ],
      [
        'members inside and outside',
        { toolResult: { content: [], _meta: { a: 1 }, b: 2 }, content: [], c: 3 },
        { meta: { a: 1 }, rest: { b: 2, c: 3 } },
      ],
      [
        'a block of the wrong shape',
        { toolResult: { content: [{ type: 'text' }] } },
        {
          content: [{ type: 'unknown', raw: { type: 'text' }, reason: 'text is not a string' }],
        },
      ],
    ];
    for (const [what, result, expected] of table) {
      it(what, () => {
        const parsed = parseToolResult(result);
        assert.deepEqual(parsed, old(expected));
        const same = (value: unknown) => value;
        assert.deepEqual(parseToolResult(wireResult(parsed, { text: same, data: same })), parsed);
      });
    }

    it('unless the newer form is present', () => {
      for (const newer of [{ content: [text('new')] }, { structuredContent: 1 }]) {
        const parsed = parseToolResult({ ...newer, toolResult: 'old' });
        assert.deepEqual([parsed.isOldForm, parsed.rest], [undefined, { toolResult: 'old' }]);
      }
    });
  });

  it('distinguishes absent structured content from null, 0, false and empty', () => {
    for (const structuredContent of [null, 0, false, '', [], {}]) {
      const result = parseToolResult({ content: [], structuredContent });
      assert.deepEqual(result.structuredContent, structuredContent);
    }
    assert.ok(!('structuredContent' in parseToolResult({ content: [] })));
  });

  it('accepts only true for an error', () => {
    assert.deepEqual([true, false, 'true', 1, null, {}].map(isError), [
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('keeps valid annotations, beside the block or inside its resource', () => {
    const annotations = {
      audience: ['user', 'robot'],
      priority: 0,
      lastModified: '2025-01-12T15:00:58Z',
    };
    const kept = { ...annotations, audience: ['user'] };
    assert.deepEqual(block({ type: 'text', text: '', annotations }), {
      type: 'text',
      text: '',
      annotations: kept,
      rest: { annotations },
    });
    assert.deepEqual(block({ type: 'resource', resource: { uri: 'u', annotations: kept } }), {
      type: 'resource',
      resource: { uri: 'u' },
      annotations: kept,
    });
  });

  it('drops invalid annotations', () => {
    for (const annotations of [
      5,
      [],
      {},
      { audience: 'user', priority: 2, lastModified: 'yesterday' },
      { audience: ['robot'], priority: '1' },
    ]) {
      assert.equal(block({ type: 'text', text: '', annotations })?.annotations, undefined);
    }
  });

  it('rejects only values that are not objects', async () => {
    for (const value of [null, [], 'a', 5, true]) {
      assert.match(String(await failure(() => parseToolResult(value))), /^invalidResult /);
    }
  });
});

describe('parseReadResult', () => {
  it('keeps several contents with URIs of their own, or none', () => {
    const contents = [
      { uri: 'a', text: '' },
      { uri: 'b', mimeType: 'm', blob: 'AAAA' },
      { uri: 'c' },
    ];
    assert.deepEqual(read({ contents }), { contents });
    assert.deepEqual(read({ contents: [] }), { contents: [] });
  });
  it('uses the requested URI if one is missing', () => {
    assert.deepEqual(read({ contents: [{ text: 'a' }] }), {
      contents: [{ uri: 'asked:uri', text: 'a' }],
    });
  });
  it('keeps the metadata and unknown members of the whole, but not what was read before', () => {
    const known = { resultType: 'complete', ttlMs: 1, cacheScope: 'public' };
    assert.deepEqual(read({ ...known, contents: [], _meta: { page: 2 }, total: 9 }), {
      contents: [],
      meta: { page: 2 },
      rest: { total: 9 },
    });
    assert.deepEqual(read({ contents: [], _meta: 5 }).rest, { _meta: 5 });
  });
  it('rejects a result without contents', async () => {
    for (const value of [{}, { contents: {} }, { contents: [5] }, null]) {
      assert.match(String(await failure(() => read(value))), /^invalidResult /);
    }
  });
});

describe('parseInitializeResult', () => {
  it('reads capabilities by their keys and tolerates a missing serverInfo', () => {
    assert.deepEqual(
      parseInitializeResult({
        protocolVersion: '1',
        capabilities: { tools: {}, resources: null, logging: true, completions: false, x: {} },
        instructions: 5,
      }),
      {
        protocolVersion: '1',
        capabilities: {
          tools: true,
          toolsListChanged: false,
          resources: false,
          resourcesListChanged: false,
          resourcesSubscribe: false,
          logging: true,
          completions: false,
          prompts: false,
          promptsListChanged: false,
          taskCalls: false,
          taskCancellations: false,
          taskLists: false,
          taskExtension: false,
          skills: false,
          skillFolders: false,
        },
        serverInfo: { name: '', version: '' },
      },
    );
  });
  it('rejects a result without a version', async () => {
    assert.match(String(await failure(() => parseInitializeResult({}))), /^invalidResult /);
  });
});

describe('parseListPage', () => {
  it('ends at an absent or null cursor, not at an empty one', () => {
    assert.deepEqual([undefined, null, '', 'x'].map(cursor), [undefined, undefined, '', 'x']);
  });
  it('keeps the entries beside a cursor that is not a string', () => {
    assert.equal(cursor(false), undefined);
    for (const nextCursor of [5, 0, true, {}]) {
      assert.deepEqual(parseListPage({ tools: [1], nextCursor }, 'tools'), {
        items: [1],
        isCursorUnusable: true,
      });
    }
  });
  it('rejects tools that are not an array', async () => {
    for (const value of [{}, { tools: {} }]) {
      assert.match(String(await failure(() => parseListPage(value, 'tools'))), /^invalidResult /);
    }
  });
});

describe('parseProgress', () => {
  it('keeps valid members', () => {
    const params = { progressToken: 'a', progress: 0.5, total: Infinity, message: 5 };
    assert.deepEqual(parseProgress(params), { token: 'a', progress: { progress: 0.5 } });
    for (const bad of [null, {}, { progressToken: 1 }, { progressToken: {}, progress: 1 }]) {
      assert.equal(parseProgress(bad), undefined);
    }
  });
});

describe('parseLogMessage', () => {
  it('converts any data to text, bounded, and an unknown level to info', () => {
    assert.deepEqual(parseLogMessage({ level: 'error', logger: 'db', data: 'x' }), {
      level: 'error',
      logger: 'db',
      text: 'x',
    });
    assert.deepEqual(parseLogMessage({ level: 'loud', data: { a: 1 } }), {
      level: 'info',
      text: '{"a":1}',
    });
    assert.equal(parseLogMessage({ level: 'info', data: 'x'.repeat(1e6) })?.text.length, 65_536);
    assert.equal(parseLogMessage('x'), undefined);
  });
});
