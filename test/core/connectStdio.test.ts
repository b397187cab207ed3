import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { ConnectStage } from '../../src/core/connect';
import { McpError, toMcpError } from '../../src/core/errors';
import type { McpErrorFacts } from '../../src/core/errors';
import { Connections, isAlive, receivedBy, textOf } from './connections';
import { whileStopped } from './stoppedClock';
import { outcome } from './wire';

const connections = new Connections();

async function failure(promise: Promise<unknown>): Promise<[string, McpErrorFacts]> {
  const error: unknown = await promise.then(() => assert.fail('it did not fail'), toMcpError);
  assert.ok(error instanceof McpError);
  return [error.code, error.facts];
}

/** A server that prints on stderr, then does the rest. */
const node = (source: string) => ({
  command: process.execPath,
  args: ['-e', source],
  env: {},
});

describe('connectStdio: starting', () => {
  afterEach(() => connections.close());

  it('connects, lists, calls, and closes without leaving anything', async () => {
    const client = await connections.to((server) => {
      server.tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
      server.instructions = 'Be kind.';
    });
    assert.deepEqual(
      [client.revision, client.serverInfo, client.instructions],
      ['2025-11-25', { name: 'scripted', version: '1.2.3', title: 'Scripted' }, 'Be kind.'],
    );
    assert.equal((await client.listTools()).tools.length, 1);
    assert.equal(
      await textOf(client.callTool('echo', { a: 1 })),
      '{"name":"echo","arguments":{"a":1}}',
    );
    assert.equal(await textOf(client.callTool('echo', undefined)), '{"name":"echo"}');
    await client.ping();
    const pid = client.pid ?? 0;
    assert.ok(isAlive(pid));
    await client.close();
    assert.ok(!isAlive(pid));
  });

  it('names a program that does not exist', async () => {
    const command = { command: 'no-such-program-anywhere', args: [], env: {} };
    const [code, facts] = await failure(connections.toCommand(command));
    assert.deepEqual([code, facts.detail], ['programNotFound', 'no-such-program-anywhere']);
  });

  it('names the folder, not the program, if the folder is missing', async () => {
    const [code, facts] = await failure(
      connections.toCommand(node(''), { cwd: '/no/such/folder' }),
    );
    assert.deepEqual([code, facts.detail], ['spawnFailed', 'no such folder: /no/such/folder']);
  });

  for (const [what, command, expected] of [
    ['a file that may not be run', { command: __filename }, 'programNotExecutable'],
    ['a folder', { command: __dirname }, 'programNotExecutable'],
    ['an argument with a NUL character', { command: 'node', args: ['a\0b'] }, 'spawnFailed'],
  ] as const) {
    it(`reports ${expected} for ${what}`, async () => {
      const whole = { args: [], env: {}, ...command };
      assert.equal((await failure(connections.toCommand(whole)))[0], expected);
    });
  }

  it('reports which file it started and why', async () => {
    await connections.to(() => undefined);
    const started = connections.log.lines.filter((line) => line.includes('started process'));
    assert.equal(started.length, 1);
    assert.ok(
      started[0]?.endsWith(`: ${process.execPath} ("${process.execPath}" is a path)`),
      started[0],
    );
  });

  it('names the interpreter of a script if it is missing', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'script-'));
    const command = path.join(folder, 'run');
    writeFileSync(command, '#!/no/such/python3\n', { mode: 0o755 });
    const [code, facts] = await failure(connections.toCommand({ command, args: [], env: {} }));
    assert.deepEqual([code, facts.detail], ['spawnFailed', `no interpreter for ${command}`]);
    rmSync(folder, { recursive: true });
  });

  /** How a server fails that says something on stderr, and then nothing more until its time is over. */
  const overdue = (source: string) =>
    whileStopped(async (clock) => {
      connections.log.stderr = () => {
        clock.advance(400);
        clock.release();
      };
      const options = { limits: { startTimeoutMs: 400 } };
      return failure(connections.toCommand(node(source), options));
    });

  it('reports the question that a server asks on a terminal', async () => {
    const source =
      'process.stdout.write("Password: ", () => console.error("up")); setInterval(() => {}, 1e6)';
    const [code, facts] = await overdue(source);
    assert.deepEqual([code, facts.stdoutTail], ['handshakeTimeout', 'Password:']);
  });

  it('reports the first line that a server wrote to stdout instead of an answer', async () => {
    const source =
      'process.stdout.write("Listening\\ntick\\n", () => console.error("up")); setInterval(() => {}, 1e6)';
    const [code, facts] = await overdue(source);
    assert.deepEqual([code, facts.printed], ['handshakeTimeout', 'Listening']);
  });

  for (const [what, output] of [
    ['a line', 'Listening on 3000\n'],
    ['a question', 'Password: '],
  ] as const) {
    it(`reports ${what} on stdout within three seconds, and keeps waiting for an answer`, () =>
      whileStopped(async (clock) => {
        const source = new CancellationTokenSource();
        const told: string[] = [];
        connections.log.stderr = () => {
          clock.advance(2_999);
          clock.release();
        };
        const onStage = (stage: ConnectStage): void => {
          if (stage.kind !== 'printed') return;
          told.push(stage.text);
          source.cancel();
        };
        const program = `process.stdout.write(${JSON.stringify(output)}, () => console.error("up")); setInterval(() => {}, 1e6)`;
        const [code] = await failure(
          connections.toCommand(node(program), { onStage }, source.token),
        );
        assert.deepEqual([told, code], [[output.trim()], 'cancelled']);
      }));
  }

  const answer = { jsonrpc: '2.0', id: 0, result: {} };
  const text = JSON.stringify(answer);
  const inHeaders = `Content-Length: ${text.length}\r\n\r\n${text}`;
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message' });
  const noteInHeaders = `Content-Length: ${note.length}\r\n\r\n${note}`;
  for (const [what, output, misframed] of [
    ['answers framed as for a language server', inHeaders, 'contentLength'],
    ['such an answer behind a notification', `${noteInHeaders}${inHeaders}`, 'contentLength'],
    ['an answer without a newline', text, 'noNewline'],
    ['an answer that ends in a carriage return', `${text}\r`, 'noNewline'],
    ['a part of an answer', text.slice(0, 20), 'noNewline'],
    ['a batch without a newline', `[${text}]`, 'noNewline'],
    ['an answer over several lines', JSON.stringify(answer, undefined, 2), 'severalLines'],
  ] as const) {
    it(`says how messages have to be framed, after ${what}`, async () => {
      const source = `process.stdout.write(${JSON.stringify(output)}, () => console.error("up")); setInterval(() => {}, 1e6)`;
      const [code, facts] = await overdue(source);
      assert.deepEqual(
        [code, facts.misframed, facts.stdoutTail],
        ['handshakeTimeout', misframed, undefined],
      );
    });
  }

  it('reports exit code and stderr of a server that exits at once', async () => {
    const source = 'console.error("No API key.\\nSet KEY."); process.exit(3)';
    const [code, facts] = await failure(connections.toCommand(node(source)));
    assert.deepEqual(
      [code, facts.exitCode, facts.stderrTail],
      ['exitedEarly', 3, 'No API key.\nSet KEY.'],
    );
  });

  it('reports the reason that a server gives at the end of much stderr that waits to be read', async () => {
    const source = `const { writeSync } = require('fs');
      writeSync(2, ('a'.repeat(8_000) + '\\n').repeat(40));
      writeSync(2, 'No API key.\\n');
      process.exit(3);`;
    // Reading is slow, so the exit is known before everything is read.
    const slowed = new Int32Array(new SharedArrayBuffer(4));
    connections.log.stderr = () => void Atomics.wait(slowed, 0, 0, 5);
    const [code, { exitCode, stderrTail }] = await failure(connections.toCommand(node(source)));
    assert.deepEqual([code, exitCode], ['exitedEarly', 3]);
    assert.equal(stderrTail?.split('\n').at(-1), 'No API key.');
  });

  it('reports the signal that ended a server', async () => {
    const [code, facts] = await failure(
      connections.toCommand(node('process.kill(process.pid, "SIGKILL")')),
    );
    assert.deepEqual([code, facts.signal, facts.exitCode], ['exitedEarly', 'SIGKILL', undefined]);
  });

  it('gives up on a silent server at the time limit, with its stderr, and leaves no process', async () => {
    const source = 'console.error("waiting for sign-in"); setInterval(() => {}, 1e6)';
    const [code, facts] = await overdue(source);
    assert.deepEqual([code, facts.stderrTail], ['handshakeTimeout', 'waiting for sign-in']);
    assert.deepEqual(connections.processes.pids, []);
  });

  it('starts nothing if it is cancelled before it begins', async () => {
    const source = new CancellationTokenSource();
    source.cancel();
    assert.equal(await outcome(connections.to(() => {}, {}, source.token)), 'cancelled');
    assert.deepEqual(connections.log.lines, []);
  });

  it('rejects when the process has exited if it is cancelled right after the start', async () => {
    const source = new CancellationTokenSource();
    let pid = 0;
    const onStage = (stage: ConnectStage): void => {
      if (stage.kind !== 'processStarted') return;
      pid = stage.pid;
      source.cancel();
    };
    const silent = node('process.stdin.resume()');
    assert.equal(
      await outcome(connections.toCommand(silent, { onStage }, source.token)),
      'cancelled',
    );
    assert.ok(pid > 0);
    assert.equal(isAlive(pid), false);
  });

  it('rejects when the process has exited if it is cancelled during the handshake', async () => {
    const source = new CancellationTokenSource();
    const silent = node('console.error("up"); setInterval(() => {}, 1e6)');
    const log = connections.log;
    log.stderr = () => source.cancel();
    assert.equal(await outcome(connections.toCommand(silent, {}, source.token)), 'cancelled');
    assert.deepEqual(connections.processes.pids, []);
  });

  it('separates banners and other noise on stdout from messages', async () => {
    const client = await connections.to((server) => {
      server.raw('Server 1.0 ready\r\n\r\n{"level":"info"}\n');
      server.on('tools/call', (message) => {
        server.raw('debug: ');
        server.raw('calling\n');
        server.text(message, 'fine');
      });
    });
    assert.equal(await textOf(client.callTool('a', {})), 'fine');
    assert.deepEqual(connections.garbage, [
      'Server 1.0 ready',
      '{"level":"info"}',
      'debug: calling',
    ]);
    assert.deepEqual(
      connections.log.lines.filter((line) => line.startsWith('warn')),
      connections.garbage.map((line) => `warn not a message on stdout: ${line}`),
    );
  });

  it('passes a server only the necessary and the configured environment variables', async () => {
    process.env.TOOLGATE_TEST_SECRET = 'secret';
    const env = { CONFIGURED: 'yes', HOME: null, LANG: 'xx_YY.UTF-8' };
    const client = await connections.to(
      (server) =>
        server.on('tools/call', (message) => server.text(message, JSON.stringify(process.env))),
      { env },
    );
    const given = JSON.parse(await textOf(client.callTool('env', {})));
    delete process.env.TOOLGATE_TEST_SECRET;
    assert.deepEqual(
      [given.CONFIGURED, given.HOME, given.LANG, given.PATH, given.TOOLGATE_TEST_SECRET],
      ['yes', undefined, 'xx_YY.UTF-8', process.env.PATH, undefined],
    );
  });

  it('starts a server in its folder, with unchanged arguments', async () => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'folder with $HOME & spaces-')));
    const source =
      'process.stderr.write(JSON.stringify([process.cwd(), ...process.argv.slice(1)])); process.exit()';
    const odd = ['a b', '$HOME', '"q"', "'", '*', '; exit 9', '%PATH%', ''];
    const command = { ...node(source), args: ['-e', source, '--', ...odd] };
    const [, facts] = await failure(connections.toCommand(command, { cwd: folder }));
    assert.deepEqual(JSON.parse(facts.stderrTail ?? ''), [folder, ...odd]);
    rmSync(folder, { recursive: true });
  });
});

describe('connectStdio: a running server', () => {
  afterEach(() => connections.close());

  it('that exits during a call fails that call with the cause', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', () => {
        process.stderr.write('panic: index out of range\n', () => process.exit(134));
      });
    });
    const ended = new Promise((resolve) => client.onDidClose(resolve));
    const [code, facts] = await failure(client.callTool('a', {}));
    assert.deepEqual(
      [code, facts.exitCode, facts.stderrTail],
      ['connectionClosed', 134, 'panic: index out of range'],
    );
    assert.ok((await ended) instanceof McpError);
    assert.equal(await outcome(client.listTools()), 'connectionClosed');
  });

  for (const [name, descriptor] of [
    ['stdin', 0],
    ['stdout', 1],
  ] as const) {
    it(`that closes its ${name} but does not exit is ended`, async () => {
      const script = `async (server) => {
        const { closeSync } = await import('node:fs');
        server.leavesAtEnd = false;
        setInterval(() => {}, 1e6);
        server.on('tools/call', () => {
          closeSync(${descriptor});
          process.stderr.write('closed\\n');
        });
      }`;
      const client = await connections.to(script, {
        limits: { stdinMs: 100, terminateMs: 1_000 },
      });
      const ended = new Promise((resolve) => client.onDidClose(resolve));
      const first = outcome(client.callTool('a', {}));
      // A closed stdin is met by the next write only.
      const { log } = connections;
      await new Promise<void>((resolve) => (log.stderr = () => resolve()));
      const second = outcome(client.callTool('b', {}));
      assert.deepEqual(await Promise.all([first, second]), [
        'connectionClosed',
        'connectionClosed',
      ]);
      await ended;
      await client.close();
      assert.deepEqual(connections.processes.pids, []);
    });
  }

  it('delivers its last answer if it exits right after', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', (message) => {
        server.text(message, 'x'.repeat(60_000));
        process.exit(0);
      });
    });
    assert.equal((await textOf(client.callTool('a', {}))).length, 60_000);
  });

  it('whose call is cancelled is told so, and nothing else', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', () => undefined);
    });
    const source = new CancellationTokenSource();
    const cancelled = outcome(client.callTool('slow', {}, { token: source.token }));
    await new Promise(setImmediate);
    source.cancel();
    assert.equal(await cancelled, 'cancelled');
    const [sent] = (await receivedBy(client)).filter((it) => it.method?.includes('cancel'));
    assert.deepEqual(sent, {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2, reason: 'Cancelled' },
    });
  });

  it('that sends a message over the limit is ended, and the call says why', async () => {
    const client = await connections.to(
      (server) => server.on('tools/call', (message) => server.text(message, 'x'.repeat(300_000))),
      { limits: { maxMessageBytes: 200_000 } },
    );
    const [code, facts] = await failure(client.callTool('a', {}));
    assert.deepEqual([code, facts.limit], ['messageTooLarge', 200_000]);
    await client.close();
    assert.deepEqual(connections.processes.pids, []);
  });

  for (const [kind, measure, limit] of [
    ['many', 'values', 200_000],
    ['deep', 'levels', 1_000],
    ['deepButShort', 'levels', 1_000],
  ] as const) {
    for (const place of ['result', 'error', 'notification', 'request']) {
      it(`that sends too many ${measure} is ended, and the call says why: ${kind} ${place}`, async () => {
        const client = await connections.to(
          (server) =>
            server.on('tools/call', ({ id, params }) => {
              const [of, where] = String(Reflect.get(Object(params), 'name')).split(' ');
              const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
              const value =
                of === 'many' ? `[${'{},'.repeat(400_000)}0]` : nested(of === 'deep' ? 1e5 : 1_500);
              const rest =
                where === 'result'
                  ? `"id":${id},"result":{"content":[],"_meta":{"a":${value}}}`
                  : where === 'error'
                    ? `"id":${id},"error":{"code":1,"message":"","data":${value}}`
                    : where === 'request'
                      ? `"id":"a","method":"ping","params":{"a":${value}}`
                      : `"method":"notifications/message","params":{"data":${value}}`;
              process.stdout.write(`{"jsonrpc":"2.0",${rest}}\n`);
            }),
          { limits: { maxMessageValues: 200_000 } },
        );
        const [code, facts] = await failure(client.callTool(`${kind} ${place}`, {}));
        assert.deepEqual([code, facts.measure, facts.limit], ['messageTooLarge', measure, limit]);
      });
    }
  }

  it('that never ends its line is ended at the limit', async () => {
    const client = await connections.to(
      (server) => {
        server.on('tools/call', () => {
          const more = () => process.stdout.write('x'.repeat(65_536), more);
          more();
        });
      },
      { limits: { maxMessageBytes: 1_000_000, terminateMs: 500 } },
    );
    assert.equal((await failure(client.callTool('a', {})))[0], 'messageTooLarge');
  });

  it('that floods stderr with partial characters and endless lines stays usable', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', (message) => {
        process.stderr.write(Buffer.from([0xe6, 0xbc]));
        setImmediate(() => {
          process.stderr.write(Buffer.concat([Buffer.from([0xa2]), Buffer.from(' begins\r\n')]));
          process.stderr.write('y\n'.repeat(200_000));
          process.stderr.write('z'.repeat(3_000_000) + '\nlast\n', () =>
            server.text(message, 'ok'),
          );
        });
      });
    });
    assert.equal(await textOf(client.callTool('a', {})), 'ok');
    await client.close();
    const lines = connections.log.stderrLines;
    assert.equal(lines[0], '漢 begins');
    assert.ok(lines.length < 10_000, `${lines.length} lines`);
    assert.ok(lines.every((line) => line.length <= 8_192));
    assert.match(lines.join('\n'), /\[… \d+ lines left out\]/);
  });

  it('keeps the order over a pipe that is full in both directions', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', (message) =>
        server.reply(message, { content: [], structuredContent: message.params }),
      );
    });
    const big = 'x'.repeat(200_000);
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) => client.callTool('echo', { index, big })),
    );
    assert.deepEqual(
      results.map((result) => Object(result.structuredContent).arguments.index),
      Array.from({ length: 40 }, (_, index) => index),
    );
  });
});
