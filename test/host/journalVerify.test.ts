import assert from 'node:assert/strict';
import {
  appendFileSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { verifyJournal, type VerifyReport } from '../../src/host/journal/verify';
import { maxListed } from '../../src/host/journal/entry';
import { maxLineBytes } from '../../src/host/journal/journalLine';
import {
  decision,
  journalIn,
  linesIn,
  outcome,
  picture,
  segmentsIn,
  setLines,
  writeSegment,
} from './journalEntries';
import { useFolders } from './testFolders';
import { assertEach } from '../assertions';

const entries = ['a', 'b', 'c', 'd'].flatMap((id) => [decision(id), outcome(id)]);

/** The breaks as `<kind> <place in the order of segments>:<line>`. */
function breaksOf(report: VerifyReport, segments: readonly string[]): string[] {
  return report.breaks.map(
    ({ kind, segment, line }) => `${kind} ${segments.indexOf(segment)}:${line ?? ''}`,
  );
}

describe('Verifying the journal', () => {
  const newFolder = useFolders('journal');

  async function threeSegments(): Promise<{ folder: string; segments: string[] }> {
    const folder = newFolder();
    const segments: string[] = [];
    for (let count = 0; count < 3; count += 1) segments.push(await writeSegment(folder, entries));
    return { folder, segments };
  }

  it('finds nothing in an unchanged journal', async () => {
    const { folder } = await threeSegments();
    const report = await verifyJournal(folder);
    assert.deepEqual(report, {
      isWhole: true,
      breaks: [],
      breakCount: 0,
      segments: 3,
      lines: 27,
      torn: [],
      removedByRetention: 0,
    });
  });

  it('finds nothing if an entry has as many and as long names as are recorded', async () => {
    const folder = newFolder();
    // JSON writes each of these characters as six bytes.
    const tools = Array.from(
      { length: maxListed },
      (_, index) => `${index}${'\u0001'.repeat(3_000)}`,
    );
    const entry = { kind: 'permission', action: 'granted', server: 'demo', tools } as const;
    const segment = await writeSegment(folder, [entry, decision('a')]);
    const report = await verifyJournal(folder);
    assert.deepEqual([report.breaks, report.lines], [[], 3]);
    const [, line = ''] = linesIn(folder, segment);
    assert.ok(line.length <= maxLineBytes);
    const { tools: kept } = JSON.parse(line) as typeof entry;
    assert.equal(kept.length, maxListed);
  });

  it('names the line of any changed byte', async () => {
    const { folder, segments } = await threeSegments();
    const [first = ''] = segments;
    const file = path.join(folder, first);
    const whole = readFileSync(file);
    // Every 37th byte, so that each part of each line has its turn.
    for (let at = 0; at < whole.length; at += 37) {
      if (whole[at] === 0x0a) continue;
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0x01;
      if (changed[at] === 0x0a) continue;
      writeFileSync(file, changed);
      const line = whole.subarray(0, at).toString('latin1').split('\n').length;
      const found = breaksOf(await verifyJournal(folder), segments);
      assert.deepEqual(found, [`changed 0:${line}`], `byte ${at}`);
    }
  });

  it('finds removed lines, at the first of them', async () => {
    const { folder, segments } = await threeSegments();
    const [, middle = ''] = segments;
    const lines = linesIn(folder, middle);
    setLines(folder, middle, lines.toSpliced(3, 2));
    assert.deepEqual(breaksOf(await verifyJournal(folder), segments), ['removed 1:4']);
    setLines(folder, middle, lines.slice(1));
    assert.deepEqual(breaksOf(await verifyJournal(folder), segments), ['removed 1:1']);
  });

  it('finds lines in another order, and duplicate lines', async () => {
    const { folder, segments } = await threeSegments();
    const [first = ''] = segments;
    const lines = linesIn(folder, first);
    setLines(folder, first, lines.toSpliced(4, 0, lines[2] ?? ''));
    const twice = breaksOf(await verifyJournal(folder), segments);
    assert.equal(twice[0], 'changed 0:3');
    const [one = '', two = ''] = lines.slice(3, 5);
    setLines(folder, first, lines.toSpliced(3, 2, two, one));
    assert.equal((await verifyJournal(folder)).isWhole, false);
  });

  it('finds a line that was rewritten with a matching hash', async () => {
    const { folder, segments } = await threeSegments();
    const [first = ''] = segments;
    const lines = linesIn(folder, first);
    // Of another journal: as it was written, but not here.
    const elsewhere = newFolder();
    const other = await writeSegment(elsewhere, entries);
    setLines(folder, first, lines.with(4, linesIn(elsewhere, other)[4] ?? ''));
    assert.notDeepEqual(breaksOf(await verifyJournal(folder), segments), []);
    assert.equal((await verifyJournal(folder)).isWhole, false);
  });

  it('finds the missing last lines of an older segment', async () => {
    const { folder, segments } = await threeSegments();
    const [, middle = ''] = segments;
    setLines(folder, middle, linesIn(folder, middle).slice(0, -2));
    assert.deepEqual(breaksOf(await verifyJournal(folder), segments), ['cut 1:8']);
  });

  it('finds a missing, emptied, or replaced segment', async () => {
    const { folder, segments } = await threeSegments();
    const [first = '', middle = ''] = segments;
    const file = path.join(folder, middle);
    const whole = readFileSync(file);
    rmSync(file);
    assert.deepEqual(breaksOf(await verifyJournal(folder), segments), ['missing 1:']);
    writeFileSync(file, '');
    assert.deepEqual(breaksOf(await verifyJournal(folder), segments), ['cut 1:1']);
    writeFileSync(file, readFileSync(path.join(folder, first)));
    assert.equal((await verifyJournal(folder)).isWhole, false);
    writeFileSync(file, whole);
    assert.equal((await verifyJournal(folder)).isWhole, true);
  });

  it('stops when it is cancelled, without reporting unread parts as missing', async () => {
    const { folder } = await threeSegments();
    const shares: number[] = [];
    const report = await verifyJournal(folder, {
      onProgress: (share) => shares.push(Math.round(share * 3)),
      isCancelled: () => shares.length === 2,
    });
    assert.deepEqual(shares, [1, 2]);
    assert.deepEqual([report.isWhole, report.segments], [true, 2]);
  });

  describe('after a window was killed', () => {
    /** A segment whose last line was half written, by a process that is no more. */
    async function tornSegment(): Promise<{ folder: string; segment: string; size: number }> {
      const folder = newFolder();
      const segment = await writeSegment(folder, entries);
      const file = path.join(folder, segment);
      const { length } = readFileSync(file);
      const [last = ''] = linesIn(folder, segment).slice(-1);
      const size = length - last.length - 1;
      truncateSync(file, length - 20);
      return { folder, segment, size };
    }

    it('reports an incomplete line, which is no violation', async () => {
      const { folder, segment } = await tornSegment();
      const report = await verifyJournal(folder);
      assert.deepEqual([report.isWhole, report.lines], [true, 8]);
      assertEach(report.torn, (torn) => torn.segment, [segment]);
      assert.equal((await picture(journalIn(folder).journal)).length, 4);
    });

    it('changes nothing while the window is open', async () => {
      const { folder, segment } = await tornSegment();
      const before = readFileSync(path.join(folder, segment));
      // It says that this process wrote it.
      const next = journalIn(folder).journal;
      await next.record(decision('next'));
      await next.stop();
      assert.deepEqual(readFileSync(path.join(folder, segment)), before);
      assert.equal((await verifyJournal(folder)).torn.length, 1);
    });

    it('has it repaired by the next window, which keeps the incomplete line', async () => {
      const { folder, segment, size } = await tornSegment();
      const file = path.join(folder, segment);
      const torn = readFileSync(file).subarray(size).toString();
      // Nobody needs a day to write a line.
      const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1_000);
      utimesSync(file, yesterday, yesterday);
      const { journal, problems } = journalIn(folder);
      await journal.record(decision('next'));
      await journal.stop();
      assert.equal(readFileSync(file).length, size);
      const report = await verifyJournal(folder);
      assert.deepEqual([report.isWhole, report.torn], [true, []]);
      const [mine = ''] = segmentsIn(folder).filter((name) => name !== segment);
      const note: unknown = JSON.parse(linesIn(folder, mine).at(-1) ?? '');
      assert.ok(typeof note === 'object' && note !== null && 'text' in note && 'note' in note);
      assert.deepEqual([note.note, note.text], ['tornLine', torn]);
      assert.deepEqual(problems, []);
    });
  });

  it('reports data after the last line only once the window wrote again', async () => {
    const { folder, segments } = await threeSegments();
    const [, , last = ''] = segments;
    // The one thing that nothing can show: the newest lines of the newest segment taken away.
    setLines(folder, last, linesIn(folder, last).slice(0, -1));
    assert.equal((await verifyJournal(folder)).isWhole, true);
    appendFileSync(path.join(folder, last), '{}\n');
    assert.deepEqual(breaksOf(await verifyJournal(folder), segments), ['changed 2:9']);
  });
});
