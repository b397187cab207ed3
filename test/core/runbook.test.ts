import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  findRunbookBlocks,
  readRunbookOutline,
  readRunbook,
} from '../../src/core/callFiles/runbook';

const call = '"server": "s", "tool": "t"';
const fence = '```';
const block = (text: string, info = 'mcpcall') => `${fence}${info}\n${text}\n${fence}\n`;

/** Code, detail, and what stands at its place. */
function problemsOf(text: string): string[] {
  return readRunbook(text).problems.map(({ code, detail = '', offset, length }) =>
    [code, detail, '@', text.slice(offset, offset + length).split('\n', 1)[0]].join(' ').trim(),
  );
}

describe('A runbook', () => {
  it('has the fenced blocks of Markdown, and no others', () => {
    const text = [
      '# Deploy\r\n```mcpcall first\r\n{}\r\n```\r\n',
      '1. Step\n\n   ~~~ mcpcall\n   {"a": 1}\n   ~~~~\n',
      '````md\n```mcpcall\nno\n```\n````\n',
      '```json\n```mcpcall\n```\n',
      '```mcpcalls\n```\n```` mcpcall ` x\n',
      '`````mcpcall\n```\n{}\n',
    ].join('');
    assert.deepEqual(
      findRunbookBlocks(text).map(({ text: own, name, offset }) => [
        own,
        name,
        text.slice(offset, offset + own.length) === own,
      ]),
      [
        ['{}\r\n', 'first', true],
        ['   {"a": 1}\n', undefined, true],
        ['```\n{}\n', undefined, true],
      ],
    );
  });

  it('is one call file whose calls keep their places in the document', () => {
    const taking = `{ ${call}, "arguments": { "x": "\${calls.make.content}" } }`;
    const text = `# Text\n${block(`{ ${call} }`, 'mcpcall make')}between\n${block(taking)}${block(
      `{ "calls": { "last": { ${call} } }, "before": { "open": { ${call} } } }`,
    )}`;
    const { file, problems, placeOf } = readRunbook(text);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      file?.calls.map(({ name, pointer, phase }) => [name, pointer, phase]),
      [
        ['open', '/2/before/open', 'before'],
        ['make', '/0', undefined],
        ['#2', '/1', undefined],
        ['last', '/2/calls/last', undefined],
      ],
    );
    const { offset, length } = placeOf('/1/arguments/x');
    assert.equal(text.slice(offset, offset + length), '"${calls.make.content}"');
    assert.deepEqual(
      readRunbookOutline(text).calls.map(({ name, whole }) => [name, text[whole.offset]]),
      [
        ['make', '{'],
        ['#2', '{'],
        ['open', '"'],
        ['last', '"'],
      ],
    );
  });

  it('runs valid blocks, and marks the errors of others', () => {
    const good = block(`{ ${call} }`, 'mcpcall good');
    const text = `${block('{ "server": 1, "tool": "t" }')}${good}${good}${block('{')}`;
    assert.deepEqual(
      readRunbook(text).file?.calls.map(({ name, pointer }) => [name, pointer]),
      [['good', '/1']],
    );
    assert.deepEqual(
      problemsOf(text).map((problem) => problem.split(' @')[0]),
      ['notAText server', 'duplicateName good', 'syntax CloseBraceExpected'],
    );
    const early = block(`{ ${call}, "arguments": { "x": "\${calls.good.content}" } }`) + good;
    assert.match(problemsOf(early)[0] ?? '', /^unknownCall good @ "\$\{calls/);
  });

  it('refers only to calls that run before, whatever the order of the blocks is', () => {
    const taking = (name: string) =>
      `{ ${call}, "arguments": { "x": "\${calls.${name}.content}" } }`;
    const calls = `"calls": { "own": { ${call} } }`;
    const first = block(
      `{ "before": { "open": { ${call} } }, ${calls}, "after": { "close": { ${call} } } }`,
    );
    const codesOf = (second: string) =>
      problemsOf(first + block(second)).map((problem) => problem.split(' @')[0]);
    const other = `"calls": { "other": { ${call} } }`;
    assert.deepEqual(codesOf(taking('open')), []);
    assert.deepEqual(codesOf(taking('own')), []);
    assert.deepEqual(codesOf(`{ ${other}, "after": { "end": ${taking('close')} } }`), []);
    assert.deepEqual(codesOf(taking('close')), ['laterCall close']);
    assert.deepEqual(codesOf(`{ ${other}, "before": { "begin": ${taking('own')} } }`), [
      'laterCall own',
    ]);
  });

  it('has limits', () => {
    const one = block(`{ ${call} }`);
    assert.equal(findRunbookBlocks(one.repeat(300)).length, 200);
    assert.deepEqual(findRunbookBlocks(one + ' '.repeat(1024 * 1024)), []);
    const large = block(`{ ${call}, "arguments": { "x": [${'1,'.repeat(15_000)}1] } }`);
    assert.equal(readRunbook(large).problems.length, 0);
    const codes = readRunbook(large + large).problems.map(({ code }) => code);
    assert.deepEqual(codes, ['tooLarge']);
    assert.deepEqual(readRunbookOutline(large + large).calls, []);
    const many = (from: number) => {
      const names = Array.from({ length: 600 }, (_, index) => `"c${from + index}": { ${call} }`);
      return block(`{ "calls": { ${names.join()} }, "after": { "close${from}": { ${call} } } }`);
    };
    assert.equal(readRunbook(many(0)).file?.calls.length, 601);
    // Not the first of them only: those left out could be what cleans up.
    const tooMany = readRunbook(many(0) + many(1_000));
    assert.deepEqual(
      [tooMany.file, tooMany.problems.map(({ code }) => code)],
      [undefined, ['tooManyCalls']],
    );
    assert.equal(readRunbook(block('{ "server": 1 }').repeat(190)).problems.length, 100);
  });

  it('has calls that are recognized by their tool, resource or prompt', () => {
    const blocks = [
      `{ ${call} }`,
      '{ "server": "s", "resource": "x://y" }',
      '{ "server": "s", "prompt": "p" }',
    ];
    const { calls } = readRunbookOutline(blocks.map((text) => block(text)).join('\n'));
    assert.deepEqual(
      calls.map(({ tool, target }) => [tool, target]),
      [
        ['t', 't'],
        [undefined, 'x://y'],
        [undefined, 'p'],
      ],
    );
  });

  it('is only text, whatever it contains', () => {
    const piece = fc.constantFrom(
      '```',
      '~~~',
      '````',
      'mcpcall',
      ' ',
      '\n',
      '{',
      '}',
      '"a": 1',
      call,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        for (const { offset, text: own } of findRunbookBlocks(text)) {
          assert.equal(text.slice(offset, offset + own.length), own);
        }
        const { problems } = readRunbook(text);
        assert.ok(problems.every(({ offset, length }) => offset + length <= text.length));
        readRunbookOutline(text);
      }),
      { numRuns: 500 },
    );
  });
});
