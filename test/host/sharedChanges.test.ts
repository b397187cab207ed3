import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFile, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  FolderWatch,
  Freshness,
  SharedChanges,
  type Look,
} from '../../src/host/storage/sharedChanges';
import { whileStopped } from '../core/stoppedClock';
import { useFolders } from './testFolders';

describe('Change notifications between windows', () => {
  const newFolder = useFolders('changes');

  it('mark a change in all of them once one has announced it', async () => {
    const file = path.join(newFolder(), 'changes');
    const [one, other] = [new SharedChanges(file), new SharedChanges(file)];
    const before = await other.look();
    assert.equal(await one.look(), before);
    await one.notify();
    const after = await other.look();
    assert.notEqual(after, before);
    assert.equal(await other.look(), after);
    await other.notify();
    await one.notify();
    assert.notEqual(await one.look(), after);
  });

  it('are checked once for all callers in one turn, and again for later ones', async () => {
    const changes = new SharedChanges(path.join(newFolder(), 'changes'));
    const [first, second] = [changes.look(), changes.look()];
    assert.equal(first, second);
    await first;
    assert.notEqual(changes.look(), first);
  });

  it('are checked once more for callers during a check, when it has ended', async () => {
    const changes = new SharedChanges(path.join(newFolder(), 'changes'));
    const ended: string[] = [];
    const first = changes.look().then(() => ended.push('first'));
    // It has begun, and goes on until the system was asked what kind of disk this is.
    await new Promise((resolve) => setImmediate(resolve));
    const second = changes.look();
    assert.equal(changes.look(), second);
    await Promise.all([first, second.then(() => ended.push('second'))]);
    assert.deepEqual(ended, ['first', 'second']);
  });

  it('fail if nothing can be written, and nothing is known if it cannot be read', async () => {
    const folder = newFolder();
    mkdirSync(path.dirname(folder), { recursive: true });
    writeFileSync(folder, 'a file stands where the folder should be');
    const changes = new SharedChanges(path.join(folder, 'changes'));
    await assert.rejects(changes.notify());
    const fresh = new Freshness();
    await fresh.during(await changes.look(), () => Promise.resolve());
    assert.equal(fresh.holds(await changes.look()), false);
  });

  /** Whether a change in a folder is heard by the next look. */
  async function hears(folder: string, act: () => void): Promise<boolean> {
    const changes = new SharedChanges(path.join(newFolder(), 'changes'));
    const fresh = new Freshness(new FolderWatch(folder));
    await fresh.during(await changes.look(), () => Promise.resolve());
    assert.equal(fresh.holds(await changes.look()), true);
    act();
    // Some systems tell of it a little later.
    let isHeard = !fresh.holds(await changes.look());
    for (let look = 0; !isHeard && look < 1_000; look += 1) {
      isHeard = !fresh.holds(await changes.look());
    }
    fresh.dispose();
    return isHeard;
  }

  it('arrive when another process changes, creates or deletes a folder', () =>
    // A look after a second would find out without hearing anything.
    whileStopped(async () => {
      const folder = newFolder();
      const file = path.join(folder, 'a.json');
      const acts: (() => void)[] = [
        () => mkdirSync(folder, { recursive: true }),
        () => writeFileSync(file, '1'),
        () => appendFileSync(file, '2'),
        () => rmSync(file),
        () => rmSync(folder, { recursive: true }),
      ];
      for (const act of acts) assert.equal(await hears(folder, act), true, String(act));
      assert.equal(await hears(folder, () => undefined), false);
    }));

  it('arrive by the first check after them, at any moment', async function () {
    // Elsewhere the system tells a little later.
    if (process.platform !== 'linux') return;
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const changes = new SharedChanges(path.join(newFolder(), 'changes'));
    const fresh = new Freshness(new FolderWatch(folder));
    const moments: ((act: () => void) => void)[] = [
      (act) => setTimeout(act),
      setImmediate,
      queueMicrotask,
      // When a file was read, as when a server has answered.
      (act) => readFile(__filename, act),
    ];
    const missed: string[] = [];
    for (let made = 0; made < 30; made += 1) {
      for (const moment of moments) {
        await fresh.during(await changes.look(), () => Promise.resolve());
        const look = await new Promise<Look>((resolve) => {
          moment(() => {
            writeFileSync(path.join(folder, 'a.json'), String(made));
            resolve(changes.look());
          });
        });
        if (fresh.holds(look)) missed.push(String(moment));
      }
    }
    fresh.dispose();
    assert.deepEqual(missed, []);
  });

  it('are checked again after a second, whatever was received', () =>
    whileStopped(async (clock) => {
      const fresh = new Freshness(new FolderWatch(newFolder()));
      await fresh.during('1', () => Promise.resolve());
      clock.advance(1_000);
      assert.equal(fresh.holds('1'), true);
      clock.advance(1);
      assert.equal(fresh.holds('1'), false);
      fresh.dispose();
    }));
});
