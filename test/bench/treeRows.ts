/** What one process measured, by the name of the figure. */
type Figures = Readonly<Record<string, number>>;

export const treeRow = 'tree20k';

const figures = [
  { name: 'firstRowsMs', title: 'listed to first rows, ms', goal: 250 },
  { name: 'stallMs', title: 'longest turn, ms', goal: 50 },
  { name: 'turnCpuMs', title: 'longest turn, CPU of its thread, ms', goal: 50 },
  { name: 'filterMs', title: 'a letter of the filter, the slowest, ms', goal: 50 },
  { name: 'pickMs', title: 'a letter in the picker, the slowest, ms', goal: 50 },
] as const;

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

/**
 * The lines about a server with 20,000 tools, of several processes. Times, which do not hold from
 * machine to machine: so no goal that is missed here fails the benchmark.
 */
export function treeLines(seen: readonly Figures[]): readonly string[] {
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(44) : cell.padStart(10))).join('');
  return [
    line(['a list of 20,000 tools', 'toolgate', 'goal', '']),
    ...figures.map(({ name, title, goal }) => {
      const ours = median(seen.map((each) => each[name] ?? NaN));
      return line([title, ours.toPrecision(3), String(goal), ours <= goal ? 'met' : 'missed']);
    }),
  ];
}
