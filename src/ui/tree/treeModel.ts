import { hidesCharacters } from '../../core/toolProblems';
import type { Tool } from '../../core/types';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { noMarks, type ToolMarks } from '../../host/consent/pins/pinFileFormat';
import { isListedRow, type ListedRows } from './listedRows';
import { isFiltering, type ToolFilter } from '../picking/toolFilter';
import { type Branch, Branches, type BranchSources, type LastKnown } from './branches';
import { firstOpening, type RowState, initialRowState } from './autoExpand';
import {
  type GroupRow,
  rowKey,
  type Row,
  type ServerRow,
  toProblemRow,
  type ToolRow,
  type OriginRow,
  toOriginRow,
} from './treeRows';

export interface TreeModelSources extends BranchSources {
  readonly registry: Pick<ServerRegistry, 'servers' | 'problems' | 'find'>;
}

/**
 * The tree as data: which rows there are, in which order, below which parent. It reads the
 * registry's snapshots and never waits.
 */
export class TreeModel {
  readonly #registry: TreeModelSources['registry'];
  readonly #lastKnown: LastKnown;
  readonly listed: ListedRows;
  readonly origins: Origins;
  readonly #branches: Branches;
  /** Cached, because rows are drawn again with each letter of the filter. */
  readonly #hiding = new WeakMap<Tool, boolean>();
  readonly #serverRows = new Map<string, ServerRow>();

  constructor(sources: TreeModelSources) {
    const { registry, lastKnown, listed } = sources;
    this.#lastKnown = lastKnown;
    this.#registry = registry;
    this.origins = new Origins(registry);
    this.listed = listed;
    this.#branches = new Branches(sources);
  }

  /** Each new object rebuilds the rows below servers, even if it is equal. */
  set filter(filter: ToolFilter) {
    this.#branches.filter = filter;
    this.listed.setFilter(this.#branches.words, isFiltering({ ...filter, text: '' }));
  }

  /** Limits the tools that a parent shows while the user types a filter. */
  set rowsAtOnce(rows: number) {
    this.#branches.rowsAtOnce = rows;
  }

  /** The words of the filter, which labels highlight. */
  get words(): readonly string[] {
    return this.#branches.words;
  }

  labelOf(serverId: string): string {
    return this.#registry.find(serverId)?.config.label ?? serverId;
  }

  /**
   * Returns the problems without a server, then the servers or their origins in configuration
   * order.
   */
  roots(): Row[] {
    this.#forgetRemoved();
    const problems = this.#registry.problems.flatMap((problem, index) =>
      // Toolgate's own entry in an agent's file is not a problem here; that file shows it itself.
      problem.code === 'ownBridge'
        ? []
        : [toProblemRow(undefined, `config/${index}`, { kind: 'config', problem })],
    );
    const origins = this.origins.rows();
    if (origins.length > 0) return [...problems, ...origins];
    return [...problems, ...this.#registry.servers.map(({ config }) => this.serverRow(config.id))];
  }

  /** Problems come before the tools, where a long list cannot hide them. */
  children(row: Row): readonly Row[] {
    if (row.kind === 'origin') {
      return this.origins.serverIdsOf(row).map((id) => this.serverRow(id));
    }
    if (row.kind === 'server') return this.#branches.of(row.serverId)?.children ?? [];
    if (isListedRow(row)) return this.listed.children(row);
    if (row.kind !== 'group') return [];
    const { rowsAtOnce } = this.#branches;
    return this.#branches.of(row.serverId)?.shown.page(row.index, rowsAtOnce) ?? [];
  }

  parent(row: Row): Row | undefined {
    if (row.serverId === undefined) return undefined;
    if (row.kind === 'server') return this.origins.of(row.serverId);
    const server = this.serverRow(row.serverId);
    if (isListedRow(row)) return this.listed.parent(row) ?? server;
    if (row.kind !== 'tool') return server;
    const page = this.#branches.of(row.serverId)?.shown.pageIndexOf(row);
    return page === undefined ? server : this.#branches.groupRow(row.serverId, page);
  }

  /** Returns the row of a server, known or not. Equal ids give the same object. */
  serverRow(serverId: string): ServerRow {
    let row = this.#serverRows.get(serverId);
    if (row === undefined) {
      row = { kind: 'server', key: rowKey('server', serverId), serverId };
      this.#serverRows.set(serverId, row);
    }
    return row;
  }

  /** Returns what the row of a server shows, with one lookup of the server. */
  serverFacts(row: ServerRow): ServerRowFacts {
    const branch = this.#branches.of(row.serverId);
    const { server, marks = noMarks, shown } = branch ?? {};
    const opening = branch === undefined ? 'None' : this.#firstOpening(branch);
    return { server, marks, shownTools: shown?.length ?? 0, opening };
  }

  /**
   * Returns what the row of a page shows. A page that no longer exists counts from 0; the next
   * refresh removes it.
   */
  pageFacts({ serverId, index }: GroupRow): ToolPageFacts {
    return this.#branches.of(serverId)?.shown.pageFacts(index) ?? { first: 0, last: 0, ends: [] };
  }

  /** Returns what the row of a tool shows. */
  toolFacts(row: ToolRow): ToolRowFacts {
    const entry = this.entry(row);
    const { marks, isLastKnown = false } = this.#branches.of(row.serverId) ?? {};
    const mark = shownMarkOf(entry, marks);
    return { entry, mark, isLastKnown, isHiding: this.#isHiding(entry) };
  }

  #isHiding(entry: ToolEntry | undefined): boolean {
    if (entry === undefined) return false;
    const { tool } = entry;
    let isHiding = this.#hiding.get(tool);
    if (isHiding === undefined) this.#hiding.set(tool, (isHiding = hidesCharacters(tool)));
    return isHiding;
  }

  /** Returns whether the row of a server has children, and whether it is to be open. */
  opening({ serverId }: ServerRow): RowState {
    const branch = this.#branches.of(serverId);
    return branch === undefined ? 'None' : openingOfBranch(branch);
  }

  /** Like opening(), for a row that is drawn for the first time. */
  #firstOpening(branch: Branch): RowState {
    const isAsBefore = branch.isLastKnown && this.#lastKnown.wasOpen(branch.server.config.id);
    return isAsBefore ? 'Expanded' : firstOpening(openingOfBranch(branch), this.#registry.servers);
  }

  /** True if the server is not running and its tools are the ones that it listed last. */
  isLastKnown(serverId: string): boolean {
    return this.#branches.of(serverId)?.isLastKnown === true;
  }

  /** When the last known tools were listed, in milliseconds since the epoch. */
  listedAt(row: Row): number | undefined {
    const server = this.server(row);
    return server && this.isLastKnown(server.config.id)
      ? this.#lastKnown.listedAt(server)
      : undefined;
  }

  server(row: Row): Server | undefined {
    return row.serverId === undefined ? undefined : this.#registry.find(row.serverId);
  }

  entry(row: ToolRow): ToolEntry | undefined {
    return this.#branches.toolRows.entry(row);
  }

  /** Returns how the tool differs from the accepted one, if it does. */
  mark(row: ToolRow): 'new' | 'changed' | undefined {
    return shownMarkOf(this.entry(row), this.#branches.of(row.serverId)?.marks);
  }

  /** Number of the server's tools that match the filter. */
  shownTools(serverId: string): number {
    return this.#branches.of(serverId)?.shown.length ?? 0;
  }

  /** Number of the server's tools without the filter. */
  allTools(serverId: string): number {
    return this.#branches.of(serverId)?.entries.length ?? 0;
  }

  /** The numbers of tools over all servers. */
  totals(): { readonly shown: number; readonly all: number } {
    const { servers } = this.#registry;
    return {
      shown: servers.reduce((sum, { config }) => sum + this.shownTools(config.id), 0),
      all: servers.reduce((sum, { config }) => sum + this.allTools(config.id), 0),
    };
  }

  #forgetRemoved(): void {
    for (const serverId of this.#serverRows.keys()) {
      if (this.#registry.find(serverId) !== undefined) continue;
      this.#serverRows.delete(serverId);
      this.#branches.forget(serverId);
      this.listed.forget(serverId);
    }
  }
}

function openingOfBranch({ children, shown, isLastKnown }: Branch): RowState {
  const isTold = children.some(({ kind }) => kind === 'problem');
  return initialRowState(children, shown.length, isLastKnown && !isTold);
}

/**
 * Rows for the places where servers are configured. They exist only if there are several places.
 */
class Origins {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'find'>;
  /** Rows by key: the same place keeps its row. */
  readonly #rows = new Map<string, OriginRow>();
  isGrouping = false;

  constructor(registry: Pick<ServerRegistry, 'servers' | 'find'>) {
    this.#registry = registry;
  }

  /**
   * Returns the rows in the order of their first servers, or no rows if servers are not grouped.
   */
  rows(): readonly OriginRow[] {
    if (!this.isGrouping) return [];
    const origins = new Map<string, OriginRow>();
    for (const { config } of this.#registry.servers) {
      const row = toOriginRow(config.source);
      const kept = this.#rows.get(row.key) ?? row;
      this.#rows.set(row.key, kept);
      origins.set(row.key, kept);
    }
    return origins.size > 1 ? [...origins.values()] : [];
  }

  serverIdsOf({ key }: OriginRow): readonly string[] {
    return this.#registry.servers
      .filter(({ config }) => toOriginRow(config.source).key === key)
      .map(({ config }) => config.id);
  }

  of(serverId: string): OriginRow | undefined {
    const source = this.#registry.find(serverId)?.config.source;
    const key = source && toOriginRow(source).key;
    return this.rows().find((row) => row.key === key);
  }
}

/** Content of the row of a server. */
interface ServerRowFacts {
  /** Absent if the server was removed after the view asked for its row. */
  readonly server: Server | undefined;
  readonly marks: ToolMarks;
  /** Number of its tools that match the filter. */
  readonly shownTools: number;
  readonly opening: RowState;
}

interface ToolPageFacts {
  /** Counted from 1. */
  readonly first: number;
  readonly last: number;
  /** Names of the first and the last tool on the page. */
  readonly ends: readonly string[];
}

interface ToolRowFacts {
  /** Absent if the tool was removed after the view asked for its row. */
  readonly entry: ToolEntry | undefined;
  /** How the tool differs from the accepted one, if it does. */
  readonly mark: 'new' | 'changed' | undefined;
  /** True if its server is not running and listed the tool earlier. */
  readonly isLastKnown: boolean;
  /** True if its texts contain invisible characters. */
  readonly isHiding: boolean;
}

/** Returns how the tool differs from the accepted one, if it does. */
function shownMarkOf(
  entry: ToolEntry | undefined,
  marks: ToolMarks = noMarks,
): 'new' | 'changed' | undefined {
  // A duplicate of the same name cannot be called, and no definition of it was accepted.
  if (entry?.tool.callable !== true) return undefined;
  if (marks.changed.has(entry.tool.name)) return 'changed';
  return marks.new.has(entry.tool.name) ? 'new' : undefined;
}
