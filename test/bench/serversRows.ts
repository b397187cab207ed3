/** What one process measured, by the name of the figure. */
type Figures = Readonly<Record<string, number>>;

export const serversRow = 'servers40';

const figures = [
  { title: 'rows of those that are configured, ms', name: 'rowsMs' },
  { title: 'all started and listed, ms', name: 'startMs', bare: 'bareMs' },
  { title: 'longest turn meanwhile, ms', name: 'stallMs', bare: 'bareStallMs' },
  { title: 'longest turn, CPU of its thread, ms', name: 'turnCpuMs', bare: 'bareTurnCpuMs' },
  { title: 'CPU of it, ms', name: 'cpuMs', bare: 'bareCpuMs' },
  { title: 'idle CPU before, ms a minute', name: 'emptyCpuMs' },
  { title: 'idle CPU while they run, ms a minute', name: 'idleCpuMs' },
] as const;

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

/**
 * The lines about forty servers, of several processes, beside processes with as many bare pipes to the
 * same servers. Forty programs that start leave nobody else much of a small machine: a turn that is long
 * by the clock counts beside theirs, and by its CPU time for itself.
 */
export function serversLines(seen: readonly Figures[]): readonly string[] {
  const of = (name: string): string => median(seen.map((each) => each[name] ?? NaN)).toPrecision(3);
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(44) : cell.padStart(10))).join('');
  return [
    line(['40 servers that start together', 'bare', 'toolgate']),
    ...figures.map((figure) =>
      line([figure.title, 'bare' in figure ? of(figure.bare) : '', of(figure.name)]),
    ),
  ];
}
