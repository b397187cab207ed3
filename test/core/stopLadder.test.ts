import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { ScriptedServer } from '../servers/scripted';
import { Connections, isAlive, textOf } from './connections';

const connections = new Connections();
const times = { stdinMs: 150, terminateMs: 400 };

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

describe('The stop ladder', function () {
  this.timeout(20_000);
  before(function () {
    // Windows knows no signals and no groups; `taskkill /T /F` is the whole ladder there.
    if (process.platform === 'win32') this.skip();
  });
  afterEach(() => connections.close());

  it('closes stdin, and a polite server leaves on its own', async () => {
    const client = await connections.to(() => undefined, { limits: { stdinMs: 10_000 } });
    const startedAt = performance.now();
    await client.close();
    assert.ok(performance.now() - startedAt < 5_000);
    assert.ok(!isAlive(client.pid ?? 0));
  });

  it('sends SIGTERM when that is not enough, then SIGKILL', async () => {
    const client = await connections.to(stubborn, { limits: times });
    await client.close();
    assert.deepEqual(connections.log.stderrLines, ['stdin ended', 'SIGTERM']);
    assert.ok(!isAlive(client.pid ?? 0));
  });

  it('is climbed once, however often close is called', async () => {
    const client = await connections.to(stubborn, { limits: times });
    await Promise.all([client.close(), client.close()]);
    await client.close();
    assert.deepEqual(connections.log.stderrLines, ['stdin ended', 'SIGTERM']);
  });

  it('reaches the children of the server', async () => {
    const client = await connections.to(forking, { limits: times });
    const pid = Number(await textOf(client.callTool('pid', {})));
    assert.ok(isAlive(pid));
    await client.close();
    await becomesTrue(() => !isAlive(pid));
  });

  it('reaches the children of a server that died by itself', async () => {
    const client = await connections.to(forking, { limits: times });
    const ended = new Promise((resolve) => client.onDidClose(resolve));
    const pid = Number(await textOf(client.callTool('exit', {})));
    await ended;
    await client.close();
    await becomesTrue(() => !isAlive(pid));
  });

  it('has a last resort that is synchronous', async () => {
    const client = await connections.to(stubborn);
    const ended = new Promise((resolve) => client.onDidClose(resolve));
    connections.processes.killNow();
    await ended;
    assert.ok(!isAlive(client.pid ?? 0));
  });

  it('is not needed when our own process is killed: servers see their stdin end', async () => {
    const host = spawn(
      process.execPath,
      ['--import', 'tsx', path.join(__dirname, 'doomedHost.ts')],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const pid = await new Promise<number>((resolve) =>
      host.stdout.once('data', (data: Buffer) => resolve(Number(data.toString()))),
    );
    assert.ok(isAlive(pid));
    host.kill('SIGKILL');
    await becomesTrue(() => !isAlive(pid));
  });
});

/** What happens to somebody else's children has no event. */
async function becomesTrue(fact: () => boolean): Promise<void> {
  const endsAt = performance.now() + 5_000;
  while (!fact()) {
    assert.ok(performance.now() < endsAt, 'it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
