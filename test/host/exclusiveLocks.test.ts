import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { ExclusiveLocks } from '../../src/host/storage/exclusiveLocks';
import { type StoppedClock, whileStopped } from '../core/stoppedClock';
import { until } from '../waiting';
import { assertEach } from '../assertions';
import { useFolders } from './testFolders';
import { useWindows } from './windowProcess';

/** The longest time from one look for a lock to the next. */
const maxPauseMs = 80;

describe('An exclusive lock', () => {
  const newFolder = useFolders('locks');
  const openWindow = useWindows();

  const open = (folder: string, settleMs = 0) => {
    const problems: string[] = [];
    const onProblem = (detail: string) => problems.push(detail);
    return { locks: new ExclusiveLocks({ folder, settleMs, onProblem }), problems };
  };

  /** Runs works that note when they begin and end, and says whether two were ever at it. */
  function watched() {
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    };
    return { work, most: () => most };
  }

  /** What a lock of this holder is, made by letting one be made. */
  async function lockFileOf(folder: string): Promise<string> {
    let name = '';
    await open(folder).locks.run('x', () => {
      [name = ''] = readdirSync(folder);
      return Promise.resolve();
    });
    return path.join(folder, name);
  }

  const untilWaiting = (clock: StoppedClock) =>
    until(() => clock.waits.some((ms) => ms <= maxPauseMs));
  const passing = (clock: StoppedClock, isSo: () => boolean) =>
    until(() => {
      clock.advance(maxPauseMs);
      return isSo();
    });
  /** Whoever waits for a lock looks for it several times in vain. */
  async function lookAgain(clock: StoppedClock): Promise<void> {
    for (let looks = 0; looks < 3; looks += 1) {
      await untilWaiting(clock);
      clock.advance(maxPauseMs);
    }
    await untilWaiting(clock);
  }

  it('is held by one caller at a time, in this window and in others', async () => {
    const folder = newFolder();
    const { work, most } = watched();
    const windows = [open(folder), open(folder), open(folder)];
    const runs = Array.from({ length: 15 }, (_, at) => {
      const { locks } = windows[at % 3] ?? assert.fail();
      return locks.run('x', work);
    });
    await Promise.all(runs);
    assert.equal(most(), 1);
  });

  it('can be held at the same time under different names', async () => {
    const { locks } = open(newFolder());
    let isSecond = false;
    await locks.run('x', () =>
      locks.run('y', () => {
        isSecond = true;
        return Promise.resolve();
      }),
    );
    assert.ok(isSecond);
  });

  it('returns or throws the result of the work, and is released after an error', async () => {
    const { locks } = open(newFolder());
    await assert.rejects(
      locks.run('x', () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    await assert.rejects(
      locks.run('x', () => {
        throw new Error('at once');
      }),
      /at once/,
    );
    assert.equal(await locks.run('x', () => Promise.resolve(7)), 7);
  });

  it('leaves no file, and no file name that reveals its subject', async () => {
    const folder = newFolder();
    const { locks } = open(folder);
    const names = await locks.run('https://login.example.com', () =>
      Promise.resolve(readdirSync(folder)),
    );
    assertEach(names, (name) => /^[0-9a-f]{64}\.lock$/.test(name), [true]);
    // Given back when the next one has it.
    await open(folder).locks.run('https://login.example.com', () => Promise.resolve());
    await open(folder).locks.run('https://login.example.com', () => Promise.resolve());
    assert.ok(readdirSync(folder).length <= 1);
  });

  it('counts correctly in separate processes', async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'count');
    writeFileSync(file, '0');
    const windows = Array.from({ length: 4 }, () =>
      openWindow('lockWindow.ts', [path.join(folder, 'locks'), file, '25']),
    );
    await Promise.all(windows.map(({ closed }) => closed));
    assert.deepEqual(
      windows.flatMap(({ said }) => said),
      ['done', 'done', 'done', 'done'],
    );
    assert.equal(readFileSync(file, 'utf8'), '100');
  });

  it('is released when the window that held it is killed', async () => {
    const folder = newFolder();
    const window = openWindow('lockWindow.ts', [folder, '', 'hang']);
    await window.hasSaid(1);
    const { work, most } = watched();
    const waiting = [open(folder), open(folder)].map(({ locks }) => locks.run('count', work));
    window.child.kill('SIGKILL');
    await Promise.all([window.closed, ...waiting]);
    assert.equal(most(), 1);
  });

  it('is taken over by age if it is abandoned, damaged or from another machine', async () => {
    const other = JSON.stringify({ id: 'i', machine: `${hostname()}-other`, pid: 1 });
    const own = JSON.stringify({ id: 'i', machine: hostname(), pid: process.pid });
    for (const content of ['', '{', 'x'.repeat(100_000), other, own]) {
      const folder = newFolder();
      const file = await lockFileOf(folder);
      writeFileSync(file, content);
      const old = new Date(Date.now() - 61_000);
      utimesSync(file, old, old);
      writeFileSync(`${file}.removing`, '');
      utimesSync(`${file}.removing`, old, old);
      const { work, most } = watched();
      const runs = [open(folder), open(folder), open(folder)].map(({ locks }) =>
        locks.run('x', work),
      );
      await Promise.all(runs);
      assert.equal(most(), 1, content.slice(0, 20));
    }
  });

  it('is not taken over while it is fresh, whatever it contains', async () => {
    for (const content of ['', JSON.stringify({ id: 'i', machine: 'other', pid: 1 })]) {
      const folder = newFolder();
      const file = await lockFileOf(folder);
      writeFileSync(file, content);
      let isDone = false;
      await whileStopped(async (clock) => {
        const run = open(folder).locks.run('x', () => {
          isDone = true;
          return Promise.resolve();
        });
        await lookAgain(clock);
        assert.equal(isDone, false);
        const old = new Date(Date.now() - 61_000);
        utimesSync(file, old, old);
        await passing(clock, () => isDone);
        await run;
      });
    }
  });

  it('is held until the work has settled, and its owner continues', () =>
    whileStopped(async (clock) => {
      const folder = newFolder();
      const { locks } = open(folder, 3_600_000);
      await locks.run('x', () => Promise.resolve());
      let isDone = false;
      const run = open(folder).locks.run('x', () => {
        isDone = true;
        return Promise.resolve();
      });
      await lookAgain(clock);
      assert.equal(isDone, false);
      locks.dispose();
      await passing(clock, () => isDone);
      await run;
    }));

  it('works in this window if no file can be written, with one warning', async () => {
    const folder = newFolder();
    mkdirSync(path.dirname(folder), { recursive: true });
    writeFileSync(folder, 'a file where the folder would be');
    const { locks, problems } = open(folder);
    const { work, most } = watched();
    await Promise.all([locks.run('x', work), locks.run('x', work), locks.run('x', work)]);
    assert.equal(most(), 1);
    assert.equal(problems.length, 1);
  });

  it('leaves no lock file that it could not write, because other windows would wait', async () => {
    const folder = newFolder();
    const { locks, problems } = open(folder);
    const noSpace = () =>
      Promise.reject(
        Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }),
      );
    const left = await whileWriting(noSpace, () =>
      locks.run('x', () => Promise.resolve(readdirSync(folder))),
    );
    assert.deepEqual(left, []);
    assert.match(problems.join('\n'), /^ENOSPC: no space left on device$/);
  });
});

/** Replaces how files are written through a handle while the work runs. */
async function whileWriting<T>(write: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  const handle = await openFile(__filename);
  const handles = Object.getPrototypeOf(handle) as { writeFile: unknown };
  await handle.close();
  const { writeFile } = handles;
  handles.writeFile = write;
  try {
    return await work();
  } finally {
    handles.writeFile = writeFile;
  }
}
