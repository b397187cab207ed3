import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import { entryPath, sharedFileName } from '../../src/host/configuration/configurationFormats';
import type { ConfigSource, ServerConfig } from '../../src/host/configuration/serverConfig';
import { serverKey } from '../../src/host/configuration/serverKey';
import { app, file, inApp, inNoFolder, lib, setting, told } from './configurationCases';

const corpus = path.resolve(__dirname, '../fixtures/configurations');
const shared: ConfigSource = {
  kind: 'workspaceFile',
  path: path.join(app.path, sharedFileName),
  folder: app.path,
};
const context = {
  ...inApp,
  setting: (key: string) => (key === 'server.level' ? 'debug' : undefined),
};

/** What a file of the corpus comes to, as text. */
function picture(name: string, source: ConfigSource): { servers: string[]; problems: string[] } {
  const text = readFileSync(path.join(corpus, name), 'utf8');
  const { servers, problems } = parseMcpJson(text, source, context);
  return { servers: servers.map(toLine), problems: told(problems) };
}

function toLine({ id, reach, inputs = [], watch = [] }: ServerConfig): string {
  const how =
    reach.kind === 'stdio'
      ? [reach.command, ...reach.args, ...pairs(reach.env), `in ${reach.cwd ?? ''}`]
      : [reach.kind, reach.url, ...pairs(reach.headers)];
  const rest = [...inputs.map((input) => `<${input.kind} ${input.id}>`), ...watch];
  return [`${id}:`, ...how, ...rest].join(' ');
}

function pairs(record: Readonly<Record<string, string | null>>): string[] {
  return Object.entries(record).map(([name, value]) => `${name}=${value}`);
}

describe('Files of VS Code', () => {
  it('with a token that is asked for', () => {
    const image =
      'docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server';
    assert.deepEqual(picture('vscode-github.json', file), {
      servers: [
        'github: http https://api.githubcopilot.com/mcp/ Authorization=Bearer ${input:github_token} <promptString github_token>',
        `github-local: ${image} GITHUB_PERSONAL_ACCESS_TOKEN=\${input:github_token} in ${app.path} <promptString github_token>`,
      ],
      problems: [],
    });
  });

  it('with every key of the format', () => {
    const command = [app.path, 'bin', 'server'].join(path.sep);
    const args = `--mode \${input:mode} --port=\${input:port} ${lib.path} debug`;
    const env = `FROM_FILE=1 BOTH=file KEY=\${input:key} HOME_DIR=${inApp.userHome} RETRIES=3 NODE_OPTIONS=null FROM=secret`;
    const inputs = '<pickString mode> <command port> <promptString key>';
    assert.deepEqual(picture('vscode-everything.json', file), {
      servers: [
        `stdio: ${command} ${args} ${env} in ${path.join(app.path, 'sub')} ${inputs} src/**/*.ts`,
        'sse: sse http://localhost:3001/sse',
        'socket: http unix:///run/mcp.sock#/mcp',
      ],
      problems: ['unsupportedKey servers/stdio/dev/debug dev.debug'],
    });
  });

  it('with mistakes, each at its place, keep the servers that are right', () => {
    const inFolder = `in ${app.path}`;
    assert.deepEqual(picture('vscode-odd.json', file), {
      servers: [
        `twice: second ${inFolder}`,
        `no-way:  ${inFolder}`,
        `unset: run  \${input:nobody} ${inFolder}`,
        `shell: sh -c echo \${HOME} ${inFolder}`,
        `gallery: npx -y x@1.0.0 ${inFolder}`,
        `extra: x ${inFolder}`,
      ],
      problems: [
        'unknownKey mcpServers mcpServers',
        'duplicateKey servers/twice twice',
        'missingCommand servers/no-way !',
        'missingVariable servers/unset/args/0 ${env:NOT_SET}',
        'unknownInput servers/unset/args/1 ${input:nobody} !',
        'unsupportedVariable servers/shell/args/1 ${HOME}',
        'unknownKey servers/extra/disabled disabled',
        'unknownKey servers/extra/autoApprove autoApprove',
      ],
    });
  });
});

describe('Files of the mcpServers format', () => {
  it('have the variables of a shell, and stop a server that lacks one', () => {
    const inFolder = `in ${app.path}`;
    assert.deepEqual(picture('shared.mcp.json', shared), {
      servers: [
        `filesystem: npx -y @modelcontextprotocol/server-filesystem /tmp ${inFolder}`,
        'api: http https://api.example.com/mcp Authorization=Bearer secret',
        'legacy: http http://localhost:8080/mcp',
        `needs: x KEY=\${NOT_SET} ${inFolder}`,
        `empty: x A=filled B= ${inFolder}`,
        `carried: x ${app.path} secret \${input:key} ${inFolder}`,
      ],
      problems: [
        'missingVariable mcpServers/needs/env/KEY ${NOT_SET} !',
        'unknownInput mcpServers/carried/args/2 ${input:key} !',
      ],
    });
  });

  it('do not look for variables in what a variable stands for', () => {
    const nested = { ...context, env: { A: '${TOKEN}${env:TOKEN}', TOKEN: 'secret' } };
    const text = '{"mcpServers":{"a":{"command":"${A}-${B:-${TOKEN}"}}}';
    const { reach } = parseMcpJson(text, shared, nested).servers[0] ?? assert.fail();
    assert.equal(reach.kind === 'stdio' && reach.command, '${TOKEN}${env:TOKEN}-${B:-secret');
  });

  it('do not count under the name of the other format', () => {
    assert.deepEqual(told(parseMcpJson('{"servers":{"a":{}}}', shared, context).problems), [
      'unknownKey servers servers',
    ]);
  });
});

describe('A place where servers are configured', () => {
  const user: ConfigSource = { kind: 'userFile', path: '/home/me/.config/Code/User/mcp.json' };

  it('tells its servers from those of the same name elsewhere', () => {
    const keys = [file, shared, user, setting].map((source) => serverKey({ id: 'a', source }));
    assert.equal(new Set(keys).size, keys.length);
  });

  it('says where the entry of a server stands', () => {
    assert.deepEqual(
      [file, shared, user, setting].map((source) => entryPath(source, 'a')),
      [['servers', 'a'], ['mcpServers', 'a'], ['servers', 'a'], ['a']],
    );
  });

  it('of the user runs its servers at home in a window of several folders', () => {
    const text = '{"servers":{"a":{"command":"x"}}}';
    const { reach } = parseMcpJson(text, user, inNoFolder).servers[0] ?? assert.fail();
    assert.equal(reach.kind === 'stdio' && reach.cwd, inNoFolder.userHome);
  });
});
