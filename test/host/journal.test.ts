import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whileStopped } from '../core/stoppedClock';
import { assertEach } from '../assertions';
import { until } from '../waiting';
import { isJournalError } from './journalErrors';
import {
  decision,
  journalIn,
  linesIn,
  outcome,
  picture,
  rowsOf,
  segmentsIn,
  writeSegment,
} from './journalEntries';
import { useFolders } from './testFolders';

describe('The journal', () => {
  const newFolder = useFolders('journal');

  it('shows decision and outcome as one call, the newest first', async () => {
    const { journal } = journalIn(newFolder());
    journal.append(decision('a'));
    journal.append(decision('b', { effect: 'deny' }));
    journal.append({
      kind: 'refused',
      callId: 'c',
      server: 'demo',
      tool: 'gone',
      origin: 'api',
      code: 'unknownTool',
    });
    await journal.record(outcome('a', { outcome: 'toolError' }));
    assert.deepEqual(await picture(journal), ['refused unknownTool', 'b deny', 'a ask toolError']);
    await journal.stop();
  });

  it('is empty if nothing was written, and creates no folder', async () => {
    const folder = newFolder();
    const { journal, problems } = journalIn(folder);
    assert.deepEqual(await picture(journal), []);
    assert.deepEqual(await journal.pastCalls(), []);
    assert.equal((await journal.verify()).isWhole, true);
    await journal.stop();
    assert.throws(() => statSync(folder), { code: 'ENOENT' });
    assert.deepEqual(problems, []);
  });

  it('writes the entries of one turn at once, with one notification', async () => {
    const { journal } = journalIn(newFolder());
    let changes = 0;
    journal.onDidChange(() => (changes += 1));
    for (let index = 0; index < 50; index += 1) journal.append(decision(`call-${index}`));
    await journal.stop();
    assert.equal(changes, 1);
    assert.equal((await rowsOf(journal)).length, 50);
  });

  it('is readable only for the user', async function () {
    // Windows has no such bits.
    const folder = newFolder();
    const segment = await writeSegment(folder, [decision('a')]);
    if (process.platform === 'win32') return;
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(path.join(folder, segment)).mode & 0o777, 0o600);
  });

  it('sorts entries of several windows by time', async () => {
    const folder = newFolder();
    let clock = Date.now();
    const now = () => (clock += 1);
    const one = journalIn(folder, { now }).journal;
    const other = journalIn(folder, { now }).journal;
    for (let index = 0; index < 4; index += 1) {
      await one.record(decision(`one-${index}`));
      await other.record(decision(`other-${index}`));
    }
    assertEach(
      await picture(one),
      (row) => row.split(' ')[0],
      [3, 2, 1, 0].flatMap((index) => [`other-${index}`, `one-${index}`]),
    );
    assert.equal(segmentsIn(folder).length, 2);
    await one.stop();
    await other.stop();
  });

  it('returns past calls with the data that rules need', async () => {
    const folder = newFolder();
    const { journal } = journalIn(folder);
    journal.append(
      decision('a', { arguments: { path: '/x' }, effect: 'allow', ruleEffect: 'allow' }),
    );
    journal.append(decision('b'));
    await journal.stop();
    const [b, a] = await journal.pastCalls();
    assert.ok(a && b);
    assert.deepEqual(
      { ...a, at: 0 },
      {
        at: 0,
        server: 'demo',
        tool: 'echo',
        asker: 'person',
        risk: { level: 'readOnly', openWorld: true, idempotent: true },
        arguments: { path: '/x' },
        decision: 'allow',
        ruleEffect: 'allow',
      },
    );
    assert.equal('arguments' in b || 'ruleEffect' in b, false);
  });

  it('shows unreadable entries of a newer version, and treats them as intact', async () => {
    const folder = newFolder();
    const { journal } = journalIn(folder);
    // What is not of our types stands for an entry of the future.
    await journal.record(Object.assign(decision('a'), { effect: 'postpone' }));
    assert.deepEqual(await picture(journal), ['unreadable']);
    assert.equal((await journal.verify()).isWhole, true);
    await journal.stop();
  });

  it('bounds names from outside, but keeps arguments whole', async () => {
    const folder = newFolder();
    const long = 'x'.repeat(100_000);
    const segment = await writeSegment(folder, [
      decision('a', { tool: { name: long, fingerprint: 'f' }, arguments: { long } }),
    ]);
    const [, line = ''] = linesIn(folder, segment);
    const entry: { tool: { name: string }; arguments: { long: string } } = JSON.parse(line);
    assert.equal(entry.tool.name.length, 2_001);
    assert.equal(entry.arguments.long, long);
  });

  it('skips lines that are damaged, endless, or invalid', async () => {
    const folder = newFolder();
    const segment = await writeSegment(folder, [decision('a'), decision('b')]);
    const file = path.join(folder, segment);
    writeFileSync(path.join(folder, 'notes.txt'), 'not ours');
    appendFileSync(file, `{"line":4}\n\n${'x'.repeat(3 * 1024 * 1024)}\n\u0000\u0001\n`);
    const { journal } = journalIn(folder);
    assert.deepEqual(await picture(journal), [
      'unreadable',
      'unreadable',
      'unreadable',
      'b ask',
      'a ask',
    ]);
    assert.equal((await journal.verify()).isWhole, false);
    await journal.stop();
  });

  it('reports once that it cannot write, continues, and notes what was lost', async () => {
    const folder = newFolder();
    mkdirSync(path.dirname(folder), { recursive: true });
    writeFileSync(folder, 'a file stands where the folder should be');
    const { journal, problems } = journalIn(folder);
    journal.append(decision('a'));
    await assert.rejects(journal.record(decision('b')), isJournalError);
    journal.append(decision('c'));
    await assert.rejects(journal.record(decision('d')), isJournalError);
    assertEach(problems, ({ kind }) => kind, ['unwritable']);
    rmSync(folder);
    await journal.record(decision('e'));
    assert.deepEqual(await picture(journal), ['entriesLost', 'e ask'].toReversed());
    const note = (await rowsOf(journal))[1];
    assert.ok(note?.kind === 'other' && note.entry.kind === 'note');
    assert.ok(note.entry.note === 'entriesLost');
    assert.equal(note.entry.count, 4);
    assertEach(problems, ({ kind }) => kind, ['unwritable', 'writableAgain']);
    await journal.stop();
  });

  it('notes what was written to a segment that was deleted, if no other can be begun', async () => {
    const folder = newFolder();
    const { journal, problems } = journalIn(folder);
    await journal.record(decision('a'));
    await journal.write(decision('b'));
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file stands where the folder should be');
    await until(() => problems.some(({ kind }) => kind === 'unwritable'));
    rmSync(folder);
    await journal.record(decision('c'));
    assert.deepEqual(await picture(journal), ['c ask', 'entriesLost']);
    await journal.stop();
  });

  it('starts a new segment if its own is deleted, and says so', async () => {
    const folder = newFolder();
    const { journal } = journalIn(folder);
    await journal.record(decision('a'));
    rmSync(folder, { recursive: true });
    await journal.record(decision('b'));
    assert.deepEqual(await picture(journal), ['b ask']);
    const report = await journal.verify();
    assertEach(report.breaks, ({ kind }) => kind, ['missing']);
    await journal.stop();
  });

  it('writes nothing after it is closed, even if its segment was deleted', () =>
    whileStopped(async (clock) => {
      const folder = newFolder();
      const { journal } = journalIn(folder);
      await journal.write(decision('a'));
      for (const name of segmentsIn(folder)) rmSync(path.join(folder, name));
      await journal.stop();
      const kept = segmentsIn(folder);
      assert.equal(kept.length, 1);
      // It looks again, and has nothing to do.
      clock.advance(1_000);
      assert.deepEqual(await picture(journal), ['a ask']);
      assert.deepEqual([segmentsIn(folder), clock.waits], [kept, []]);
    }));

  it('accepts nothing after it is closed', async () => {
    const folder = newFolder();
    const { journal, problems } = journalIn(folder);
    await journal.record(decision('a'));
    await journal.stop();
    journal.append(decision('b'));
    await assert.rejects(journal.record(decision('c')), isJournalError);
    assert.deepEqual(await picture(journal), ['a ask']);
    assert.deepEqual(problems, []);
    journal.dispose();
  });
});
