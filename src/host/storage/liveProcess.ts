/** Whether a process of this machine has the number now; somebody else's counts, too. */
export function isAlive(pid: number): boolean {
  // 0 and below would mean groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One that may not be asked is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
