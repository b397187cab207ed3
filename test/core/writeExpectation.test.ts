import assert from 'node:assert/strict';
import { checkExpectation } from '../../src/core/callFiles/expectations';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { writeExpectation, type AcceptedAnswer } from '../../src/core/callFiles/writeExpectation';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { ToolResult } from '../../src/core/types';
import { busiestCount } from '../workCount';

const answered = (text: string, more: Partial<ToolResult> = {}): ToolResult => ({
  content: [{ type: 'text', text }],
  isError: false,
  ...more,
});

const file = `{
  // What the garden says.
  "calls": {
    "list": { "server": "demo", "tool": "list", "arguments": { "all": true } },
    "pull": {
      "server": "demo",
      "tool": "pull",
      "expect": { "values": { "/content/0/text": "old" }, "under": 500 }, // soon
    },
  },
}
`;

const options = { volatile: ['at'], file: 'garden.list.expected.json' };

function written(answer: AcceptedAnswer, text = file) {
  const result = writeExpectation(text, answer, options);
  assert.ok(result.kind === 'written', result.kind);
  return result;
}

/** What the expectations of a call have against an answer. */
async function failuresOf(text: string, name: string, result: ToolResult, files = {}) {
  const { file: read, problems } = readCallFile(text);
  assert.deepEqual(problems, []);
  const call = read?.calls.find((one) => one.name === name);
  assert.ok(call);
  const texts = new Map(Object.entries<string>(files));
  const failures = await checkExpectation(
    call.expect,
    { result, annotations: {}, durationMs: 1 },
    {
      validator: new SchemaValidator(),
      readText: (path) => {
        const found = texts.get(path);
        return Promise.resolve(found === undefined ? { code: 'fileMissing' } : { text: found });
      },
    },
  );
  return failures.map(({ code }) => code);
}

describe('An answer that is written as an expectation', () => {
  it('passes from then on, and another one does not', async () => {
    const { text, file: beside } = written({ name: 'list', result: answered('two notes') });
    assert.equal(beside, undefined);
    assert.ok(text.startsWith('{\n  // What the garden says.'), text);
    assert.deepEqual(await failuresOf(text, 'list', answered('two notes')), []);
    assert.deepEqual(await failuresOf(text, 'list', answered('three notes')), ['answer']);
  });

  it('is written to a file of its own if it is long, which is reused', async () => {
    const result = answered('note '.repeat(300));
    const { text, file: beside } = written({ name: 'list', result });
    assert.equal(beside?.path, 'garden.list.expected.json');
    assert.match(text, /"answer": "garden\.list\.expected\.json"/);
    const files = { [beside.path]: beside.text };
    assert.deepEqual(await failuresOf(text, 'list', result, files), []);
    const again = written({ name: 'list', result: answered('short') }, text);
    assert.equal(again.text, text);
    assert.match(again.file?.text ?? '', /"short"/);
  });

  it('omits volatile fields, which can then have any value', async () => {
    const at = (value: number) => answered('x', { structuredContent: { at: value, n: 1 } });
    const { text } = written({ name: 'list', result: at(1) });
    assert.deepEqual(await failuresOf(text, 'list', at(2)), []);
    const other = answered('x', { structuredContent: { at: 1, n: 2 } });
    assert.deepEqual(await failuresOf(text, 'list', other), ['answer']);
  });

  it('replaces only failed expectations, if these are accepted', async () => {
    const failures = [
      { code: 'value', pointer: '/values/~1content~10~1text', expected: '"old"', actual: '"new"' },
      { code: 'slow', pointer: '/under', expected: '500', actual: '700' },
    ] as const;
    const { text } = written({ name: 'pull', result: answered('new'), failures });
    assert.equal(text, file.replace('"old"', '"new"'));
  });

  it('expects an error of the tool if there was one, and none otherwise', async () => {
    const failed = answered('no', { isError: true });
    const failures = [{ code: 'isError', pointer: '/isError' }] as const;
    const { text } = written({ name: 'list', result: failed, failures });
    assert.deepEqual(await failuresOf(text, 'list', failed), []);
    const back = [{ code: 'isNoError', pointer: '/isError' }] as const;
    const { text: without } = written(
      { name: 'list', result: answered('yes'), failures: back },
      text,
    );
    assert.doesNotMatch(without, /isError/);
  });

  it('expects a violation of the output schema if there was one', () => {
    const result = answered('x');
    const failures = [{ code: 'outputSchema', pointer: '/schemaViolations' }] as const;
    const { text } = written({ name: 'list', result, failures });
    assert.match(text, /"schemaViolations": true/);
    const back = [{ code: 'noViolation', pointer: '/schemaViolations' }] as const;
    const { text: without } = written({ name: 'list', result, failures: back }, text);
    assert.doesNotMatch(without, /schemaViolations/);
  });

  it('replaces an expected error', async () => {
    const text = `{
  "server": "a",
  "tool": "b",
  "expect": { "under": 500, "error": { "code": -32602 } } // kept
}
`;
    const { text: changed } = written({ name: '', result: answered('ok') }, text);
    assert.match(changed, /"under": 500[^]*\/\/ kept/);
    assert.doesNotMatch(changed, /"error"/);
    assert.deepEqual(await failuresOf(changed, '', answered('ok')), []);
  });

  it('has images by their size and hash', () => {
    const data = Buffer.from('picture').toString('base64');
    const content = [{ type: 'image', data, mimeType: 'image/png' }] as const;
    const { text } = written({ name: 'list', result: { content, isError: false } });
    assert.match(text, /"bytes": 7/);
    assert.equal(text.includes(data), false);
  });

  it('is written for the only call of a file, too', async () => {
    const { text } = written(
      { name: '', result: answered('one') },
      '{ "server": "a", "tool": "b" }',
    );
    assert.deepEqual(await failuresOf(text, '', answered('one')), []);
  });

  it('is not written if the call no longer exists, or nothing changes', () => {
    const result = answered('x');
    const kindOf = (answer: AcceptedAnswer, text = file) =>
      writeExpectation(text, answer, options).kind;
    assert.equal(kindOf({ name: 'gone', result }), 'gone');
    assert.equal(kindOf({ name: 'list', result }, 'no JSON'), 'gone');
    const failures = [{ code: 'slow', pointer: '/under' }] as const;
    assert.equal(kindOf({ name: 'list', result, failures }), 'nothing');
  });

  const accepting = (list: readonly number[]) =>
    writeExpectation(
      '{"calls":{"a":{"server":"s","tool":"t","expect":{"values":{"/structuredContent/list":[]}}}}}',
      {
        name: 'a',
        result: answered('x', { structuredContent: { list } }),
        failures: [{ code: 'value', pointer: '/values/~1structuredContent~1list' }],
      },
      options,
    );

  it('is not written if the file would be too large, or the value hides the rest of it', () => {
    assert.equal(accepting(Array.from({ length: 26_000 }, () => 1)).kind, 'tooLarge');
    assert.equal(accepting(Array.from({ length: 26_000 }, (_, index) => index)).kind, 'nothing');
  });

  it('is written without copying the file for every line', async () => {
    const list = Array.from({ length: 8_000 }, (_, index) => index);
    const count = await busiestCount(() => accepting(list), /jsonc-parser.*edit\.js$/);
    assert.ok(count < 100, `${count} times for ${list.length} numbers`);
  });

  it('is indented like the file, whose other lines stay as they are', () => {
    const text = '{\r\n\t"server": "a",   // kept\r\n\t"tool": "b"\r\n}\r\n';
    const result = answered('x', { structuredContent: { list: [1, []] } });
    const failures = [{ code: 'isError', pointer: '/isError' }] as const;
    const { text: flagged } = written(
      { name: '', result: { ...result, isError: true }, failures },
      text,
    );
    assert.equal(
      flagged,
      text.replace('"b"', '"b",\r\n\t"expect": {\r\n\t\t"isError": true\r\n\t}'),
    );
    const { text: whole } = written({ name: '', result }, text);
    assert.match(
      whole,
      /\r\n\t\t\t"structuredContent": \{\r\n\t\t\t\t"list": \[\r\n\t\t\t\t\t1,\r\n\t\t\t\t\t\[\]\r\n\t\t\t\t\]/,
    );
    assert.ok(whole.startsWith(text.slice(0, text.indexOf('"b"'))), whole);
  });
});
