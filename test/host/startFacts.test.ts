import assert from 'node:assert/strict';
import type {
  HttpServerTransport,
  ServerConfig,
  StdioServerTransport,
} from '../../src/host/configuration/serverConfig';
import {
  parseStartFacts,
  startChanges,
  startFacts,
  type StartFact,
} from '../../src/host/consent/trust/startFacts';

function factsOf(transport: StdioServerTransport | HttpServerTransport): readonly StartFact[] {
  const config: ServerConfig = { id: 'a', label: 'a', source: { kind: 'setting' }, transport };
  return startFacts(config);
}

function stdio(more: Partial<StdioServerTransport> = {}): readonly StartFact[] {
  return factsOf({ kind: 'stdio', command: 'node', args: ['x.js', '--v'], env: {}, ...more });
}

/** `- part name value` a line. */
function changes(before: readonly StartFact[], now: readonly StartFact[]): string[] {
  return startChanges(before, now).map(({ kind, fact: { part, name, value, mask } }) =>
    [kind === 'removed' ? '-' : '+', part, name, value, mask && `${mask.length} hidden`]
      .filter((word) => word !== undefined)
      .join(' '),
  );
}

describe('The facts about a server start', () => {
  it('are each argument, the folder, and every variable', () => {
    assert.deepEqual(stdio({ cwd: '/work', env: { B: '2', A: '', GONE: null } }), [
      { part: 'command', value: 'node' },
      { part: 'argument', value: 'x.js' },
      { part: 'argument', value: '--v' },
      { part: 'folder', value: '/work' },
      { part: 'variable', name: 'A', value: '' },
      { part: 'variable', name: 'B', value: '2' },
      { part: 'variable', name: 'GONE' },
    ]);
  });

  it('are the tools that the entry lists', () => {
    const config: ServerConfig = {
      id: 'a',
      label: 'a',
      source: { kind: 'setting' },
      transport: { kind: 'http', url: 'https://h/', headers: {} },
    };
    const facts = (tools: readonly string[]) =>
      startFacts({ ...config, tools }).filter(({ part }) => part === 'tool');
    assert.deepEqual(facts(['a', 'b']), [
      { part: 'tool', value: 'a' },
      { part: 'tool', value: 'b' },
    ]);
    assert.deepEqual(facts([]), [{ part: 'tool' }]);
    assert.deepEqual(parseStartFacts(JSON.parse(JSON.stringify(facts([])))), facts([]));
  });

  it('are the URL, the headers, the transport, and the configured revision', () => {
    const headers = { 'X-Team': 'a' };
    assert.deepEqual(factsOf({ kind: 'sse', url: 'http://h/', headers, era: 'stateful' }), [
      { part: 'address', value: 'http://h/' },
      { part: 'header', name: 'X-Team', value: 'a' },
      { part: 'transport', value: 'sse' },
      { part: 'era', value: 'stateful' },
    ]);
  });

  const isShown = (names: readonly string[], part: 'env' | 'headers'): string[] => {
    const values = Object.fromEntries(names.map((name) => [name, 'the value']));
    const facts =
      part === 'env'
        ? stdio({ env: values })
        : factsOf({ kind: 'http', url: 'http://h/', headers: values });
    return facts.flatMap(({ name, value }) => (name !== undefined && value ? [name] : []));
  };

  it('contain no value with a secret name', () => {
    const secrets = [
      'API_KEY GITHUB_TOKEN apiKey OPENAIKEY DB_PASSWORD DB_PWD CLIENT_SECRETS BASIC_AUTH',
      'AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID GITHUB_PAT GOOGLE_CREDENTIALS',
    ].flatMap((line) => line.split(' '));
    assert.deepEqual(isShown(secrets, 'env'), []);
    const headers = ['Authorization', 'proxy-authorization', 'Cookie', 'X-Api-Key', 'x-auth-token'];
    assert.deepEqual(isShown(headers, 'headers'), []);
  });

  it('contain every value that affects what runs, also under a name with KEY, PASS or AUTH', () => {
    const names = [
      'GIT_ASKPASS GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_CREDENTIAL_HELPER GIT_SSH_COMMAND',
      'LD_PRELOAD NODE_OPTIONS PYTHONPATH OLDPWD PATH PWD SSH_ASKPASS SSH_AUTH_SOCK',
      'AUTH_FLAGS AUTH_HOOKS AUTH_PROVIDER COREPACK_INTEGRITY_KEYS GOAUTH Goauth apiKeyHelper',
      'GOOGLE_APPLICATION_CREDENTIALS PASSWORD_COMMAND SECRET_EXEC TOKEN_COMMAND TOKEN_PLUGINS',
      'TOKEN_SCRIPT key_program token-options BASH_FUNC_passwd%% CARGO_CREDENTIAL_ALIAS_MINE',
      'CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS',
    ].flatMap((line) => line.split(' '));
    assert.deepEqual(isShown(names, 'env').toSorted(), names.toSorted());
  });

  it('distinguish secrets by length and the beginning of their hash', () => {
    const [, , , fact] = stdio({ env: { API_KEY: 'abc' } });
    assert.deepEqual(fact, {
      part: 'variable',
      name: 'API_KEY',
      mask: { length: 3, digest: 'ba7816bf' },
    });
    assert.deepEqual(
      changes(stdio({ env: { API_KEY: 'abc' } }), stdio({ env: { API_KEY: 'abd' } })),
      ['- variable API_KEY 3 hidden', '+ variable API_KEY 3 hidden'],
    );
  });
});

describe('The changes between two starts', () => {
  it('are empty if nothing changed', () => {
    const env = { A: '1', API_KEY: 'x' };
    assert.deepEqual(changes(stdio({ env, cwd: '/' }), stdio({ env, cwd: '/' })), []);
  });

  it('are only the changed argument in the middle', () => {
    const before = stdio({ args: ['a', 'b', 'c'] });
    assert.deepEqual(changes(before, stdio({ args: ['a', 'x', 'c'] })), [
      '- argument b',
      '+ argument x',
    ]);
    assert.deepEqual(changes(before, stdio({ args: ['a', 'b', 'b', 'c'] })), ['+ argument b']);
    assert.deepEqual(changes(before, stdio({ args: [] })), [
      '- argument a',
      '- argument b',
      '- argument c',
    ]);
    assert.deepEqual(changes(before, stdio({ args: ['a b', 'c'] })), [
      '- argument a',
      '- argument b',
      '+ argument a b',
    ]);
  });

  it('are command, folder and variables, the old before the new', () => {
    const before = stdio({ cwd: '/a', env: { A: '1', B: '2', C: null } });
    const now = stdio({ command: 'deno', env: { B: '3', C: '', D: '4' } });
    assert.deepEqual(changes(before, now), [
      '- command node',
      '+ command deno',
      '- folder /a',
      '- variable A 1',
      '- variable B 2',
      '+ variable B 3',
      '- variable C',
      '+ variable C ',
      '+ variable D 4',
    ]);
  });

  it('are everything if a program became a URL', () => {
    const now = factsOf({ kind: 'http', url: 'http://h/', headers: {} });
    assert.deepEqual(changes(stdio({ args: [] }), now), [
      '- command node',
      '+ address http://h/',
      '+ transport http',
    ]);
  });
});

describe('Stored facts', () => {
  it('are restored unchanged', () => {
    const facts = stdio({ cwd: '/w', env: { API_KEY: 'abc', GONE: null, A: '' } });
    assert.deepEqual(parseStartFacts(JSON.parse(JSON.stringify(facts))), facts);
  });

  it('are invalid if any part is not a fact', () => {
    const good = { part: 'command', value: 'node' };
    const bad: unknown[] = [
      null,
      {},
      'node',
      [null],
      [[good]],
      [good, { part: 'soul', value: 'x' }],
      [{ part: 'command', value: 1 }],
      [{ part: 'variable', name: null }],
      [{ part: 'variable', name: 'A', mask: 'x' }],
      [{ part: 'variable', name: 'A', mask: { length: '3', digest: 'x' } }],
    ];
    assert.deepEqual(
      bad.map(parseStartFacts),
      bad.map(() => undefined),
    );
  });
});
