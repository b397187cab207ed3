import assert from 'node:assert/strict';
import path from 'node:path';
import { LocalDisk } from '../../src/host/storage/localDisk';
import { whileStopped } from '../core/stoppedClock';
import { useFolders } from './testFolders';

describe('A disk that is asked for something small', () => {
  const newFolder = useFolders('near');

  /** How it was asked. */
  async function way(disk: LocalDisk, whileAsked: () => void = () => undefined): Promise<string> {
    return disk.ask(
      () => {
        whileAsked();
        return 'now';
      },
      () => Promise.resolve('later'),
    );
  }

  it('is asked here and now, but in the background for ten seconds after it was slow', () =>
    whileStopped(async (clock) => {
      const disk = new LocalDisk(true);
      assert.equal(await way(disk, () => clock.advance(20)), 'now');
      assert.equal(await way(disk, () => clock.advance(21)), 'now');
      assert.equal(await way(disk), 'later');
      clock.advance(9_999);
      assert.equal(await way(disk), 'later');
      clock.advance(1);
      assert.equal(await way(disk), 'now');
    }));

  it('counts as slow, too, when it fails after a while', () =>
    whileStopped(async (clock) => {
      const disk = new LocalDisk(true);
      const failing = (): never => {
        clock.advance(1_000);
        throw new Error('no space left');
      };
      await assert.rejects(way(disk, failing), /no space left/);
      assert.equal(await way(disk), 'later');
    }));

  it('is asked in the background for what is large', async () => {
    const disk = new LocalDisk(true);
    const wayOf = async (bytes: number): Promise<string> =>
      disk.ask(
        () => 'now',
        () => Promise.resolve('later'),
        bytes,
      );
    assert.deepEqual([await wayOf(262_144), await wayOf(262_145)], ['now', 'later']);
  });

  it('is always asked in the background where it may be a drive of the network', async () => {
    assert.equal(await way(new LocalDisk(false)), 'later');
    assert.equal(await way(await LocalDisk.of('\\\\server\\share\\folder')), 'later');
    if (process.platform !== 'linux') return;
    // Of no kind that is known to be of this machine, as those of the network are.
    assert.equal(await way(await LocalDisk.of('/proc/self')), 'later');
    assert.equal(await way(await LocalDisk.of('/dev/shm')), 'now');
  });

  it('is that of the folder in which another will be made', async () => {
    const folder = newFolder();
    const made = path.dirname(folder);
    const expected = await way(await LocalDisk.of(made));
    assert.equal(await way(await LocalDisk.of(path.join(folder, 'a', 'b'))), expected);
  });
});
