import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const isWindows = process.platform === 'win32';
const pollMs = 15;

/**
 * Signals a process and everything that it started. On POSIX the process must lead its own group
 * (spawned `detached`); what left the group by `setsid` is out of reach. On Windows every signal
 * ends the tree by force: there is no other way to reach it. Never throws.
 */
export function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (isWindows) {
    const child = spawn('taskkill', taskkillArguments(pid), { stdio: 'ignore', windowsHide: true });
    child.on('error', () => {
      // Without taskkill nothing more can be done; the caller's wait is bounded.
    });
    return;
  }
  signalGroup(pid, signal);
}

/** The same for a process that is about to end itself: returns when the signal is out. */
export function killTreeNow(pid: number): void {
  if (isWindows) spawnSync('taskkill', taskkillArguments(pid), { stdio: 'ignore', timeout: 2_000 });
  else signalGroup(pid, 'SIGKILL');
}

/**
 * Waits until nothing of the group is left, at most `timeoutMs`; whether that is so. Members are
 * nobody's children any more, so there is no event to wait for. Windows knows no groups: true.
 */
export async function waitForEmptyTree(pid: number, timeoutMs: number): Promise<boolean> {
  const endsAt = performance.now() + timeoutMs;
  while (isGroupAlive(pid)) {
    if (performance.now() >= endsAt) return false;
    await delay(pollMs);
  }
  return true;
}

function taskkillArguments(pid: number): string[] {
  return ['/PID', String(pid), '/T', '/F'];
}

function isGroupAlive(pid: number): boolean {
  return !isWindows && signalGroup(pid, 0);
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    // ESRCH: empty. EPERM: only members that are not ours to signal, or (macOS) only zombies.
    return false;
  }
}
