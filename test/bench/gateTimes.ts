import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

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

/** So many of one, then so many of the other: what else the machine does meets both alike. */
const block = 250;

class Series {
  readonly #times: number[] = [];
  #spentMs = 0;
  #cpuMs = 0;

  async run(call: Call, inFlight: number): Promise<void> {
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    for (const each of await times(call, block, inFlight)) this.#times.push(each);
    this.#spentMs += performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpuBefore);
    this.#cpuMs += (user + system) / 1_000;
  }

  figures(name: string): Record<string, number> {
    const sorted = this.#times.toSorted((one, other) => one - other);
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
    return {
      [`${name}P50Ms`]: at(0.5),
      [`${name}P99Ms`]: at(0.99),
      [`${name}PerSecond`]: sorted.length / (this.#spentMs / 1_000),
      [`${name}CpuMs`]: this.#cpuMs / sorted.length,
    };
  }
}

/** So many calls each of these ways, in turns: one at a time, then sixteen. */
export async function compare(
  ways: readonly (readonly [name: string, call: Call])[],
  calls: number,
): Promise<Record<string, number>> {
  let figures: Record<string, number> = {};
  for (const inFlight of [1, 16]) {
    const series = new Map(ways.map(([name]) => [name, new Series()]));
    for (let done = 0; done < calls; done += block) {
      for (const [name, call] of ways) await series.get(name)?.run(call, inFlight);
    }
    for (const [name, each] of series) {
      figures = { ...figures, ...each.figures(`${name}${inFlight}`) };
    }
  }
  return figures;
}

const samples = 10;

/** So many calls, sixteen at a time: what they leave in the heap, from the end of the first tenth on. */
export async function soak(call: Call, calls: number): Promise<Record<string, number>> {
  await times(call, calls / samples, 16);
  const heaps = [heapMiB()];
  const startedAt = performance.now();
  let collectingMs = 0;
  let stallMs = 0;
  for (let sample = 1; sample < samples; sample += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await times(call, calls / samples, 16);
    delay.disable();
    stallMs = Math.max(stallMs, delay.max / 1e6);
    const collectedAt = performance.now();
    heaps.push(heapMiB());
    collectingMs += performance.now() - collectedAt;
    console.error(`${sample + 1} of ${samples}: heap ${heaps.at(-1)?.toFixed(1)} MiB`);
  }
  const spentMs = performance.now() - startedAt - collectingMs;
  const perSecond = (calls - calls / samples) / (spentMs / 1_000);
  const [heapFirst = NaN] = heaps;
  return { calls, perSecond, stallMs, heapFirst, heapLast: heaps.at(-1) ?? NaN };
}

/** After everything that nobody holds was let go of, where there is `gc` (`--expose-gc`). */
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
