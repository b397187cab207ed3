import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionLog } from '../log';
import { visibleText } from '../visibleText';
import { descendantsIn, processTable, type TableRow } from './processTable';
import { forEachOf, type ProcFacts, procFacts } from './procFs';
import { processesOfRun } from './runMark';
import { sparedOf } from './sparedProcesses';

const pollMs = 15;
/** What a process starts while it is being ended is looked for again, so often. */
const maxRounds = 3;
const maxNameChars = 40;

export interface StrayOptions {
  /** From SIGTERM to SIGKILL. */
  readonly leaveMs: number;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
  /** What was seen below the run while it lived, and may hide its mark. */
  readonly seen?: readonly TableRow[];
  /** A group that is being ended already. */
  readonly besides?: number;
}

/** What is below this process: known as long as it lives. It may leave the group later. */
export async function processesBelow(pid: number): Promise<readonly TableRow[]> {
  if (process.platform === 'win32') return [];
  const table = await processTable();
  // What has ended is not in it, and its number may be somebody else's, but not that of a child of ours.
  const isListed = table.some((row) => row.pid === pid && row.parent === process.pid);
  return isListed ? descendantsIn(table, pid) : [];
}

/** Where the mark of a run is not seen, nothing outside its group is ended, only told. */
export function tellOfStrays(seen: readonly TableRow[], log: Pick<ConnectionLog, 'warn'>): void {
  for (const { pid } of seen) {
    try {
      process.kill(pid, 0);
      log.warn(`process ${pid} had left its group and may be left`);
    } catch {
      // It has ended.
    }
  }
}

/**
 * Ends what a run has left running outside its group: processes with sessions of their own, daemons
 * whose parent is gone. They are known by the mark of the run; those that a person may be using go
 * on. Each is told to the log by its number. Resolves with how many were ended. Never rejects.
 */
export async function endStrays(
  mark: string,
  { leaveMs, log, seen = [], besides }: StrayOptions,
): Promise<number> {
  const told = new Set<number>();
  const ended = new Set<number>();
  for (let round = 1; ; round++) {
    const found = await processesOf(mark, seen, besides);
    if (found.length === 0) return ended.size;
    const spared = await sparedOf(found);
    for (const { pid, name } of found) {
      if (!spared.has(pid) || told.has(pid)) continue;
      told.add(pid);
      log.warn(`process ${pid} (${shown(name)}) goes on: it has a terminal, or windows`);
    }
    const strays = found.filter(({ pid }) => !spared.has(pid));
    if (strays.length === 0) return ended.size;
    if (round > maxRounds) {
      for (const { pid, name } of strays) log.warn(`process ${pid} (${shown(name)}) is left`);
      return ended.size;
    }
    for (const { pid, name } of strays) {
      if (!ended.has(pid))
        log.warn(`process ${pid} (${shown(name)}) had left its group: ending it`);
      ended.add(pid);
    }
    await endAll(strays, leaveMs);
  }
}

async function processesOf(
  mark: string,
  seen: readonly TableRow[],
  besides: number | undefined,
): Promise<readonly ProcFacts[]> {
  const marked = await processesOfRun(mark);
  const pids = new Set(marked.map(({ pid }) => pid));
  const others = await forEachOf(
    seen.flatMap(({ pid }) => (pids.has(pid) ? [] : [pid])),
    procFacts,
  );
  const same = others.filter((one) => seen.some((row) => isSame(row, one)));
  return [...marked, ...same].filter(({ group }) => group !== besides);
}

function isSame(row: TableRow, facts: ProcFacts): boolean {
  return row.pid === facts.pid && row.start === facts.start;
}

async function endAll(strays: readonly ProcFacts[], leaveMs: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await Promise.all(strays.map((stray) => signalOne(stray, signal)));
    const endsAt = performance.now() + leaveMs;
    while (await isAnyThere(strays)) {
      if (performance.now() >= endsAt) break;
      await delay(pollMs);
    }
  }
}

/** The start is compared right before: the number may belong to somebody else by now. */
async function signalOne(stray: ProcFacts, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (!(await isThere(stray))) return;
  try {
    process.kill(stray.pid, signal);
  } catch {
    // Gone meanwhile.
  }
}

async function isAnyThere(strays: readonly ProcFacts[]): Promise<boolean> {
  return (await Promise.all(strays.map(isThere))).includes(true);
}

async function isThere({ pid, start }: ProcFacts): Promise<boolean> {
  return (await procFacts(pid))?.start === start;
}

function shown(name: string): string {
  return visibleText(name, maxNameChars);
}
