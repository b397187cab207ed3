import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import path from 'node:path';
import type { SegmentTip } from '../../src/host/journal/entry';
import { toLine } from '../../src/host/journal/journalLine';
import { newSegmentName } from '../../src/host/journal/segmentWriter';
import { applyRetention } from '../../src/host/journal/retention';
import { verifyJournal } from '../../src/host/journal/verify';
import {
  decision,
  journalIn,
  linesIn,
  limits,
  picture,
  segmentsIn,
  writeSegment,
} from './journalEntries';
import { busiestCount } from '../workCount';
import { useFolders } from './testFolders';

const day = 24 * 60 * 60 * 1_000;

describe('Retention of the journal', () => {
  const newFolder = useFolders('journal');

  /** One segment for each age in days, oldest last in time, first in the list. */
  async function segmentsOfAges(folder: string, ages: readonly number[]): Promise<string[]> {
    const names: string[] = [];
    for (const age of ages) {
      const at = Date.now() - age * day;
      const name = await writeSegment(folder, [decision(`${age} days`)], {
        now: () => at,
        limits: () => ({ ...limits, retentionDays: 3_650 }),
      });
      utimesSync(path.join(folder, name), new Date(at), new Date(at));
      names.push(name);
    }
    return names;
  }

  it('removes old segments, says so, and Verify accepts that', async () => {
    const folder = newFolder();
    await segmentsOfAges(folder, [40, 20, 2]);
    const { journal } = journalIn(folder, { limits: () => ({ ...limits, retentionDays: 10 }) });
    await journal.record(decision('today'));
    await journal.stop();
    assert.deepEqual(await picture(journal), [
      'segmentsRemoved',
      'today ask',
      '2 days ask windowEnded',
    ]);
    const report = await verifyJournal(folder);
    assert.deepEqual([report.isWhole, report.removedByRetention], [true, 2]);
  });

  it('takes no more work for each segment if it removes many', async () => {
    const folder = newFolder();
    const count = 300;
    const ages = Array.from({ length: count }, (_, index) => 400 - index / count);
    chainedSegments(folder, ages);
    const options = { folder, now: Date.now(), own: new Set<string>(), current: undefined };
    const steps = await busiestCount(() =>
      applyRetention({ ...options, ...limits, note: () => Promise.resolve() }),
    );
    assert.deepEqual(segmentsIn(folder), []);
    assert.ok(steps < 40 * count, `${steps} steps`);
  });

  it('reads only the ends of older segments before the first entry, several at once', async () => {
    const folder = newFolder();
    const entries = Array.from({ length: 200 }, (_, index) => decision(`${index}`));
    for (let index = 0; index < 20; index += 1) {
      const { journal } = journalIn(folder);
      await Promise.all(entries.map((entry) => journal.write(entry)));
      await journal.stop();
    }
    const { journal } = journalIn(folder);
    const { most, bytes } = await watchReads(() => journal.write(decision('first')));
    await journal.stop();
    assert.ok(most > 1 && most <= 16, `${most} reads at once`);
    assert.ok(bytes <= 20 * 2 * 4_096, `${bytes} bytes`);
  });

  it('does not cover other removals', async () => {
    const folder = newFolder();
    const [, , third = ''] = await segmentsOfAges(folder, [40, 20, 3, 2]);
    const { journal } = journalIn(folder, { limits: () => ({ ...limits, retentionDays: 10 }) });
    await journal.record(decision('today'));
    await journal.stop();
    rmSync(path.join(folder, third));
    const report = await verifyJournal(folder);
    assert.deepEqual(report.breaks, [{ kind: 'missing', segment: third }]);
  });

  it('remembers what it removed as long as a segment refers to it', async () => {
    const folder = newFolder();
    const [first = ''] = await segmentsOfAges(folder, [60]);
    // A window that is open since then, and names the first one.
    const open = await writeSegment(folder, [decision('open')]);
    const at = Date.now() - 20 * day;
    // Twenty days ago the first one went, and the note about it stands in a segment that goes now.
    const noting = await writeSegment(folder, [decision('20 days')], {
      now: () => at,
      limits: () => ({ ...limits, retentionDays: 30 }),
    });
    utimesSync(path.join(folder, noting), new Date(at), new Date(at));
    assert.deepEqual(new Set(segmentsIn(folder)), new Set([open, noting]));
    assert.notEqual(first, open);
    const { journal } = journalIn(folder, { limits: () => ({ ...limits, retentionDays: 10 }) });
    await journal.record(decision('today'));
    await journal.stop();
    assert.deepEqual(await picture(journal), ['segmentsRemoved', 'today ask', 'open ask']);
    assert.equal((await verifyJournal(folder)).isWhole, true);
  });

  it('keeps to a size, removes the oldest first, but never the one being written', async () => {
    const folder = newFolder();
    const names = await segmentsOfAges(folder, [4, 3, 2, 1]);
    const sizes = names.map((name) => statSync(path.join(folder, name)).size);
    // Room for the two youngest and the one that is about to be made.
    const maxBytes = (sizes[2] ?? 0) + (sizes[3] ?? 0) + 1_200;
    const { journal } = journalIn(folder, { limits: () => ({ ...limits, maxBytes }) });
    await journal.record(decision('today'));
    await journal.stop();
    assert.deepEqual(await picture(journal), [
      'segmentsRemoved',
      'today ask',
      '1 days ask windowEnded',
      '2 days ask windowEnded',
    ]);
    assert.equal((await verifyJournal(folder)).isWhole, true);
  });

  it('keeps segments that another window wrote to a moment ago', async () => {
    const folder = newFolder();
    const other = journalIn(folder).journal;
    await other.record(decision('other'));
    const { journal } = journalIn(folder, { limits: () => ({ ...limits, maxBytes: 100 }) });
    await journal.record(decision('mine'));
    await journal.stop();
    await other.record(decision('other again'));
    await other.stop();
    assert.equal((await picture(journal)).length, 3);
    assert.equal((await verifyJournal(folder)).isWhole, true);
  });

  it('limits one busy window to the size, too', async () => {
    const folder = newFolder();
    const maxBytes = 64 * 1024;
    const { journal } = journalIn(folder, { limits: () => ({ ...limits, maxBytes }) });
    for (let index = 0; index < 600; index += 1) await journal.record(decision(`call-${index}`));
    await journal.stop();
    const bytes = segmentsIn(folder)
      .map((name) => statSync(path.join(folder, name)).size)
      .reduce((sum, size) => sum + size, 0);
    // What was written since the last segment was begun comes on top.
    assert.ok(bytes < maxBytes * 1.5, `${bytes} bytes are kept`);
    const rows = await picture(journal);
    assert.ok(rows.some((row) => row.startsWith('call-599 ')));
    assert.equal((await verifyJournal(folder)).isWhole, true);
  });

  it('removes nothing if it cannot record that', async () => {
    const folder = newFolder();
    const [old = ''] = await segmentsOfAges(folder, [40]);
    const { journal, problems } = journalIn(folder, {
      limits: () => ({ ...limits, retentionDays: 10 }),
    });
    await journal.stop();
    await journal.applyRetention();
    assert.deepEqual(segmentsIn(folder), [old]);
    assert.equal(linesIn(folder, old).length, 2);
    assert.deepEqual(problems, []);
  });
});

/** Writes a segment for each age in days, which names the one before it. */
function chainedSegments(folder: string, ages: readonly number[]): void {
  mkdirSync(folder, { recursive: true });
  let known: readonly SegmentTip[] = [];
  for (const age of ages) {
    const at = Math.round(Date.now() - age * day);
    const segment = newSegmentName(at);
    const header = { kind: 'header', version: 1, segment, known, pid: 1, host: 'other' } as const;
    const { text, hash } = toLine({ line: 1, at, content: header });
    writeFileSync(path.join(folder, segment), `${text}\n`);
    known = [{ segment, lines: 1, hash }];
  }
}

/** How many reads from files are under way at most, and how many bytes they ask for. */
async function watchReads(work: () => Promise<unknown>): Promise<{ most: number; bytes: number }> {
  const handle = await openFile(__filename);
  const handles = Object.getPrototypeOf(handle) as Pick<typeof handle, 'read'>;
  await handle.close();
  const { read } = handles;
  let reading = 0;
  const seen = { most: 0, bytes: 0 };
  const watched = async function (this: typeof handle, ...given: unknown[]): Promise<unknown> {
    seen.most = Math.max(seen.most, (reading += 1));
    seen.bytes += Number(given[2]);
    try {
      return await Reflect.apply(read, this, given);
    } finally {
      reading -= 1;
    }
  };
  Object.assign(handles, { read: watched });
  try {
    await work();
    return seen;
  } finally {
    Object.assign(handles, { read });
  }
}
