import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionLog } from '../log';
import { visibleText } from '../visibleText';
import { descendantsIn, processTable, type TableRow } from './processTable';
import { mapProcesses, type ProcFacts, procFacts, procText } from './procFs';
import { processesOfRun } from './runMark';
const pollMs = 15;
/** Maximum number of searches for processes that are started while others are being ended. */
const maxRounds = 3;
const maxNameChars = 40;

export interface StrayProcessOptions {
  /** Time from SIGTERM to SIGKILL. */
  readonly leaveMs: number;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
  /** Descendants seen while the run lived; they may hide its mark. */
  readonly seen?: readonly TableRow[];
  /** A group that is already being ended. */
  readonly excludedGroup?: number;
}

/**
 * Resolves with the descendants of this process, which are known only while it lives. They may
 * leave the group later.
 */
export async function processesBelow(pid: number): Promise<readonly TableRow[]> {
  if (process.platform === 'win32') return [];
  const table = await processTable();
  // A process that has ended is not listed, and its ID may be reused, but not by a child of ours.
  const isListed = table.some((row) => row.pid === pid && row.parent === process.pid);
  return isListed ? descendantsIn(table, pid) : [];
}

/** Without the run's mark, nothing outside its group is ended, only reported in the log. */
export function logStrayProcesses(
  seen: readonly TableRow[],
  log: Pick<ConnectionLog, 'warn'>,
): void {
  for (const { pid } of seen) {
    try {
      process.kill(pid, 0);
      log.warn(`process ${pid} had left its group and may be left`);
    } catch {
      // The process has ended.
    }
  }
}

/**
 * Ends the processes that a run has left outside its group: those with their own sessions, and
 * daemons whose parent is gone. They are recognized by the mark of the run; those that the user may
 * be using are spared. Each is logged by its ID. Resolves with the number of ended processes. Never
 * rejects.
 */
export async function endStrayProcesses(
  mark: string,
  { leaveMs, log, seen = [], excludedGroup }: StrayProcessOptions,
): Promise<number> {
  const told = new Set<number>();
  const ended = new Set<number>();
  for (let round = 1; ; round++) {
    const found = await processesOf(mark, seen, excludedGroup);
    if (found.length === 0) return ended.size;
    const spared = await processesToSpare(found);
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
  excludedGroup: number | undefined,
): Promise<readonly ProcFacts[]> {
  const marked = await processesOfRun(mark);
  const pids = new Set(marked.map(({ pid }) => pid));
  const others = await mapProcesses(
    seen.flatMap(({ pid }) => (pids.has(pid) ? [] : [pid])),
    procFacts,
  );
  const same = others.filter((one) => seen.some((row) => isSame(row, one)));
  return [...marked, ...same].filter(({ group }) => group !== excludedGroup);
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

/** The start time is compared right before, because the ID may have been reused. */
async function signalOne(stray: ProcFacts, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (!(await isThere(stray))) return;
  try {
    process.kill(stray.pid, signal);
  } catch {
    // It has ended meanwhile.
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

/**
 * Matches the libraries of a program that shows windows; programs linked otherwise are not
 * recognized.
 */
const windowLibrary =
  /\/lib(?:X11|xcb|wayland-client|gtk-[34]|gdk-[34]|Qt[56]Gui|SDL2?-[\d.]+)[.-]/;
/** Matches the arguments that put a browser under the control of a program. */
const automation =
  /(?:^|\0)--?(?:headless|remote-debugging-(?:port|pipe)|enable-automation|marionette|juggler)/;

const maxMapBytes = 4 * 1024 * 1024;
const maxArgumentBytes = 64 * 1024;

/**
 * Returns the processes that the user may be using although a server started them: those with an
 * open terminal, or with windows (a browser, an editor) unless a program controls them; this
 * process itself, because a server of another window may have started it; and their ancestors and
 * descendants. Killing them would destroy the user's work.
 */
async function processesToSpare(processes: readonly ProcFacts[]): Promise<ReadonlySet<number>> {
  const byPid = new Map(processes.map((facts) => [facts.pid, facts]));
  const automated = new Set(
    await mapProcesses([...byPid.keys()], async (pid) =>
      automation.test(await procText(pid, 'cmdline', maxArgumentBytes)) ? pid : undefined,
    ),
  );
  const used = await mapProcesses([...byPid.keys()], async (pid) => {
    if (pid === process.pid || byPid.get(pid)?.hasTerminal === true) return pid;
    if (linesOf(pid, byPid).some((one) => automated.has(one))) return undefined;
    return windowLibrary.test(await procText(pid, 'maps', maxMapBytes)) ? pid : undefined;
  });
  return related(new Set(used), byPid);
}

/** Returns the process and its known ancestors. */
function linesOf(pid: number, byPid: ReadonlyMap<number, ProcFacts>): readonly number[] {
  const line = new Set<number>();
  for (let at = byPid.get(pid); at !== undefined && !line.has(at.pid); at = byPid.get(at.parent)) {
    line.add(at.pid);
  }
  return [...line];
}

/** Adds all ancestors and descendants, and the processes of the same session. */
function related(
  used: ReadonlySet<number>,
  byPid: ReadonlyMap<number, ProcFacts>,
): ReadonlySet<number> {
  const spared = new Set([...used].flatMap((pid) => linesOf(pid, byPid)));
  const sessions = new Set([...used].map((pid) => byPid.get(pid)?.session));
  for (const { pid, session } of byPid.values()) {
    const isBelow = linesOf(pid, byPid).some((one) => used.has(one));
    if (isBelow || sessions.has(session)) spared.add(pid);
  }
  return spared;
}
