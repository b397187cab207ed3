import type { McpError } from '../../core/errors';
import type { ProcessNotice } from '../../core/stdio/stdioProcess';
import type { ListProblem } from '../../core/types';
import type { ConfigProblem, ConfigSource } from '../../host/configuration/serverConfig';
import type { Server } from '../../host/connections/snapshot';

// Rows are what commands get from the tree: they say which server or tool, and hold nothing that
// may have changed since. There is one object per server and per tool for as long as it is listed.

/** Where the servers below it are configured. */
export interface OriginRow {
  readonly kind: 'origin';
  readonly key: string;
  readonly serverId?: undefined;
  readonly source: ConfigSource;
}

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

/** A tool that was accepted once and is not listed any more; after those that are. */
export interface GoneRow {
  readonly kind: 'gone';
  readonly key: string;
  readonly serverId: string;
  readonly toolName: string;
}

/** Stands where the filter, or the chosen set by itself, left nothing of a server's tools. */
export interface NoMatchRow {
  readonly kind: 'noMatch';
  readonly key: string;
  readonly serverId: string;
  readonly because: 'filter' | 'toolSet';
}

/** Stands below a server that starts when its row is opened, as long as it has not. */
export interface ToStartRow {
  readonly kind: 'toStart';
  readonly key: string;
  readonly serverId: string;
}

/** Below it is what a running server lists as resources. */
export interface ResourcesRow {
  readonly kind: 'resources';
  readonly key: string;
  readonly serverId: string;
}

/** Like {@link GroupRow}, below the row of resources. */
export interface ResourceGroupRow {
  readonly kind: 'resourceGroup';
  readonly key: string;
  readonly serverId: string;
  readonly index: number;
}

export interface ResourceRow {
  readonly kind: 'resource';
  readonly key: string;
  readonly serverId: string;
  readonly uri: string;
}

export interface TemplateRow {
  readonly kind: 'template';
  readonly key: string;
  readonly serverId: string;
  readonly uriTemplate: string;
}

/** Stands where there are no resources to show, and beside those that came when others did not. */
export interface ResourceNoteRow {
  readonly kind: 'resourceNote';
  readonly key: string;
  readonly serverId: string;
  readonly note: ResourceNote;
}

export type ResourceNote =
  | { readonly kind: 'listing' | 'none' | 'noMatch' }
  | { readonly kind: 'failed'; readonly error: McpError }
  | { readonly kind: 'problem'; readonly problem: ListProblem };

export type AnyResourceRow =
  ResourcesRow | ResourceGroupRow | ResourceRow | TemplateRow | ResourceNoteRow;

export type Row =
  | OriginRow
  | ServerRow
  | GroupRow
  | ToolRow
  | GoneRow
  | ProblemRow
  | NoMatchRow
  | ToStartRow
  | AnyResourceRow;

export type RowProblem =
  | { readonly kind: 'failed'; readonly error: McpError }
  | { readonly kind: 'config'; readonly problem: ConfigProblem }
  | { readonly kind: 'list'; readonly problem: ListProblem }
  | { readonly kind: 'garbage'; readonly lines: number }
  | { readonly kind: 'notice'; readonly notice: ProcessNotice };

/** What is wrong with a server, worst first. */
export function problemRows(server: Server): ProblemRow[] {
  const { state, config } = server;
  const row = (place: string, problem: RowProblem) => toProblemRow(config.id, place, problem);
  return [
    ...(state.kind === 'failed' ? [row('failed', { kind: 'failed', error: state.error })] : []),
    ...server.configProblems
      // Nothing is wrong with how it runs: its tooltip tells of a twin, its file of a secret.
      .filter(({ code }) => code !== 'shadowed' && code !== 'literalSecret')
      .map((problem, index) => row(`config/${index}`, { kind: 'config', problem })),
    ...server.listProblems.map((problem, index) => row(`list/${index}`, { kind: 'list', problem })),
    ...(server.garbageLines > 0
      ? [row('garbage', { kind: 'garbage', lines: server.garbageLines })]
      : []),
    ...server.notices.map((notice) => row(`notice/${notice.kind}`, { kind: 'notice', notice })),
  ];
}

/** Equal places have equal keys. */
export function toOriginRow(source: ConfigSource): OriginRow {
  const key = keyOf('origin', source.kind, 'path' in source ? source.path : null);
  return { kind: 'origin', key, source };
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

/** More of them would only hide each other; the row of the server counts them all. */
const maxGoneRows = 500;

export function goneRows(serverId: string, names: readonly string[]): GoneRow[] {
  return names.slice(0, maxGoneRows).map((toolName) => {
    return { kind: 'gone', key: keyOf('gone', serverId, toolName), serverId, toolName };
  });
}

/** Only below one that can be started. */
export function toStartRows({ state, config, configProblems, isDisabled }: Server): readonly Row[] {
  if (isDisabled === true) return [];
  if (state.kind !== 'stopped' || configProblems.some(({ fatal }) => fatal)) return [];
  return [{ kind: 'toStart', key: keyOf('toStart', config.id), serverId: config.id }];
}

/** Unique over the whole tree. JSON, because ids and names may hold any separator. */
export function keyOf(...parts: readonly (string | number | null)[]): string {
  return JSON.stringify(parts);
}
