/** This share of the time without a processor counts too, so that every limit is reached. */
const idleShare = 1 / 8;

/**
 * Returns a function that returns the milliseconds of processor time since then, as far as they are
 * known: on a busy machine, a limit in them stops no ordinary work.
 */
export function startProcessorClock(): () => number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  return () => {
    const passedMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(before);
    // Includes other threads of the process, so it may be too high.
    return Math.max(Math.min(passedMs, (user + system) / 1_000), passedMs * idleShare);
  };
}
