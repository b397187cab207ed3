import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { openGate } from '../bench/gateSubject';
import { whileStopped } from '../core/stoppedClock';
import { askedOfDisk } from './diskCount';

const server = path.resolve(__dirname, '../bench/server.mjs');

/** While time stands still nothing is looked at just because it was a while ago. */
describe('A call that a rule allows', () => {
  let gate: Awaited<ReturnType<typeof openGate>>;
  let maxPastCalls: number;

  const call = async (): Promise<string> => (await gate.call('echo', { text: 'hello' })).kind;

  async function calls(count: number, inFlight: number): Promise<Record<string, number>> {
    const asked = await askedOfDisk(async () => {
      for (let made = 0; made < count; made += inFlight) {
        await Promise.all(Array.from({ length: inFlight }, call));
      }
    });
    return Object.fromEntries(asked);
  }

  beforeEach(async () => {
    maxPastCalls = 0;
    gate = await openGate([server, 'echo'], {
      maxPastCalls: () => maxPastCalls,
    });
  });
  afterEach(() => gate.close());

  it('needs one check for changes and two writes, and reads nothing', () =>
    whileStopped(async () => {
      await call();
      await gate.journal.applyRetention();
      assert.deepEqual(await calls(20, 1), { 'stat changes': 20, 'handle write': 40 });
    }));

  it('shares checks and writes with the others of its turn', () =>
    whileStopped(async () => {
      await call();
      await gate.journal.applyRetention();
      const asked = await calls(160, 16);
      assert.deepEqual(Object.keys(asked).toSorted(), ['handle write', 'stat changes']);
      assert.equal(asked['stat changes'], 10);
      // The answers come as the server likes; the decisions of a turn are one write.
      const { 'handle write': writes = 0 } = asked;
      assert.ok(writes >= 20 && writes <= 170, `${writes} writes`);
    }));

  it('reads a change once, and nothing again until the next change', () =>
    whileStopped(async () => {
      await call();
      await gate.journal.applyRetention();
      await new SharedChanges(path.join(gate.globalStorage, 'changes')).notify();
      const first = await calls(1, 1);
      // One of the workspace, and one of all.
      assert.equal(first['readdir grants'], 2, JSON.stringify(first));
      assert.deepEqual(await calls(5, 1), { 'stat changes': 5, 'handle write': 10 });
    }));

  it('reads once what is a second old, however many calls come meanwhile', () =>
    whileStopped(async (clock) => {
      await call();
      await gate.journal.applyRetention();
      clock.advance(1_001);
      const asked = await askedOfDisk(async () => {
        let left = 320;
        const worker = async (): Promise<void> => {
          while (left-- > 0) await call();
        };
        await Promise.all(Array.from({ length: 16 }, worker));
      });
      const reads = [...asked].filter(([what]) => !/^(stat changes|handle write)$/.test(what));
      assert.deepEqual(
        new Map(reads.map(([what, times]) => [what.replace(/\w+\.pins/, 'pins'), times])),
        new Map([
          ['stat pins', 1],
          ['stat toolgate.lock.json', 1],
          // One of the workspace, and one of all.
          ['readdir grants', 2],
          ['readdir overrides', 2],
        ]),
      );
    }));

  it('is written to another segment if its own was deleted', () =>
    whileStopped(async () => {
      await call();
      await gate.journal.applyRetention();
      await call();
      for (const name of readdirSync(gate.journal.folder)) {
        rmSync(path.join(gate.journal.folder, name));
      }
      await call();
      const rows: string[] = [];
      for await (const row of gate.journal.rows()) {
        if (row.kind === 'call') rows.push(row.outcome?.outcome ?? 'none');
      }
      // Those that were written since the segment was last seen, too.
      assert.deepEqual(rows, ['result', 'result']);
    }));

  it('is stored in the background, and in a fast series not every call is written', () =>
    whileStopped(async () => {
      maxPastCalls = 5;
      for (let made = 0; made < 60; made += 1) await call();
      const asked = await askedOfDisk(() => gate.history.stop());
      const renamed = [...asked.keys()].filter((what) => what.startsWith('rename'));
      // A record and an answer for each, and for one that was being written already.
      assert.ok(renamed.length <= 2 * (5 + 1), `${renamed.length} files`);
      await gate.history.read();
      assert.equal(gate.history.calls.length, 5);
    }));
});
