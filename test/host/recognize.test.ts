import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DraftEntry, ServerDraft } from '../../src/host/adding/draft';
import { recognize } from '../../src/host/adding/recognize';
import { assertEach } from '../assertions';

const fixtures = path.join(__dirname, '../fixtures');
const fixture = (name: string): string => readFileSync(path.join(fixtures, name), 'utf8');

/** How it is reached, in one line. */
function lineOf({ command, args = [], url, type, env = {}, headers = {} }: DraftEntry): string {
  const named = Object.entries({ ...env, ...headers }).map(([name, value]) => `${name}=${value}`);
  const reached = command === undefined ? [type, url] : [command, ...args];
  return [...reached, ...named].join(' ');
}

/** The likeliest meaning: its kind, and name and line of each server. */
function seen(text: string): string {
  const [first] = recognize(text);
  if (first === undefined) return 'nothing';
  const servers = first.drafts.map(({ name = '?', entry }) => `${name}: ${lineOf(entry)}`);
  return `${first.kind} ${servers.join(' | ')}`;
}

const drafts = (file: string): readonly ServerDraft[] => recognize(fixture(file))[0]?.drafts ?? [];

const texts: readonly (readonly [string, string])[] = [
  // Command lines.
  ['npx -y @scope/mcp-server-files /tmp', 'commandLine files: npx -y @scope/mcp-server-files /tmp'],
  ['$ npx -y pkg', 'commandLine pkg: npx -y pkg'],
  ['API_KEY="a b" DEBUG=1 npx pkg', 'commandLine pkg: npx pkg API_KEY=a b DEBUG=1'],
  ['env A=b uvx mcp-server-git', 'commandLine git: uvx mcp-server-git A=b'],
  ['"C:\\Program Files\\x.exe" C:\\y', 'commandLine x: C:\\Program Files\\x.exe C:\\y'],
  [
    'docker run -i --rm \\\n  -e TOKEN \\\n  mcp/time:1.2',
    'commandLine time: docker run -i --rm -e TOKEN mcp/time:1.2',
  ],
  ['docker run -i \\ --rm mcp/time', 'commandLine time: docker run -i --rm mcp/time'],
  ['cmd /c npx -y weather-mcp', 'commandLine weather: cmd /c npx -y weather-mcp'],
  ['bash -c "npx -y weather-mcp --x"', 'commandLine weather: bash -c npx -y weather-mcp --x'],
  ['node /a/weather/dist/index.js', 'commandLine weather: node /a/weather/dist/index.js'],
  ['node server.mjs', 'commandLine server: node server.mjs'],
  ['python ./src/main.py', 'commandLine main: python ./src/main.py'],
  ['python -m my_server', 'commandLine my: python -m my_server'],
  ['./run.sh', 'commandLine run.sh: ./run.sh'],
  ['run "open', 'nothing'],
  // Names of packages and images.
  [
    '@modelcontextprotocol/server-everything',
    'npm everything: npx -y @modelcontextprotocol/server-everything',
  ],
  ['@playwright/mcp@latest', 'npm playwright: npx -y @playwright/mcp@latest'],
  ['npm i -g @scope/thing', 'npm thing: npx -y @scope/thing'],
  ['pip install mcp-server-fetch', 'pypi fetch: uvx mcp-server-fetch'],
  ['pypi:mcp-server-fetch', 'pypi fetch: uvx mcp-server-fetch'],
  [
    'ghcr.io/github/github-mcp-server',
    'docker github: docker run -i --rm ghcr.io/github/github-mcp-server',
  ],
  ['mcp/time', 'docker time: docker run -i --rm mcp/time'],
  ['docker pull mcp/time', 'docker time: docker run -i --rm mcp/time'],
  ['https://www.npmjs.com/package/@scope/thing', 'npm thing: npx -y @scope/thing'],
  ['https://pypi.org/project/mcp-server-fetch/', 'pypi fetch: uvx mcp-server-fetch'],
  ['https://hub.docker.com/r/mcp/time', 'docker time: docker run -i --rm mcp/time'],
  // Addresses.
  ['https://mcp.sentry.dev/mcp', 'address sentry: http https://mcp.sentry.dev/mcp'],
  ['http://localhost:3000/sse', 'address localhost: sse http://localhost:3000/sse'],
  ['http://127.0.0.1:3000/mcp', 'address localhost: http http://127.0.0.1:3000/mcp'],
  ['http://[::1]:3000/mcp', 'address localhost: http http://[::1]:3000/mcp'],
  ['http://192.168.0.5/mcp', 'address 192.168.0.5: http http://192.168.0.5/mcp'],
  ['localhost:3000/mcp', 'address localhost: http http://localhost:3000/mcp'],
  ['127.0.0.1:8080', 'address localhost: http http://127.0.0.1:8080'],
  ['mcp.example.com/v1/mcp', 'address example: http https://mcp.example.com/v1/mcp'],
  ['ghcr.io/owner/mcp', 'docker ghcr.io: docker run -i --rm ghcr.io/owner/mcp'],
  ['https://github.com/owner/repository', 'nothing'],
  ['ftp://host/x', 'nothing'],
  // Pieces of JSON.
  ['"git": { "command": "uvx", "args": ["mcp-server-git"] },', 'json git: uvx mcp-server-git'],
  ['{"command": "x"}', 'json ?: x'],
  ['{"name": "a", "command": "x", "args": [1, true]}', 'json a: x 1 true'],
  ['{"a": {"url": "https://h"}, "b": {"command": "y"},}', 'json a: http https://h | b: y'],
  ['```json\n{"mcpServers": {"a": {"command": "x"}}}\n```', 'json a: x'],
  ['{"mcpServers": {}}', 'nothing'],
  ['{"a": 1}', 'nothing'],
  ['{"command": }', 'nothing'],
  ['[1]', 'nothing'],
  // What other programs add by.
  [
    'claude mcp add git -- uvx mcp-server-git --repository .',
    'addCommand git: uvx mcp-server-git --repository .',
  ],
  [
    'claude mcp add -s user -e KEY=v=1 air npx -y airtable',
    'addCommand air: npx -y airtable KEY=v=1',
  ],
  [
    'claude mcp add --transport http s https://h/mcp --header "Authorization: Bearer t"',
    'addCommand s: http https://h/mcp Authorization=Bearer t',
  ],
  ['claude mcp add -e A=1 B=2 -s user -- air npx', 'addCommand air: npx A=1 B=2'],
  [
    'claude mcp add -t http s https://h/mcp -H "A: b" "C: d"',
    'addCommand s: http https://h/mcp A=b C=d',
  ],
  ['claude mcp add-json w \'{"command":"x"}\'', 'addCommand w: x'],
  ['code --add-mcp \'{"name":"w","command":"x"}\'', 'addCommand w: x'],
  ['codex mcp add docs --url https://h/mcp', 'addCommand docs: http https://h/mcp'],
  [
    'claude mcp add --transport http --client-id x --client-secret --callback-port 8080 s https://h/mcp',
    'addCommand s: http https://h/mcp',
  ],
  ['gemini mcp add --timeout 5000 s npx -y m', 'addCommand s: npx -y m'],
  ['gemini mcp add --description "My server" s npx m', 'addCommand s: npx m'],
  ['gemini mcp add --exclude-tools a,b --include-tools=c s npx m', 'addCommand s: npx m'],
  ['PS C:\\> claude mcp add docs -- npx -y foo', 'addCommand docs: npx -y foo'],
  ['PS C:\\me> npm i foo', 'npm foo: npx -y foo'],
  ...[
    '--bearer-token-env-var T docs --url https://h/mcp',
    'docs --url https://h/mcp --bearer-token-env-var T',
    'docs --bearer-token-env-var=T --url=https://h/mcp',
  ].map(
    (rest) =>
      [
        `codex mcp add ${rest}`,
        'addCommand docs: http https://h/mcp Authorization=Bearer ${env:T}',
      ] as const,
  ),
  ...['-s user git {}', '--scope=user git {}', 'git -s user {}', 'git {} --scope user'].map(
    (rest) =>
      [
        `claude mcp add-json ${rest.replace('{}', `'{"type":"http","url":"https://h/mcp"}'`)}`,
        'addCommand git: http https://h/mcp',
      ] as const,
  ),
  ['claude mcp list', 'commandLine claude: claude mcp list'],
  // Buttons.
  ['vscode:mcp/install?%7B%22name%22%3A%22w%22%2C%22command%22%3A%22x%22%7D', 'installLink w: x'],
  [
    'https://insiders.vscode.dev/redirect/mcp/install?name=w&config=%7B%22command%22%3A%22x%22%7D',
    'installLink w: x',
  ],
  [
    'https://vscode.dev/redirect?url=vscode%3Amcp%2Finstall%3F%257B%2522name%2522%253A%2522w%2522%252C%2522command%2522%253A%2522x%2522%257D',
    'installLink w: x',
  ],
  [
    `cursor://anysphere.cursor-deeplink/mcp/install?name=w&config=${btoa('{"command":"x","args":["~~~?"]}')}`,
    'installLink w: x ~~~?',
  ],
  ['', 'nothing'],
  ['   ', 'nothing'],
];

const files: readonly (readonly [string, string])[] = [
  [
    'clients/claude_desktop_config.json',
    'json filesystem: npx -y @modelcontextprotocol/server-filesystem /Users/ann/Desktop | github: docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server GITHUB_PERSONAL_ACCESS_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  ],
  [
    'clients/claude.json',
    'json sentry: http https://mcp.sentry.dev/mcp Authorization=Bearer sntrys_0123456789',
  ],
  [
    'clients/project.mcp.json',
    'json database: ${env:HOME}/bin/db-server --dsn ${env:DB_DSN} CACHE=${env:CACHE_DIR}',
  ],
  [
    'clients/cursor.json',
    'json linear: sse https://mcp.linear.app/sse | local: python ${workspaceFolder}/server.py API_KEY=${env:LOCAL_KEY}',
  ],
  [
    'clients/windsurf_mcp_config.json',
    'json remote: http https://example.com/mcp API_KEY=value-of-the-key | off: uvx mcp-server-git',
  ],
  [
    'clients/cline_mcp_settings.json',
    'json weather: node /home/ann/mcp/weather-server/build/index.js OPENWEATHER_API_KEY=0123456789abcdef0123456789abcdef | docs: http https://docs.example.com/mcp',
  ],
  [
    'clients/continue_config.json',
    'json sqlite: uvx mcp-server-sqlite --db-path /tmp/test.db | cloud: http https://cloud.example.com/mcp Authorization=Bearer ${input:cloud-token}',
  ],
  [
    'clients/zed_settings.json',
    'json new-style: some-command arg-1 | old-style: old-command arg-2 A=b',
  ],
  [
    'clients/vscode_mcp.json',
    'json perplexity: npx -y server-perplexity-ask --region ${input:region} PERPLEXITY_API_KEY=${input:perplexity-key} | fetch: uvx mcp-server-fetch ${input:evil}',
  ],
  [
    'clients/gemini_settings.json',
    'json http: http https://example.com/mcp | old: x N=1 B=true GONE=null',
  ],
  ['clients/opencode.json', 'json local: bun x my-mcp A=b | remote: http https://example.com/mcp'],
  [
    'registry/npm.json',
    'json brave-search: npx -y @example/server-brave-search@1.0.2 --mode local ${input:target-dir} BRAVE_API_KEY=${input:brave-api-key} LOG_LEVEL=info | brave-search: http https://${input:tenant}.example.com/mcp Authorization=Bearer ${input:token} X-Region=${input:x-region} | brave-search: sse https://example.com/sse',
  ],
  [
    'registry/old.json',
    'json database-manager: docker run -i --rm --network host -e DB_TYPE=${input:db-type} -e DB_PASSWORD example/database-manager-mcp:3.1.0 ${input:database-name} DB_PASSWORD=${input:db-password} | database-manager: uvx weather-mcp-server@0.5.0 | database-manager: dnx Knapcode.SampleMcpServer@0.4.0-beta --yes -- mcp start | database-manager: sse https://example.com/sse',
  ],
];

describe('A pasted text', () => {
  for (const [text, expected] of texts) {
    it(`is recognized: ${text === '' ? 'nothing at all' : text.slice(0, 70)}`, () => {
      assert.equal(seen(text), expected);
    });
  }

  it('that is a bare name may mean a program or a package, and the user chooses', () => {
    assertEach(recognize('weather-mcp'), ({ kind }) => kind, ['commandLine', 'npm', 'pypi']);
    assertEach(recognize('C:\\tools\\server.exe'), ({ kind }) => kind, ['commandLine']);
  });

  it('may be nested without end', () => {
    recognize('['.repeat(200_000));
    recognize(`{"a":`.repeat(50_000));
  });
});

describe('The configuration file of a client', () => {
  it('is in one of these formats', () => {
    const there = ['clients', 'registry'].flatMap((folder) =>
      readdirSync(path.join(fixtures, folder)).map((name) => `${folder}/${name}`),
    );
    assert.deepEqual(there.toSorted(), files.map(([name]) => name).toSorted());
  });

  for (const [name, expected] of files) {
    it(`is understood: ${name}`, () => {
      assert.equal(seen(fixture(name)), expected);
    });
  }

  it('loses its permissions and unknown keys, with a note', () => {
    const notes = drafts('clients/cline_mcp_settings.json').map((draft) => draft.notes);
    assert.deepEqual(notes, [
      [{ kind: 'leftOut', keys: ['autoApprove', 'timeout'] }],
      [{ kind: 'leftOut', keys: ['alwaysAllow'] }],
    ]);
    assert.deepEqual(drafts('clients/windsurf_mcp_config.json')[1]?.notes, [
      { kind: 'leftOut', keys: ['disabledTools'] },
      { kind: 'disabled' },
    ]);
    assert.deepEqual(drafts('clients/project.mcp.json')[0]?.notes, [
      { kind: 'defaultLost', variables: ['DB_DSN'] },
    ]);
    const options = '-s user --client-id x --exclude-tools=y -t http';
    assert.deepEqual(recognize(`claude mcp add ${options} s https://h/mcp`)[0]?.drafts[0]?.notes, [
      { kind: 'leftOut', keys: ['--client-id', '--exclude-tools'] },
    ]);
    assert.deepEqual(recognize('docker run --rm mcp/time')[0]?.drafts[0]?.notes, [
      { kind: 'notInteractive' },
    ]);
  });

  it('has the numbers as they were written', () => {
    const entry = '{ "command": "x", "args": [1234567890123456789], "env": { "VERSION": 1.10 } }';
    for (const text of [entry, `{ "mcpServers": { "s": ${entry} } }`, `"s": ${entry},`]) {
      assert.deepEqual(recognize(text)[0]?.drafts[0]?.entry, {
        command: 'x',
        args: ['1234567890123456789'],
        env: { VERSION: '1.10' },
      });
    }
  });

  it('includes the inputs of its servers, and none that runs a command', () => {
    const inputs = drafts('clients/vscode_mcp.json').map((draft) =>
      draft.inputs.map(({ id }) => id),
    );
    assert.deepEqual(inputs, [['perplexity-key', 'region'], []]);
    assert.deepEqual(drafts('clients/continue_config.json')[1]?.inputs, [
      { id: 'cloud-token', type: 'promptString', password: true },
    ]);
  });

  it('of the registry has inputs for required and secret values', () => {
    assertEach(drafts('registry/npm.json'), (draft) => draft.inputs, [
      [
        {
          id: 'target-dir',
          type: 'promptString',
          description: 'Where to keep things',
          default: '/tmp',
        },
        {
          id: 'brave-api-key',
          type: 'promptString',
          description: 'Key of the Brave Search API',
          password: true,
        },
      ],
      [
        { id: 'tenant', type: 'promptString', description: 'Name of the tenant' },
        { id: 'token', type: 'promptString', description: 'token', password: true },
        {
          id: 'x-region',
          type: 'pickString',
          description: 'X-Region',
          default: 'eu',
          options: ['eu', 'us'],
        },
      ],
      [],
    ]);
  });

  it('is ignored if it is nested without end', () => {
    for (const depth of [4_500, 50_000]) {
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      assert.deepEqual(recognize(`{"command":"x","odd":${deep}}`), []);
      assert.deepEqual(recognize(deep), []);
    }
  });
});
