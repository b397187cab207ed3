import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { parseMcpJson, parseServersSetting } from '../../src/host/configuration/configuration';
import { configHash } from '../../src/host/configuration/configurationHash';
import type { ConfigSource } from '../../src/host/configuration/serverConfig';
import {
  resolveShellVariables,
  type ConfigurationContext,
  resolveVariables,
} from '../../src/host/configuration/variables';
import { parseStartFacts, startFacts } from '../../src/host/consent/trust/startFacts';
import { configuredSecrets } from '../../src/host/secrets/configuredSecrets';
import { fuzz } from './fuzzing';
import { mutatedText, mutatedValue } from './mutations';
import { configurations } from './samples';

const token = 'ghp_0123456789abcdefghijklmnopqrst';
const folder = { name: 'w', path: '/w' };
const contextWith = (envFile: string): ConfigurationContext => ({
  workspaceFolders: [folder],
  folder,
  userHome: '/home/me',
  env: { HOME: '/home/me', GITHUB_TOKEN: token, API_KEY: token, NAME: 'x' },
  setting: () => undefined,
  readFile: () => envFile,
});
const places: readonly ConfigSource[] = [
  { kind: 'workspaceFile', path: '/w/.vscode/mcp.json', folder: '/w' },
  { kind: 'workspaceFile', path: '/w/.mcp.json', folder: '/w' },
  { kind: 'userFile', path: '/home/me/mcp.json' },
];
const entry = {
  command: '${env:HOME}/run',
  args: ['--token=${env:GITHUB_TOKEN}', '${API_KEY:-none}', '${input:a}'],
  env: { A_KEY: 'Bearer ${env:API_KEY}', B: '${GITHUB_TOKEN}', C: null, D: 1 },
  envFile: '.env',
  cwd: '${workspaceFolder}',
  dev: { watch: ['src/**'] },
  toolgate: { era: 'stateful' },
};
const remote = {
  type: 'http',
  url: 'https://a.example/${env:NAME}?k=${env:API_KEY}',
  headers: { Authorization: '${env:GITHUB_TOKEN}', 'X-A': 'b${API_KEY}' },
};
const inputs = [{ id: 'a', type: 'promptString', password: true }];
const documents: readonly JsonObject[] = [
  { inputs, servers: { one: entry, two: remote } },
  { mcpServers: { one: entry, two: remote } },
];
const texts = [...configurations, ...documents.map((each) => JSON.stringify(each, undefined, 2))];
const envFile = mutatedText([
  'A=1\nexport B="x\\ny"\n# c\nC=\'d\'\nTOKEN=abc',
  'A=`b\nc`\n',
  '\ufeffA=1',
]);

const maxProblems = 1_000;

describe('Any configuration', () => {
  const place = fc.constantFrom(...places);
  fuzz(
    'is read or refused, and shows no secret of the user',
    12,
    fc.tuple(mutatedText(texts), place, envFile),
    ([text, source, variables]) => {
      const { servers, problems, isBroken } = parseMcpJson(text, source, contextWith(variables));
      assert.ok(problems.length <= maxProblems);
      for (const { offset = 0, length = 0 } of problems) assert.ok(offset + length <= text.length);
      assert.ok(!isBroken || servers.length === 0);
      assert.equal(new Set(servers.map(({ id }) => id)).size, servers.length);
      for (const config of servers) {
        const facts = startFacts(config);
        assert.deepEqual(parseStartFacts(JSON.parse(JSON.stringify(facts))), facts);
        const masked = facts.filter(
          ({ part }) => part !== 'command' && part !== 'folder' && part !== 'file',
        );
        assert.ok(!JSON.stringify(masked).includes(token), text);
        assert.match(configHash(config), /^[0-9a-f]{64}$/);
        configuredSecrets(config, config.transport);
      }
    },
  );

  fuzz('in the settings is read or refused', 5, mutatedValue(documents), (value) => {
    const servers =
      typeof value === 'object' && value !== null && 'servers' in value ? value.servers : value;
    const read = parseServersSetting(servers, { kind: 'setting' }, contextWith(''));
    for (const config of read.servers) startFacts(config);
    assert.ok(read.problems.length <= maxProblems);
  });

  const written = mutatedText([
    'a${env:HOME}b${input:x}',
    '${GITHUB_TOKEN:-${env:HOME}}c',
    '${userHome}${/}',
  ]);
  fuzz('as a text equals its parts', 4, written, (text) => {
    const context = contextWith('');
    for (const resolved of [
      resolveVariables(text, context, () => undefined),
      resolveShellVariables(text, context),
    ]) {
      const pieces = resolved.pieces.map((piece) => ('text' in piece ? piece.text : piece.value));
      assert.equal(pieces.join(''), resolved.text);
      assert.ok(resolved.pieces.every((piece) => !('text' in piece) || piece.text !== ''));
    }
  });
});
