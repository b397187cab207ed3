import assert from 'node:assert/strict';
import path from 'node:path';
import { LocalDisk } from '../../src/host/storage/localDisk';
import { whileStopped } from '../core/stoppedClock';
import { useFolders } from './testFolders';

describe('A small disk access', () => {
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

  it('is synchronous, but asynchronous for ten seconds after the disk was slow', () =>
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

  it('counts as slow, too, if it fails after a while', () =>
    whileStopped(async (clock) => {
      const disk = new LocalDisk(true);
      const failing = (): never => {
        clock.advance(1_000);
        throw new Error('no space left');
      };
      await assert.rejects(way(disk, failing), /no space left/);
      assert.equal(await way(disk), 'later');
    }));

  it('is asynchronous for large files', async () => {
    const disk = new LocalDisk(true);
    const wayOf = async (bytes: number): Promise<string> =>
      disk.ask(
        () => 'now',
        () => Promise.resolve('later'),
        bytes,
      );
    assert.deepEqual([await wayOf(262_144), await wayOf(262_145)], ['now', 'later']);
  });

  it('is always asynchronous on a possible network drive', async () => {
    assert.equal(await way(new LocalDisk(false)), 'later');
    assert.equal(await way(await LocalDisk.of('\\\\server\\share\\folder')), 'later');
    if (process.platform !== 'linux') return;
    // Of no kind that is known to be of this machine, as those of the network are.
    assert.equal(await way(await LocalDisk.of('/proc/self')), 'later');
    assert.equal(await way(await LocalDisk.of('/dev/shm')), 'now');
  });

  it('uses the disk of the folder in which another will be created', async () => {
    const folder = newFolder();
    const made = path.dirname(folder);
    const expected = await way(await LocalDisk.of(made));
    assert.equal(await way(await LocalDisk.of(path.join(folder, 'a', 'b'))), expected);
  });
});
