import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  FileRefusedError,
  openRegularFile,
  readRegularFile,
  readRegularFileSync,
} from '../../src/core/bounds/regularFile';

const maxBytes = 1000;

describe('A file of unknown origin', () => {
  let folder = '';
  const inside = (name: string) => path.join(folder, name);
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'regular-file-'))));
  after(() => rmSync(folder, { recursive: true }));

  const readers = {
    readRegularFile: (file: string) => readRegularFile(file, maxBytes),
    readRegularFileSync: async (file: string) => readRegularFileSync(file, maxBytes),
  };
  for (const [name, read] of Object.entries(readers)) {
    const refusal = (file: string) =>
      read(file).then(
        () => 'read',
        (error: unknown) => (error instanceof FileRefusedError ? error.refusal : String(error)),
      );

    it(`is read whole by ${name} up to the limit, byte for byte, through links`, async () => {
      const bytes = Buffer.from(Array.from({ length: maxBytes }, (_, at) => at % 256));
      writeFileSync(inside('full'), bytes);
      symlinkSync(inside('full'), inside(`link-${name}`));
      assert.deepEqual(await read(inside(`link-${name}`)), bytes);
      writeFileSync(inside('empty'), '');
      assert.equal((await read(inside('empty'))).length, 0);
    });

    it(`is refused by ${name} if it is a pipe, a device, a folder, or too large`, async () => {
      execFileSync('mkfifo', [inside(`pipe-${name}`)]);
      mkdirSync(inside(`folder-${name}`));
      writeFileSync(inside(`large-${name}`), '');
      truncateSync(inside(`large-${name}`), maxBytes + 1);
      assert.equal(await refusal(inside(`pipe-${name}`)), 'notAFile');
      assert.equal(await refusal('/dev/zero'), 'notAFile');
      assert.equal(await refusal(inside(`folder-${name}`)), 'isFolder');
      assert.equal(await refusal(inside(`large-${name}`)), 'tooLarge');
    });

    it(`is limited by ${name} even if its size is reported as 0`, async function () {
      if (process.platform !== 'linux') return;
      // Files of /proc have a size of 0 and content.
      assert.equal(await refusal('/proc/kallsyms'), 'tooLarge');
      assert.equal(String(await read('/proc/self/comm')).length > 1, true);
    });
  }

  it('blocks no other file while pipes wait for their writers', async () => {
    const pipes = Array.from({ length: 8 }, (_, at) => inside(`waiting-${at}`));
    execFileSync('mkfifo', pipes);
    const refused = await Promise.allSettled(pipes.map(openRegularFile));
    assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set(['rejected']));
    writeFileSync(inside('other'), 'read');
    assert.equal(String(await readRegularFile(inside('other'), maxBytes)), 'read');
  });
});
