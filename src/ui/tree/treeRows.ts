import type { McpError } from '../../core/errors';
import type { ProcessNotice } from '../../core/stdio/stdioProcess';
import type { ListProblem } from '../../core/types';
import type { ConfigProblem, ConfigSource } from '../../host/configuration/serverConfig';
import type { Server } from '../../host/connections/snapshot';

// Commands get rows from the tree. A row names its server or tool and holds nothing that may
// change. Each server and tool has one row object for as long as it is listed.

/** The place where the servers below it are configured. */
export interface OriginRow {
  readonly kind: 'origin';
  readonly key: string;
  readonly serverId?: undefined;
  readonly source: ConfigSource;
}

/** A row about one server. */
interface RowOfServer<Kind extends string> {
  readonly kind: Kind;
  readonly key: string;
  readonly serverId: string;
}

export type ServerRow = RowOfServer<'server'>;

/** A page of a list that is too long for one parent. */
export interface GroupRow extends RowOfServer<'group'> {
  readonly index: number;
}

export interface ToolRow extends RowOfServer<'tool'> {
  readonly toolName: string;
}

export interface ProblemRow {
  readonly kind: 'problem';
  readonly key: string;
  /** Absent if the problem belongs to no server. */
  readonly serverId?: string;
  readonly problem: RowProblem;
}

/** A tool that was accepted earlier and is no longer listed. It is shown after the listed tools. */
export interface GoneRow extends RowOfServer<'gone'> {
  readonly toolName: string;
}

/** Is shown if the filter or the selected tool set hides all tools of a server. */
export interface NoMatchRow extends RowOfServer<'noMatch'> {
  readonly because: 'filter' | 'toolSet';
}

/** Is shown below a stopped server that starts when its row is opened. */
export type ToStartRow = RowOfServer<'toStart'>;

/** The kinds of entries that a server lists besides tools. */
export type BranchName = 'resources' | 'prompts' | 'skills';

interface RowOfBranch<
  Kind extends string,
  Name extends BranchName = BranchName,
> extends RowOfServer<Kind> {
  readonly branch: Name;
}

/** The parent of the entries of one kind that a running server lists. */
export type BranchRow = RowOfBranch<'branch'>;

/** Like {@link GroupRow}, for such entries. */
export interface BranchPageRow extends RowOfBranch<'branchPage'> {
  readonly index: number;
}

export interface ResourceRow extends RowOfBranch<'resource', 'resources'> {
  readonly uri: string;
}

export interface TemplateRow extends RowOfBranch<'template', 'resources'> {
  readonly uriTemplate: string;
}

export interface ServerPromptRow extends RowOfBranch<'prompt', 'prompts'> {
  readonly promptName: string;
}

export interface SkillRow extends RowOfBranch<'skill', 'skills'> {
  /** URI of its `SKILL.md`. */
  readonly uri: string;
}

/** A file of a skill besides its `SKILL.md`. */
export interface SkillFileRow extends RowOfBranch<'skillFile', 'skills'> {
  readonly uri: string;
  /** Its path within the skill. */
  readonly name: string;
}

/** Is shown if there are no entries, and beside a list that is incomplete. */
export interface ListNoteRow extends RowOfBranch<'listNote'> {
  readonly note: ListNote;
}

export type ListNote =
  | { readonly kind: 'listing' | 'none' | 'noMatch' }
  | { readonly kind: 'failed'; readonly error: McpError }
  | { readonly kind: 'problem'; readonly problem: ListProblem };

export type EntryRow = ResourceRow | TemplateRow | ServerPromptRow | SkillRow;

export type AnyListedRow = BranchRow | BranchPageRow | ListNoteRow | EntryRow | SkillFileRow;

export type Row =
  | OriginRow
  | ServerRow
  | GroupRow
  | ToolRow
  | GoneRow
  | ProblemRow
  | NoMatchRow
  | ToStartRow
  | AnyListedRow;

type RowProblem =
  | { readonly kind: 'failed'; readonly error: McpError }
  | { readonly kind: 'config'; readonly problem: ConfigProblem }
  | { readonly kind: 'list'; readonly problem: ListProblem }
  | { readonly kind: 'garbage'; readonly lines: number }
  | { readonly kind: 'notice'; readonly notice: ProcessNotice };

/** Returns the problems of a server, worst first. */
export function problemRows(server: Server): ProblemRow[] {
  const { state, config } = server;
  const row = (place: string, problem: RowProblem) => toProblemRow(config.id, place, problem);
  return [
    ...(state.kind === 'failed' ? [row('failed', { kind: 'failed', error: state.error })] : []),
    ...server.configProblems
      // These are no problems of a run: the tooltip shows the other entry, and the file shows the
      // secret.
      .filter(({ code }) => code !== 'shadowed' && code !== 'literalSecret')
      .map((problem, index) => row(`config/${index}`, { kind: 'config', problem })),
    ...server.listProblems.map((problem, index) => row(`list/${index}`, { kind: 'list', problem })),
    ...(server.garbageLines > 0
      ? [row('garbage', { kind: 'garbage', lines: server.garbageLines })]
      : []),
    ...server.notices.map((notice) => row(`notice/${notice.kind}`, { kind: 'notice', notice })),
  ];
}

/** The same place always has the same key. */
export function toOriginRow(source: ConfigSource): OriginRow {
  const key = rowKey('origin', source.kind, 'path' in source ? source.path : null);
  return { kind: 'origin', key, source };
}

export function toProblemRow(
  serverId: string | undefined,
  place: string,
  problem: RowProblem,
): ProblemRow {
  const key = rowKey('problem', serverId ?? null, place);
  return serverId === undefined
    ? { kind: 'problem', key, problem }
    : { kind: 'problem', key, serverId, problem };
}

/** Maximum number of rows for removed tools. The row of the server counts all of them. */
const maxGoneRows = 500;

export function goneRows(serverId: string, names: readonly string[]): GoneRow[] {
  return names.slice(0, maxGoneRows).map((toolName) => {
    return { kind: 'gone', key: rowKey('gone', serverId, toolName), serverId, toolName };
  });
}

/** Returns a row only if the server can be started. */
export function toStartRows({ state, config, configProblems, isDisabled }: Server): readonly Row[] {
  if (isDisabled === true) return [];
  if (state.kind !== 'stopped' || configProblems.some(({ fatal }) => fatal)) return [];
  return [{ kind: 'toStart', key: rowKey('toStart', config.id), serverId: config.id }];
}

/**
 * Returns a key that is unique in the tree. It is JSON, because ids and names may contain any
 * separator.
 */
export function rowKey(...parts: readonly (string | number | null)[]): string {
  return JSON.stringify(parts);
}
