import { performance } from 'node:perf_hooks';
import type { Figures } from './table';

export type Call = () => Promise<unknown>;

/** Times of so many calls, in milliseconds. */
export async function times(call: Call, total: number, inFlight: number): Promise<number[]> {
  const seen: number[] = [];
  let left = total;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const startedAt = performance.now();
      await call();
      seen.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return seen;
}

const samples = 10;

/** So many calls, sixteen at a time: what they leave in the heap, from the end of the first tenth on. */
export async function soak(call: Call, calls: number): Promise<Figures> {
  await times(call, calls / samples, 16);
  const first = heapMiB();
  let [last, spentMs] = [first, 0];
  for (let sample = 1; sample < samples; sample += 1) {
    const startedAt = performance.now();
    await times(call, calls / samples, 16);
    spentMs += performance.now() - startedAt;
    last = heapMiB();
    console.error(`${sample + 1} of ${samples}: heap ${last.toFixed(1)} MiB`);
  }
  const perSecond = (calls - calls / samples) / (spentMs / 1_000);
  return { perSecond, grownMiB: Math.max(0, last - first) };
}

/** After everything that nobody holds was let go of, where there is `gc` (`--expose-gc`). */
export function heapMiB(): number {
  global.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** The first line that a process of the benchmark prints. It ends with 1 when something failed. */
export function printFigures(figures: Promise<Figures>): void {
  figures.then(
    (all) => console.log(JSON.stringify(all)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}
