import assert from 'node:assert/strict';
import type { DraftEntry, ServerDraft } from '../../src/host/adding/draft';
import { findDraftSecrets, withFreeInputs, withInputs } from '../../src/host/adding/draftSecrets';
import { freeName } from '../../src/core/nearestName';
import { assertEach } from '../assertions';

const draftOf = (entry: DraftEntry): ServerDraft => ({ name: 'git', entry, inputs: [], notes: [] });

const found = (entry: DraftEntry): string[] =>
  findDraftSecrets(draftOf(entry)).map(
    ({ place, name, value, isPlaceholder }) =>
      `${place} ${name} ${value}${isPlaceholder ? ' (placeholder)' : ''}`,
  );

const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

describe('Secrets in a draft', () => {
  const cases: readonly (readonly [string, DraftEntry, readonly string[]])[] = [
    [
      'variables by their names',
      { env: { API_KEY: 'abcd', HOME: '/home' } },
      ['variable API_KEY abcd'],
    ],
    [
      'what follows the scheme',
      { headers: { Authorization: 'Bearer abcd' } },
      ['header Authorization abcd'],
    ],
    [
      'no flags and counts',
      {
        env: { AUTH: 'false', MAX_TOKENS: '4096', REQUIRE_KEY: 'null', DB_PASSWORD: '4096' },
        args: ['--max-tokens', '4096', '--auth=true'],
        url: 'https://h/?max_tokens=4096',
      },
      ['variable DB_PASSWORD 4096'],
    ],
    ['known tokens under any name', { env: { THING: token } }, [`variable THING ${token}`]],
    [
      'the argument after an option',
      { args: ['--api-key', 'abcd', '--other', 'x'] },
      ['argument api-key abcd'],
    ],
    ['what an option is set to', { args: ['--token=abcd'] }, ['argument token abcd']],
    [
      'a variable for a container',
      { args: ['-e', 'DB_PASSWORD=abcd'] },
      ['argument DB_PASSWORD abcd'],
    ],
    [
      'a header as an argument',
      { args: ['--header', 'Authorization: Bearer abcd'] },
      ['argument Authorization abcd'],
    ],
    [
      'parameters of an address',
      { url: 'https://h/x?api_key=abcd&page=2' },
      ['address api_key abcd'],
    ],
    ['a password in an address', { args: ['postgres://me:abcd@h/db'] }, ['argument password abcd']],
    [
      'a short password in an address, and one with an @',
      { url: 'https://me:pw@h/mcp', args: ['https://me:p@ss@h/', 'https://me:${env:PW}@h/'] },
      ['argument password p@ss', 'address password pw'],
    ],
    [
      'a token as the user of an address',
      { url: 'https://ghp_0123456789abcdef@h/mcp', args: ['https://me@h/'] },
      ['address token ghp_0123456789abcdef'],
    ],
    [
      'placeholders',
      { env: { API_KEY: '<YOUR_KEY>', X_TOKEN: 'your-token-here' } },
      [
        'variable API_KEY <YOUR_KEY> (placeholder)',
        'variable X_TOKEN your-token-here (placeholder)',
      ],
    ],
    [
      'no variables, switches and short words',
      {
        env: { API_KEY: '${env:KEY}', AUTH: 'true', SECRET: 'abc', GONE_TOKEN: null },
        args: ['--token', '--other'],
      },
      [],
    ],
  ];
  for (const [what, entry, expected] of cases) {
    it(`are ${what}`, () => assert.deepEqual(found(entry), expected));
  }

  it('become inputs only at their places', () => {
    const draft = draftOf({
      args: ['postgresql://postgres:postgres@h/db?token=abcd&x=abcd', '--postgres'],
      env: { PGPASSWORD: 'postgres', KIND: 'postgres' },
    });
    const { draft: made, values } = withInputs(
      draft,
      findDraftSecrets(draft),
      new Set(['git-token']),
    );
    assert.deepEqual(made.entry, {
      args: [
        'postgresql://postgres:${input:git-pgpassword}@h/db?token=${input:git-token-2}&x=abcd',
        '--postgres',
      ],
      env: { PGPASSWORD: '${input:git-pgpassword}', KIND: 'postgres' },
    });
    assert.deepEqual(
      [...values],
      [
        ['git-pgpassword', 'postgres'],
        ['git-token-2', 'abcd'],
      ],
    );
    assertEach(made.inputs, ({ id, type, password }) => [id, type, password], [
      ['git-pgpassword', 'promptString', true],
      ['git-token-2', 'promptString', true],
    ]);
  });

  it('that are placeholders become inputs without a value', () => {
    const draft = draftOf({ env: { API_KEY: '<YOUR_KEY>' } });
    const { draft: made, values } = withInputs(draft, findDraftSecrets(draft), new Set());
    assert.deepEqual(made.entry.env, { API_KEY: '${input:git-api-key}' });
    assert.equal(values.size, 0);
  });

  it('that are the same placeholder become one input for each name', () => {
    const draft = draftOf({
      env: { API_KEY: 'your_key_here', API_SECRET_KEY: 'your_key_here' },
      args: ['-e', 'API_KEY=your_key_here'],
    });
    const { entry, inputs } = withInputs(draft, findDraftSecrets(draft), new Set()).draft;
    assert.deepEqual(entry, {
      env: { API_KEY: '${input:git-api-key}', API_SECRET_KEY: '${input:git-api-secret-key}' },
      args: ['-e', 'API_KEY=${input:git-api-key}'],
    });
    assertEach(inputs, ({ id }) => id, ['git-api-key', 'git-api-secret-key']);
  });

  it('become inputs at their places also if another input of the draft is renamed', () => {
    const address = 'https://h/mcp?tenant=${input:tenant}&api_key=';
    const draft: ServerDraft = {
      ...draftOf({ type: 'http', url: `${address}SECRETVALUE123` }),
      inputs: [{ id: 'tenant', type: 'promptString' }],
    };
    const taken = new Set(['tenant', 'git-api-key']);
    const { draft: made, values } = withInputs(draft, findDraftSecrets(draft), taken);
    const url = 'https://h/mcp?tenant=${input:tenant-2}&api_key=${input:git-api-key-2}';
    assert.deepEqual(made.entry, { type: 'http', url });
    assertEach(made.inputs, ({ id }) => id, ['tenant-2', 'git-api-key-2']);
    assert.deepEqual([...values], [['git-api-key-2', 'SECRETVALUE123']]);
  });

  it('do not change inputs of the same id in the file', () => {
    const draft: ServerDraft = {
      ...draftOf({ command: 'x', args: ['${input:key}', '${input:other}'] }),
      inputs: [{ id: 'key', type: 'promptString' }],
    };
    const made = withFreeInputs(draft, new Set(['key']));
    assert.deepEqual(made.entry.args, ['${input:key-2}', '${input:other}']);
    assert.deepEqual(made.inputs, [{ id: 'key-2', type: 'promptString' }]);
    assert.equal(freeName('a', new Set(['a', 'a-2'])), 'a-3');
  });

  it('stay separate from each other, when one gets another name', () => {
    const draft: ServerDraft = {
      ...draftOf({ command: '${input:a}', args: ['${input:a-2}'], cwd: '${input:a}' }),
      inputs: [
        { id: 'a', type: 'promptString' },
        { id: 'a-2', type: 'promptString' },
        { id: 'a', type: 'promptString', password: true },
      ],
    };
    const { entry, inputs } = withFreeInputs(draft, new Set(['a']));
    assert.deepEqual(entry, {
      command: '${input:a-3}',
      args: ['${input:a-2}'],
      cwd: '${input:a-3}',
    });
    assert.deepEqual(inputs, [
      { id: 'a-3', type: 'promptString', password: true },
      { id: 'a-2', type: 'promptString' },
    ]);
  });
});
