import assert from 'node:assert/strict';
import {
  checkExpectation,
  type Answer,
  type ExpectationFailure,
  type FileText,
} from '../../src/core/callFiles/expectations';
import { checkExpectedError } from '../../src/core/callFiles/expectedError';
import { defaultExpectation } from '../../src/core/callFiles/parseExpectation';
import { comparableText } from '../../src/core/content/comparableResult';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { RawJson } from '../../src/core/json/rawJson';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { ToolResult } from '../../src/core/types';

const validator = new SchemaValidator();
const result: ToolResult = {
  content: [{ type: 'text', text: 'three' }],
  structuredContent: { count: 3, list: [{ 'a/b': null }] },
  isError: false,
};

/** What is beside the call file. */
const files = new Map<string, FileText>([
  ['count.json', { text: '{ "required": ["count"] }' }],
  ['total.json', { text: '{ "required": ["total"] }' }],
  ['list.json', { text: '[1]' }],
  ['broken.json', { text: '{' }],
  ['three.json', { text: comparableText(result) }],
  ['outside.json', { code: 'fileOutside' }],
]);

async function failuresOf(
  expect: string | undefined,
  given: ToolResult = result,
  facts: Partial<Answer> = {},
  redact?: (text: string) => string,
): Promise<readonly ExpectationFailure[]> {
  const rest = expect === undefined ? '' : `, "expect": ${expect}`;
  const { file, problems } = readCallFile(`{ "server": "s", "tool": "t"${rest} }`);
  assert.deepEqual(problems, []);
  const [call] = file?.calls ?? [];
  assert.ok(call !== undefined);
  const answer = { result: given, annotations: {}, durationMs: 1, ...facts };
  const readText = (path: string) =>
    Promise.resolve(files.get(path) ?? { code: 'fileMissing' as const });
  return checkExpectation(call.expect, answer, { validator, readText, ...(redact && { redact }) });
}

/** `code pointer` of each failure of this `expect`. */
async function failures(...given: Parameters<typeof failuresOf>): Promise<string[]> {
  return (await failuresOf(...given)).map(({ code, pointer }) => `${code} ${pointer}`);
}

describe('The expectation of a call', () => {
  it('is only that the tool reports no error, if nothing else is given', async () => {
    assert.deepEqual(await failures(undefined), []);
    assert.deepEqual(await failures(undefined, { ...result, isError: true }), ['isError /isError']);
  });

  it('is not checked for structured content with very many values', async () => {
    const kept = new RawJson([Buffer.from('{"count":3}')], 200_000);
    const many = { ...result, structuredContent: kept };
    assert.deepEqual(await failures('{ "schema": { "type": "string" } }', many), [
      'schemaUnusable /schema',
    ]);
    for (const pointer of ['/structuredContent/count', '/structuredContent/segments']) {
      assert.equal((await failures(`{ "values": { "${pointer}": 3 } }`, many)).length, 1);
    }
  });

  it('can be an error', async () => {
    assert.deepEqual(await failures('{ "isError": true }', { ...result, isError: true }), []);
    assert.deepEqual(await failures('{ "isError": true }'), ['isNoError /isError']);
  });

  it('shows an error message of the tool, without secrets', async () => {
    const secret = 'x'.repeat(600);
    const content = [
      { type: 'text', text: 'no such ticket' },
      { type: 'text', text: `${'y'.repeat(900)}${secret}` },
    ] as const;
    const [failure] = await failuresOf(undefined, { content, isError: true }, {}, (text) =>
      text.replaceAll(secret, '(hidden)'),
    );
    assert.match(failure?.detail ?? '', /^no such ticket\ny{900}\(hidden\)$/);
    const [silent] = await failuresOf(undefined, { content: [], isError: true });
    assert.deepEqual(silent, { code: 'isError', pointer: '/isError' });
  });

  it('is that the answer matches the tool’s output schema, unless it expects a violation', async () => {
    const violations = [{ pointer: '/count', message: 'must be string', keyword: 'type' }];
    for (const [expect, facts, told] of [
      [undefined, {}, []],
      ['{ "schemaViolations": true }', {}, ['noViolation /schemaViolations']],
      [undefined, { violations }, ['outputSchema /schemaViolations']],
      ['{ "schemaViolations": true }', { violations }, []],
      [undefined, { violations: [] }, ['outputMissing /schemaViolations']],
      ['{ "schemaViolations": true }', { violations: [] }, []],
    ] as const) {
      assert.deepEqual(await failures(expect, result, facts), told);
    }
    const [failure] = await failuresOf(undefined, result, { violations });
    assert.equal(failure?.detail, '/count must be string');
  });

  it('can be exact values, whatever the order of members', async () => {
    const values =
      '{ "/structuredContent": { "list": [{ "a/b": null }], "count": 3 }, "/content/0/text": "three", "/structuredContent/list/0/a~1b": null, "/isError": false }';
    assert.deepEqual(await failures(`{ "values": ${values} }`), []);
  });

  it('shows the place where it is not met', async () => {
    const values = '{ "/structuredContent/count": 4, "/content/1": 1, "/content/toString": 1 }';
    assert.deepEqual(await failures(`{ "values": ${values} }`), [
      'value /values/~1structuredContent~1count',
      'missing /values/~1content~11',
      'missing /values/~1content~1toString',
    ]);
  });

  it('can be a schema of the structured content', async () => {
    assert.deepEqual(await failures('{ "schema": { "required": ["count"] } }'), []);
    assert.deepEqual(await failures('{ "schema": { "required": ["total"] } }'), ['schema /schema']);
    assert.deepEqual(await failures('{ "schema": { "type": 7 } }'), ['schemaUnusable /schema']);
    const { structuredContent: _, ...bare } = result;
    assert.deepEqual(await failures('{ "schema": true }', bare), ['noStructuredContent /schema']);
  });

  it('can be a part of a text, an item of a list, or members of an object', async () => {
    const contains =
      '{ "/content/0/text": "hre", "/structuredContent": { "count": 3 }, "/structuredContent/list": { "a/b": null } }';
    assert.deepEqual(await failures(`{ "contains": ${contains} }`), []);
    const others =
      '{ "/content/0/text": "four", "/structuredContent": { "count": 4 }, "/structuredContent/list": null, "/content/3": "x" }';
    assert.deepEqual(await failures(`{ "contains": ${others} }`), [
      'contains /contains/~1content~10~1text',
      'contains /contains/~1structuredContent',
      'contains /contains/~1structuredContent~1list',
      'missing /contains/~1content~13',
    ]);
  });

  it('can be a pattern, even for megabytes of text', async () => {
    const matches =
      '{ "/content/0/text": "^t.*e$", "/structuredContent/count": "^[0-9]$", "/isError": "false" }';
    assert.deepEqual(await failures(`{ "matches": ${matches} }`), []);
    const others = '{ "/content/0/text": "^x", "/structuredContent": "count" }';
    assert.deepEqual(await failures(`{ "matches": ${others} }`), [
      'matches /matches/~1content~10~1text',
      'matches /matches/~1structuredContent',
    ]);
    const large: ToolResult = {
      content: [{ type: 'text', text: Buffer.from(`begin${'x'.repeat(3_000_000)}`) }],
      isError: false,
    };
    assert.deepEqual(await failures('{ "matches": { "/content/0/text": "^begin" } }', large), []);
  });

  it('is undecided if a pattern takes too long', async () => {
    const evil: ToolResult = {
      content: [{ type: 'text', text: `${'a'.repeat(40)}!` }],
      isError: false,
    };
    assert.deepEqual(await failures('{ "matches": { "/content/0/text": "^(a+)+$" } }', evil), [
      'patternStopped /matches/~1content~10~1text',
    ]);
  });

  it('is undecided for an error, too, if a pattern takes too long', () => {
    const error = { pattern: /^(a+)+$/u };
    const message = `${'a'.repeat(40)}!`;
    const failed = checkExpectedError({ ...defaultExpectation, error }, error, { message }, 1);
    assert.deepEqual(
      failed.map(({ code, pointer }) => [code, pointer]),
      [['patternStopped', '/error/matches']],
    );
  });

  it('can be a number of items', async () => {
    const count =
      '{ "/content": 1, "/structuredContent": { "least": 2 }, "/structuredContent/list": { "least": 1, "most": 2 } }';
    assert.deepEqual(await failures(`{ "count": ${count} }`), []);
    const wrong = await failuresOf(
      '{ "count": { "/content": 2, "/structuredContent/list": { "most": 0 }, "/structuredContent": { "least": 3 }, "/isError": 1 } }',
    );
    assert.deepEqual(
      wrong.map(({ code, expected, actual }) => [code, expected, actual]),
      [
        ['count', '2', '1'],
        ['count', '0', '1'],
        ['count', '≥ 3', '2'],
        ['uncountable', '1', 'false'],
      ],
    );
  });

  it('can be a time', async () => {
    assert.deepEqual(await failures('{ "under": 10 }', result, { durationMs: 9 }), []);
    assert.deepEqual(await failuresOf('{ "under": 10 }', result, { durationMs: 10 }), [
      { code: 'slow', pointer: '/under', expected: '10', actual: '10' },
    ]);
  });

  it('can be the annotations that the server declares', async () => {
    const annotations = { readOnlyHint: true, title: 'Count' };
    const expect = (hints: string) =>
      failuresOf(`{ "annotations": ${hints} }`, result, { annotations });
    assert.deepEqual(await expect('{ "readOnlyHint": true, "title": "Count" }'), []);
    assert.deepEqual(await expect('{ "readOnlyHint": false, "openWorldHint": false }'), [
      {
        code: 'annotation',
        pointer: '/annotations/readOnlyHint',
        expected: 'false',
        actual: 'true',
        detail: 'readOnlyHint',
      },
      {
        code: 'annotation',
        pointer: '/annotations/openWorldHint',
        expected: 'false',
        detail: 'openWorldHint',
      },
    ]);
  });

  it('can be in a file', async () => {
    assert.deepEqual(await failures('{ "schema": "count.json", "answer": "three.json" }'), []);
    assert.deepEqual(await failures('{ "schema": "total.json" }'), ['schema /schema']);
    for (const [name, code] of [
      ['none.json', 'fileMissing'],
      ['outside.json', 'fileOutside'],
      ['broken.json', 'fileNotJson'],
      ['list.json', 'fileNotJson'],
    ] as const) {
      for (const key of ['schema', 'answer']) {
        const [failure, ...others] = await failuresOf(`{ "${key}": "${name}" }`);
        assert.deepEqual(failure, { code, pointer: `/${key}`, detail: name });
        assert.deepEqual(others, []);
      }
    }
  });

  it('can be a whole answer without ignored parts', async () => {
    const answer =
      '{ "content": [{ "type": "text", "text": "three" }], "isError": false, "structuredContent": { "count": "…", "list": [{ "a/b": null }] } }';
    assert.deepEqual(await failures(`{ "answer": ${answer} }`), []);
    const other = answer.replace('"three"', '"four"');
    const [failure] = await failuresOf(`{ "answer": ${other} }`);
    assert.equal(failure?.code, 'answer');
    assert.equal(failure.expected, failure.actual?.replace('three', 'four'));
    assert.deepEqual(await failures(`{ "answer": ${other}, "ignore": ["/content/0/text"] }`), []);
    assert.deepEqual(await failures(`{ "answer": ${other}, "ignore": ["text"] }`), []);
  });

  it('ignores an ignored part that is missing on either side', async () => {
    const content = '"content": [{ "type": "text", "text": "three" }]';
    const structuredContent = '"structuredContent": { "count": 3, "at": "now", "list": [] }';
    const answer = `{ ${content}, "isError": false, ${structuredContent} }`;
    assert.deepEqual(await failures(`{ "answer": ${answer}, "ignore": ["at"] }`), [
      'answer /answer',
    ]);
    const places = ['at', '/structuredContent/list/0', '/content/3'];
    const ignore = `"ignore": ${JSON.stringify(places)}`;
    assert.deepEqual(await failures(`{ "answer": ${answer}, ${ignore} }`), []);
    const only = '"ignore": ["structuredContent"]';
    assert.deepEqual(await failures(`{ "answer": { ${content}, "isError": false }, ${only} }`), []);
    const left = answer.replace('"now"', '"…"').replace('[]', '[{ "a/b": null }]');
    assert.deepEqual(await failures(`{ "answer": ${left} }`), ['answer /answer']);
  });

  it('can be the answer as servers write it, without "isError"', async () => {
    const answer = JSON.stringify({
      content: result.content,
      structuredContent: result.structuredContent,
    });
    assert.deepEqual(await failures(`{ "answer": ${answer} }`), []);
    const failed = { ...result, isError: true };
    assert.deepEqual(await failures(`{ "answer": ${answer}, "isError": true }`, failed), []);
    assert.deepEqual(await failures(`{ "answer": ${answer} }`, failed), ['isError /isError']);
  });

  it('is the same for an answer as received and as formatted', async () => {
    const picture = Buffer.from([0, 1, 2]).toString('base64');
    const given: ToolResult = {
      content: [
        { type: 'text', text: 'one\ntwo' },
        { type: 'text', text: '{"b":1.0,"a":2}' },
        { type: 'image', data: picture, mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'a:b', text: 'x\ny' } },
      ],
      isError: false,
    };
    const asItCame = JSON.stringify({ content: given.content, isError: false });
    for (const written of [asItCame, comparableText(given)]) {
      files.set('written.json', { text: written });
      assert.deepEqual(await failures('{ "answer": "written.json" }', given), [], written);
    }
    assert.deepEqual(await failures(`{ "answer": ${asItCame} }`, given), []);
    const other = { ...given, content: given.content.slice(1) };
    assert.deepEqual(await failures('{ "answer": "written.json" }', other), ['answer /answer']);
  });

  it('is not met by an answer that differs beyond the limits of a comparison', async () => {
    const answerOf = (texts: readonly string[]): ToolResult => ({
      content: texts.map((text) => ({ type: 'text', text })),
      isError: false,
    });
    const long = 'a'.repeat(2_200_000);
    for (const before of [long, [long, long].join(' ')]) {
      files.set('long.json', { text: JSON.stringify(answerOf([`${before} expected`, 'end'])) });
      const given = [
        [`${before} expected`, 'end'],
        [`${before} actual`, 'end'],
        [`${before} expected`, 'other'],
      ];
      const found = given.map((texts) => failures('{ "answer": "long.json" }', answerOf(texts)));
      assert.deepEqual(await Promise.all(found), [[], ['answer /answer'], ['answer /answer']]);
    }
  });

  it('is reported without secrets', async () => {
    const secret = 'sk-secret-123456';
    const redact = (text: string) => text.replaceAll(secret, '(secret)');
    const said: ToolResult = {
      content: [{ type: 'text', text: secret }],
      structuredContent: { [secret]: secret },
      isError: false,
    };
    const expects = [
      `{ "answer": { "content": [{ "type": "text", "text": "${secret}x" }] } }`,
      `{ "schema": { "properties": { "${secret}": { "const": 1 } }, "additionalProperties": { "const": "${secret}" }, "required": ["${secret}x"] } }`,
      '{}',
    ];
    const violations = [{ keyword: 'type', pointer: `/${secret}`, message: `is ${secret}` }];
    for (const expect of expects) {
      const found = await failuresOf(expect, said, expect === '{}' ? { violations } : {}, redact);
      assert.equal(found.length, 1, expect);
      const told = JSON.stringify(found);
      assert.ok(told.includes('(secret)') && !told.includes(secret), told);
    }
  });

  it('is valid, or the file does not run', () => {
    const problems = (expect: string) =>
      readCallFile(`{ "server": "s", "tool": "t", "expect": ${expect} }`).problems.map(
        ({ code, detail = '' }) => `${code} ${detail}`.trim(),
      );
    assert.deepEqual(problems('{ "contains": 1 }'), ['notAnObjectHere contains']);
    assert.deepEqual(problems('{ "contains": { "/text": 1 } }'), ['badPointer /text']);
    for (const pattern of ['"("', '1', JSON.stringify('a?'.repeat(100) + 'a'.repeat(100))]) {
      const [problem] = problems(`{ "matches": { "/content/0/text": ${pattern} } }`);
      assert.match(problem ?? '', /^badPattern/, pattern);
    }
    for (const count of ['-1', '1.5', '"1"', '{}', '{ "least": 2, "most": 1 }', '{ "max": 1 }']) {
      assert.deepEqual(problems(`{ "count": { "/content": ${count} } }`), ['badCount'], count);
    }
    for (const under of ['0', '-1', '1.5', '"1"', '86400001']) {
      assert.deepEqual(problems(`{ "under": ${under} }`), ['badDuration'], under);
    }
    for (const path of ['', '/etc/passwd', 'C:/x', 'a\\b', 'https://x']) {
      const [problem] = problems(`{ "schema": ${JSON.stringify(path)} }`);
      assert.match(problem ?? '', /^badFile/, path);
    }
    assert.deepEqual(problems('{ "schema": 1, "answer": 1, "ignore": [1] }'), [
      'notASchema schema',
      'notAnAnswer answer',
      'notAList ignore',
    ]);
    assert.deepEqual(problems('{ "annotations": { "readOnlyHint": 1, "title": 1, "x": 1 } }'), [
      'notABoolean readOnlyHint',
      'notAText title',
      'unknownKey x',
    ]);
  });
});
