/** What one process or window measured, by the name of the figure. */
export type Figures = Readonly<Record<string, number>>;

export const prefixed = (prefix: string | undefined, figures: Figures): Figures =>
  prefix === undefined
    ? figures
    : Object.fromEntries(
        Object.entries(figures).map(([name, value]) => [`${prefix}.${name}`, value]),
      );

/** One row: the product, and what ran beside it in the same process, window or round. */
export interface Goal {
  readonly title: string;
  /** Names of figures, as all the others here. */
  readonly ours: string;
  readonly beside?: string;
  /** Of the official SDKs, shown as ratios to `beside`, and how many times the product has to be ahead. */
  readonly sdks?: readonly (readonly [figure: string, ahead: number])[];
  /** Bound on the ratio of `ours` to `beside`. A time alone has none: it holds on one machine only. */
  readonly wanted?: number;
  readonly moreIsBetter?: true;
  /** Bound on `ours`, where it is counted and no machine makes it larger. */
  readonly atMost?: number;
}

export interface Row {
  readonly title: string;
  readonly beside?: number;
  readonly ours: number;
  readonly ratio?: number;
  readonly sdks: readonly number[];
  readonly wanted?: number;
  readonly verdict?: 'met' | 'near' | 'missed';
}

/** How far over its goal a ratio still counts as near. */
const tolerance = 1.15;

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

function verdictOf(goal: Goal, { ours, ratio = NaN, sdks }: Row): Row['verdict'] {
  const { wanted, atMost, moreIsBetter } = goal;
  if (wanted === undefined && atMost === undefined) return undefined;
  const times = (one: number, other: number) => (moreIsBetter ? other / one : one / other);
  const isBehind = (goal.sdks ?? []).some(
    ([, ahead], index) => !(times(ratio, sdks[index] ?? NaN) * ahead <= 1),
  );
  const over = wanted === undefined ? 0 : times(ratio, wanted);
  // Not a number is missed, too.
  if (isBehind || !(over <= tolerance) || !(ours <= (atMost ?? Infinity))) return 'missed';
  return over <= 1 ? 'met' : 'near';
}

/** Of several processes or windows the medians; what was not measured has no row. */
export function rowsOf(goals: readonly Goal[], seen: readonly Figures[]): readonly Row[] {
  const of = (name: string): number => median(seen.flatMap((figures) => figures[name] ?? []));
  return goals.flatMap((goal) => {
    const { title, beside, wanted = goal.atMost } = goal;
    const ours = of(goal.ours);
    if (Number.isNaN(ours)) return [];
    const base = beside === undefined ? NaN : of(beside);
    const sdks = (goal.sdks ?? []).map(([figure]) => of(figure) / base);
    const compared = beside === undefined ? {} : { beside: base, ratio: ours / base };
    const row = { title, ours, sdks, ...compared, ...(wanted === undefined ? {} : { wanted }) };
    const verdict = verdictOf(goal, row);
    return [verdict === undefined ? row : { ...row, verdict }];
  });
}

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => (index === 0 ? cell.padEnd(58) : cell.padStart(9)))
    .join('')
    .trimEnd();

const shown = (value = NaN): string =>
  Number.isNaN(value) ? '' : value >= 1_000 ? value.toFixed(0) : value.toPrecision(3);

export const heading = line(['', 'beside', 'toolgate', 'ratio', 'goal', 'SDK 1', 'SDK 2']);

export const lineOf = ({ title, beside, ours, ratio, wanted, sdks, verdict }: Row): string =>
  line([
    title,
    ...[beside, ours, ratio, wanted, sdks[0], sdks[1]].map((each) => shown(each)),
    verdict ?? '',
  ]);
