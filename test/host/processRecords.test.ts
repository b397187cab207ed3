import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { Emitter } from 'vscode-jsonrpc/node';
import { processStart, processUsage } from '../../src/core/stdio/processFacts';
import { newRunMark, processesOfRun, withRunMark } from '../../src/core/stdio/runMark';
import { ProcessRecords } from '../../src/host/processes/processRecords';
import { isAlive, untilGone } from '../core/connections';
import { until } from '../waiting';
import { bundled } from '../servers/bundled';
import { assertEach } from '../assertions';

describe('A process of a dead window', () => {
  let folder: string;
  let lines: string[];
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'processes-'));
    lines = [];
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  function records(pids: number[] = [], changed = new Emitter<void>()): ProcessRecords {
    const add = (line: string) => void lines.push(line);
    const live = { pids, onDidChange: changed.event };
    return new ProcessRecords({ folder, live, log: { info: add, warn: add } });
  }

  function sleeper(): number {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
      stdio: 'ignore',
      detached: true,
    });
    children.push(child);
    return child.pid ?? 0;
  }

  /** A record as a window that is gone would have left it. */
  function leave(servers: readonly object[], window: object = { pid: 999_999_999, start: 'x' }) {
    const file = path.join(folder, `${Math.random()}.json`);
    writeFileSync(file, JSON.stringify({ machine: hostname(), window, servers }));
  }

  it('is ended by the next one, even if it ignores the end of stdin and SIGTERM', async () => {
    const host = spawn(
      process.execPath,
      [bundled(path.join(__dirname, 'doomedWindow.ts')), folder],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(host);
    const [stubborn = 0, polite = 0] = await new Promise<number[]>((resolve) => {
      host.stdout.once('data', (data: Buffer) => resolve(String(data).split(' ').map(Number)));
    });
    assert.deepEqual([stubborn, polite].map(isAlive), [true, true]);
    assert.equal(await records().sweep(), 0, 'the window still lives');
    host.kill('SIGKILL');
    await untilGone(polite);
    assert.ok(isAlive(stubborn));
    assert.equal(await records().sweep(), 1);
    await untilGone(stubborn);
    assert.deepEqual(readdirSync(folder), []);
    assert.match(lines.join(), new RegExp(`process ${stubborn} was left`));
  });

  it('is ended even if it has left the group of an exited server', async function () {
    if (process.platform !== 'linux') this.skip();
    const mark = newRunMark() ?? '';
    const own = await records().sweep();
    assert.equal(own, 0);
    const env = withRunMark({ PATH: process.env['PATH'] ?? '' }, mark);
    const source = 'process.on("SIGTERM", () => {}); console.log(1); setInterval(() => {}, 1e6)';
    const child = spawn(process.execPath, ['-e', source], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    children.push(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const other = sleeper();
    leave([{ pid: 999_999_998, start: 'x', mark: 'not a mark' }]);
    leave([{ pid: 999_999_998, start: 'x', mark: newRunMark() }]);
    assert.equal(await records().sweep(), 0);
    leave([{ pid: 999_999_998, start: 'x', mark }]);
    assert.equal(await records().sweep(), 1);
    await untilGone(child.pid ?? 0);
    assert.ok(isAlive(other));
    assert.match(lines.join(), new RegExp(`process ${child.pid} \\(.*ending it`));
  });

  it('is recorded with the mark that identifies processes outside the group', async function () {
    if (process.platform !== 'linux') this.skip();
    const host = spawn(
      process.execPath,
      [bundled(path.join(__dirname, 'doomedWindow.ts')), folder],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(host);
    const pids = await new Promise<number[]>((resolve) => {
      host.stdout.once('data', (data: Buffer) => resolve(String(data).split(' ').map(Number)));
    });
    const [file = ''] = readdirSync(folder);
    const record = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    for (const { pid, mark } of record.servers) {
      assert.ok(pids.includes(pid));
      assertEach(await processesOfRun(mark), (facts) => facts.pid, [pid]);
    }
    host.kill('SIGKILL');
    await untilGone(host.pid ?? 0);
    await records().sweep();
    assert.deepEqual(pids.map(isAlive), [false, false]);
  });

  it('is not confused with a process that has the same ID', async () => {
    const pid = sleeper();
    leave([{ pid, start: 'another time' }]);
    assert.equal(await records().sweep(), 0);
    assert.ok(isAlive(pid));
    assert.deepEqual([readdirSync(folder), lines], [[], []]);
  });

  it('is left to the window of another machine, or to one that is alive', async () => {
    const pid = sleeper();
    const server = { pid, start: (await processStart(pid)) ?? '' };
    leave([server], { pid: process.pid, start: await processStart(process.pid) });
    const other = { machine: 'elsewhere', window: { pid: 999_999_999, start: 'x' } };
    writeFileSync(path.join(folder, 'other.json'), JSON.stringify({ ...other, servers: [server] }));
    assert.equal(await records().sweep(), 0);
    assert.ok(isAlive(pid));
    assert.equal(readdirSync(folder).length, 2);
  });

  for (const [what, text] of [
    ['is empty', ''],
    ['is cut off', '{"machine":"'],
    ['is something else', '[1]'],
    [
      'names no process',
      JSON.stringify({ machine: hostname(), window: {}, servers: [{ pid: -1 }] }),
    ],
    [
      'names what must not be signalled',
      JSON.stringify({
        machine: hostname(),
        window: { pid: 999_999_999, start: 'x' },
        servers: [{ pid: 0, start: 'x' }, { pid: 1, start: 'x' }, { pid: '7' }],
      }),
    ],
  ] as const) {
    it(`is not ended if the record ${what}, and the record is deleted`, async () => {
      writeFileSync(path.join(folder, 'odd.json'), text);
      assert.equal(await records().sweep(), 0);
      assert.deepEqual(readdirSync(folder), []);
    });
  }

  it('keeps its record while that cannot be read', async () => {
    const file = path.join(folder, 'loop.json');
    symlinkSync('loop.json', file);
    assert.equal(await records().sweep(), 0);
    assert.deepEqual(readdirSync(folder), ['loop.json']);
    rmSync(file);
    leave([{ pid: sleeper(), start: 'another' }]);
    assert.equal(await records().sweep(), 0);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('is recorded while it runs, and the record is deleted with the last process', async () => {
    const changed = new Emitter<void>();
    const pids = [sleeper()];
    const own = records(pids, changed);
    changed.fire();
    await own.written();
    const [file = ''] = readdirSync(folder);
    const record = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    assert.deepEqual(record, {
      machine: hostname(),
      window: { pid: process.pid, start: await processStart(process.pid) },
      servers: [{ pid: pids[0], start: await processStart(pids[0] ?? 0) }],
    });
    assert.equal(await own.sweep(), 0);
    pids.pop();
    changed.fire();
    await own.written();
    assert.deepEqual(readdirSync(folder), []);
  });

  /** As on macOS, whose start times come from `ps`: here from a script. Not on Windows. */
  async function withPs(script: string, run: () => Promise<void>): Promise<void> {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    const { PATH, TZ } = process.env;
    const programs = mkdtempSync(path.join(tmpdir(), 'ps-'));
    const text = `#!/bin/sh\n${script}\nexec /bin/ps "$@"\n`;
    writeFileSync(path.join(programs, 'ps'), text, { mode: 0o755 });
    process.env['PATH'] = `${programs}${path.delimiter}${PATH}`;
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    try {
      await run();
    } finally {
      Object.defineProperty(process, 'platform', platform);
      process.env['PATH'] = PATH;
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
      rmSync(programs, { recursive: true });
    }
  }

  for (const which of ['window', 'server'] as const) {
    it(`is left alone while the system does not say whether its ${which} is alive`, async function () {
      if (process.platform === 'win32') this.skip();
      const [pid, window] = [sleeper(), sleeper()];
      const unknown = which === 'window' ? window : pid;
      // The script is killed, as one that takes too long.
      await withPs(`[ "$4" = ${unknown} ] && [ -n "$SLOW" ] && kill -9 $$`, async () => {
        const known = async (id: number) => ({ pid: id, start: (await processStart(id)) ?? '' });
        const [server, owner] = [await known(pid), await known(window)];
        leave([server], which === 'window' ? owner : { pid: 999_999_999, start: 'x' });
        process.env['SLOW'] = 'yes';
        try {
          assert.equal(await records().sweep(), 0);
        } finally {
          delete process.env['SLOW'];
        }
        assert.deepEqual([pid, window].map(isAlive), [true, true]);
        assert.equal(readdirSync(folder).length, 1);
        if (which === 'window') {
          process.kill(window, 'SIGKILL');
          await untilGone(window);
        }
        assert.equal(await records().sweep(), 1);
        await untilGone(pid);
        assert.deepEqual(readdirSync(folder), []);
      });
    });
  }

  it('has the same start time in every time zone', async function () {
    if (process.platform === 'win32') this.skip();
    const pid = sleeper();
    await withPs('', async () => {
      process.env['TZ'] = 'Asia/Tokyo';
      const start = await processStart(pid);
      process.env['TZ'] = 'America/New_York';
      assert.equal(await processStart(pid), start);
    });
  });

  it('has a unique start time, and an exited one has none', async () => {
    const one = sleeper();
    const start = await processStart(one);
    assert.ok(start !== undefined);
    // The system counts the time of a start in hundredths of a second.
    await until(async () => (await processStart(sleeper())) !== start);
    assert.equal(await processStart(one), start);
    assert.equal(await processStart(999_999_999), undefined);
  });

  it('has its memory measured, including its child processes', async () => {
    const pid = sleeper();
    const usage = await processUsage(pid);
    assert.ok(usage !== undefined && usage.memoryBytes > 1_000_000 && usage.uptimeMs >= 0);
    assert.equal(usage.processes, 1);
    assert.equal(await processUsage(999_999_999), undefined);
  });
});
