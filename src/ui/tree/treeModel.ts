import type { Tool } from '../../core/types';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { isFiltering, noFilter, type ToolFilter, toolMatcher, wordsOf } from './toolFilter';
import {
  type GroupRow,
  keyOf,
  problemRows,
  type Row,
  type ServerRow,
  toProblemRow,
  type ToolRow,
} from './treeRows';

/**
 * A longer list is cut into pages: VS Code takes all children of a row at once, after each change
 * and each letter of the filter. 20,000 in one piece took 1.1 s with a stall of 160 ms, as pages
 * 85 ms without one.
 */
const maxUngroupedTools = 2_000;
const groupSize = 1_000;
/** Names have no bound of their own, and the key goes to the window with each row. */
const maxNameInKeyChars = 200;

interface Branch {
  readonly server: Server;
  readonly filter: ToolFilter;
  readonly shown: readonly ToolRow[];
  readonly children: readonly Row[];
}

/**
 * The tree as data: which rows there are, in which order, under which parent. Reads the registry's
 * snapshots and waits for nothing.
 */
export class TreeModel {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'problems' | 'find'>;
  #filter: ToolFilter = noFilter;
  #words: readonly string[] = [];
  readonly #branches = new Map<string, Branch>();
  readonly #serverRows = new Map<string, ServerRow>();
  /** By server, then by key. */
  readonly #toolRows = new Map<string, Map<string, ToolRow>>();
  readonly #groupRows = new Map<string, GroupRow>();
  readonly #entries = new WeakMap<ToolRow, ToolEntry>();
  readonly #searchedTexts = new WeakMap<Tool, string>();
  readonly #listed = new Map<string, { of: readonly ToolEntry[]; rows: readonly ToolRow[] }>();

  constructor(registry: Pick<ServerRegistry, 'servers' | 'problems' | 'find'>) {
    this.#registry = registry;
  }

  set filter(filter: ToolFilter) {
    this.#filter = filter;
    this.#words = wordsOf(filter);
  }

  /** The words that the filter looks for, to mark them in the labels. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** Problems of no server first, then the servers in configuration order. */
  roots(): Row[] {
    this.#forgetRemoved();
    const problems = this.#registry.problems.map((problem, index) =>
      toProblemRow(undefined, `config/${index}`, { kind: 'config', problem }),
    );
    return [...problems, ...this.#registry.servers.map(({ config }) => this.serverRow(config.id))];
  }

  /** Problems stand before the tools, where a long list cannot hide them. */
  children(row: Row): readonly Row[] {
    if (row.kind === 'server') return this.#branch(row.serverId)?.children ?? [];
    if (row.kind !== 'group') return [];
    const first = row.index * groupSize;
    return this.#branch(row.serverId)?.shown.slice(first, first + groupSize) ?? [];
  }

  parent(row: Row): Row | undefined {
    if (row.kind === 'server' || row.serverId === undefined) return undefined;
    const server = this.serverRow(row.serverId);
    if (row.kind !== 'tool') return server;
    const shown = this.#branch(row.serverId)?.shown ?? [];
    if (shown.length <= maxUngroupedTools) return server;
    const index = shown.indexOf(row);
    return index < 0 ? server : this.#groupRow(row.serverId, Math.floor(index / groupSize));
  }

  /** The row of a server, known or not: equal ids give the same object. */
  serverRow(serverId: string): ServerRow {
    let row = this.#serverRows.get(serverId);
    if (row === undefined) {
      row = { kind: 'server', key: keyOf('server', serverId), serverId };
      this.#serverRows.set(serverId, row);
    }
    return row;
  }

  server(row: Row): Server | undefined {
    return row.serverId === undefined ? undefined : this.#registry.find(row.serverId);
  }

  entry(row: ToolRow): ToolEntry | undefined {
    return this.#entries.get(row);
  }

  /** How many of a server's tools the filter lets through. */
  shownTools(serverId: string): number {
    return this.#branch(serverId)?.shown.length ?? 0;
  }

  /** The same over all servers, and how many there are without the filter. */
  totals(): { readonly shown: number; readonly all: number } {
    const { servers } = this.#registry;
    return {
      shown: servers.reduce((sum, { config }) => sum + this.shownTools(config.id), 0),
      all: servers.reduce((sum, { tools }) => sum + tools.length, 0),
    };
  }

  /** Where in its server's list a page begins and ends, counted from 1. */
  groupBounds(row: GroupRow): { readonly first: number; readonly last: number } {
    const start = row.index * groupSize;
    return { first: start + 1, last: start + this.children(row).length };
  }

  /** Snapshots are immutable, so a branch is good until there is another snapshot or filter. */
  #branch(serverId: string): Branch | undefined {
    const server = this.#registry.find(serverId);
    if (server === undefined) return undefined;
    const known = this.#branches.get(serverId);
    if (known?.server === server && known.filter === this.#filter) return known;
    const shown = this.#shown(server);
    const children = [...problemRows(server), ...this.#toolChildren(server, shown)];
    const branch = { server, filter: this.#filter, shown, children };
    this.#branches.set(serverId, branch);
    return branch;
  }

  #shown(server: Server): readonly ToolRow[] {
    const rows = this.#rowsOf(server);
    if (!isFiltering(this.#filter)) return rows;
    const matches = toolMatcher(this.#filter, this.#searchedTexts);
    return rows.filter((_, index) => {
      const entry = server.tools[index];
      return entry !== undefined && matches(entry);
    });
  }

  #toolChildren(server: Server, shown: readonly ToolRow[]): readonly Row[] {
    const serverId = server.config.id;
    if (shown.length === 0 && server.tools.length > 0) {
      return [{ kind: 'noMatch', key: keyOf('noMatch', serverId), serverId }];
    }
    if (shown.length <= maxUngroupedTools) return shown;
    const pages = Math.ceil(shown.length / groupSize);
    return Array.from({ length: pages }, (_, index) => this.#groupRow(serverId, index));
  }

  /** One row per tool, in the server's order; a name keeps its row from list to list. */
  #rowsOf(server: Server): readonly ToolRow[] {
    const serverId = server.config.id;
    const listed = this.#listed.get(serverId);
    if (listed?.of === server.tools) return listed.rows;
    const before = this.#toolRows.get(serverId);
    const now = new Map<string, ToolRow>();
    const seen = new Map<string, number>();
    const rows = server.tools.map((entry) => {
      const { name } = entry.tool;
      const inKey = name.slice(0, maxNameInKeyChars);
      // A name that is listed twice has a row for each: the second one is a problem to show.
      const nth = seen.get(inKey) ?? 0;
      seen.set(inKey, nth + 1);
      const key = keyOf('tool', serverId, inKey, nth);
      const known = before?.get(key);
      const row: ToolRow =
        known?.toolName === name ? known : { kind: 'tool', key, serverId, toolName: name };
      now.set(key, row);
      this.#entries.set(row, entry);
      return row;
    });
    this.#toolRows.set(serverId, now);
    this.#listed.set(serverId, { of: server.tools, rows });
    return rows;
  }

  #groupRow(serverId: string, index: number): GroupRow {
    const key = keyOf('group', serverId, index);
    let row = this.#groupRows.get(key);
    if (row === undefined) {
      row = { kind: 'group', key, serverId, index };
      this.#groupRows.set(key, row);
    }
    return row;
  }

  #forgetRemoved(): void {
    for (const serverId of this.#serverRows.keys()) {
      if (this.#registry.find(serverId) !== undefined) continue;
      this.#serverRows.delete(serverId);
      this.#toolRows.delete(serverId);
      this.#listed.delete(serverId);
      this.#branches.delete(serverId);
      for (const row of this.#groupRows.values()) {
        if (row.serverId === serverId) this.#groupRows.delete(row.key);
      }
    }
  }
}
