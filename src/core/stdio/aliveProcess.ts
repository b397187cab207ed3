import { systemErrorCode } from '../bounds/systemError';

/** Returns true if a process with this number exists on this machine, also one of another user. */
export function isAlive(pid: number): boolean {
  // 0 and below would address groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists.
    return systemErrorCode(error) !== 'ESRCH';
  }
}
