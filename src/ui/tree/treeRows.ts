import type { McpError } from '../../core/errors';
import type { ListProblem } from '../../core/types';
import type { ConfigProblem } from '../../host/configuration/serverConfig';
import type { Server } from '../../host/connections/snapshot';

// Rows are what commands get from the tree: they say which server or tool, and hold nothing that
// may have changed since. There is one object per server and per tool for as long as it is listed.

export interface ServerRow {
  readonly kind: 'server';
  readonly key: string;
  readonly serverId: string;
}

/** A page of a list that is too long for one parent. */
export interface GroupRow {
  readonly kind: 'group';
  readonly key: string;
  readonly serverId: string;
  readonly index: number;
}

export interface ToolRow {
  readonly kind: 'tool';
  readonly key: string;
  readonly serverId: string;
  readonly toolName: string;
}

export interface ProblemRow {
  readonly kind: 'problem';
  readonly key: string;
  /** Absent for a problem that belongs to no server. */
  readonly serverId?: string;
  readonly problem: RowProblem;
}

/** Stands where the filter left nothing of a server's tools. */
export interface NoMatchRow {
  readonly kind: 'noMatch';
  readonly key: string;
  readonly serverId: string;
}

export type Row = ServerRow | GroupRow | ToolRow | ProblemRow | NoMatchRow;

export type RowProblem =
  | { readonly kind: 'failed'; readonly error: McpError }
  | { readonly kind: 'config'; readonly problem: ConfigProblem }
  | { readonly kind: 'list'; readonly problem: ListProblem }
  | { readonly kind: 'garbage'; readonly lines: number };

/** What is wrong with a server, worst first. */
export function problemRows(server: Server): ProblemRow[] {
  const { state, config } = server;
  const row = (place: string, problem: RowProblem) => toProblemRow(config.id, place, problem);
  return [
    ...(state.kind === 'failed' ? [row('failed', { kind: 'failed', error: state.error })] : []),
    ...server.configProblems.map((problem, index) =>
      row(`config/${index}`, { kind: 'config', problem }),
    ),
    ...server.listProblems.map((problem, index) => row(`list/${index}`, { kind: 'list', problem })),
    ...(server.garbageLines > 0
      ? [row('garbage', { kind: 'garbage', lines: server.garbageLines })]
      : []),
  ];
}

export function toProblemRow(
  serverId: string | undefined,
  place: string,
  problem: RowProblem,
): ProblemRow {
  const key = keyOf('problem', serverId ?? null, place);
  return serverId === undefined
    ? { kind: 'problem', key, problem }
    : { kind: 'problem', key, serverId, problem };
}

/** Unique over the whole tree. JSON, because ids and names may hold any separator. */
export function keyOf(...parts: readonly (string | number | null)[]): string {
  return JSON.stringify(parts);
}
