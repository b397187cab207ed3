import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprint } from '../../src/host/consent/facts/fingerprints';
import { verifyJournal } from '../../src/host/journal/verify';
import type { Journal } from '../../src/host/journal/journal';
import { decision, journalIn, linesIn, picture, rowsOf, segmentsIn } from './journalEntries';
import { useFolders } from './testFolders';
import { useWindows } from './windowProcess';
import { assertEach, assertNone } from '../assertions';

const program = 'journalWindow.ts';

describe('The journal of several windows', () => {
  const newFolder = useFolders('journal');
  const openWindow = useWindows();

  it('keeps every entry that was reported as written, even if they are killed while writing', async () => {
    const folder = newFolder();
    const windows = ['red', 'green', 'blue'].map((name) => openWindow(program, [folder, name]));
    await Promise.all(windows.map(({ hasSaid }) => hasSaid(200)));
    for (const { child } of windows) child.kill('SIGKILL');
    await Promise.all(windows.map(({ closed }) => closed));

    const { journal } = journalIn(folder);
    const report = await journal.verify();
    assert.deepEqual([report.isWhole, report.segments], [true, 3]);
    const kept = new Set(
      (await rowsOf(journal)).flatMap((row) => (row.kind === 'call' ? [row.decision.callId] : [])),
    );
    const lost = windows.flatMap(({ said }) => said).filter((line) => !kept.has(line));
    assert.deepEqual(lost, []);

    // The next window ties them into its own.
    await journal.record(decision('after'));
    await journal.stop();
    const [header = ''] = readFileSync(
      path.join(folder, segmentsIn(folder).at(-1) ?? ''),
      'utf8',
    ).split('\n');
    const { known }: { known: readonly unknown[] } = JSON.parse(header);
    assert.equal(known.length, 3);
    assert.equal((await verifyJournal(folder)).isWhole, true);
  });

  it('has an end for every call: the one that its caller got, or the end of its window', async () => {
    const folder = newFolder();
    const windows = ['red', 'green'].map((name) => openWindow('callWindow.ts', [folder, name]));
    await Promise.all(windows.map(({ hasSaid }) => hasSaid(200)));
    for (const { child } of windows) child.kill('SIGKILL');
    await Promise.all(windows.map(({ closed }) => closed));
    const said = windows.flatMap((window) => window.said);
    const idsIn = (word: string) =>
      said.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));

    const { journal } = journalIn(folder);
    const before = await endsIn(journal);
    assertNone(idsIn('sent'), (id) => !before.has(id));
    assertNone(idsIn('heard'), (id) => before.get(id) !== 'result');

    // The next window says it of the others, once.
    await journal.record(decision('after', { answer: 'no' }));
    await journal.stop();
    const after = await endsIn(journal);
    assertEach(
      [...before],
      ([id, end]) => [id, after.get(id) === (end ?? 'windowEnded')],
      [...before].map(([id]) => [id, true]),
    );
    const { journal: third } = journalIn(folder);
    await third.record(decision('third', { answer: 'no' }));
    await third.stop();
    assert.equal(linesIn(folder, segmentsIn(folder).at(-1) ?? '').length, 2);
    assert.equal((await verifyJournal(folder)).isWhole, true);
  });

  for (const [who, moments] of [
    ['caller', [1, 2, 30, 211]],
    ['server', [1, 4, 75, 300]],
  ] as const) {
    it(`contains every call that reached its ${who} when the window is killed at that moment`, async () => {
      for (const [index, count] of moments.entries()) {
        const base = path.dirname(newFolder());
        const inFlight = index % 2 === 0 ? '1' : '7';
        const window = openWindow('gateWindow.ts', [base, who, String(count), inFlight]);
        await window.closed;
        assert.equal(window.child.signalCode, 'SIGKILL');
        const { journal } = journalIn(path.join(base, 'global', 'journal'));
        assert.equal((await journal.verify()).isWhole, true);

        const decided = new Set(
          (await rowsOf(journal)).map((row) => row.kind === 'call' && row.decision.argumentsDigest),
        );
        const noted = readFileSync(path.join(base, 'noted'), 'utf8').trimEnd().split('\n');
        assert.ok(noted.length >= count, `${noted.length} calls`);
        assertNone(noted, (text) => !decided.has(fingerprint({ text })));
        const ends = await endsIn(journal);
        const heard = window.said.map((line) => line.split(' '));
        if (who === 'caller') assert.equal(heard.length, count);
        assertNone(heard, ([id = '', kind]) => kind !== 'result' || ends.get(id) !== kind);
      }
    });
  }

  it('refuses calls that must be recorded when the disk is full, and stays intact', async function () {
    // The limit of a shell for the size of a file stands for a full disk; Windows has none.
    if (process.platform === 'win32') return;
    const folder = newFolder();
    mkdirSync(path.dirname(folder), { recursive: true });
    const blocks = 16; // of 512 or 1,024 bytes, as the shell likes
    const script = `ulimit -f ${blocks}; exec "$@"`;
    const window = openWindow(program, [folder, 'full', '500'], ['/bin/sh', '-c', script, 'sh']);
    await window.closed;
    const problems = window.said.filter((line) => !line.startsWith('full-'));
    assertEach(problems, (line) => line.split(':')[0], [
      'unwritable EFBIG',
      'refused JournalError',
    ]);
    const report = await verifyJournal(folder);
    assert.deepEqual([report.isWhole, report.torn], [true, []]);
    const rows = await picture(journalIn(folder).journal);
    assert.equal(rows.length, window.said.length - problems.length);
    assert.ok(rows.length > 5, `${rows.length} entries fit`);
  });
});

/** How each call ended, by its id; `undefined`: nothing says so. */
async function endsIn(journal: Journal): Promise<ReadonlyMap<string, string | undefined>> {
  const rows = await rowsOf(journal);
  return new Map(
    rows.flatMap((row) =>
      row.kind === 'call' ? [[row.decision.callId, row.outcome?.outcome] as const] : [],
    ),
  );
}
