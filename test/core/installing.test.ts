import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { StartClock } from '../../src/core/eras/startClock';
import { toMcpError } from '../../src/core/errors';
import type { ConnectStdioOptions } from '../../src/core/stdio/connectStdio';
import type { ServerCommand } from '../servers/scripted';
import { until } from '../waiting';
import { Connections } from './connections';
import { type StoppedClock, whileStopped } from './stoppedClock';
import { outcome } from './wire';

const server = path.resolve(__dirname, '../servers/scripted.mjs');

/** So that nothing is looked at again while what failed is being ended. */
const soonStopped = { stdinMs: 5, terminateMs: 500 };

describe('While a package manager installs a server', () => {
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
  /** What is being installed is there when the test makes this file. */
  const installed = () => path.join(folder, 'installed');
  const waitInShell = () => `while [ ! -e "${installed()}" ]; do sleep 0.05; done`;
  /** JavaScript that waits for the file, and goes on with `then`. */
  const waitInNode = (then: string) =>
    `const timer = setInterval(() => {
      if (!require('node:fs').existsSync(${JSON.stringify(installed())})) return;
      clearInterval(timer);
      ${then}
    }, 20);`;
  const serveInNode = () =>
    `require('node:child_process').spawn(process.execPath, [${JSON.stringify(server)}], { stdio: 'inherit' });`;

  /** Starts the program on a clock that stands still. */
  const connect = (
    command: ServerCommand,
    limits: ConnectStdioOptions['limits'] = {},
    token = new CancellationTokenSource().token,
  ) =>
    connections.toCommand(
      command,
      {
        limits: { startTimeoutMs: 60_000, probeTimeoutMs: 50_000, ...soonStopped, ...limits },
        onStage: (stage) => {
          if (stage.kind === 'installing') seen.push(stage.isInstalling);
        },
      },
      token,
    );
  const commandOf = (
    name: string,
    text: string,
    args: readonly string[] = ['-y', 'a-package'],
  ) => ({
    command: program(name, text),
    args,
    env: {},
  });
  /** Has the program looked at until something is seen to be installed. */
  async function untilSeen(clock: StoppedClock): Promise<void> {
    while (seen.length === 0) {
      clock.advance(50);
      await delay(20);
    }
  }
  /** It takes longer than it may, unless the limit waits. */
  const connectSlowly = (command: ServerCommand, limits?: ConnectStdioOptions['limits']) =>
    whileStopped(async (clock) => {
      const connecting = connect(command, limits);
      await untilSeen(clock);
      clock.advance(120_000);
      writeFileSync(installed(), '');
      const client = await connecting;
      assert.equal(client.serverInfo.name, 'scripted');
      assert.equal(seen[0], true);
    });

  for (const [what, name, text] of [
    ['npx', 'npx', () => inNode(waitInNode(serveInNode()))],
    ['npx, a script of a shell', 'npx', () => inShell(`${waitInShell()}; ${serve}`)],
    ['uvx, that becomes the server', 'uvx', () => inShell(`${waitInShell()}; exec ${serve}`)],
    [
      'npx with a script of the package that writes elsewhere',
      'npx',
      () =>
        inShell(
          `sleep 0.3; "${process.execPath}" -e '${waitInNode('').replaceAll("'", `'\\''`)}' >/dev/null; ${serve}`,
        ),
    ],
    [
      'a script that installs first',
      'start',
      () => inShell(`PATH="$(dirname "$0"):$PATH"; npm install; exec ${serve}`),
    ],
    [
      'docker that fetches an image',
      'docker',
      () =>
        inNode(`console.error("Unable to find image 'x' locally");
          ${waitInNode(`console.error('Status: Downloaded newer image for x'); ${serveInNode()}`)}`),
    ],
  ] as const) {
    it(`the time limit of the start is paused: ${what}`, async function () {
      if (what.includes('elsewhere') && process.platform !== 'linux') this.skip();
      program('npm', inShell(waitInShell()));
      const args = name === 'docker' ? ['run', '-i', 'x'] : undefined;
      await connectSlowly(commandOf(name, text(), args));
      // The time for the question stood still too: one question, one answer, no guess.
      assert.equal(
        connections.log.lines.filter((line) => line.includes('installing it')).length,
        1,
      );
    });
  }

  it('the time limit of the start is paused: the real npx, with a package whose script is slow', async () => {
    const manifest = {
      name: 'slow-server',
      version: '1.0.0',
      bin: 'serve.js',
      scripts: { postinstall: waitInShell() },
    };
    program('package/package.json', JSON.stringify(manifest));
    program('package/serve.js', inNode(`import(${JSON.stringify(server)})`));
    const tarball = path.join(folder, 'slow-server.tgz');
    execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);
    const cache = path.join(folder, 'cache');
    const args = ['--offline', '-y', '--cache', cache, '-p', tarball, 'slow-server'];
    await connectSlowly({ command: 'npx', args, env: {} });
  });

  it('cancelling ends it at once, with all its processes', async () => {
    const source = new CancellationTokenSource();
    const command = commandOf('npx', inShell('sleep 600'));
    await whileStopped(async (clock) => {
      const connecting = outcome(connect(command, {}, source.token));
      await untilSeen(clock);
      source.cancel();
      assert.equal(await connecting, 'cancelled');
    });
    assert.deepEqual(connections.processes.pids, []);
  });

  it('the pause is limited, and the error says that it was still installing', () =>
    whileStopped(async (clock) => {
      const limits = { installTimeoutMs: 1_500 };
      const failed = connect(commandOf('npx', inShell('sleep 600')), limits);
      const error = failed.then(() => assert.fail('it did not fail'), toMcpError);
      await untilSeen(clock);
      clock.advance(1_500 + 60_000);
      const { code, facts } = await letStop(clock, error);
      assert.deepEqual([code, facts.wasInstalling], ['handshakeTimeout', true]);
      assert.deepEqual(seen, [true]);
    }));

  for (const [what, command] of [
    [
      'once it runs the server, which does not answer',
      () =>
        commandOf(
          'npx',
          inShell(`"${process.execPath}" -e 'console.error("up"); setInterval(() => {}, 1e6)'`),
        ),
    ],
    [
      'for a program that only has such words in its arguments',
      () => commandOf('server', inNode('console.error("up"); setInterval(() => {}, 1e6)')),
    ],
  ] as const) {
    it(`the time limit is not paused ${what}`, () =>
      whileStopped(async (clock) => {
        const failed = outcome(connect(command()));
        await until(() => connections.log.stderrLines.includes('up'));
        await clock.untilWaiting(2_000);
        clock.advance(2_000);
        // The second look waits for its turn when the first is over.
        await clock.untilWaiting(1_000);
        clock.advance(60_000);
        assert.match(String(await letStop(clock, failed)), /^handshakeTimeout/);
        assert.deepEqual(seen, []);
      }));
  }

  /** What has to be killed is, and that takes times of its own. */
  async function letStop<T>(clock: StoppedClock, failed: Promise<T>): Promise<T> {
    const over = failed.then((value) => ({ value }));
    for (;;) {
      clock.advance(10);
      const left = await Promise.race([over, delay(20)]);
      if (left !== undefined) return left.value;
    }
  }
});

describe('The clock of a start', () => {
  it('is paused while it is held, up to a limit, together with others', () =>
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
