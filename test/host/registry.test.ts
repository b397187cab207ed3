import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError, McpError, toMcpError } from '../../src/core/errors';
import type { ConfigProblem } from '../../src/host/configuration/serverConfig';
import { whileStopped } from '../core/stoppedClock';
import { isAlive, rejectsWith, SteeredServers } from './steeredServers';

function problem(code: ConfigProblem['code'], server: string, fatal = true): ConfigProblem {
  return { code, source: { kind: 'setting' }, server, path: [server, 'command'], fatal };
}

describe('The registry', () => {
  let servers: SteeredServers;
  beforeEach(() => {
    servers = new SteeredServers();
  });
  afterEach(() => servers.end());

  const stateOf = (id: string) => servers.registry.find(id)?.state.kind;

  it('checks each problem a few times at most, however many servers there are', () => {
    let looks = 0;
    const configs = Array.from({ length: 500 }, (_, at) => servers.config(`s${at}`));
    const problems = configs.map(({ id }) => {
      const { server: _, ...rest } = problem('unknownKey', id, false);
      return {
        ...rest,
        get server() {
          looks += 1;
          return id;
        },
      };
    });
    servers.registry.setConfiguration(configs, problems);
    assert.equal(servers.registry.find('s499')?.configProblems.length, 1);
    assert.ok(looks <= 5 * configs.length, `${looks} looks`);
  });

  it('starts a server and lists its tools with their risks', async () => {
    servers.configure(servers.config('a'));
    const server = await servers.registry.start('a');
    assert.equal(server, servers.registry.find('a'));
    assert.deepEqual(
      [server.state.kind === 'running' && server.state.pid, server.tools.length],
      [servers.pids('a')[0], 9],
    );
    assert.deepEqual(
      server.tools.slice(0, 2).map(({ serverId, tool, risk }) => [serverId, tool.name, risk.level]),
      [
        ['a', 'steer', 'destructive'],
        ['a', 'echo', 'readOnly'],
      ],
    );
    assert.deepEqual(servers.changes, [
      { kind: 'servers' },
      // It may start, it starts, it runs.
      { kind: 'state', id: 'a' },
      { kind: 'state', id: 'a' },
      { kind: 'state', id: 'a' },
      { kind: 'tools', id: 'a' },
    ]);
  });

  it('starts nothing in an untrusted workspace, and no unknown server', async () => {
    servers.configure(servers.config('a'));
    servers.isTrusted = false;
    await rejectsWith(servers.registry.start('a'), 'untrustedWorkspace');
    servers.isTrusted = true;
    await rejectsWith(servers.registry.start('b'), 'unknownServer');
    await servers.registry.stop('b');
    assert.deepEqual([servers.connects, stateOf('a')], [0, 'stopped']);
  });

  it('starts no server whose configuration has a fatal problem', async () => {
    const noServer = problem('notAnObject', 'gone');
    servers.registry.setConfiguration(
      [servers.config('a'), servers.config('b'), servers.config('c')],
      [
        problem('wrongType', 'a'),
        problem('unsupportedVariable', 'b'),
        problem('unknownKey', 'c', false),
        noServer,
      ],
    );
    await rejectsWith(servers.registry.start('a'), 'invalidConfiguration');
    await rejectsWith(servers.registry.start('b'), 'missingVariable');
    assert.equal(servers.connects, 0);
    assert.equal((await servers.registry.start('c')).configProblems.length, 1);
    assert.deepEqual(servers.registry.problems, [noServer]);
  });

  it('shows why a start failed, and starts again', async () => {
    servers.configure(servers.config('a', 'exit'));
    await rejectsWith(servers.registry.start('a'), 'exitedEarly');
    const { state } = servers.registry.find('a') ?? assert.fail();
    assert.ok(state.kind === 'failed');
    assert.equal(state.error.facts.stderrTail, 'the database is locked');
    await rejectsWith(servers.registry.start('a'), 'exitedEarly');
    // Where nobody tells whether it was our question that ended it, each start is two processes.
    assert.equal(servers.pids('a').length, process.platform === 'linux' ? 2 : 4);
  });

  it('stops: the state changes at once, the promise resolves when the process has exited', async () => {
    servers.configure(servers.config('a', 'stubborn'));
    await servers.registry.start('a');
    const [pid = assert.fail()] = servers.pids('a');
    const stopped = Promise.all([servers.registry.stop('a'), servers.registry.stop('a')]);
    assert.deepEqual([stateOf('a'), isAlive(pid)], ['stopped', true]);
    assert.deepEqual(servers.registry.find('a')?.tools, []);
    assert.throws(
      () => servers.registry.client('a'),
      (error) => isMcpError(error, 'notRunning'),
    );
    await stopped;
    assert.equal(isAlive(pid), false);
    await servers.registry.stop('a');
  });

  it('delays a new run until the old one has ended completely', async () => {
    servers.configure(servers.config('a', 'stubborn'));
    await servers.registry.start('a');
    const [first = assert.fail()] = servers.pids('a');
    await whileStopped(async (clock) => {
      const stopped = servers.registry.stop('a');
      const restarted = servers.registry.start('a');
      assert.deepEqual(servers.registry.find('a')?.state, { kind: 'starting', isHeld: true });
      await servers.untilReceived('a', 'end of stdin');
      clock.advance(200);
      await servers.untilReceived('a', 'SIGTERM');
      assert.deepEqual(servers.pids('a'), [first]);
      clock.advance(300);
      await Promise.all([stopped, restarted]);
      assert.deepEqual([isAlive(first), stateOf('a')], [false, 'running']);
    });
  });

  it('stops a server that is still starting, and leaves no process', async () => {
    servers.configure(servers.config('a', 'silent'));
    const start = rejectsWith(servers.registry.start('a'), 'cancelled');
    await servers.untilReceived('a', 'server/discover');
    await servers.registry.stop('a');
    await start;
    assert.deepEqual([stateOf('a'), servers.pids('a').map(isAlive)], ['stopped', [false]]);
  });

  it('reports that a package manager installs a server, and ends that with it', async function () {
    if (process.platform === 'win32') return;
    const folder = mkdtempSync(path.join(tmpdir(), 'installing-'));
    const command = path.join(folder, 'npx');
    writeFileSync(command, '#!/bin/sh\necho $$ > "$0.pid"\nsleep 600\n', { mode: 0o755 });
    try {
      const transport = { kind: 'stdio', command, args: ['-y', 'a-package'], env: {} } as const;
      servers.configure({ ...servers.config('a'), transport });
      const start = rejectsWith(servers.registry.start('a'), 'cancelled');
      await servers.until(
        'a',
        ({ state }) => state.kind === 'starting' && state.isInstalling === true,
      );
      const pid = Number(readFileSync(`${command}.pid`, 'utf8'));
      assert.ok(isAlive(pid));
      await servers.registry.stop('a');
      await start;
      assert.equal(isAlive(pid), false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('stops a server whose process was only just requested', async () => {
    servers.configure(servers.config('a', 'silent'));
    const start = rejectsWith(servers.registry.start('a'), 'cancelled');
    const stop = servers.registry.stop('a');
    await Promise.all([start, stop]);
    assert.deepEqual(
      [stateOf('a'), servers.pids('a').map(isAlive).includes(true)],
      ['stopped', false],
    );
  });

  it('closes a connection that is no longer needed when it opens', async () => {
    let letGo: (() => void) | undefined;
    servers.holdBack = new Promise((resolve) => {
      letGo = resolve;
    });
    servers.configure(servers.config('a'));
    const start = rejectsWith(servers.registry.start('a'), 'cancelled');
    await servers.untilReceived('a', 'notifications/initialized');
    const stop = servers.registry.stop('a');
    letGo?.();
    await Promise.all([start, stop]);
    assert.deepEqual([stateOf('a'), servers.pids('a').map(isAlive)], ['stopped', [false]]);
  });

  it('restarts in a new process, once for two requests', async () => {
    servers.configure(servers.config('a'));
    const { registry } = servers;
    await registry.start('a');
    const [one, two] = await Promise.all([registry.restart('a'), registry.restart('a')]);
    assert.equal(one, two);
    assert.deepEqual(servers.pids('a').map(isAlive), [false, true]);
  });

  it('stops a cancelled start', async () => {
    servers.configure(servers.config('a', 'silent'));
    const source = new CancellationTokenSource();
    const start = rejectsWith(servers.registry.start('a', source.token), 'cancelled');
    await servers.untilReceived('a', 'server/discover');
    source.cancel();
    await start;
    assert.equal(stateOf('a'), 'stopped');
    await servers.registry.stop('a');
    assert.deepEqual(servers.pids('a').map(isAlive), [false]);
    await rejectsWith(servers.registry.start('a', source.token), 'cancelled');
  });

  it('starts four servers at the same time and then the others', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
    servers.configure(...ids.map((id) => servers.config(id)));
    // So that no server is slow enough to give its place on.
    await whileStopped(() => Promise.all(ids.map((id) => servers.registry.start(id))));
    assert.deepEqual(
      [servers.mostAtOnce, servers.registry.servers.every((s) => s.state.kind === 'running')],
      [4, true],
    );
  });

  it('is not blocked by servers that hang', async () => {
    const hanging = ['h0', 'h1', 'h2', 'h3'];
    servers.configure(...hanging.map((id) => servers.config(id, 'silent')), servers.config('a'));
    const hung = await whileStopped(async (clock) => {
      const starts = hanging.map((id) => rejectsWith(servers.registry.start(id), 'cancelled'));
      const started = servers.registry.start('a');
      await Promise.all(hanging.map((id) => servers.untilReceived(id, 'server/discover')));
      assert.deepEqual(servers.pids('a'), []);
      clock.advance(2_000);
      await started;
      return starts;
    });
    assert.deepEqual(
      hanging.map(stateOf),
      hanging.map(() => 'starting'),
    );
    await servers.registry.stopAll();
    await Promise.all(hung);
  });

  it('stops a server in the queue', async () => {
    const hanging = ['h0', 'h1', 'h2', 'h3'];
    servers.configure(...hanging.map((id) => servers.config(id, 'silent')), servers.config('a'));
    const all = [...hanging, 'a'].map((id) => rejectsWith(servers.registry.start(id), 'cancelled'));
    await servers.registry.stop('a');
    assert.deepEqual([stateOf('a'), servers.pids('a')], ['stopped', []]);
    await servers.registry.stopAll();
    await Promise.all(all);
    assert.equal(servers.connects, 4);
  });

  it('shows a server that crashes as failed, without tools, with its last output', async () => {
    servers.configure(servers.config('a'));
    await servers.registry.start('a');
    await rejectsWith(servers.steer('a', { die: 7 }), 'connectionClosed');
    const { state, tools } = await servers.until('a', (server) => server.state.kind === 'failed');
    assert.ok(state.kind === 'failed');
    const { code, facts } = state.error;
    assert.deepEqual(
      [code, facts.exitCode, facts.stderrTail, tools],
      ['connectionClosed', 7, 'out of memory', []],
    );
    await rejectsWith(servers.registry.refreshTools('a'), 'notRunning');
    assert.equal((await servers.registry.start('a')).state.kind, 'running');
  });

  it('shows no secret in the reason for a failed start or an exit', async () => {
    const redact = (text: string) => text.replaceAll(/database|memory/g, '(secret)');
    const discreet = new SteeredServers(undefined, { redact });
    discreet.configure(discreet.config('locked', 'exit'), discreet.config('a'));
    const error = await discreet.registry.start('locked').catch(toMcpError);
    assert.ok(error instanceof McpError);
    assert.equal(error.facts.stderrTail, 'the (secret) is locked');
    await discreet.registry.start('a');
    await rejectsWith(discreet.steer('a', { die: 7 }), 'connectionClosed');
    const { state } = await discreet.until('a', (server) => server.state.kind === 'failed');
    assert.ok(state.kind === 'failed');
    assert.deepEqual(
      [state.error.code, state.error.facts.exitCode, state.error.facts.stderrTail],
      ['connectionClosed', 7, 'out of (secret)'],
    );
    await discreet.end();
  });

  it('runs a server whose tools cannot be listed, and says so', async () => {
    servers.configure(servers.config('a', 'unlistable'));
    const server = await servers.registry.start('a');
    assert.deepEqual([server.state.kind, server.tools], ['running', []]);
    assert.match(JSON.stringify(server.listProblems), /pageFailed.*out of order/);
    assert.match(servers.logged.join(), /tools\/list failed: .*out of order/);
  });

  it('counts garbage and reports large amounts only occasionally', async () => {
    servers.configure(servers.config('a'));
    await servers.registry.start('a');
    const before = servers.changes.length;
    const startedAt = Date.now();
    await servers.steer('a', { garbage: 4_000 });
    await servers.until('a', (server) => server.garbageLines === 4_000);
    const most = (Date.now() - startedAt) / 250 + 1;
    const changes = servers.changes.length - before;
    assert.ok(changes <= most, `${changes} changes`);
  });

  it('stops all servers', async () => {
    servers.configure(servers.config('a'), servers.config('b', 'silent'), servers.config('c'));
    await servers.registry.start('a');
    const starting = rejectsWith(servers.registry.start('b'), 'cancelled');
    await servers.untilReceived('b', 'server/discover');
    await servers.registry.stopAll();
    await starting;
    assert.deepEqual([...servers.pids('a'), ...servers.pids('b')].map(isAlive), [false, false]);
  });

  it('starts nothing after it was disposed', async () => {
    servers.configure(servers.config('a'));
    await servers.registry.start('a');
    servers.registry.dispose();
    await rejectsWith(servers.registry.start('a'), 'cancelled');
  });
});
