import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import pidusage from 'pidusage';
import { procFacts } from './procFs';

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
 * process does not exist or the time is unknown. Never rejects.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return await linuxStart(pid);
    const { stdout } =
      process.platform === 'win32'
        ? await run(
            'powershell.exe',
            ['-NoProfile', '-Command', `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`],
            { timeout: timeoutMs, windowsHide: true },
          )
        : await run('ps', ['-o', 'lstart=', '-p', String(pid)], { timeout: timeoutMs });
    return stdout.trim() === '' ? undefined : stdout.trim();
  } catch {
    // There is no such process, or the system gives no information: then the process is left alone.
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
  const facts = await procFacts(pid);
  return facts === undefined ? undefined : `${boot.trim()}/${facts.start}`;
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
