import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { windowsProgram } from './findProgram';

const isWindows = process.platform === 'win32';
const pollMs = 15;

/**
 * Signals a process and everything that it started. On POSIX the process must lead its own group
 * (spawned `detached`); processes that left the group with `setsid` are not reached. On Windows
 * every signal kills the tree by force, because nothing else reaches it. Never throws.
 */
export function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (isWindows) {
    const child = spawn(...taskkill(pid), { stdio: 'ignore', windowsHide: true });
    child.on('error', () => {
      // Without taskkill nothing else can be done; the caller's wait is limited.
    });
    return;
  }
  signalGroup(pid, signal);
}

/** Kills the tree from a process that is about to exit: returns when the signal was sent. */
export function killTreeNow(pid: number): void {
  if (isWindows) spawnSync(...taskkill(pid), { stdio: 'ignore', timeout: 2_000 });
  else signalGroup(pid, 'SIGKILL');
}

/**
 * Waits until the group is empty, at most `timeoutMs`; resolves with true if it is. Polls, because
 * orphaned members cause no event. Always true on Windows, which has no groups.
 */
export async function waitForEmptyTree(pid: number, timeoutMs: number): Promise<boolean> {
  const endsAt = performance.now() + timeoutMs;
  while (isGroupAlive(pid)) {
    if (performance.now() >= endsAt) return false;
    await delay(pollMs);
  }
  return true;
}

function taskkill(pid: number): [program: string, args: string[]] {
  return [windowsProgram('taskkill.exe'), ['/PID', String(pid), '/T', '/F']];
}

function isGroupAlive(pid: number): boolean {
  return !isWindows && signalGroup(pid, 0);
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    // ESRCH: empty. EPERM: only members that we must not signal, or (macOS) only zombies.
    return false;
  }
}
