import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isObject } from '../json/shapes';
import { powershell } from './findProgram';
import { mapProcesses, procFacts, procPids } from './procFs';
import { SharedSnapshot } from './sharedSnapshot';

/** A process from the system's list. */
export interface TableRow {
  readonly pid: number;
  readonly parent: number;
  /** Absent on Windows, which has no groups. */
  readonly group?: number;
  /** Set if the list has it: distinguishes the process from a later one with the same ID. */
  readonly start?: string;
  /** Its command line, if the list has it; otherwise it is read for each process. Untrusted. */
  readonly command?: string;
}

const run = promisify(execFile);
const timeoutMs = 10_000;
const maxBytes = 32 * 1024 * 1024;

const look = new SharedSnapshot(async (): Promise<readonly TableRow[]> => {
  try {
    if (process.platform === 'linux') return await mapProcesses(await procPids(), procFacts);
    return process.platform === 'win32' ? await windowsTable() : await posixTable();
  } catch {
    return [];
  }
});

/** Resolves with all processes; empty if the system does not list them. Never rejects. */
export function processTable(): Promise<readonly TableRow[]> {
  return look.ask();
}

/** Returns the descendants of this process, nearest first. */
export function descendantsIn<Row extends TableRow>(
  table: readonly Row[],
  pid: number,
): readonly Row[] {
  const children = new Map<number, Row[]>();
  for (const row of table) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  const found = new Set<Row>();
  const take = (parent: number): void => {
    for (const row of children.get(parent) ?? []) if (row.pid !== pid) found.add(row);
  };
  take(pid);
  // Iterating over a set includes items added meanwhile, each only once.
  for (const row of found) take(row.pid);
  return [...found];
}

async function posixTable(): Promise<readonly TableRow[]> {
  const args = ['-A', '-ww', '-o', 'pid=,ppid=,pgid=,args='];
  const { stdout } = await run('ps', args, { timeout: timeoutMs, maxBuffer: maxBytes });
  return posixRows(stdout);
}

/** Parses the lines of `ps`. A server chooses the arguments of its processes, which may contain any line separator. */
export function posixRows(lines: string): readonly TableRow[] {
  return lines.split('\n').flatMap((line) => {
    const [, pid, parent, group, command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/s.exec(line) ?? [];
    if (pid === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), command }];
  });
}

async function windowsTable(): Promise<readonly TableRow[]> {
  const script =
    'Get-CimInstance Win32_Process | Select-Object ProcessId,ParentProcessId,CommandLine | ConvertTo-Json -Compress';
  const { stdout } = await run(powershell, ['-NoProfile', '-Command', script], {
    timeout: timeoutMs,
    maxBuffer: maxBytes,
    windowsHide: true,
  });
  const rows: unknown = JSON.parse(stdout);
  return (Array.isArray(rows) ? rows : [rows]).flatMap((row: unknown) => {
    if (!isObject(row)) return [];
    const { ProcessId: pid, ParentProcessId: parent, CommandLine: command } = row;
    if (typeof pid !== 'number' || typeof parent !== 'number') return [];
    return [{ pid, parent, ...(typeof command === 'string' ? { command } : {}) }];
  });
}
