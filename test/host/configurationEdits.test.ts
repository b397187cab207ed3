import assert from 'node:assert/strict';
import {
  smallestEdit,
  namesInConfiguration,
  withAddition,
  withMember,
} from '../../src/host/adding/configurationAdditions';
import type { DraftInput } from '../../src/host/adding/draft';

const input: DraftInput = { id: 'key', type: 'promptString', password: true };

/** The text with server `new` in it, or what it says where there is no place. */
function withServer(text: string, ...inputs: readonly DraftInput[]): string {
  const servers = [{ name: 'new', entry: { command: 'run' } }];
  return withAddition(text, { servers, inputs }) ?? 'no place';
}

const lines = (...texts: readonly string[]): string => texts.join('\n');

describe('An added server', () => {
  it('is written after the others, which stay unchanged', () => {
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

  it('keeps trailing commas, line ends and comments in an otherwise empty file', () => {
    assert.equal(
      withServer('{\r\n  "servers": {\r\n    "a": {}, // x\r\n  },\r\n}'),
      '{\r\n  "servers": {\r\n    "a": {}, // x\r\n    "new": {\r\n      "command": "run"\r\n    },\r\n  },\r\n}',
    );
    assert.equal(
      withServer('{\n  "servers": {\n    // "x": {}\n  }\n}\n'),
      '{\n  "servers": {\n    // "x": {}\n    "new": {\n      "command": "run"\n    }\n  }\n}\n',
    );
  });

  it('creates the missing objects around it', () => {
    const whole = '{\n  "servers": {\n    "new": {\n      "command": "run"\n    }\n  }\n}';
    assert.equal(withServer('{}'), whole);
    assert.equal(withServer(''), `${whole}\n`);
    assert.equal(withServer('// mine'), `// mine\n${whole}\n`);
    assert.deepEqual(JSON.parse(withServer('{"inputs":[]}')), {
      inputs: [],
      servers: { new: { command: 'run' } },
    });
  });

  it('adds its inputs to the list of the file', () => {
    assert.equal(
      withServer('{\n  "inputs": [\n    { "id": "a" } // of a\n  ]\n}\n', input),
      lines(
        '{',
        '  "inputs": [',
        '    { "id": "a" }, // of a',
        '    {',
        '      "id": "key",',
        '      "type": "promptString",',
        '      "password": true',
        '    }',
        '  ],',
        '  "servers": {',
        '    "new": {',
        '      "command": "run"',
        '    }',
        '  }',
        '}',
        '',
      ),
    );
    const made = withServer('', input);
    assert.deepEqual(JSON.parse(made), { servers: { new: { command: 'run' } }, inputs: [input] });
    assert.equal(withServer('{"inputs":[{"id":"key"}]}', input), 'no place');
    assert.equal(withServer('{"inputs":{}}', input), 'no place');
  });

  it('is refused if the text is not JSON, not an object, or contains the name', () => {
    for (const text of ['{', '[]', '{"servers":[]}', '{"servers":{"new":{}}}']) {
      assert.equal(withServer(text), 'no place', text);
    }
  });

  it('changes one part of the file, the smallest possible', () => {
    const before = '{\n  "servers": {}\n}\n';
    const after = withServer(before);
    const { offset, length, text } = smallestEdit(before, after);
    assert.equal(before.slice(0, offset) + text + before.slice(offset + length), after);
    assert.deepEqual([offset, length], [16, 0]);
    assert.deepEqual(smallestEdit('same', 'same'), { offset: 4, length: 0, text: '' });
    assert.deepEqual(smallestEdit('aa', 'aaa'), { offset: 2, length: 0, text: 'a' });
  });

  it('changes whole characters, which VS Code would otherwise replace by half', () => {
    // One half of each pair is the same in both.
    assert.deepEqual(smallestEdit('a🔴b', 'a🔵b'), { offset: 1, length: 2, text: '🔵' });
    assert.deepEqual(smallestEdit('a📁b', 'a🐁b'), { offset: 1, length: 2, text: '🐁' });
    assert.deepEqual(smallestEdit('🔴🔵', '🔵'), { offset: 0, length: 2, text: '' });
    assert.deepEqual(smallestEdit('x🔴', 'x🔴🔴'), { offset: 3, length: 0, text: '🔴' });
  });

  it('gets the names and ids that are in use', () => {
    const taken = namesInConfiguration(
      '{"servers":{"a":{},"b":{}},"inputs":[{"id":"x"},{"id":1},2]}',
    );
    assert.deepEqual([...taken.servers, ...taken.inputs], ['a', 'b', 'x']);
    const deep = `{"inputs":${'['.repeat(50_000)}`;
    assert.deepEqual(
      [
        ...namesInConfiguration('').servers,
        ...namesInConfiguration('[').inputs,
        ...namesInConfiguration(deep).inputs,
      ],
      [],
    );
    assert.equal(withServer(deep), 'no place');
  });
});

describe('An added header', () => {
  const add = (text: string, path = ['servers', 'a']) =>
    withMember(text, path, { object: 'headers', name: 'X', value: 'v' }) ?? 'no place';

  it('is written after the existing ones, which stay unchanged', () => {
    assert.equal(
      add('{\n  "servers": {\n    "a": {\n      "url": "u" // odd\n    }\n  }\n}'),
      '{\n  "servers": {\n    "a": {\n      "url": "u", // odd\n      "headers": {\n        "X": "v"\n      }\n    }\n  }\n}',
    );
    assert.equal(
      add('{"servers":{"a":{"headers":{"Y":"w"}}}}'),
      '{"servers":{"a":{"headers":{"Y":"w",\n  "X": "v"\n}}}}',
    );
  });

  it('is refused if it exists, or the entry is invalid', () => {
    for (const entry of ['{"headers":{"X":"w"}}', '{"headers":[]}', '[]', '1']) {
      assert.equal(add(`{"servers":{"a":${entry}}}`), 'no place', entry);
    }
    for (const text of ['', '[]', '{', '{"servers":{}}']) assert.equal(add(text), 'no place', text);
  });
});
