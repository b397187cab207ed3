import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { endStrayProcesses } from '../../src/core/stdio/strayProcesses';
import { newRunMark, processesOfRun, withRunMark } from '../../src/core/stdio/runMark';
import { bundled } from '../servers/bundled';
import type { ScriptedServer } from '../servers/scripted';
import { until } from '../waiting';
import { Connections, isAlive, textOf, untilGone } from './connections';

const hasty = { stdinMs: 200, terminateMs: 300 };

/** Runs the shell line of a call, and answers with the number that it prints. */
async function shells(server: ScriptedServer): Promise<void> {
  const { spawn: start } = await import('node:child_process');
  // Slow to leave, so that there is time to see what is below it.
  server.leavesAtEnd = false;
  server.on('tools/call', (message) => {
    const line = String(Object(message.params?.arguments).line);
    const child = start('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', (data: Buffer) => server.text(message, data.toString().trim()));
    if (message.params?.name === 'exit') child.stdout.once('data', () => process.exit(1));
  });
}

const sleeper = `${JSON.stringify(process.execPath)} -e 'setInterval(() => {}, 1e6)'`;
const stubborn = `${JSON.stringify(process.execPath)} -e 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6)'`;
/** Its parent is gone as soon as it runs. */
const daemon = (command: string) =>
  `setsid sh -c '${command.replaceAll("'", `'\\''`)} </dev/null >/dev/null 2>&1 & echo $!'`;

describe('A process that a server left running outside its group', () => {
  const connections = new Connections();
  const started: number[] = [];
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });
  afterEach(async () => {
    await connections.close();
    for (const pid of started.splice(0)) {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  });

  async function run(line: string, name = 'run') {
    const client = await connections.to(shells, { limits: hasty });
    const ended = new Promise((resolve) => client.onDidClose(resolve));
    const pid = Number(await textOf(client.callTool(name, { line })));
    started.push(pid);
    assert.ok(pid > 1);
    if (name === 'exit') await ended;
    return { client, pid };
  }

  for (const [what, line] of [
    ['a process with a session of its own', `setsid ${sleeper} >/dev/null & echo $!`],
    ['a daemon whose parent is gone', daemon(sleeper)],
    ['one that ignores SIGTERM', daemon(stubborn)],
    [
      'a group of its own in the same session',
      `python3 -c 'import os,time; os.setpgid(0,0); print(os.getpid(),flush=True); time.sleep(600)'`,
    ],
    ['one that has hidden its environment', `env -i setsid ${sleeper} >/dev/null & echo $!; wait`],
    ['one that holds the pipes', `setsid ${sleeper} & echo $!`],
  ] as const) {
    it(`is ended when the server is stopped: ${what}`, async () => {
      const { client, pid } = await run(line);
      assert.ok(isAlive(pid));
      await client.close();
      await untilGone(pid);
      assert.match(connections.log.lines.join('\n'), new RegExp(`process ${pid} \\(.*ending it`));
    });
  }

  it('is ended when the server has exited, which is reported', async () => {
    const notices: string[] = [];
    const client = await connections.to(shells, {
      limits: hasty,
      onNotice: ({ kind }) => notices.push(kind),
    });
    const ended = new Promise((resolve) => client.onDidClose(resolve));
    const pid = Number(await textOf(client.callTool('exit', { line: daemon(sleeper) })));
    started.push(pid);
    await ended;
    await client.close();
    await untilGone(pid);
    // The process is gone a moment before this is reported.
    await until(() => notices.length > 0);
    assert.deepEqual(notices, ['leftBehind']);
  });

  it('is ended after a failed start', async () => {
    const source = `
      const { execFileSync } = require('node:child_process');
      console.error(execFileSync('sh', ['-c', ${JSON.stringify(daemon(sleeper))}]).toString());
      process.exit(3);`;
    const { log } = connections;
    const pids: number[] = [];
    log.stderr = (line) => pids.push(...(line === '' ? [] : [Number(line)]));
    const command = { command: process.execPath, args: ['-e', source], env: {} };
    await assert.rejects(connections.toCommand(command));
    started.push(...pids);
    assert.equal(pids.length, 1);
    assert.deepEqual(pids.map(isAlive), [false]);
  });

  it('keeps running while it or a parent has an open terminal, and the log says so', async () => {
    // As tmux does: a daemon that holds terminals, in which a person may be at work.
    const source = `
      import os, pty, sys, time
      if os.fork(): os._exit(0)
      os.setsid()
      pid, fd = pty.fork()
      if pid == 0: time.sleep(600)
      print(os.getpid(), flush=True)
      null = os.open("/dev/null", os.O_RDWR)
      for one in (0, 1, 2): os.dup2(null, one)
      time.sleep(600)`.replaceAll(/^ {6}/gm, '');
    const { client, pid } = await run(`python3 -c '${source}'`);
    await client.close();
    assert.ok(isAlive(pid));
    assert.match(connections.log.lines.join('\n'), new RegExp(`process ${pid} \\(.*goes on`));
  });

  it('is recognized by a mark that no two runs share, and that an entry cannot set', async () => {
    const env = { TOOLGATE_RUN: 'mine' };
    const clients = await Promise.all([1, 2].map(() => connections.to(() => undefined, { env })));
    const marks = clients.map(({ pid }) =>
      /(?:^|\0)TOOLGATE_RUN=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8')),
    );
    const [one, other] = marks.map((mark) => mark?.[1]);
    assert.match(String(one), /^[0-9a-f]{32}$/);
    assert.match(String(other), /^[0-9a-f]{32}$/);
    assert.notEqual(one, other);
  });
});

describe('Searching the processes of a run', () => {
  const children: ChildProcess[] = [];
  const log = { info: () => undefined, warn: (line: string) => void lines.push(line) };
  let lines: string[] = [];
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });
  beforeEach(() => {
    lines = [];
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function sleep(env: Readonly<Record<string, string>>, count = 1): ChildProcess[] {
    const own = Array.from({ length: count }, () =>
      spawn('sleep', ['600'], { env, stdio: 'ignore', detached: true }),
    );
    children.push(...own);
    return own;
  }
  const PATH = process.env['PATH'] ?? '';
  const mark = () => newRunMark() ?? '';

  it('finds those with its mark and no others, also with longer and shorter marks', async () => {
    const [own, other] = [mark(), mark()];
    const [mine] = sleep(withRunMark({ PATH }, own));
    sleep(withRunMark({ PATH }, other));
    sleep({ PATH, TOOLGATE_RUN: `${own}0` });
    sleep({ PATH, TOOLGATE_RUN: own.slice(1) });
    sleep({ PATH, MY_TOOLGATE_RUN: own, TEXT: `TOOLGATE_RUN=${own}` });
    const found = await processesOfRun(own);
    assert.deepEqual(
      found.map(({ pid }) => pid),
      [mine?.pid],
    );
  });

  it('never ends our own process or its parents, even with an inherited mark', async () => {
    const own = mark();
    const strays = bundled(path.resolve(__dirname, '../../src/core/stdio/strayProcesses.ts'));
    const source = `
      const { endStrayProcesses } = require(${JSON.stringify(strays)});
      void endStrayProcesses(${JSON.stringify(own)}, { leaveMs: 50, log: { info() {}, warn() {} } }).then(
        (count) => console.log('ended ' + count));`;
    const child = spawn(
      '/bin/sh',
      ['-c', '"$0" -e "$1"; echo still here', process.execPath, source],
      { env: withRunMark({ PATH }, own), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(child);
    let said = '';
    child.stdout.on('data', (data: Buffer) => (said += data.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    assert.equal(said, 'ended 0\nstill here\n');
  });

  it('does not block the editor, however many there are, and is shared', async () => {
    const [own, other] = [mark(), mark()];
    sleep(withRunMark({ PATH, BIG: 'x'.repeat(100_000) }, own), 300);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const found = await Promise.all([own, other, own].map(processesOfRun));
    clearInterval(timer);
    assert.deepEqual(
      found.map(({ length }) => length),
      [300, 0, 300],
    );
    // In one go there would be none.
    assert.ok(turns > 10, `${turns} turns`);
  });

  it('ends processes that start meanwhile, up to a limit', async () => {
    const own = mark();
    const source = `
      const start = () => require('child_process').spawn(process.execPath,
        ['-e', 'setInterval(() => {}, 1e6)'], { detached: true, stdio: 'ignore' });
      process.on('SIGTERM', () => { start(); process.exit(); });
      setInterval(() => {}, 1e6); console.log('up')`;
    const child = spawn(process.execPath, ['-e', source], {
      env: withRunMark({ PATH }, own),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    children.push(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    assert.equal(await endStrayProcesses(own, { leaveMs: 2_000, log }), 2);
    await until(async () => (await processesOfRun(own)).length === 0);
    assert.equal(lines.length, 2);
  });

  it('leaves a process alone that reuses the process ID', async () => {
    const [child] = sleep({ PATH });
    const pid = child?.pid ?? 0;
    const seen = [{ pid, parent: 1, group: pid, start: '1' }];
    assert.equal(await endStrayProcesses(mark(), { leaveMs: 50, log, seen }), 0);
    assert.ok(isAlive(pid));
  });
});
