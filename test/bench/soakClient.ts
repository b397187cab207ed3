import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openGate } from './gateSubject';
import { printFigures, soak } from './gateTimes';
import { keepingIn } from './keptResults';

// So many calls through the whole gate that whatever grows is seen, each with its answer kept:
// `soakClient.js <server script> <calls>`. Prints one JSON object of figures; fails where the journal
// is not whole, or has not one decision and one outcome for each call.
const [server = '', count = '100000'] = process.argv.slice(2);
const calls = Number(count);
const maxPastCalls = 200;
/** All lines of a million calls stay, so that they can be counted. */
const maxJournalBytes = 64 * 1024 * 1024 * 1024;
/** For some thousand results: as many are soon kept as ever will be. */
const maxResultBytes = 16 * 1024 * 1024;

type Subject = Awaited<ReturnType<typeof openGate>>;

/** What the journal and the history hold in the end. */
async function kept({ journal, history }: Subject): Promise<Record<string, number>> {
  const report = await journal.verify();
  if (!report.isWhole) throw new Error(JSON.stringify(report));
  let decisions = 0;
  let outcomes = 0;
  for await (const row of journal.rows()) {
    if (row.kind !== 'call') continue;
    decisions += 1;
    if (row.outcome?.outcome === 'result') outcomes += 1;
  }
  await history.stop();
  await history.refresh();
  await history.stop();
  return { lines: report.lines, decisions, outcomes, pastCalls: history.calls.length };
}

async function main(): Promise<Record<string, number>> {
  const subject = await openGate(process.execPath, [server, 'echo'], {
    maxPastCalls: () => maxPastCalls,
    maxJournalBytes,
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-soak-'));
  const keeping = keepingIn(folder, maxResultBytes);
  const call = async (): Promise<void> => {
    const outcome = await subject.call('echo', { text: 'hello' });
    if (outcome.kind !== 'result') throw new Error(`the call ended as ${outcome.kind}`);
    await keeping.keep('echo', outcome.result);
  };
  const figures = await soak(call, calls);
  const found = await kept(subject);
  if (found['decisions'] !== calls || found['outcomes'] !== calls) {
    throw new Error(`${calls} calls: ${JSON.stringify(found)}`);
  }
  if (subject.problems.length > 0) throw new Error(subject.problems.join('\n'));
  await subject.close();
  rmSync(folder, { recursive: true });
  return { ...figures, ...found };
}

printFigures(main());
