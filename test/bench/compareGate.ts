import { connectStdio } from './adapter';
import { connectStdio as connectSdk } from './sdk1';
import { times, type Call } from './gateTimes';
import type { Figures } from './table';

const given = { text: 'hello' };
/** So many of one, then so many of the others: what else the machine does meets all alike. */
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

  figures(name: string): Figures {
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

/**
 * So many calls through the gate, the same straight through the core, and by the official SDK, in turns in this
 * process: one at a time, then sixteen. `beginning` is told when all of it is warm.
 */
export async function compareGate(
  server: string,
  gate: Call,
  calls: number,
  beginning: () => void,
): Promise<Figures> {
  const [core, sdk] = [
    await connectStdio(process.execPath, [server, 'echo']),
    await connectSdk(process.execPath, [server, 'echo']),
  ];
  const ways: readonly (readonly [name: string, call: Call])[] = [
    ['sdk', () => sdk.callTool('echo', given)],
    ['core', () => core.callTool('echo', given)],
    ['gate', gate],
  ];
  for (const [, call] of ways) await times(call, 1_000, 4);
  beginning();
  let figures: Figures = {};
  for (const inFlight of [1, 16]) {
    const series = ways.map(([name, call]) => ({ name, call, seen: new Series() }));
    for (let done = 0; done < calls; done += block) {
      for (const { call, seen } of series) await seen.run(call, inFlight);
    }
    for (const { name, seen } of series) {
      figures = { ...figures, ...seen.figures(`${name}${inFlight}`) };
    }
  }
  await Promise.all([core.close(), sdk.close()]);
  return figures;
}
