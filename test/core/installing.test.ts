import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { StartClock } from '../../src/core/eras/startClock';
import { toMcpError } from '../../src/core/errors';
import type { ConnectStdioOptions } from '../../src/core/stdio/connectStdio';
import { Connections } from './connections';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';

const server = path.resolve(__dirname, '../servers/scripted.mjs');

describe('While a package manager installs a server', function () {
  this.timeout(60_000);
  const connections = new Connections();
  let folder: string;
  const seen: boolean[] = [];
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'installing-'));
    seen.length = 0;
  });
  afterEach(async () => {
    await connections.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A program of that name, as somebody would have it on PATH. */
  function program(name: string, text: string): string {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o755 });
    return file;
  }
  const inNode = (source: string) => `#!${process.execPath}\n${source}`;
  const inShell = (text: string) => `#!/bin/sh\n${text}\n`;
  const serve = `"${process.execPath}" "${server}"`;

  const connect = (
    command: string,
    limits: ConnectStdioOptions['limits'] = {},
    token = new CancellationTokenSource().token,
  ) =>
    connections.toCommand(
      { command, args: ['-y', 'a-package'], env: {} },
      {
        limits: { startTimeoutMs: 2_500, probeTimeoutMs: 2_000, ...limits },
        onStage: (stage) => {
          if (stage.kind === 'installing') seen.push(stage.isInstalling);
        },
      },
      token,
    );

  for (const [what, name, text] of [
    [
      'npx',
      'npx',
      inNode(`setTimeout(() => require('node:child_process').spawn(process.execPath,
        [${JSON.stringify(server)}], { stdio: 'inherit' }), 5_000)`),
    ],
    ['npx, a script of a shell', 'npx', inShell(`sleep 5; ${serve}`)],
    ['uvx, that becomes the server', 'uvx', inShell(`sleep 5; exec ${serve}`)],
    [
      'npx with a script of the package that writes elsewhere',
      'npx',
      inShell(
        `sleep 0.3; "${process.execPath}" -e 'setTimeout(() => {}, 5000)' >/dev/null; ${serve}`,
      ),
    ],
    [
      'a script that installs first',
      'start',
      inShell(`PATH="$(dirname "$0"):$PATH"; npm install; exec ${serve}`),
    ],
    [
      'docker that fetches an image',
      'docker',
      inNode(`console.error("Unable to find image 'x' locally");
        setTimeout(() => {
          console.error('Status: Downloaded newer image for x');
          require('node:child_process').spawn(process.execPath, [${JSON.stringify(server)}], { stdio: 'inherit' });
        }, 5_000)`),
    ],
  ] as const) {
    it(`the limit of the start waits: ${what}`, async function () {
      if (what.includes('elsewhere') && process.platform !== 'linux') this.skip();
      program('npm', inShell('sleep 5'));
      const args = name === 'docker' ? ['run', '-i', 'x'] : ['-y', 'a-package'];
      const client = await connections.toCommand(
        { command: program(name, text), args, env: {} },
        {
          limits: { startTimeoutMs: 2_500, probeTimeoutMs: 2_000 },
          onStage: (stage) => {
            if (stage.kind === 'installing') seen.push(stage.isInstalling);
          },
        },
      );
      assert.equal(client.serverInfo.name, 'scripted');
      assert.equal(seen[0], true);
      // The time for the question stood still too: one question, one answer, no guess.
      assert.equal(
        connections.log.lines.filter((line) => line.includes('installing it')).length,
        1,
      );
    });
  }

  it('the limit of the start waits: the real npx, with a package whose script is slow', async () => {
    const place = path.join(folder, 'package');
    mkdirSync(place);
    const manifest = {
      name: 'slow-server',
      version: '1.0.0',
      bin: 'serve.js',
      scripts: { postinstall: 'sleep 10' },
    };
    writeFileSync(path.join(place, 'package.json'), JSON.stringify(manifest));
    writeFileSync(path.join(place, 'serve.js'), inNode(`import(${JSON.stringify(server)})`));
    const packed = spawnSync('npm', ['pack', '--silent', place], { cwd: folder, encoding: 'utf8' });
    assert.equal(packed.status, 0, packed.stderr);
    const tarball = path.join(folder, 'slow-server-1.0.0.tgz');
    const cache = path.join(folder, 'cache');
    const client = await connections.toCommand(
      {
        command: 'npx',
        args: ['--offline', '-y', '--cache', cache, '-p', tarball, 'slow-server'],
        env: {},
      },
      {
        limits: { startTimeoutMs: 8_000 },
        onStage: (stage) => {
          if (stage.kind === 'installing') seen.push(stage.isInstalling);
        },
      },
    );
    assert.equal(client.serverInfo.name, 'scripted');
    assert.equal(seen[0], true);
  });

  it('cancelling ends it at once, with all it has started', async () => {
    const source = new CancellationTokenSource();
    const connecting = outcome(
      connect(program('npx', inShell('sleep 600')), { startTimeoutMs: 1_500 }, source.token),
    );
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    source.cancel();
    assert.equal(await connecting, 'cancelled');
    assert.deepEqual(connections.processes.pids, []);
  });

  it('the limit waits only so long, and the error says that it was still at work', async () => {
    // A busy machine takes a second or two to say what the processes are.
    const limits = { startTimeoutMs: 5_000, installTimeoutMs: 1_500 };
    const error: unknown = await connect(program('npx', inShell('sleep 600')), limits).then(
      () => assert.fail('it did not fail'),
      toMcpError,
    );
    const { code, facts } = toMcpError(error);
    assert.deepEqual([code, facts.wasInstalling], ['handshakeTimeout', true]);
    assert.deepEqual(seen, [true]);
  });

  for (const [what, text] of [
    ['runs the server', inShell(`"${process.execPath}" -e 'setInterval(() => {}, 1e6)'`)],
  ] as const) {
    it(`the limit does not wait once it ${what}, which does not answer`, async () => {
      const limits = { startTimeoutMs: 1_500 };
      assert.match(
        String(await outcome(connect(program('npx', text), limits))),
        /^handshakeTimeout/,
      );
      assert.deepEqual(seen, []);
    });
  }

  it('the limit does not wait for a program that only has such words in its arguments', async () => {
    const command = program('server', inNode('setInterval(() => {}, 1e6)'));
    assert.match(String(await outcome(connect(command, { startTimeoutMs: 1_200 }))), /^handshake/);
    assert.deepEqual(seen, []);
  });
});

describe('The clock of a start', () => {
  it('stands still while it is held, up to a bound, and others with it', () =>
    whileStopped(async (time) => {
      const clock = new StartClock(1_000, 5_000);
      const fired: string[] = [];
      clock.after(500, () => fired.push('half'));
      clock.after(600, () => fired.push('never'))();
      clock.pausing(() => {
        fired.push('paused');
        return () => fired.push('resumed');
      });
      time.advance(400);
      clock.hold();
      clock.hold();
      time.advance(3_000);
      assert.deepEqual([clock.leftMs, fired], [600, ['paused']]);
      clock.release();
      clock.release();
      assert.deepEqual([clock.leftMs, fired], [600, ['paused', 'resumed']]);
      time.advance(100);
      assert.deepEqual([clock.leftMs, fired.at(-1)], [500, 'half']);
      clock.hold();
      time.advance(10_000);
      // Of the second hold 2 s count, then the limit has passed.
      assert.equal(clock.leftMs, 1);
      clock.hold();
      time.advance(10);
      assert.deepEqual([clock.leftMs, fired.length], [1, 5]);
    }));
});
