import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readServers } from '../../src/cli/readServers';
import { Recorder } from '../../src/cli/recorder';
import { HttpServer } from '../servers/httpServer';
import { OwnServer } from '../servers/ownServer';
import { projectRoot, runCommand, servers, startProgram, useWorkspaces } from './program';
import { silentLog } from '../silentLog';

const workspace = useWorkspaces();
const list = { server: 'demo', tool: 'list_notes' };
const withDemo = () =>
  workspace({ '.mcp.json': { mcpServers: { demo: servers.demo } }, 'a.mcpcall': list });

describe('A server that refuses calls without credentials', () => {
  it('is quoted, and the message says if no credentials were sent', async () => {
    const server = await OwnServer.start();
    server.handle('/mcp', (_request, response) => {
      response
        .writeHead(401, { 'Content-Type': 'text/plain' })
        .end('Unauthorized: missing API key');
    });
    const url = `${server.origin}/mcp`;
    const folder = workspace({
      '.mcp.json': {
        mcpServers: {
          bare: { type: 'http', url },
          keyed: { type: 'http', url, headers: { 'X-Api-Key': 'wrong' } },
        },
      },
    });
    try {
      for (const command of [['list'], ['call', 'none'], ['diagnose']]) {
        const [name = '', ...rest] = command;
        const bare = await runCommand(folder, [name, 'bare', ...rest]);
        assert.equal(bare.code, 5, bare.stderr);
        const said = bare.stdout + bare.stderr;
        assert.match(said, /none were sent.*Unauthorized: missing API key/, name);
        const keyed = await runCommand(folder, [name, 'keyed', ...rest]);
        const refused = keyed.stdout + keyed.stderr;
        assert.match(refused, /it refused the credentials.*Unauthorized: missing API key/, name);
      }
    } finally {
      await server.stop();
    }
  });
});

describe('A configuration in another format', () => {
  for (const [what, text] of [
    ['a list', '[]'],
    ['a list of servers', '{ "mcpServers": [{ "name": "a", "command": "node" }] }'],
    ['a text in the place of servers', '{ "mcpServers": "a.json" }'],
  ] as const) {
    it(`is reported, and fails the list: ${what}`, async () => {
      const { code, stderr } = await runCommand(workspace({ '.mcp.json': text }), ['list']);
      assert.match(stderr, /^toolgate: \.mcp\.json:1:\d+: /);
      assert.equal(code, 5);
    });
  }
});

describe('A server that refuses both eras', () => {
  it('is quoted with both answers', async () => {
    const server = await HttpServer.start(({ message }, response) => {
      response.writeHead(message.method === 'initialize' ? 503 : 500);
      response.end(`no ${message.method}`);
    });
    const entry = { type: 'http', url: server.url };
    const folder = workspace({ '.mcp.json': { mcpServers: { both: entry } } });
    try {
      for (const command of ['list', 'diagnose']) {
        const { code, stdout, stderr } = await runCommand(folder, [command, 'both']);
        assert.equal(code, 5);
        assert.match(
          stdout + stderr,
          /HTTP 503.*no initialize.*server\/discover.*HTTP 500, no server/,
        );
      }
    } finally {
      await server.stop();
    }
  });
});

describe('A recording', () => {
  it('is not started by a command with invalid arguments', async () => {
    const folder = withDemo();
    for (const wrong of [
      ['call', 'demo'],
      ['diagnose', 'none'],
      ['call', 'demo', 'list_notes', '--arguments', '['],
      ['test', '--allow', 'none.json'],
    ]) {
      const { code } = await runCommand(folder, [...wrong, '--record', 'run.mcprecord']);
      assert.equal(code, 2, wrong.join(' '));
      assert.ok(!existsSync(path.join(folder, 'run.mcprecord')), wrong.join(' '));
    }
    const right = ['call', 'demo', 'list_notes', '--max-risk', 'readOnly'];
    const { code } = await runCommand(folder, [...right, '--record', 'run.mcprecord']);
    assert.equal(code, 0);
    const nowhere = await runCommand(folder, [...right, '--record', 'none/run.mcprecord']);
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.stderr, /cannot be written/);
  });

  it('exists even if no messages were exchanged', async () => {
    const folder = workspace({ '.mcp.json': { mcpServers: { missing: servers.missing } } });
    const { code } = await runCommand(folder, ['list', 'missing', '--record', 'run.mcprecord']);
    assert.equal(code, 5);
    const text = readFileSync(path.join(folder, 'run.mcprecord'), 'utf8');
    assert.match(text, /^\{"mcprecord":1,[^\n]*\}\n\{"isEnd":true,"messages":0\}\n$/);
  });

  it('that can no longer be written is reported once, and stops nothing', () => {
    const folder = workspace({});
    const told: string[] = [];
    const recorder = new Recorder({
      file: path.join(folder, 'run.mcprecord'),
      omit: [],
      redact: (text) => text,
      onFull: () => told.push('full'),
      onFailed: () => told.push('failed'),
    });
    rmSync(folder, { recursive: true });
    const besides = recorder.recordingLog(silentLog, 'demo');
    for (let count = 0; count < 3; count += 1) besides.exchanged?.('sent', { id: count });
    recorder.end();
    assert.deepEqual([told, recorder.hasFailed], [['failed'], true]);
  });

  if (process.platform !== 'win32') {
    it('that exceeds the disk space is reported once, and in the exit code', async () => {
      const folder = withDemo();
      const program = path.join(projectRoot, 'dist/toolgate.js');
      const parameters = ['test', '--max-risk', 'readOnly', '--record', 'run.mcprecord'];
      const line = 'ulimit -f 1; exec "$0" "$@"';
      const child = spawn('sh', ['-c', line, process.execPath, program, ...parameters], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          said += chunk.toString();
        });
      }
      const code = await new Promise((resolve) => child.on('close', resolve));
      assert.equal(code, 1, said);
      assert.match(said, /1 passed/);
      assert.equal(said.split('cannot be written').length, 2, said);
    });
  }
});

describe('A run', () => {
  if (process.platform !== 'win32') {
    it('that cannot write the lock file names it with the reason of the system', async () => {
      const limited = ['sh', '-c', 'ulimit -f 1; exec "$0" "$@"'] as const;
      const { code, stderr } = await startProgram(withDemo(), 'lock demo', {}, limited).ended;
      const sentence = 'toolgate: toolgate.lock.json is not written: EFBIG: file too large. See ';
      assert.deepEqual([code, stderr.startsWith(sentence)], [2, true], stderr);
    });

    it('says that it was cancelled while a server starts', async () => {
      const hangs = {
        command: process.execPath,
        args: ['-e', "process.stdin.resume(); console.error('it hangs')"],
      };
      const folder = workspace({
        '.mcp.json': { mcpServers: { hangs } },
        'a.mcpcall': { server: 'hangs', tool: 'any' },
      });
      let report = '';
      for (const line of ['list hangs', 'test --reporter json']) {
        const { child, ended, says } = startProgram(folder, `${line} --verbose`);
        await says('it hangs');
        child.kill('SIGINT');
        const { code, stdout } = await ended;
        assert.equal(code, 130);
        report = stdout;
      }
      const { skipped, errored, calls } = JSON.parse(report);
      assert.deepEqual([skipped, errored], [1, 0]);
      assert.deepEqual(calls[0].reasons, [{ sentence: 'Cancelled.' }]);
    });

    it('skips a folder that cannot be read, and names it', async () => {
      const folder = withDemo();
      // No path of this length can be opened, by nobody: each part is made long from its end on.
      const parts = Array.from({ length: 20 }, () => 'x');
      mkdirSync(path.join(folder, ...parts), { recursive: true });
      const names = parts.map((_, index) => parts.slice(0, index + 1));
      const rename = (isLong: boolean) => (short: readonly string[]) => {
        const at = path.join(folder, ...short.slice(0, -1));
        const both = [path.join(at, 'x'), path.join(at, 'x'.repeat(250))] as const;
        renameSync(both[isLong ? 0 : 1], both[isLong ? 1 : 0]);
      };
      names.toReversed().forEach(rename(true));
      try {
        const { code, stdout, stderr } = await runCommand(folder, 'test --max-risk readOnly');
        assert.equal(code, 0, stderr);
        assert.match(stdout, /1 passed/);
        assert.match(stderr, /^toolgate: Skipped because it cannot be read: x+/);
        assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      } finally {
        names.forEach(rename(false));
      }
    });

    it('that cannot start says so in one sentence', async () => {
      const folder = workspace({});
      // The folder in which the program starts no longer exists.
      const script = `rmdir "$PWD" && exec '${process.execPath}' '${path.join(projectRoot, 'dist/toolgate.js')}' --version`;
      const stdio = ['ignore', 'ignore', 'pipe'] as const;
      const child = spawn('sh', ['-c', script], { cwd: folder, stdio: [...stdio] });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      assert.equal(code, 1);
      assert.match(said, /^This program failed: [^\n]+\n$/);
    });
  }
});

describe('A configuration with an error', () => {
  const good = { command: process.execPath, args: servers.echo.args };
  const run = (files: Readonly<Record<string, unknown>>, ...parameters: string[]) =>
    runCommand(workspace(files), parameters);

  it('that is truncated is reported with its place, and fails a list', async () => {
    const { code, stderr, stdout } = await run(
      { '.mcp.json': '{\n  "mcpServers": {\n    "a": {"command": ' },
      'list',
    );
    assert.equal(code, 5);
    assert.match(stderr, /^toolgate: \.mcp\.json:3:\d+: This is not valid JSON\./m);
    assert.match(stdout, /demo/);
  });

  it('is reported for each file, with its place, and the rest is used', async () => {
    const files = {
      '.vscode/mcp.json': '{\n"mcpServers": {\n"echo": ' + JSON.stringify(good) + '\n}}',
      '.mcp.json': '{"servers": {"other": {"command": "x", "disabled": true}, "echo": {}}}',
    };
    const { code, stderr, stdout } = await run(files, 'list', 'echo');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /- echo/);
    const told = stderr.split('\n').map((line) => line.replace(/: [A-Z“].*/, ''));
    assert.deepEqual(
      told.filter((line) => line.includes('mcp.json')),
      [
        'toolgate: .vscode/mcp.json:2:1',
        'toolgate: .mcp.json:1:2',
        'toolgate: .mcp.json:1:40',
        'toolgate: .mcp.json:1:59',
      ],
    );
    assert.match(stderr, /“disabled”/);
  });

  it('does not show secrets', async () => {
    const files = {
      '.mcp.json': { mcpServers: { a: { url: 'ftp://user:pass word@h/', type: 'http' } } },
    };
    const { stderr } = await run(files, 'list', 'demo');
    assert.match(stderr, /not a valid http or https URL/);
    assert.doesNotMatch(stderr, /pass word/);
  });

  it('reads variables from a file in any Unicode encoding of Windows editors', async () => {
    const text = 'TOKEN=secret\r\nB=ö\r\n';
    const bytes = (bom: string) => Buffer.from(bom + text, 'utf16le');
    for (const file of [
      Buffer.from(text),
      Buffer.from(`\uFEFF${text}`),
      bytes('\uFEFF'),
      bytes('\uFEFF').swap16(),
      bytes(''),
      bytes('').swap16(),
    ]) {
      const folder = workspace({
        '.mcp.json': { mcpServers: { a: { command: 'x', envFile: '.env' } } },
      });
      writeFileSync(path.join(folder, '.env'), file);
      const read = await readServers({ folder, env: {}, userHome: folder, demoServer: '' });
      const transport = read.servers[0]?.transport;
      assert.deepEqual(transport?.kind === 'stdio' && transport.env, { TOKEN: 'secret', B: 'ö' });
    }
  });

  it('can be in UTF-16, as can the call files that use it', async () => {
    const utf16 = (value: object) => `\uFEFF${JSON.stringify(value)}`;
    const folder = workspace({});
    const files = {
      '.mcp.json': { mcpServers: { notes: servers.demo } },
      'a.mcpcall': { server: 'notes', tool: 'list_notes' },
      'rules.json': [{ effect: 'allow' }],
    };
    for (const [name, value] of Object.entries(files)) {
      writeFileSync(path.join(folder, name), utf16(value), 'utf16le');
    }
    const { code, stdout } = await runCommand(folder, ['test', '--allow', 'rules.json']);
    assert.equal(code, 0, stdout);
  });

  it('is reported if it cannot be read', async () => {
    const folder = workspace({ '.mcp.json/none': '' });
    const { code, stderr } = await runCommand(folder, ['list']);
    assert.equal(code, 5);
    assert.match(
      stderr,
      /^toolgate: \.mcp\.json: A folder has the name of the configuration file/m,
    );
  });
});
