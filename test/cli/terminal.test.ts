import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { CliOutput } from '../../src/cli/cliOutput';
import { JunitReporter } from '../../src/cli/reporters/junitReporter';
import { redactedCall } from '../../src/cli/reporters/report';
import { parseTool } from '../../src/core/parse/parseTool';
import { lockServerChange } from '../../src/host/consent/pins/lockFileEdits';
import { ToolFingerprints } from '../../src/host/consent/pins/pinDefinition';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { scripted } from '../servers/scripted';
import { hostileServer } from './hostileServer';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();
const hostile = '\u001b[31m\u009b2J\u007f\u0007\r\u202e!';
const reporters = ['spec', 'tap', 'junit', 'json'] as const;
const call = (tool: string, message: string, text: string) => ({
  server: 'evil',
  tool,
  arguments: { message },
  expect: { values: { '/content/0/text': text } },
});

/** What a terminal would take for a command. */
// oxlint-disable-next-line no-control-regex -- that is what it is about
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe('Text of servers and files', () => {
  it('passes no command to a terminal, in any form of output', async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { evil: hostileServer(hostile) } },
      'a.mcpcall': {
        calls: {
          wrong: call('say', 'x', hostile),
          refused: call('refuse', '', hostile),
          gone: call(`none ${hostile}`, '', hostile),
          answer: { ...call('say', 'x', hostile), expect: { answer: { content: [hostile] } } },
        },
      },
    });
    const tool = parseTool({ name: `gone ${hostile}`, inputSchema: { type: 'object' } });
    const locked = new Map([[tool.name, new ToolFingerprints().of(tool)]]);
    const lock = lockServerChange('', 'evil', locked);
    writeFileSync(path.join(folder, 'toolgate.lock.json'), lock?.text ?? '');
    const rest = ['--max-risk', 'destructive', '--verbose'];
    const commands = [
      ['list', 'evil', ...rest],
      ['diagnose', 'evil', ...rest],
      ['call', 'evil', 'refuse', ...rest],
      ['call', 'evil', `none ${hostile}`, ...rest],
      [hostile],
      ...reporters.map((reporter) => ['test', '--reporter', reporter, ...rest]),
    ];
    let said = '';
    for (const command of commands) {
      const { stdout, stderr } = await runCommand(folder, command);
      said += stdout + stderr;
      assert.doesNotMatch(stdout, control, command.join(' '));
      assert.doesNotMatch(stderr, control, command.join(' '));
    }
    // All of them were there.
    const escaped = String.raw`\u{001B}[31m`;
    for (const place of ['gone ', '[stderr] on stderr ', '"', 'no command "']) {
      assert.ok(said.includes(place + escaped), place);
    }
  });

  it('is unchanged in JSON, with escapes', async () => {
    const folder = workspace({ '.mcp.json': { mcpServers: { evil: hostileServer(hostile) } } });
    const given = ['--max-risk', 'destructive'];
    const { stdout } = await runCommand(folder, ['call', 'evil', 'say', ...given]);
    assert.doesNotMatch(stdout, control);
    assert.match(stdout, /\\u009b2J\\u007f/);
    assert.equal(JSON.parse(stdout).content[0].text, hostile);
  });

  it('has no commands in the progress of a call, of which only what a person can read is shown, and only there', async () => {
    const reporting = scripted((server) => {
      server.tools = [{ name: 'say', inputSchema: { type: 'object' } }];
      server.on('tools/call', (message) => {
        const { progressToken } = Object(message.params?.['_meta']);
        for (let progress = 1; progress <= 1_000; progress += 1) {
          const params = { progressToken, progress, total: 1_000, message: 'page\u001b[31m' };
          server.send({ method: 'notifications/progress', params });
        }
        server.text(message, 'done');
      });
    });
    const folder = workspace({ '.mcp.json': { mcpServers: { docs: reporting } } });
    const line = 'call docs say --text --max-risk destructive';
    const shown = await runCommand(folder, line, {}, { terminal: () => undefined });
    assert.match(shown.stderr, /^toolgate: 1 of 1000: page\\u\{001B\}\[31m\n/);
    assert.ok(shown.stderr.split('\n').length < 100);
    assert.deepEqual([(await runCommand(folder, line)).stderr, shown.stdout], ['', 'done\n']);
  });

  if (process.platform !== 'win32') {
    it('says there that a package manager installs a server', async () => {
      const { command, args } = scripted((server) => {
        server.tools = [];
      });
      const folder = workspace({});
      const installed = path.join(folder, 'installed');
      const words = [command, ...args].map((word) => `'${word}'`).join(' ');
      const text = `#!/bin/sh\nwhile [ ! -e '${installed}' ]; do sleep 0.05; done\nexec ${words}\n`;
      const npx = path.join(folder, 'npx');
      writeFileSync(npx, text, { mode: 0o755 });
      const line = ['list', '--command', `${npx} -y a-package`];
      const terminal = (): void => writeFileSync(installed, '');
      const { code, stderr } = await runCommand(folder, line, {}, { terminal });
      const said = 'toolgate: Server "server": a package manager installs it. Ctrl+C cancels.\n';
      assert.deepEqual([code, stderr], [0, said]);
    });
  }

  it('has no colors, while the program has its own', () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const output = new CliOutput(
      { stdout: { write, isTTY: true }, stderr: { write } },
      new SecretValues(),
      {},
    );
    output.report('\u001b[32m✓\u001b[0m all\n');
    output.reportPainted(`${output.paint('red', 'no')} \u001b[5m\u009b1m\n`);
    output.notify('\u001b[31m');
    assert.deepEqual(written, [
      '\\u{001B}[32m✓\\u{001B}[0m all\n',
      '\u001b[31mno\u001b[0m \\u{001B}[5m\\u{009B}1m\n',
      'toolgate: \\u{001B}[31m\n',
    ]);
  });
});

describe('Secrets of a run', () => {
  const secretsOf = async (value: string, message = '${input:key}', tool = 'say') => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { evil: hostileServer('') } },
      'a.mcpcall': call(tool, message, 'another'),
    });
    let said = '';
    for (const reporter of reporters) {
      const { stdout, stderr, code } = await runCommand(
        folder,
        ['test', '--max-risk', 'destructive', '--pass-input', 'key', '--reporter', reporter],
        { TOOLGATE_INPUT_key: value },
      );
      assert.equal(code, 1, stdout + stderr);
      said += stdout + stderr;
    }
    return said;
  };
  const long = Array.from({ length: 300 }, (_, index) => `k${index}q${index * 7}`).join('-');

  it('include values of inputs, also those that are no passwords', async () => {
    const said = await secretsOf('typed-in-sight');
    assert.doesNotMatch(said, /typed-in-sight/);
    assert.match(said, /\(secret\)/);
  });

  it('are removed before a text becomes XML', async () => {
    assert.doesNotMatch(await secretsOf('pa&ss<word>"here'), /pa&(?:amp;)?ss|word(?:>|&gt;)/);
    const secrets = new SecretValues();
    secrets.add('pa&ss<word>');
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const output = new CliOutput({ stdout: { write }, stderr: { write } }, secrets, {});
    const reasons = [{ sentence: 'is pa&ss<word>' }];
    const reported = {
      file: 'a',
      line: 1,
      name: 'a',
      status: 'failed',
      startedAt: '',
      durationMs: 0,
    } as const;
    const calls = [redactedCall({ ...reported, reasons }, output.redact)];
    output.report(
      new JunitReporter().end({
        calls,
        differences: [],
        durationMs: 0,
        findings: [],
        isStrict: false,
      }),
    );
    assert.doesNotMatch(written.join(''), /pa&/);
  });

  it('are removed before a text is cut', async () => {
    for (const [tool, before] of [
      ['say', 180],
      ['refuse', 280],
    ] as const) {
      const said = await secretsOf(long.slice(0, 60), `${'.'.repeat(before)}\${input:key}`, tool);
      assert.doesNotMatch(said, /k0q0-k1q7/, tool);
    }
    assert.ok(long.length > 2_000);
    const said = await secretsOf(long);
    assert.doesNotMatch(said, /k\d+q\d+/);
  });
});
