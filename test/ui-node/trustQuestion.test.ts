import assert from 'node:assert/strict';
import type {
  HttpServerTransport,
  ServerConfig,
  StdioServerTransport,
} from '../../src/host/configuration/serverConfig';
import { startFacts } from '../../src/host/consent/trust/startFacts';
import {
  trustDialog,
  trustDocument,
  type TrustQuestion,
} from '../../src/ui/serverTrust/formatTrustQuestion';

function stdio(more: Partial<StdioServerTransport> = {}, id = 'shop'): ServerConfig {
  const transport = { kind: 'stdio', command: 'node', args: ['x.js'], env: {}, ...more } as const;
  return { id, label: id, source: { kind: 'setting' }, transport };
}

function http(more: Partial<HttpServerTransport> = {}): ServerConfig {
  const transport = { kind: 'http', url: 'https://h/', headers: {}, ...more } as const;
  return { ...stdio(), transport };
}

const changed = (before: ServerConfig, config: ServerConfig): TrustQuestion => ({
  config,
  before: startFacts(before),
});

describe('The question before a first start', () => {
  it('shows command, folder and environment, each argument in quotes', () => {
    const env = { API_KEY: 'abc', NODE_OPTIONS: '--require ./x.js', HOME: null };
    const program = stdio({ args: ['my server.js', '', 'a"b'], cwd: '/work', env });
    const config = { ...program, envFile: { path: '/work/.env', names: [] } };
    assert.deepEqual(trustDialog([{ config }]), {
      message: 'Start “shop” for the first time?',
      detail: [
        'It runs this program on your machine with your permissions:',
        String.raw`"node" "my server.js" "" "a\"b"`,
        'Folder: "/work"',
        'Variables from: "/work/.env"',
        'Variable API_KEY = (secret, 3 characters, hash ba7816bf)',
        'Unsets variable HOME',
        'Variable NODE_OPTIONS = "--require ./x.js"',
        '',
        'Configured in: Setting "toolgate.servers"',
      ].join('\n'),
      start: 'Start Server',
    });
  });

  it('shows the tools that the entry lists, in one line, and each change of them', () => {
    const detailOf = (...question: Parameters<typeof trustDialog>[0]) =>
      trustDialog(question).detail.split('\n');
    const listed = { ...stdio(), tools: ['read', 'a"b', 'c\u202Ed'] };
    assert.equal(
      detailOf({ config: listed })[2],
      'Only these tools: "read", "a\\"b", "c\\u{202E}d"',
    );
    assert.equal(detailOf({ config: { ...http(), tools: [] } })[3], 'No tools');
    assert.doesNotMatch(trustDialog([{ config: stdio() }]).detail, /tools/);
    const more = { ...listed, tools: ['read', 'write', 'a"b', 'c\u202Ed'] };
    assert.deepEqual(detailOf(changed(listed, more)).slice(0, 3), [
      'Changes:',
      '+ Tool: "write"',
      '',
    ]);
    const document = trustDocument([changed(listed, stdio())]);
    assert.ok(document.kind === 'diff');
    assert.match(document.before, /^Tool: "read"$/m);
    assert.doesNotMatch(document.now, /Tool/);
  });

  it('shows URL and headers', () => {
    const headers = { Authorization: 'Bearer abc', 'X-Team': 'a' };
    const { message, start, detail } = trustDialog([{ config: http({ headers }) }]);
    // As in the row of such a server.
    assert.deepEqual([message, start], ['Connect to “shop” for the first time?', 'Connect']);
    assert.deepEqual(detail.split('\n'), [
      'It connects to this URL:',
      'URL: "https://h/"',
      'Header Authorization = (secret, 10 characters, hash c355dce9)',
      'Header X-Team = "a"',
      'Transport: "http"',
      '',
      'Configured in: Setting "toolgate.servers"',
    ]);
  });

  it('shows which environment variable is passed on, as it is written', () => {
    const piece = (name: string, value: string) => ({ reference: `\${env:${name}}`, value });
    const config: ServerConfig = {
      ...http({
        url: 'https://evil.example/?k=abcdef',
        headers: { 'X-Api-Key': 'abcdef', Authorization: 'Bearer abcdef', 'X-Mode': 'fast' },
      }),
      written: [
        {
          part: 'address',
          pieces: [{ text: 'https://evil.example/?k=' }, piece('MY_TOKEN', 'abcdef')],
        },
        { part: 'header', name: 'X-Api-Key', pieces: [piece('MY_TOKEN', 'abcdef')] },
        {
          part: 'header',
          name: 'Authorization',
          pieces: [{ text: 'Bearer ' }, piece('MY_TOKEN', 'abcdef')],
        },
        { part: 'header', name: 'X-Mode', pieces: [piece('MODE', 'fast')] },
      ],
    };
    assert.deepEqual(trustDialog([{ config }]).detail.split('\n').slice(1, 5), [
      'URL: "https://evil.example/?k=${env:MY_TOKEN}" (secret, 30 characters, hash dcec723b)',
      'Header Authorization = "Bearer ${env:MY_TOKEN}" (secret, 13 characters, hash 45b36536)',
      'Header X-Api-Key = "${env:MY_TOKEN}" (secret, 6 characters, hash bef57ec7)',
      'Header X-Mode = "${env:MODE}" (now "fast")',
    ]);
    const program = stdio({ command: '/opt/run', args: ['--key=abcdef', 'x'] });
    const written = [
      { part: 'command', pieces: [piece('TOOLS', '/opt'), { text: '/run' }] },
      { part: 'argument', name: 0, pieces: [{ text: '--key=' }, piece('MY_TOKEN', 'abcdef')] },
    ] as const;
    const [, line] = trustDialog([{ config: { ...program, written } }]).detail.split('\n');
    assert.equal(
      line,
      '"${env:TOOLS}/run" (now "/opt/run") "--key=${env:MY_TOKEN}" (secret, 12 characters, hash 0fcbd125) "x"',
    );
  });

  it('names the rules that may allow calls of such a server without a question', () => {
    const allowedBy = [
      { scope: 'user', index: 0 },
      { scope: 'user', index: 4 },
    ] as const;
    const line =
      'Its calls may run without asking. Rule 1 in your user settings, Rule 5 in your user settings';
    const question = { config: stdio({}), allowedBy };
    assert.equal(trustDialog([question]).detail.split('\n').at(-1), line);
    assert.ok(trustDialog([question, { config: stdio({}) }]).detail.includes(line));
    const document = trustDocument([question]);
    assert.ok(document.kind === 'text' && document.text.includes(line));
  });

  it('keeps text from the configuration on its line, with hidden characters shown', () => {
    const config = {
      ...stdio({ args: ['a\n\nConfigured in: x', '\u202Egpj.exe'], env: { 'A\nB = 1': '\u200B' } }),
      label: 'x\nrm\u202E',
    };
    const { message, detail } = trustDialog([{ config }]);
    assert.equal(message, 'Start “x\\nrm\\u{202E}” for the first time?');
    assert.equal(detail.split('\n').length, 5);
    assert.match(detail, /"a\\n\\nConfigured in: x" "\\u\{202E\}gpj\.exe"/);
    assert.match(detail, /Variable "A\\nB = 1" = "\\u\{200B\}"/);
    const document = trustDocument([{ config }]);
    assert.ok(document.kind === 'text');
    assert.doesNotMatch(document.text, /[\u202E\u200B]/);
  });

  it('says what changed, and the new value', () => {
    const before = stdio({ env: { A: '1', TOKEN: 'abc' } });
    const config = stdio({ args: ['x.js', '--all'], env: { A: '2', TOKEN: 'abd' } });
    const { message, detail, start } = trustDialog([changed(before, config)]);
    assert.deepEqual(
      [message, start],
      ['The start configuration of “shop” has changed', 'Start Server'],
    );
    assert.deepEqual(detail.split('\n').slice(0, 8), [
      'Changes:',
      '+ Argument: "--all"',
      '- Variable A = "1"',
      '+ Variable A = "2"',
      '- Variable TOKEN = (secret, 3 characters, hash ba7816bf)',
      '+ Variable TOKEN = (secret, 3 characters, hash a52d159f)',
      '',
      'It runs this program on your machine with your permissions:',
    ]);
    const document = trustDocument([changed(before, config)]);
    assert.ok(document.kind === 'diff');
    assert.match(document.before, /^Command: "node"\nArgument: "x\.js"\nVariable A = "1"\n/);
    assert.match(document.now, /^Argument: "--all"$/m);
  });

  it('is one question for several servers, each with its command', () => {
    const file = { kind: 'workspaceFile', path: '/w/mcp.json', folder: '/w' } as const;
    const questions = [
      { config: { ...stdio({ cwd: '/w' }, 'a'), source: file } },
      { config: { ...stdio({ cwd: '/v' }, 'b'), source: file } },
    ];
    const { message, detail, start } = trustDialog(questions);
    assert.deepEqual([message, start], ['Start 2 servers for the first time?', 'Start 2 Servers']);
    // The folder of the workspace goes without saying.
    assert.deepEqual(detail.split('\n').slice(1), [
      '"node" "x.js"',
      '',
      detail.split('\n')[3],
      '"node" "x.js"',
      'Folder: "/v"',
    ]);
    const { config } = questions[0] ?? assert.fail();
    const other = changed(stdio(), stdio({ command: 'deno' }));
    assert.deepEqual(
      [trustDialog([other, other]).message, trustDialog([other, { config }]).message],
      [
        'The start configuration of 2 servers has changed',
        'Start 2 servers that are new or have changed?',
      ],
    );
    assert.match(trustDialog([other, { config }]).detail, /changed:\n- Command: "node"\n\+ Comm/);
  });

  it('fits in a dialog whatever is configured, and is complete in the editor', () => {
    const args = ['x'.repeat(10_000), 'y\n'.repeat(3_000), '\u202E'.repeat(1_000), 'the end'];
    const many = Array.from({ length: 300 }, (_, index) => ({
      config: {
        ...stdio({ args: ['--port', String(index)] }, `s${index}`),
        label: 'l'.repeat(500),
      },
    }));
    const env = Object.fromEntries(many.map(({ config }) => [config.id.toUpperCase(), '1']));
    for (const questions of [
      [{ config: stdio({ args }) }],
      [{ config: stdio({ env }) }],
      [changed(stdio({ args }), stdio({ args: [...args, '!'] }))],
      many,
    ]) {
      const { message, detail, start } = trustDialog(questions);
      assert.equal(start, undefined);
      assert.ok(message.length < 300 && detail.length < 1_500, `${detail.length}`);
      assert.ok(detail.split('\n').length < 20);
      assert.match(detail, /Review/);
    }
    const document = trustDocument([{ config: stdio({ args }) }]);
    assert.ok(document.kind === 'text');
    assert.match(document.text, /^ {4}Argument: "the end"$/m);
    assert.equal(document.text.match(/x/g)?.length, 10_000);
    assert.ok(document.text.split('\n').every((line) => line.length < 100));
  });
});
