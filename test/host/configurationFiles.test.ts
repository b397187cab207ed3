import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import {
  entryPath,
  formatOf,
  sharedFileName,
} from '../../src/host/configuration/configurationFormats';
import { toolChoicesFor } from '../../src/host/configuration/toolChoices';
import {
  type ConfigSource,
  type ServerConfig,
  serverKey,
} from '../../src/host/configuration/serverConfig';
import { app, file, inApp, inNoFolder, lib, setting, told } from './configurationCases';
import { assertEach } from '../assertions';

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

function toLine({ id, transport, inputs = [], watch = [] }: ServerConfig): string {
  const how =
    transport.kind === 'stdio'
      ? [transport.command, ...transport.args, ...pairs(transport.env), `in ${transport.cwd ?? ''}`]
      : [transport.kind, transport.url, ...pairs(transport.headers)];
  const rest = [...inputs.map((input) => `<${input.kind} ${input.id}>`), ...watch];
  return [`${id}:`, ...how, ...rest].join(' ');
}

function pairs(record: Readonly<Record<string, string | null>>): string[] {
  return Object.entries(record).map(([name, value]) => `${name}=${value}`);
}

describe('Files of VS Code', () => {
  it('can have a token that is asked for', () => {
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

  it('can have every key of the format', () => {
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

  it('with errors, each marked at its place, keep the valid servers', () => {
    const inFolder = `in ${app.path}`;
    assert.deepEqual(picture('vscode-odd.json', file), {
      servers: [
        `twice: second ${inFolder}`,
        `no-way:  ${inFolder}`,
        `unset: run  \${input:nobody} ${inFolder}`,
        `shell: sh -c echo \${HOME} ${inFolder}`,
        `gallery: npx -y x@1.0.0 ${inFolder}`,
        `extra: x ${inFolder}`,
        `elsewhere: x ${inFolder}`,
      ],
      problems: [
        'foreignKey mcpServers servers',
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
  it('use shell variables, and stop a server with a missing one', () => {
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

  it('are not searched for variables in replaced values', () => {
    const nested = { ...context, env: { A: '${TOKEN}${env:TOKEN}', TOKEN: 'secret' } };
    const text = '{"mcpServers":{"a":{"command":"${A}-${B:-${TOKEN}"}}}';
    const { transport } = parseMcpJson(text, shared, nested).servers[0] ?? assert.fail();
    assert.equal(
      transport.kind === 'stdio' && transport.command,
      '${TOKEN}${env:TOKEN}-${B:-secret',
    );
  });
});

describe('A file with the key of the other format', () => {
  const read = (value: object, source: ConfigSource) => {
    const { servers, problems } = parseMcpJson(JSON.stringify(value), source, context);
    return { servers: servers.map(toLine), problems: told(problems), places: servers.map(placeOf) };
  };
  const placeOf = ({ id, source }: ServerConfig): string => entryPath(source, id).join('/');
  const user: ConfigSource = { kind: 'userFile', path: '/home/me/.config/Code/User/mcp.json' };

  it('is read in that format, and marked', () => {
    const key = { type: 'promptString', id: 'key' };
    const asEditor = { servers: { a: { command: 'x', args: ['${env:TOKEN}', '${input:key}'] } } };
    assert.deepEqual(read({ ...asEditor, inputs: [key] }, shared), {
      servers: [`a: x secret \${input:key} in ${app.path} <promptString key>`],
      problems: ['foreignKey servers mcpServers'],
      places: ['servers/a'],
    });
    const asOthers = { mcpServers: { a: { command: 'x', args: ['${TOKEN}', '${NONE:-b}'] } } };
    for (const source of [file, user]) {
      assert.deepEqual(read(asOthers, source), {
        servers: [`a: x secret b in ${app.path}`],
        problems: ['foreignKey mcpServers servers'],
        places: ['mcpServers/a'],
      });
    }
  });

  it('has the problems of the format that it is written in', () => {
    const { problems } = parseMcpJson('{"mcpServers":{"a":{"command":"${NONE}"}}}', file, context);
    assert.deepEqual(told(problems), [
      'foreignKey mcpServers servers',
      'missingVariable mcpServers/a/command ${NONE} !',
    ]);
    assertEach(problems, ({ source }) => formatOf(source), ['vscode', 'mcpServers']);
  });

  it('with both keys adds servers, and replaces none', () => {
    const both = {
      mcpServers: { a: { command: 5 }, b: { command: 'other' } },
      servers: { a: { command: 'own' } },
    };
    assert.deepEqual(read(both, file), {
      servers: [`a: own in ${app.path}`, `b: other in ${app.path}`],
      problems: ['foreignKey mcpServers servers', 'shadowed mcpServers/a'],
      places: ['servers/a', 'mcpServers/b'],
    });
  });

  it('is not marked if no client expects the other key', () => {
    const named: ConfigSource = {
      kind: 'workspaceFile',
      path: path.join(app.path, 'servers.json'),
      folder: app.path,
    };
    for (const key of ['servers', 'mcpServers']) {
      assert.deepEqual(read({ [key]: { a: { command: 'x' } } }, named).problems, []);
    }
  });

  it('of Copilot offers the tools that its entry lists', () => {
    const copilot: ConfigSource = { kind: 'userFile', path: '/home/me/.copilot/mcp-config.json' };
    const repository: ConfigSource = {
      kind: 'workspaceFile',
      path: path.join(app.path, '.github', 'mcp.json'),
      folder: app.path,
    };
    for (const source of [copilot, repository, shared]) {
      const entry = { type: 'local', command: 'x' };
      const entries = { some: { ...entry, tools: ['a', 'b'] }, all: { ...entry, tools: ['*'] } };
      const text = JSON.stringify({ mcpServers: { ...entries, none: { ...entry, tools: [] } } });
      const parsed = parseMcpJson(text, source, context);
      assert.deepEqual(told(parsed.problems), []);
      const disabled = (tool: string) =>
        parsed.servers.map((config) => toolChoicesFor(config, {}).isDisabled(tool));
      assert.deepEqual(disabled('a'), [false, false, true]);
      assert.deepEqual(disabled('c'), [true, false, true]);
      const broken = parseMcpJson(
        '{"mcpServers":{"a":{"command":"x","tools":"a"}}}',
        source,
        context,
      );
      assert.deepEqual(told(broken.problems), ['wrongType mcpServers/a/tools ["*"] !']);
    }
  });

  it('supports the entries of Copilot CLI', () => {
    const local = { type: 'local', command: 'x', tools: ['*'] };
    const remote = { type: 'http', url: 'https://h/', tools: ['*'] };
    assert.deepEqual(read({ mcpServers: { local, remote } }, shared), {
      servers: [`local: x in ${app.path}`, 'remote: http https://h/'],
      problems: [],
      places: ['mcpServers/local', 'mcpServers/remote'],
    });
  });
});

describe('A place where servers are configured', () => {
  const user: ConfigSource = { kind: 'userFile', path: '/home/me/.config/Code/User/mcp.json' };

  it('distinguishes its servers from those of the same name elsewhere', () => {
    const keys = [file, shared, user, setting].map((source) => serverKey({ id: 'a', source }));
    assert.equal(new Set(keys).size, keys.length);
  });

  it('finds the entry of a server', () => {
    assertEach([file, shared, user, setting], (source) => entryPath(source, 'a'), [
      ['servers', 'a'],
      ['mcpServers', 'a'],
      ['servers', 'a'],
      ['a'],
    ]);
  });

  it('of the user runs its servers in the home folder in a window of several folders', () => {
    const text = '{"servers":{"a":{"command":"x"}}}';
    const { transport } = parseMcpJson(text, user, inNoFolder).servers[0] ?? assert.fail();
    assert.equal(transport.kind === 'stdio' && transport.cwd, inNoFolder.userHome);
  });
});
