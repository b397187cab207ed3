import { performance } from 'node:perf_hooks';

/**
 * The longest turns of the event loop while something is done. By the clock they contain what the
 * thread waited for a core, which on a small machine is as much as others keep busy; by its CPU time
 * only what it did itself, and what the system did for it (a `fork`, say).
 */
export interface Longest {
  readonly ms: number;
  readonly cpuMs: number;
}

/** How often is looked; what is shorter is no stall to anybody. */
const betweenLooksMs = 1;

/**
 * Begins to look; the function that comes back ends it and tells. A timer that is due is called once
 * in each turn, so between two calls lies one turn that is longer than a millisecond, or several that
 * are not.
 */
export function watchTurns(): () => Longest {
  let at = performance.now();
  let cpu = threadCpuMs();
  const longest = { ms: 0, cpuMs: 0 };
  const look = (): void => {
    const now = performance.now();
    const cpuNow = threadCpuMs();
    longest.ms = Math.max(longest.ms, now - at);
    longest.cpuMs = Math.max(longest.cpuMs, cpuNow - cpu);
    at = now;
    cpu = cpuNow;
  };
  const timer = setInterval(look, betweenLooksMs);
  // What is watched ends when it does.
  timer.unref();
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

/** Node 24, on which the benchmark runs, has it; the types are those of the oldest Node that we run on. */
interface WithThreadCpu {
  threadCpuUsage(): NodeJS.CpuUsage;
}

/** Of this thread alone: what Node and V8 do on others keeps nobody waiting. */
function threadCpuMs(): number {
  const { user, system } = (process as unknown as WithThreadCpu).threadCpuUsage();
  return (user + system) / 1_000;
}
