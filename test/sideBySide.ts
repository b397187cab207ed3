/** What may run beside others, as far as the machine holds it. */
export interface Job {
  /** How many processors it keeps busy by itself; `all` runs alone. */
  readonly lanes: number | 'all';
  readonly run: () => Promise<void>;
}

/** Starts the jobs in this order, as many side by side as there are lanes. Rejects if one does. */
export async function runSideBySide(jobs: readonly Job[], laneCount: number): Promise<void> {
  const running = new Map<Promise<void>, number>();
  const free = () => [...running.values()].reduce((rest, taken) => rest - taken, laneCount);
  for (const { lanes, run } of jobs) {
    const needed = lanes === 'all' ? laneCount : Math.min(lanes, laneCount);
    while (free() < needed) await Promise.race(running.keys());
    const job = run().finally(() => running.delete(job));
    running.set(job, needed);
  }
  await Promise.all(running.keys());
}
