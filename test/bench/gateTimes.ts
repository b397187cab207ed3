import { performance } from 'node:perf_hooks';

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

/** After everything that nobody holds was let go of, where the process runs with `--expose-gc`. */
export function heapMiB(): number {
  global.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** The first line that a process of the benchmark prints. It ends with 1 when something failed. */
export function printFigures(figures: Promise<Readonly<Record<string, number>>>): void {
  figures.then(
    (all) => console.log(JSON.stringify(all)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}
