import { performance } from 'node:perf_hooks';

/** How often is looked; what is shorter is no stall to anybody. */
const betweenLooksMs = 1;

/**
 * Begins to look for the longest turns of the event loop; the function that comes back ends it and tells. By
 * the clock a turn contains what the thread waited for a core, which on a small machine is as much as others
 * keep busy; by its CPU time only what it did itself, and what the system did for it (a `fork`, say). A
 * timer that is due is called once in each turn, so between two calls lies one turn that is longer than a
 * millisecond, or several that are not.
 */
export function watchTurns(): () => { readonly stallMs: number; readonly turnCpuMs: number } {
  let at = performance.now();
  let cpu = threadCpuMs();
  const longest = { stallMs: 0, turnCpuMs: 0 };
  const look = (): void => {
    const now = performance.now();
    const cpuNow = threadCpuMs();
    longest.stallMs = Math.max(longest.stallMs, now - at);
    longest.turnCpuMs = Math.max(longest.turnCpuMs, cpuNow - cpu);
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
