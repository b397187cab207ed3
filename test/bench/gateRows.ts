/** What one process measured, by the name of the figure. */
type Figures = Readonly<Record<string, number>>;

/** A figure of the product itself; compared in one process where there is something to compare with. */
export interface GateRow {
  readonly title: string;
  /** Of the same calls straight through the core. */
  readonly core?: number;
  readonly value: number;
  readonly goal?: number;
  readonly verdict?: 'met' | 'near' | 'missed';
}

export interface Wish {
  readonly title: string;
  readonly core?: (of: Figure) => number;
  readonly value: (of: Figure) => number;
  readonly goal?: number;
  readonly moreIsBetter?: true;
  /** Counted: no machine makes it larger. */
  readonly isExact?: true;
}

/** A figure by its name: the median of all processes. */
type Figure = (name: string) => number;

/** A person feels a window that stands still for longer. */
export const maxStallMs = 30;
/** One kept result more or less, and what V8 has compiled since. */
const maxGrowthMiB = 2;

function ofFlight(inFlight: number, goals: { p50?: number; p99: number; perSecond: number }) {
  const both = (figure: string): Pick<Wish, 'core' | 'value'> => ({
    core: (of) => of(`core${inFlight}${figure}`),
    value: (of) => of(`gate${inFlight}${figure}`),
  });
  const named = (title: string): string => `${inFlight} in flight, ${title}`;
  const wishes: readonly Wish[] = [
    { title: named('p50, ms'), ...both('P50Ms') },
    { title: named('p99, ms'), ...both('P99Ms'), goal: goals.p99 },
    {
      title: named('calls/s'),
      ...both('PerSecond'),
      goal: goals.perSecond,
      moreIsBetter: true,
    },
    { title: named('CPU a call, ms'), ...both('CpuMs') },
  ];
  return wishes;
}

/** Of what `compare` finds of the ways `core` and `gate`. */
export const ofCalls: readonly Wish[] = [
  ...ofFlight(1, { p99: 3, perSecond: 2_000 }),
  {
    title: 'p50 over the wire, ms',
    value: (of) => of('gate1P50Ms') - of('core1P50Ms'),
    goal: 0.3,
  },
  ...ofFlight(16, { p99: 10, perSecond: 5_000 }),
];

const wishes = {
  gate: [
    ...ofCalls,
    { title: 'longest stall, ms', value: (of) => of('stallMs'), goal: maxStallMs },
    { title: 'heap before, MiB', value: (of) => of('heapBefore') },
    { title: 'heap after, MiB', value: (of) => of('heapAfter') },
  ],
  callFile: [
    { title: '1,000 calls of one call file, ms', value: (of) => of('ms'), goal: 1_000 },
    { title: 'longest stall, ms', value: (of) => of('stallMs'), goal: maxStallMs },
  ],
  soak: [
    { title: 'calls, all in the journal, which is whole', value: (of) => of('calls') },
    {
      title: '16 in flight, answers kept, calls/s',
      value: (of) => of('perSecond'),
      goal: 5_000,
      moreIsBetter: true,
    },
    { title: 'heap after a tenth, MiB', value: (of) => of('heapFirst') },
    { title: 'heap in the end, MiB', value: (of) => of('heapLast') },
    {
      title: 'heap grown by, MiB',
      value: (of) => Math.max(0, of('heapLast') - of('heapFirst')),
      goal: maxGrowthMiB,
      isExact: true,
    },
    {
      title: 'past calls in the end',
      value: (of) => of('pastCalls'),
      goal: 200,
      isExact: true,
    },
    { title: 'longest stall, ms', value: (of) => of('stallMs'), goal: maxStallMs },
  ],
} as const satisfies Record<string, readonly Wish[]>;

const headings: Readonly<Record<keyof typeof wishes, string>> = {
  gate: 'calls through the gate',
  callFile: 'a call file',
  soak: 'many calls through the gate',
};

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

/** What several processes found; `tolerance` is how far over its goal a figure still counts as near. */
export function rowsOf(
  wanted: readonly Wish[],
  seen: readonly Figures[],
  tolerance: number,
): readonly GateRow[] {
  const of: Figure = (figure) => median(seen.flatMap((figures) => figures[figure] ?? []));
  return wanted.map((wish) => {
    const { title, core, goal } = wish;
    const value = wish.value(of);
    const row = { title, value, ...(core === undefined ? {} : { core: core(of) }) };
    if (goal === undefined) return row;
    const over = wish.moreIsBetter ? goal / value : value / goal;
    const isNear = over <= tolerance && wish.isExact !== true;
    return { ...row, goal, verdict: over <= 1 ? 'met' : isNear ? 'near' : 'missed' };
  });
}

export function gateRows(
  name: keyof typeof wishes,
  seen: readonly Figures[],
  tolerance: number,
): readonly GateRow[] {
  return rowsOf(wishes[name], seen, tolerance);
}

/** The rows as a table below this heading. */
export function tableOf(heading: readonly string[], rows: readonly GateRow[]): readonly string[] {
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(44) : cell.padStart(10))).join('');
  const number = (value: number | undefined): string =>
    value === undefined ? '' : value >= 1_000 ? value.toFixed(0) : value.toPrecision(3);
  return [
    line(heading),
    ...rows.map(({ title, core, value, goal, verdict = '' }) =>
      line([title, number(core), number(value), number(goal), verdict]),
    ),
  ];
}

export function toGateLines(
  name: keyof typeof wishes,
  rows: readonly GateRow[],
): readonly string[] {
  return tableOf([headings[name], 'core', 'gate', 'goal', ''], rows);
}
