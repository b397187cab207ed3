import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bundled } from '../servers/bundled';
import type { ScriptedServer } from '../servers/scripted';
import { Connections, isAlive, textOf, untilGone } from './connections';
import { whileStopped } from './stoppedClock';

const connections = new Connections();
const times = { stdinMs: 150, terminateMs: 400 };
/** For servers that leave only when they must. */
const hasty = { stdinMs: 20, terminateMs: 50 };

/** A server that tells which steps it saw, on stderr. */
function stubborn(server: ScriptedServer): void {
  server.leavesAtEnd = false;
  setInterval(() => undefined, 1e6);
  process.stdin.on('end', () => process.stderr.write('stdin ended\n'));
  process.on('SIGTERM', () => process.stderr.write('SIGTERM\n'));
}

/** Has a child of its own that ignores SIGTERM and holds the pipes; answers calls with its pid. */
async function forking(server: ScriptedServer): Promise<void> {
  const childProcess = await import('node:child_process');
  const source = 'process.on("SIGTERM", () => {}); console.error("up"); setInterval(() => {}, 1e6)';
  const child = childProcess.spawn(process.execPath, ['-e', source], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  await new Promise((resolve) => child.stderr.once('data', resolve));
  server.on('tools/call', (message) => {
    server.text(message, String(child.pid));
    if (message.params?.name === 'exit') process.exit(1);
  });
}

describe('The stop ladder', () => {
  before(function () {
    // Windows knows no signals and no groups; `taskkill /T /F` is the whole ladder there.
    if (process.platform === 'win32') this.skip();
  });
  afterEach(() => connections.close());

  it('closes stdin, and a well-behaved server exits', async () => {
    // Longer than the test itself may take.
    const client = await connections.to(() => undefined, { limits: { stdinMs: 600_000 } });
    await client.close();
    assert.ok(!isAlive(client.pid ?? 0));
  });

  it('sends SIGTERM if that is not enough, then SIGKILL', () =>
    whileStopped(async (clock) => {
      const client = await connections.to(stubborn, { limits: times });
      const { log } = connections;
      log.stderr = (line) => {
        log.stderrLines.push(line);
        clock.advance(line === 'SIGTERM' ? times.terminateMs : times.stdinMs);
      };
      await client.close();
      assert.deepEqual(log.stderrLines, ['stdin ended', 'SIGTERM']);
      assert.ok(!isAlive(client.pid ?? 0));
    }));

  it('runs once, however often close is called', () =>
    whileStopped(async (clock) => {
      const client = await connections.to(stubborn, { limits: times });
      const { log } = connections;
      const saw = (line: string) =>
        new Promise<void>((resolve) => {
          log.stderr = (text) => {
            log.stderrLines.push(text);
            if (text === line) resolve();
          };
        });
      const ended = saw('stdin ended');
      const first = client.close();
      await ended;
      clock.advance(100);
      const second = client.close();
      const terminated = saw('SIGTERM');
      clock.advance(times.stdinMs - 100);
      await terminated;
      // A second ladder would be at its SIGTERM now.
      clock.advance(times.stdinMs);
      await nextTurn();
      assert.deepEqual(clock.waits, [times.terminateMs - times.stdinMs]);
      clock.advance(times.terminateMs - times.stdinMs);
      await Promise.all([first, second, client.close()]);
      assert.deepEqual(log.stderrLines, ['stdin ended', 'SIGTERM']);
    }));

  it('ends the children of the server', async () => {
    const client = await connections.to(forking, { limits: hasty });
    const pid = Number(await textOf(client.callTool('pid', {})));
    assert.ok(isAlive(pid));
    await client.close();
    await untilGone(pid);
  });

  it('ends the children of a server that exited on its own', async () => {
    const client = await connections.to(forking, { limits: hasty });
    const ended = new Promise((resolve) => client.onDidClose(resolve));
    const pid = Number(await textOf(client.callTool('exit', {})));
    await ended;
    await client.close();
    await untilGone(pid);
  });

  it('has a synchronous last resort', async () => {
    const client = await connections.to(stubborn);
    const ended = new Promise((resolve) => client.onDidClose(resolve));
    connections.processes.killNow();
    await ended;
    assert.ok(!isAlive(client.pid ?? 0));
  });

  it('is not needed if our own process is killed: servers see the end of stdin', async () => {
    const host = spawn(process.execPath, [bundled(path.join(__dirname, 'doomedHost.ts'))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) =>
      host.stdout.once('data', (data: Buffer) => resolve(Number(data.toString()))),
    );
    assert.ok(isAlive(pid));
    host.kill('SIGKILL');
    await untilGone(pid);
  });
});
