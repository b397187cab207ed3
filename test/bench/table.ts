/** What one process or window measured, by the name of the figure. */
export type Figures = Readonly<Record<string, number>>;

/** The name of a figure, or what is made of several. */
export type Source = string | ((of: (name: string) => number) => number);

/** One row: the product, and what ran beside it in the same process, window or round. */
export interface Wish {
  readonly title: string;
  readonly ours: Source;
  readonly beside?: Source;
  /** Shown as ratios to `beside`, in the columns that the heading names. */
  readonly others?: readonly Source[];
  /** Bound on the ratio of `ours` to `beside`. A time alone has none: it holds on one machine only. */
  readonly goal?: number;
  readonly moreIsBetter?: true;
  /** Bound on `ours`, where it is counted and no machine makes it larger. */
  readonly atMost?: number;
  /** How many times the product has to be ahead of each of the others. */
  readonly ahead?: readonly number[];
}

export interface Table {
  readonly name: string;
  /** What is measured, what ran beside it, and the names of the others. */
  readonly heading: readonly string[];
  readonly wishes: readonly Wish[];
}

export interface Row {
  readonly title: string;
  readonly beside?: number;
  readonly ours: number;
  readonly ratio?: number;
  readonly others: readonly number[];
  readonly goal?: number;
  readonly verdict?: 'met' | 'near' | 'missed';
}

/** How far over its goal a ratio still counts as near. */
const tolerance = 1.15;

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

function verdictOf(wish: Wish, { ours, ratio = NaN, others }: Row): Row['verdict'] {
  const { goal, atMost, moreIsBetter, ahead = [] } = wish;
  if (goal === undefined && atMost === undefined) return undefined;
  const times = (one: number, other: number) => (moreIsBetter ? other / one : one / other);
  const isBehind = ahead.some(
    (factor, index) => !(times(ratio, others[index] ?? NaN) * factor <= 1),
  );
  const over = goal === undefined ? 0 : times(ratio, goal);
  // Not a number is missed, too.
  if (isBehind || !(over <= tolerance) || !(ours <= (atMost ?? Infinity))) return 'missed';
  return over <= 1 ? 'met' : 'near';
}

/** Of several processes or windows the medians; what was not measured has no row. */
export function rowsOf({ wishes }: Table, seen: readonly Figures[]): readonly Row[] {
  const of = (name: string): number => median(seen.flatMap((figures) => figures[name] ?? []));
  const read = (source: Source): number => (typeof source === 'string' ? of(source) : source(of));
  return wishes.flatMap((wish) => {
    const { title, beside, goal = wish.atMost } = wish;
    const ours = read(wish.ours);
    if (Number.isNaN(ours)) return [];
    const base = beside === undefined ? NaN : read(beside);
    const others = (wish.others ?? []).map((other) => read(other) / base);
    const compared = beside === undefined ? {} : { beside: base, ratio: ours / base };
    const row = { title, ours, others, ...compared, ...(goal === undefined ? {} : { goal }) };
    const verdict = verdictOf(wish, row);
    return [verdict === undefined ? row : { ...row, verdict }];
  });
}

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => (index === 0 ? cell.padEnd(46) : cell.padStart(10)))
    .join('')
    .trimEnd();

const shown = (value = NaN): string =>
  Number.isNaN(value) ? '' : value >= 1_000 ? value.toFixed(0) : value.toPrecision(3);

export function linesOf(
  { heading: [title = '', beside = '', ...others] }: Table,
  rows: readonly Row[],
) {
  if (rows.length === 0) return [];
  return [
    line([title, beside, 'toolgate', 'ratio', 'goal', ...others]),
    ...rows.map((row) =>
      line([
        row.title,
        ...[row.beside, row.ours, row.ratio, row.goal, ...row.others].map((each) => shown(each)),
        row.verdict ?? '',
      ]),
    ),
  ];
}
