import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Freshness, SharedChanges } from '../../src/host/storage/sharedChanges';
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

  it('need no announcement after a second', () =>
    whileStopped(async (clock) => {
      const fresh = new Freshness();
      await fresh.during('1', () => Promise.resolve());
      clock.advance(1_000);
      assert.equal(fresh.holds('1'), true);
      clock.advance(1);
      assert.equal(fresh.holds('1'), false);
    }));
});
