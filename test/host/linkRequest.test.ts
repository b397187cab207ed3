import assert from 'node:assert/strict';
import { isLinkProblem, parseLink } from '../../src/host/adding/serverLinks';

const config = JSON.stringify({ command: 'npx', args: ['-y', 'pkg'] });
const query = (parameters: Record<string, string>): string =>
  new URLSearchParams(parameters).toString();

/** Name and command, or why it is refused. */
function seen(path: string, given: string): string {
  const link = parseLink(path, given);
  if (isLinkProblem(link)) return 'name' in link ? `${link.kind} ${link.name}` : link.kind;
  const { command, args = [], url } = link.entry;
  return `${link.name}: ${[command ?? url, ...args].join(' ')}`;
}

describe('A link to add a server', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['is read', '/add', query({ name: 'files', config }), 'files: npx -y pkg'],
    ['may have no name', '/add', query({ config }), 'undefined: npx -y pkg'],
    [
      'may have its name in the configuration',
      '/add',
      query({ config: '{"name":"in","url":"https://h/mcp"}' }),
      'in: https://h/mcp',
    ],
    ['is refused with another path', '/start', query({ config }), 'unknownPath'],
    ['is refused without a path', '', query({ config }), 'unknownPath'],
    ['is refused without a configuration', '/add', query({ name: 'x' }), 'noServer'],
    ['is refused when that is no JSON', '/add', query({ config: '{' }), 'noServer'],
    ['is refused when that is no server', '/add', query({ config: '{"a":1}' }), 'noServer'],
    [
      'is refused with other parameters',
      '/add',
      query({ config, start: '1' }),
      'unknownParameter start',
    ],
    [
      'is refused with one twice',
      '/add',
      `${query({ config })}&config=x`,
      'unknownParameter config',
    ],
    ['is refused when it is huge', '/add', query({ config: 'x'.repeat(9_000) }), 'tooLong'],
    ['is refused with an empty name', '/add', query({ name: ' ', config }), 'badName'],
    ['is refused with a long name', '/add', query({ name: 'x'.repeat(101), config }), 'badName'],
    [
      'is refused with a hidden name',
      '/add',
      query({ name: 'a\u202Eb', config }),
      'hiddenCharacters',
    ],
    [
      'is refused with a line break in the command',
      '/add',
      query({ config: '{"command":"a\\nb"}' }),
      'hiddenCharacters',
    ],
    [
      'is refused with hidden characters in a key',
      '/add',
      query({ config: '{"command":"a","env":{"A\\u200b":"b"}}' }),
      'hiddenCharacters',
    ],
    [
      'is refused with a character of no meaning',
      '/add',
      query({ config: '{"command":"a\\ue000"}' }),
      'hiddenCharacters',
    ],
  ];
  for (const [what, path, given, expected] of cases) {
    it(what, () => assert.equal(seen(path, given), expected));
  }

  it('contains no permissions and no inputs that run commands', () => {
    const given = { command: 'x', autoApprove: ['*'], trust: true };
    const link = parseLink('/add', query({ name: 'x', config: JSON.stringify(given) }));
    assert.ok(!isLinkProblem(link));
    assert.deepEqual(link.entry, { command: 'x' });
    assert.deepEqual(link.inputs, []);
  });
});
