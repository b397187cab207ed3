/** What one process measured, by the name of the figure. */
type Figures = Readonly<Record<string, number>>;

export const gateRow = 'gate';

const figuresOfWays = ['P50Ms', 'P99Ms', 'PerSecond'] as const;
const titles = { P50Ms: 'p50, ms', P99Ms: 'p99, ms', PerSecond: 'calls/s' } as const;

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

/**
 * The lines about calls through the whole gate beside the same calls straight through the core, of
 * several processes. Compared in one process, so that they hold from machine to machine.
 */
export function gateLines(seen: readonly Figures[]): readonly string[] {
  const of = (name: string): number => median(seen.map((figures) => figures[name] ?? NaN));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(44) : cell.padStart(10))).join('');
  const rows = [1, 16].flatMap((inFlight) =>
    figuresOfWays.map((figure) => {
      const [core, gate] = [of(`core${inFlight}${figure}`), of(`gate${inFlight}${figure}`)];
      const title = `${inFlight} in flight, ${titles[figure]}`;
      return line([title, core.toPrecision(3), gate.toPrecision(3), (gate / core).toFixed(2)]);
    }),
  );
  return [
    line(['calls through the gate', 'core', 'gate', 'ratio']),
    ...rows,
    line(['p50 over the wire, ms', '', (of('gate1P50Ms') - of('core1P50Ms')).toPrecision(3)]),
    line(['longest stall, ms', '', of('stallMs').toPrecision(3)]),
    line(['heap before and after, MiB', of('heapBefore').toFixed(1), of('heapAfter').toFixed(1)]),
  ];
}
