import assert from 'node:assert/strict';
import { parseCommandLine } from '../../src/ui/configuration/commandLine';
import {
  addServerEdits,
  findEntry,
  firstSyntaxError,
} from '../../src/ui/configuration/serverEntries';

/** The text with server `new` in it, or what it says where there is no place. */
function withServer(text: string): string {
  const edits = addServerEdits(text, 'new', { command: 'run' });
  if (edits === undefined) return 'no place';
  return [...edits]
    .toReversed()
    .reduce(
      (before, { offset, length, text: inserted }) =>
        before.slice(0, offset) + inserted + before.slice(offset + length),
      text,
    );
}

const lines = (...texts: readonly string[]): string => texts.join('\n');

describe('A new server in a file', () => {
  it('comes after the others and changes nothing of them', () => {
    const before = lines(
      '{',
      '\t// of this project',
      '\t"servers": {',
      '\t\t"a": {"command":   "x"}, // odd on purpose',
      '\t\t"b": { "command": "y" } // last',
      '\t},',
      '\t"inputs": []',
      '}',
      '',
    );
    assert.equal(
      withServer(before),
      lines(
        '{',
        '\t// of this project',
        '\t"servers": {',
        '\t\t"a": {"command":   "x"}, // odd on purpose',
        '\t\t"b": { "command": "y" }, // last',
        '\t\t"new": {',
        '\t\t\t"command": "run"',
        '\t\t}',
        '\t},',
        '\t"inputs": []',
        '}',
        '',
      ),
    );
  });

  it('keeps trailing commas, line ends and comments where nothing else is', () => {
    assert.equal(
      withServer('{\r\n  "servers": {\r\n    "a": {}, // x\r\n  },\r\n}'),
      '{\r\n  "servers": {\r\n    "a": {}, // x\r\n    "new": {\r\n      "command": "run"\r\n    },\r\n  },\r\n}',
    );
    assert.equal(
      withServer('{\n  "servers": {\n    // "x": {}\n  }\n}\n'),
      '{\n  "servers": {\n    // "x": {}\n    "new": {\n      "command": "run"\n    }\n  }\n}\n',
    );
  });

  it('makes what is missing around it', () => {
    const whole = '{\n  "servers": {\n    "new": {\n      "command": "run"\n    }\n  }\n}';
    assert.equal(withServer('{}'), whole);
    assert.equal(withServer(''), `${whole}\n`);
    assert.equal(withServer('// mine'), `// mine\n${whole}\n`);
    assert.deepEqual(JSON.parse(withServer('{"inputs":[]}')), {
      inputs: [],
      servers: { new: { command: 'run' } },
    });
  });

  it('has no place where the text is no JSON, no object or has the name', () => {
    for (const text of ['{', '[]', '{"servers":[]}', '{"servers":{"new":{}}}']) {
      assert.equal(withServer(text), 'no place', text);
    }
  });

  it('is found with its key, and a syntax error where it is', () => {
    const text = '{"servers":{"a":{"command":"x"}}}';
    const place = findEntry(text, ['servers', 'a']);
    assert.deepEqual(place, { offset: 12, length: 19 });
    assert.equal(findEntry(text, ['servers', 'b']), undefined);
    assert.equal(firstSyntaxError(text), undefined);
    assert.equal(firstSyntaxError('{"servers": }')?.offset, 12);
  });
});

describe('A command line', () => {
  it('is taken apart at blanks outside quotes, and at nothing else', () => {
    const cases: [string, readonly string[] | undefined][] = [
      ['npx -y pkg', ['npx', '-y', 'pkg']],
      ['  run\t"a b"  \'c "d"\' ', ['run', 'a b', 'c "d"']],
      ['run --path="a b"/c', ['run', '--path=a b/c']],
      ['"C:\\Program Files\\x.exe" C:\\y', ['C:\\Program Files\\x.exe', 'C:\\y']],
      ['run "say \\"hi\\"" ""', ['run', 'say "hi"', '']],
      ['run $HOME `x` ; rm -rf *', ['run', '$HOME', '`x`', ';', 'rm', '-rf', '*']],
      ['', undefined],
      ['   ', undefined],
      ['run "open', undefined],
      ["run 'open", undefined],
      ['"" x', undefined],
    ];
    for (const [line, expected] of cases) {
      const parsed = parseCommandLine(line);
      assert.deepEqual(parsed && [parsed.command, ...parsed.args], expected, line);
    }
  });
});
