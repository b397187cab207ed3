import type { Tool } from '../../core/types';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { noMarks, type ToolMarks } from '../../host/consent/pins/pinMarks';
import type { ServerResources } from '../../host/resources/resourceLists';
import type { ResourceLook } from './resourceItems';
import { isResourceRow, noResourceLists, ResourceRows } from './resourceRows';
import {
  isFiltering,
  noFilter,
  type ToolFilter,
  toolMatcher,
  filterWordsOf,
} from '../picking/toolFilter';
import { type LastKnown, nothingKnown } from './lastKnown';
import { Origins } from './origins';
import { pageBounds, paged, pageIndexOf, pageOf } from './pages';
import { firstOpening, type Opening, openingOf } from './serverRowState';
import { ToolRows } from './toolRows';
import {
  goneRows,
  type GroupRow,
  keyOf,
  problemRows,
  type Row,
  type ServerRow,
  toProblemRow,
  toStartRows,
  type ToolRow,
} from './treeRows';

interface Branch {
  readonly server: Server;
  /** Its tools, or those that it listed last. */
  readonly entries: readonly ToolEntry[];
  readonly filter: ToolFilter;
  readonly marks: ToolMarks;
  readonly resources: ServerResources;
  readonly shown: readonly ToolRow[];
  readonly children: readonly Row[];
  readonly isToStart: boolean;
}

/** Says what is different about a server's tools from what was accepted. */
export type MarksOf = (serverId: string) => ToolMarks;

/**
 * The tree as data: which rows there are, in which order, under which parent. Reads the registry's
 * snapshots and waits for nothing.
 */
export class TreeModel {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'problems' | 'find'>;
  readonly #marksOf: MarksOf;
  readonly #startsWhenOpened: () => boolean;
  readonly #lastKnown: LastKnown;
  readonly resources: ResourceRows;
  #filter: ToolFilter = noFilter;
  #words: readonly string[] = [];
  readonly origins: Origins;
  readonly #branches = new Map<string, Branch>();
  readonly #serverRows = new Map<string, ServerRow>();
  readonly #toolRows = new ToolRows();
  readonly #groupRows = new Map<string, GroupRow>();
  readonly #searchedTexts = new WeakMap<Tool, string>();

  /**
   * `marksOf` gives the same object as long as nothing changed. Default: nothing is marked, and no
   * server starts when its row is opened.
   */
  constructor(
    registry: Pick<ServerRegistry, 'servers' | 'problems' | 'find'>,
    marksOf: MarksOf = () => noMarks,
    startsWhenOpened: () => boolean = () => false,
    resources: ResourceRows = new ResourceRows(noResourceLists),
    lastKnown: LastKnown = nothingKnown,
  ) {
    this.#lastKnown = lastKnown;
    this.#startsWhenOpened = startsWhenOpened;
    this.#registry = registry;
    this.origins = new Origins(registry);
    this.#marksOf = marksOf;
    this.resources = resources;
  }

  set filter(filter: ToolFilter) {
    this.#filter = filter;
    this.#words = filterWordsOf(filter);
    this.resources.setFilter(this.#words, isFiltering({ ...filter, text: '' }));
  }

  /** What the rows of resources are drawn by. */
  get resourceLook(): ResourceLook {
    const labelOf = (id: string) => this.#registry.find(id)?.config.label ?? id;
    return { rows: this.resources, words: this.#words, labelOf };
  }

  /** Problems of no server first, then the servers, or their origins, in configuration order. */
  roots(): Row[] {
    this.#forgetRemoved();
    const problems = this.#registry.problems.map((problem, index) =>
      toProblemRow(undefined, `config/${index}`, { kind: 'config', problem }),
    );
    const origins = this.origins.rows();
    if (origins.length > 0) return [...problems, ...origins];
    return [...problems, ...this.#registry.servers.map(({ config }) => this.serverRow(config.id))];
  }

  /** Problems stand before the tools, where a long list cannot hide them. */
  children(row: Row): readonly Row[] {
    if (row.kind === 'origin') {
      return this.origins.serverIdsOf(row).map((id) => this.serverRow(id));
    }
    if (row.kind === 'server') return this.#branch(row.serverId)?.children ?? [];
    if (isResourceRow(row)) return this.resources.children(row);
    if (row.kind !== 'group') return [];
    return pageOf(this.#branch(row.serverId)?.shown ?? [], row.index);
  }

  parent(row: Row): Row | undefined {
    if (row.serverId === undefined) return undefined;
    if (row.kind === 'server') return this.origins.of(row.serverId);
    const server = this.serverRow(row.serverId);
    if (isResourceRow(row)) return this.resources.parent(row) ?? server;
    if (row.kind !== 'tool') return server;
    const page = pageIndexOf(this.#branch(row.serverId)?.shown ?? [], row);
    return page === undefined ? server : this.#groupRow(row.serverId, page);
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

  /** What the filter looks for, to be marked in labels. */
  get words(): readonly string[] {
    return this.#words;
  }

  marks(serverId: string): ToolMarks {
    return this.#marksOf(serverId);
  }

  /** Whether there is something below the row of a server, and whether that is to be open. */
  opening(row: ServerRow): Opening {
    const { shown = [], children = [] } = this.#branch(row.serverId) ?? {};
    const isTold = children.some(({ kind }) => kind === 'problem');
    return openingOf(children, shown.length, this.isLastKnown(row.serverId) && !isTold);
  }

  /** The same when the row is drawn for the first time. */
  firstOpening(row: ServerRow): Opening {
    const isAsBefore = this.isLastKnown(row.serverId) && this.#lastKnown.wasOpen(row.serverId);
    return isAsBefore ? 'Expanded' : firstOpening(this.opening(row), this.#registry.servers);
  }

  /** Whether the tools below the server are those that it listed last: it does not run. */
  isLastKnown(serverId: string): boolean {
    const branch = this.#branch(serverId);
    return branch !== undefined && branch.entries !== branch.server.tools;
  }

  /** When those were listed, epoch ms. */
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
    return this.#toolRows.entry(row);
  }

  /** How the tool differs from what was accepted, if it does. */
  mark(row: ToolRow): 'new' | 'changed' | undefined {
    // A twin of the same name cannot be called, and nothing of it was accepted.
    if (this.entry(row)?.tool.callable !== true) return undefined;
    const marks = this.#marksOf(row.serverId);
    if (marks.changed.has(row.toolName)) return 'changed';
    return marks.new.has(row.toolName) ? 'new' : undefined;
  }

  /** How many of a server's tools the filter lets through. */
  shownTools(serverId: string): number {
    return this.#branch(serverId)?.shown.length ?? 0;
  }

  /** How many tools there are below a server without the filter. */
  allTools(serverId: string): number {
    return this.#branch(serverId)?.entries.length ?? 0;
  }

  /** The same over all servers, and how many there are without the filter. */
  totals(): { readonly shown: number; readonly all: number } {
    const { servers } = this.#registry;
    return {
      shown: servers.reduce((sum, { config }) => sum + this.shownTools(config.id), 0),
      all: servers.reduce((sum, { config }) => sum + this.allTools(config.id), 0),
    };
  }

  /** Where in its server's list a page begins and ends, counted from 1. */
  groupBounds(row: GroupRow): { readonly first: number; readonly last: number } {
    return pageBounds(row.index, this.children(row).length);
  }

  /** Snapshots are immutable, so a branch is good until there is another snapshot or filter. */
  #branch(serverId: string): Branch | undefined {
    const server = this.#registry.find(serverId);
    if (server === undefined) return undefined;
    const known = this.#branches.get(serverId);
    const marks = this.#marksOf(serverId);
    const resources = this.resources.listed(serverId);
    const last = server.tools.length > 0 ? [] : this.#lastKnown.of(server);
    const entries = last.length > 0 ? last : server.tools;
    const isSame = known?.server === server && known.filter === this.#filter;
    // What it listed is there to see without starting it.
    const isUnknown = last.length === 0 && this.#lastKnown.isRead(server);
    const isToStart = isUnknown && this.#startsWhenOpened();
    const isAsOpened = known?.isToStart === isToStart;
    const isAsListed = known?.resources === resources;
    const isAsMarked = known?.marks === marks && known.entries === entries;
    if (isSame && isAsOpened && isAsListed && isAsMarked) return known;
    const shown = this.#shown(serverId, entries);
    const children = [
      ...problemRows(server),
      ...(isToStart ? toStartRows(server) : []),
      ...this.#toolChildren(serverId, shown, entries.length),
      ...goneRows(serverId, this.#shownGone(marks)),
      ...this.resources.branch(serverId),
    ];
    const about = { server, entries, filter: this.#filter, marks, resources, isToStart };
    const branch = { ...about, shown, children };
    this.#branches.set(serverId, branch);
    return branch;
  }

  #shown(serverId: string, entries: readonly ToolEntry[]): readonly ToolRow[] {
    const rows = this.#toolRows.of(serverId, entries);
    if (!isFiltering(this.#filter)) return rows;
    const matches = toolMatcher(this.#filter, this.#searchedTexts);
    return rows.filter((_, index) => {
      const entry = entries[index];
      return entry !== undefined && matches(entry);
    });
  }

  /** Of a tool that is gone the tree knows the name only. */
  #shownGone({ gone }: ToolMarks): readonly string[] {
    if (gone.length === 0 || isFiltering({ ...this.#filter, text: '' })) return [];
    const isFound = (name: string) => this.#words.every((word) => name.includes(word));
    return gone.filter((name) => isFound(name.toLowerCase()));
  }

  #toolChildren(serverId: string, shown: readonly ToolRow[], all: number): readonly Row[] {
    if (shown.length === 0 && all > 0) {
      return [{ kind: 'noMatch', key: keyOf('noMatch', serverId), serverId }];
    }
    return paged(shown, (index) => this.#groupRow(serverId, index));
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
      this.#toolRows.forget(serverId);
      this.#branches.delete(serverId);
      this.resources.forget(serverId);
      for (const row of this.#groupRows.values()) {
        if (row.serverId === serverId) this.#groupRows.delete(row.key);
      }
    }
  }
}
