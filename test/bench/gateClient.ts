import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { openGate } from './gateSubject';
import { heapMiB, printFigures, times, type Call } from './gateTimes';

// Calls through the whole gate beside the same calls straight through the core, in turns, in one
// process: `gateClient.js <server script> [calls]`. Prints one JSON object of figures.
const [server = '', count = '4000'] = process.argv.slice(2);
const calls = Number(count);
const given = { text: 'hello' };
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

async function main(): Promise<Record<string, number>> {
  const subject = await openGate(process.execPath, [server, 'echo']);
  const ways: [string, Call][] = [
    ['core', () => subject.core.callTool('echo', given)],
    [
      'gate',
      async () => {
        const { kind } = await subject.call('echo', given);
        if (kind !== 'result') throw new Error(`the call ended as ${kind}`);
      },
    ],
  ];
  for (const [, call] of ways) await times(call, 1_000, 4);
  await subject.history.stop();
  const heapBefore = heapMiB();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
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
  delay.disable();
  await subject.history.stop();
  const report = { stallMs: delay.max / 1e6, heapBefore, heapAfter: heapMiB() };
  if (subject.problems.length > 0) throw new Error(subject.problems.join('\n'));
  await subject.close();
  return { ...figures, ...report };
}

printFigures(main());
