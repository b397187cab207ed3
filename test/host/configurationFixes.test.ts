import assert from 'node:assert/strict';
import { suggestKey } from '../../src/host/configuration/entryKeys';
import {
  addInputEdits,
  removeEarlierEdits,
  removeMemberEdits,
  otherFormatEdits,
  renameKeyEdits,
  type TextEdit,
} from '../../src/host/adding/configurationEdits';
import { parse } from './configurationCases';
import { assertEach } from '../assertions';

const applied = (text: string, edits: readonly TextEdit[]): string =>
  edits
    .toSorted((one, other) => other.offset - one.offset)
    .reduce(
      (now, { offset, length, text: inserted }) =>
        now.slice(0, offset) + inserted + now.slice(offset + length),
      text,
    );

describe('Edits of configuration files', () => {
  const input = { type: 'promptString', id: 'k', description: 'K', password: true } as const;

  it('change nothing if they are impossible', () => {
    for (const text of ['[]', '5', '{"inputs": {}}']) {
      assert.deepEqual(addInputEdits(text, input), [], text);
    }
    assert.deepEqual(renameKeyEdits('{"a":1}', ['b'], 'c'), []);
    const text = '{"a":1,"b":2}';
    assert.deepEqual(removeEarlierEdits(text, text.indexOf('"a"'), 'a'), []);
    assert.deepEqual(removeEarlierEdits(text, text.indexOf('"b"'), 'a'), []);
    assert.deepEqual(removeEarlierEdits('', 3, 'a'), []);
  });

  it('remove a header, and headers with the last one', () => {
    const cases = [
      ['{"A":{"url":"x","headers":{"authorization":"b"}}}', '{"A":{"url":"x"}}'],
      ['{"A":{"headers":{"Authorization":"b"},"url":"x"}}', '{"A":{"url":"x"}}'],
      ['{"A":{"headers":{"Authorization":"b"}}}', '{"A":{}}'],
      [
        '{"A":{"headers":{\n  "X": "1", // one\n  "Authorization": "b"\n}}}',
        '{"A":{"headers":{\n  "X": "1" // one\n}}}',
      ],
      [
        '{"A":{"headers":{\n  "Authorization": "b",\n  "X": "1",\n}}}',
        '{"A":{"headers":{\n  "X": "1",\n}}}',
      ],
      [
        '{"A":{"headers":{\n  "X": "1",\n  "Authorization": "b",\n}}}',
        '{"A":{"headers":{\n  "X": "1",\n}}}',
      ],
      ['{"A":{"headers":{"X":"1"}}}', '{"A":{"headers":{"X":"1"}}}'],
      ['{"A":{"headers":["Authorization"]}}', '{"A":{"headers":["Authorization"]}}'],
    ];
    for (const [text = '', expected] of cases) {
      assert.equal(
        applied(text, removeMemberEdits(text, ['A', 'headers'], /^authorization$/i)),
        expected,
      );
    }
  });

  it('convert the key of the other format with its variables, or nothing', () => {
    const cases = [
      [
        '{"mcpServers":{"a":{"env":{"A":"x${B}","C":"${workspaceFolder}"}}}}',
        '{"servers":{"a":{"env":{"A":"x${env:B}","C":"${workspaceFolder}"}}}}',
      ],
      ['{"servers":{"a":{"args":["${env:B_1}"]}}}', '{"mcpServers":{"a":{"args":["${B_1}"]}}}'],
      ['{"mcpServers":{"a":{"url":"${B:-http://x}"}}}'],
      ['{"servers":{"a":{"url":"${input:b}"}}}'],
      ['{"servers":{"a":{"url":"${config:b}"}}}'],
      ['{"servers":{"a":{"url":"${env:b-c}"}}}'],
      ['{"servers":{},"mcpServers":{}}'],
    ] as const;
    for (const [text, expected = text] of cases) {
      const own = text.startsWith('{"servers"') ? 'servers' : 'mcpServers';
      const other = own === 'servers' ? 'mcpServers' : 'servers';
      assert.equal(applied(text, otherFormatEdits(text, [own], other)), expected);
    }
  });

  it('add to an empty list', () => {
    const text = '{\n  "inputs": []\n}';
    const now = applied(text, addInputEdits(text, input));
    assert.deepEqual(JSON.parse(now), { inputs: [input] });
  });

  /** Each problem of something that stands twice is mended by its edits. */
  const withoutTwins = (text: string): string => {
    const [problem] = parse(text).problems.filter(({ code }) => code === 'duplicateKey');
    if (problem === undefined) return text;
    const { offset = -1, detail = '' } = problem;
    return withoutTwins(applied(text, removeEarlierEdits(text, offset, detail)));
  };

  it('remove a duplicate without effect, but no comment', () => {
    const cases = [
      ['{"servers":{"a":{},"a":{"command":"x"}}}', '{"servers":{"a":{"command":"x"}}}'],
      ['{"servers": {}, "servers":{}}', '{"servers":{}}'],
      ['{\r\n\t"servers": {},\r\n\t"servers":{}\r\n}', '{\r\n\t"servers":{}\r\n}'],
      ['{ "servers": {} /* old */ , // it\n"servers":{}}', '{  /* old */ // it\n"servers":{}}'],
      [
        '{"inputs":[\n  {"id":"k","type":"command","command":"a"},\n  {"id":"k","type":"promptString"}\n]}',
        '{"inputs":[\n  {"id":"k","type":"promptString"}\n]}',
      ],
      [
        '{"servers":{"a":{"command":"x","command":"y","env":{"A":"1", "A":"2","A":"3"}}}}',
        '{"servers":{"a":{"command":"y","env":{"A":"3"}}}}',
      ],
    ] as const;
    for (const [before, after] of cases) assert.equal(withoutTwins(before), after);
  });
});

describe('The suggested key', () => {
  const none = new Set<string>();
  const meant = (path: string, ...present: readonly string[]): string | undefined =>
    suggestKey(path.split('/'), 'vscode', new Set(present));

  it('is another client’s name for it, or the right spelling', () => {
    const cases = {
      'servers/a/cmd': 'command',
      'servers/a/Command': 'command',
      'servers/a/commnad': 'command',
      'servers/a/arg': 'args',
      'servers/a/enviroment': 'env',
      'servers/a/header': 'headers',
      'servers/a/dev/wathc': 'watch',
      'servers/a/toolgate/eras': 'era',
      'inputs/0/pasword': 'password',
      mcpServers: 'servers',
      serers: 'servers',
      input: 'inputs',
    };
    assertEach(Object.keys(cases), (path) => meant(path), Object.values(cases));
    assert.equal(suggestKey(['servers'], 'mcpServers', none), 'mcpServers');
  });

  it('does not exist for a valid name, a key that is already there, or in an object of free names', () => {
    const others = ['servers/a/autoApprove', 'servers/a/disabled', 'servers/a/env/comand', 'tasks'];
    assertEach(others, (path) => meant(path), [undefined, undefined, undefined, undefined]);
    assert.equal(meant('servers/a/cmd', 'command'), undefined);
    assert.equal(meant(`servers/a/${'command'.repeat(1_000)}`), undefined);
  });
});
