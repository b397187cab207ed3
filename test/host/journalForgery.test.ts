import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { JournalEntry } from '../../src/host/journal/entry';
import { readLine, sha256, toLine } from '../../src/host/journal/journalLine';
import { newSegmentName } from '../../src/host/journal/segmentWriter';
import { verifyJournal } from '../../src/host/journal/verify';
import { decision, journalIn, limits, linesIn, segmentsIn, setLines } from './journalEntries';
import { useFolders } from './testFolders';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.UTC(2026, 0, 10);

/** What somebody does who may write the files, and knows how a line is made: its sums need no key. */
describe('A forged journal', () => {
  const newFolder = useFolders('journal');

  /** A window that writes one entry at that time, and ends. */
  async function windowAt(folder: string, at: number, id = `at ${at}`, retentionDays = 3_650) {
    const before = new Set(segmentsIn(folder));
    const given = { now: () => at, limits: () => ({ ...limits, retentionDays }) };
    const { journal } = journalIn(folder, given);
    await journal.record(decision(id));
    await journal.stop();
    return segmentsIn(folder).find((name) => !before.has(name)) ?? assert.fail();
  }

  async function threeWindows() {
    const folder = newFolder();
    const names: string[] = [];
    for (const hours of [0, 2, 4]) names.push(await windowAt(folder, start + hours * hour));
    return { folder, names };
  }

  /** A whole segment with sums that are right. */
  function forge(folder: string, at: number, known: JournalEntry['content'] & { kind: 'header' }) {
    const name = newSegmentName(at);
    const content = { ...known, ...(known.segment === undefined ? {} : { segment: name }) };
    const header = toLine({ line: 1, at, content });
    const entry = { line: 2, at: at + 1, previous: header.hash, content: decision('forged') };
    writeFileSync(path.join(folder, name), `${header.text}\n${toLine(entry).text}\n`);
    return name;
  }
  const headerOf = (known: readonly object[], more: object = {}) => ({
    kind: 'header' as const,
    version: 1 as const,
    known: known.map((tip) => ({ segment: '', lines: 0, hash: '', ...tip })),
    pid: 1,
    host: 'h',
    ...more,
  });
  /** What names the whole segment as it stands there. */
  function tipOf(folder: string, segment: string) {
    const [header] = linesIn(folder, segment);
    const { known } = JSON.parse(header ?? '');
    return { known, lines: linesIn(folder, segment) };
  }
  const breaksOf = async (folder: string) =>
    (await verifyJournal(folder)).breaks.map(({ kind, segment }) => `${kind} ${segment}`);

  it('of many segments is verified in many turns of the event loop', async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const count = 60;
    let known: readonly object[] = [];
    for (let index = 0; index < count; index += 1) {
      const segment = forge(folder, start + index * hour, headerOf(known));
      const { hash } = readLine(Buffer.from(linesIn(folder, segment)[0] ?? ''));
      known = [{ segment, lines: 1, hash }];
    }
    let turns = 0;
    let isOver = false;
    const countTurn = () => {
      turns += 1;
      if (!isOver) setImmediate(countTurn);
    };
    // Each look at the clock takes a millisecond.
    let now = performance.now();
    performance.now = () => (now += 1);
    try {
      const onProgress = (share: number) => void (share === 1 && setImmediate(countTurn));
      const report = await verifyJournal(folder, { onProgress });
      assert.deepEqual([report.isWhole, report.segments], [true, count]);
    } finally {
      isOver = true;
      Reflect.deleteProperty(performance, 'now');
    }
    assert.ok(turns > count, `${turns} turns`);
  });

  it('reveals a whole file that was added between two others, whichever files it names', async () => {
    const { folder, names } = await threeWindows();
    assert.deepEqual(await breaksOf(folder), []);
    const known: readonly object[] = tipOf(folder, names[1] ?? '').known;
    for (const header of [headerOf([]), headerOf(known), headerOf(known, { segment: 'x' })]) {
      for (const at of [start - day, start + hour, start + 3 * hour]) {
        const forged = forge(folder, at, header);
        assert.deepEqual(await breaksOf(folder), [`unnamed ${forged}`]);
        rmSync(path.join(folder, forged));
      }
    }
  });

  it('reveals one that a later window names with everything else', async () => {
    const { folder } = await threeWindows();
    const forged = forge(folder, start + hour, headerOf([]));
    await windowAt(folder, start + 6 * hour);
    assert.deepEqual(await breaksOf(folder), [`unnamed ${forged}`]);
  });

  it('reveals two that name each other', async () => {
    const { folder } = await threeWindows();
    const one = forge(folder, start + hour, headerOf([]));
    const two = forge(folder, start + 3 * hour, headerOf([{ segment: one }]));
    const found = await breaksOf(folder);
    for (const forged of [one, two])
      assert.ok(
        found.some((each) => each.endsWith(forged)),
        forged,
      );
  });

  it('reveals a copy of any file under another name, and a renamed file', async () => {
    const { folder, names } = await threeWindows();
    for (const name of names) {
      const suffix = (name.startsWith('0', 25) ? '1' : '0').repeat(8);
      const sameTime = name.replace(/-[0-9a-f]{8}\.jsonl$/, `-${suffix}.jsonl`);
      for (const copy of [
        sameTime,
        newSegmentName(start + hour),
        newSegmentName(start + 9 * hour),
      ]) {
        copyFileSync(path.join(folder, name), path.join(folder, copy));
        assert.ok((await breaksOf(folder)).includes(`copied ${copy}`), copy);
        rmSync(path.join(folder, copy));
      }
      const renamed = newSegmentName(start + hour);
      renameSync(path.join(folder, name), path.join(folder, renamed));
      assert.ok((await breaksOf(folder)).includes(`copied ${renamed}`));
      renameSync(path.join(folder, renamed), path.join(folder, name));
    }
    assert.deepEqual(await breaksOf(folder), []);
  });

  it('keeps a file whose date was set back', async () => {
    const { folder, names } = await threeWindows();
    for (const name of names) utimesSync(path.join(folder, name), new Date(0), new Date(0));
    const last = await windowAt(folder, start + 6 * hour, 'last', 10);
    assert.deepEqual(segmentsIn(folder), [...names, last]);
    assert.deepEqual(await breaksOf(folder), []);
  });

  it('removes an old file even if its date was set forward', async () => {
    const { folder, names } = await threeWindows();
    const later = new Date(start + 30 * day);
    for (const name of names) utimesSync(path.join(folder, name), later, later);
    const last = await windowAt(folder, start + 20 * day, 'last', 10);
    assert.deepEqual(segmentsIn(folder), [last]);
    assert.deepEqual(await breaksOf(folder), []);
  });

  it('reveals a truncated file after the one that vouched for it was removed by age', async () => {
    const folder = newFolder();
    // A window that stays open for days: its file is named while it is short, and then ends.
    let at = start;
    const given = { now: () => at, limits: () => ({ ...limits, retentionDays: 3_650 }) };
    const { journal } = journalIn(folder, given);
    await journal.record(decision('early'));
    at += 5 * minute;
    await journal.record(decision('vouched'));
    const [open = ''] = segmentsIn(folder);
    await windowAt(folder, start + hour, 'short');
    at += 23 * hour;
    await journal.record(decision('late'));
    await journal.stop();
    const whole = readFileSync(path.join(folder, open));
    // The file of the short window is too old by now, the other one is not.
    const last = await windowAt(folder, start + 10 * day + 2 * hour, 'last', 10);
    assert.deepEqual(segmentsIn(folder), [open, last]);
    assert.deepEqual(await breaksOf(folder), []);
    const note = linesIn(folder, last).find((line) => line.includes('"segmentsRemoved"')) ?? '';
    const { vouched } = JSON.parse(note);
    assert.deepEqual(
      vouched.map((each: { known: { segment: string; lines: number }[] }) =>
        each.known.map(({ segment, lines }) => [segment, lines]),
      ),
      [[[open, 3]]],
    );
    // Changed within what the removed one vouched for, with sums that are right.
    setLines(folder, open, forgedEnd(linesIn(folder, open), 2));
    assert.notDeepEqual(await breaksOf(folder), []);
    writeFileSync(path.join(folder, open), whole);
    setLines(folder, open, linesIn(folder, open).slice(0, 2));
    assert.deepEqual(await breaksOf(folder), [`cut ${open}`]);
  });

  it('carries over two removals what the first removed file vouched for', async () => {
    const folder = newFolder();
    let at = start;
    const given = { now: () => at, limits: () => ({ ...limits, retentionDays: 3_650 }) };
    const { journal } = journalIn(folder, given);
    await journal.record(decision('early'));
    const [open = ''] = segmentsIn(folder);
    await windowAt(folder, start + hour, 'one');
    at += 23 * hour;
    await journal.record(decision('late'));
    await journal.stop();
    // It removes the file of the first window, and is removed itself by the next.
    const removing = await windowAt(folder, start + 2 * hour, 'removing', 0.01);
    assert.deepEqual(segmentsIn(folder), [open, removing]);
    const last = await windowAt(folder, start + 10 * day + 3 * hour, 'last', 10);
    assert.deepEqual(segmentsIn(folder), [open, last]);
    assert.deepEqual(await breaksOf(folder), []);
    assert.match(linesIn(folder, last).join('\n'), new RegExp(`"vouched".*"segment":"${open}"`));
  });

  it('is not reported if windows began at the same time, or a window stayed open for long', async () => {
    const folder = newFolder();
    const at = (time: number) => ({ now: () => time });
    const one = journalIn(folder, at(start)).journal;
    const two = journalIn(folder, at(start + 900)).journal;
    await Promise.all([one.record(decision('one')), two.record(decision('two'))]);
    assert.deepEqual(await breaksOf(folder), []);
    const three = journalIn(folder, at(start + hour)).journal;
    await three.record(decision('three'));
    await one.record(decision('one again'));
    await windowAt(folder, start + 2 * hour);
    await Promise.all([one.stop(), two.stop(), three.stop()]);
    assert.deepEqual(await breaksOf(folder), []);
  });

  /** The lines with another entry from that index on, sums made anew. */
  function forgedEnd(lines: readonly string[], index: number): string[] {
    const kept = lines.slice(0, index);
    let previous = sha256(kept.at(-1) ?? '');
    for (let line = index + 1; line <= lines.length; line += 1) {
      const made = toLine({
        line,
        at: start + line,
        previous,
        content: decision(`forged ${line}`),
      });
      kept.push(made.text);
      previous = made.hash;
    }
    return kept;
  }
});
