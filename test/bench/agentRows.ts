/** What one process measured, by the name of the figure. */
type Figures = Readonly<Record<string, number>>;

export const agentRow = 'agent';

/** Servers that answer at once or after 20 ms, and two by the official SDK, one of which reads a file. */
export type AgentServer = 'bare' | 'waits' | 'official' | 'files';

interface Kind {
  readonly title: string;
  /** Bound on how many times a direct call it takes. Absent: what costs nothing is only shown. */
  readonly goal?: number;
}

const kinds: Readonly<Record<AgentServer, Kind>> = {
  bare: { title: 'a server that only answers' },
  waits: { title: 'one that answers after 20 ms', goal: 1.5 },
  official: { title: 'one of the official SDK, echo' },
  files: { title: 'one of the official SDK, reads a file' },
};

const ways = ['directMs', 'limitMs', 'sdkMs', 'agentMs'] as const;

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

const line = (cells: readonly string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(44) : cell.padStart(10))).join('');

export const agentHeading = line([
  'calls of agents, 16 in flight',
  'direct',
  'limit',
  'SDK proxy',
  'toolgate',
  'goal',
  '',
]);

/**
 * The lines about calls of agents to a server of this kind, of several processes: milliseconds a call,
 * and as multiples of a direct one beside it in the same run. The limit and the proxy are the same
 * chain with nothing in its window, and with the official SDK alone.
 */
export function agentLines(kind: AgentServer, seen: readonly Figures[]): readonly string[] {
  const { title, goal } = kinds[kind];
  const ms = ways.map((way) => median(seen.map((figures) => figures[way] ?? NaN)));
  const ratios = ways.map((way) =>
    median(seen.map((figures) => (figures[way] ?? NaN) / (figures['directMs'] ?? NaN))),
  );
  const [ours = NaN] = ratios.slice(-1);
  const verdict = goal === undefined ? [] : [goal.toFixed(2), ours <= goal ? 'met' : 'missed'];
  return [
    line([`${title}, ms`, ...ms.map((each) => each.toPrecision(3))]),
    line(['  times a direct call', ...ratios.map((each) => each.toFixed(2)), ...verdict]),
  ];
}
