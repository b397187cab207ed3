import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import pidusage from 'pidusage';
import { isAlive } from './aliveProcess';
import { powershell } from './findProgram';
import { procFactsOrAbsent } from './procFs';

const run = promisify(execFile);
const timeoutMs = 5_000;

/** Resources used by a process and everything in its group. */
export interface ProcessUsage {
  readonly memoryBytes: number;
  readonly uptimeMs: number;
  /** Number of processes, including the process itself. */
  readonly processes: number;
}

/**
 * Resolves with the system's text for the start time of a process: it stays the same for the
 * process and differs for a later process with the same ID, also after a reboot. `undefined` if the
 * process does not exist. @throws if the system gives no information, for example not in time
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return linuxStart(pid);
  try {
    const { stdout } = await (process.platform === 'win32' ? windowsStart(pid) : posixStart(pid));
    if (stdout.trim() !== '') return stdout.trim();
    throw new Error(`no start time of process ${pid}`);
  } catch (error) {
    // The programs fail in the same way if there is no such process.
    if (isAlive(pid)) throw error;
    return undefined;
  }
}

/** Measured on each call; resolves with `undefined` if the process is gone. Never rejects. */
export async function processUsage(pid: number): Promise<ProcessUsage | undefined> {
  try {
    const usages = Object.values(await pidusage([...(await groupOf(pid))]));
    const own = usages.find((usage) => usage.pid === pid);
    if (own === undefined) return undefined;
    return {
      memoryBytes: usages.reduce((sum, usage) => sum + usage.memory, 0),
      uptimeMs: own.elapsed,
      processes: usages.length,
    };
  } catch {
    return undefined;
  } finally {
    // It keeps the measurements for the next time, and a timer with them.
    pidusage.clear();
  }
}

async function linuxStart(pid: number): Promise<string | undefined> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  const facts = await procFactsOrAbsent(pid);
  return facts === undefined ? undefined : `${boot.trim()}/${facts.start}`;
}

function windowsStart(pid: number): Promise<{ readonly stdout: string }> {
  const script = `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`;
  const options = { timeout: timeoutMs, windowsHide: true };
  return run(powershell, ['-NoProfile', '-Command', script], options);
}

function posixStart(pid: number): Promise<{ readonly stdout: string }> {
  // Every window must get the same text, whatever its language and time zone.
  const ps = ['LC_ALL=C', 'TZ=UTC', 'ps', '-o', 'lstart=', '-p', String(pid)];
  return run('env', ps, { timeout: timeoutMs });
}

/** On POSIX a server leads its own group, which includes the processes that it started. */
async function groupOf(pid: number): Promise<ReadonlySet<number>> {
  const pids = new Set([pid]);
  if (process.platform === 'win32') return pids;
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,pgid='], { timeout: timeoutMs });
  for (const line of stdout.split('\n')) {
    const [member, group] = line.trim().split(/\s+/).map(Number);
    if (group === pid && member !== undefined) pids.add(member);
  }
  return pids;
}
