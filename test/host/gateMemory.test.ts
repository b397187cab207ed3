import assert from 'node:assert/strict';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openGate } from '../bench/gateSubject';
import { times } from '../bench/gateTimes';
import { keepingIn } from '../bench/keptResults';
import { useFolders } from './testFolders';

const server = path.resolve(__dirname, '../bench/server.mjs');
const kib = 1024;
/** What a small result counts for in the budget, besides its few bytes. */
const countedBytes = 4 * kib;

/** Bytes that are held after everything that nobody holds was let go of. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // What is freed by the first may hold what the second frees.
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

describe('The memory of calls', () => {
  const newFolder = useFolders('gate-memory');
  let gate: Awaited<ReturnType<typeof openGate>>;

  before(async () => {
    gate = await openGate([server, 'echo'], { maxPastCalls: () => 20 });
  });
  after(() => gate.close());

  /** Makes so many calls, keeps what they bring, and tells what is held more than before. */
  async function heldBy(calls: number, { keep }: ReturnType<typeof keepingIn>): Promise<number> {
    const before = heldBytes();
    let made = 0;
    const call = async (): Promise<void> => {
      const outcome = await gate.call('echo', { text: `hello ${(made += 1)}` });
      if (outcome.kind !== 'result') throw new Error(`the call ended as ${outcome.kind}`);
      await keep('echo', outcome.result);
    };
    await times(call, calls, 8);
    await gate.history.stop();
    return heldBytes() - before;
  }

  it('is at most 2 kB for a small kept result', async () => {
    const keeping = keepingIn(newFolder(), 64 * kib * kib);
    await heldBy(300, keeping);
    const bytes = (await heldBy(2_000, keeping)) / 2_000;
    assert.ok(bytes <= 2 * kib, `${bytes} bytes a result`);
  });

  it('stays constant once as many results are kept as the settings allow', async () => {
    const most = 200;
    const keeping = keepingIn(newFolder(), most * countedBytes);
    // So many that what is known of the last thousand calls is there, too.
    await heldBy(1_500, keeping);
    const bytes = await heldBy(3_000, keeping);
    // The least that one call could leave behind, with its id, is about as much.
    assert.ok(bytes <= 3_000 * 300, `${bytes} bytes more`);
  });
});
