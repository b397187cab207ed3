import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError } from '../../src/core/errors';
import { saveFile } from '../../src/host/storage/atomicWrite';

describe('Saving a result', () => {
  let folder: string;
  let written: number[];
  let cancellation: CancellationTokenSource;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'toolgate-save-'));
    written = [];
    cancellation = new CancellationTokenSource();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const bytes = randomBytes(100_000);
  /** As it is read from disk: one buffer for every piece. */
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.alloc(30_000);
    for (let at = 0; at < bytes.length; at += buffer.length) {
      const length = bytes.copy(buffer, 0, at);
      yield buffer.subarray(0, length);
    }
  }
  const at = (name: string): string => path.join(folder, name);
  const save = (
    slices: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    name: string,
  ): Promise<void> =>
    saveFile(slices, at(name), {
      onWritten: (count) => written.push(count),
      token: cancellation.token,
    });

  it('writes the same bytes, from memory or in parts', async () => {
    await save([bytes], 'whole.bin');
    await save(pieces(), 'sliced.bin');
    for (const name of ['whole.bin', 'sliced.bin']) assert.ok(readFileSync(at(name)).equals(bytes));
    assert.deepEqual(written, [100_000, 30_000, 30_000, 30_000, 10_000]);
    assert.deepEqual(readdirSync(folder).toSorted(), ['sliced.bin', 'whole.bin']);
  });

  it('replaces a file, with its permissions and through a link to it', async function () {
    if (process.platform === 'win32') this.skip();
    writeFileSync(at('old.bin'), 'old');
    chmodSync(at('old.bin'), 0o640);
    symlinkSync(at('old.bin'), at('link.bin'));
    await save(pieces(), 'link.bin');
    assert.ok(readFileSync(at('old.bin')).equals(bytes));
    assert.equal(statSync(at('old.bin')).mode & 0o777, 0o640);
  });

  it('keeps the existing file if it is cancelled or cannot be read to its end', async () => {
    writeFileSync(at('old.bin'), 'old');
    const stopping = async function* () {
      yield bytes.subarray(0, 10);
      cancellation.cancel();
      yield bytes.subarray(10);
    };
    await assert.rejects(save(stopping(), 'old.bin'), (error) => isMcpError(error, 'cancelled'));
    cancellation = new CancellationTokenSource();
    const breaking = async function* () {
      yield bytes;
      throw new Error('gone');
    };
    await assert.rejects(save(breaking(), 'old.bin'), /gone/);
    assert.equal(readFileSync(at('old.bin'), 'utf8'), 'old');
    assert.deepEqual(readdirSync(folder), ['old.bin']);
  });
});
