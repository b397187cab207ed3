/** What one process measured, by the name of the figure. */
type Figures = Readonly<Record<string, number>>;

export const agentRow = 'agent';

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? NaN;
}

/** How long a call of an agent takes, as a multiple of a direct one beside it in the same run. */
function agentRatio(seen: readonly Figures[]): number {
  return median(seen.map(({ agentMs = NaN, directMs = NaN }) => agentMs / directMs));
}

export type AgentServer = 'official' | 'bare';

/** The line about calls of agents to a server of this kind, of several processes. */
export function agentLine(kind: AgentServer, seen: readonly Figures[]): string {
  const of = (name: string): number => median(seen.map((figures) => figures[name] ?? NaN));
  const ratio = agentRatio(seen);
  const cells = [of('directMs').toPrecision(3), of('agentMs').toPrecision(3), ratio.toFixed(2)];
  const title = `agent, ${kind} server, ms: direct, through it`;
  return [title.padEnd(44), ...cells.map((cell) => cell.padStart(10))].join('');
}
