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
  wordsOf,
} from '../picking/toolFilter';
import { Origins } from './origins';
import { Namesakes, pageBounds, paged, pageIndexOf, pageOf } from './pages';
import {
  goneRows,
  type GroupRow,
  keyOf,
  problemRows,
  type Row,
  type ServerRow,
  toProblemRow,
  type ToolRow,
} from './treeRows';

/** Names have no bound of their own, and the key goes to the window with each row. */
const maxNameInKeyChars = 200;

interface Branch {
  readonly server: Server;
  readonly filter: ToolFilter;
  readonly marks: ToolMarks;
  readonly resources: ServerResources;
  readonly shown: readonly ToolRow[];
  readonly children: readonly Row[];
  readonly startsWhenOpened: boolean;
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
  readonly resources: ResourceRows;
  #filter: ToolFilter = noFilter;
  #words: readonly string[] = [];
  readonly origins: Origins;
  readonly #branches = new Map<string, Branch>();
  readonly #serverRows = new Map<string, ServerRow>();
  /** By server, then by key. */
  readonly #toolRows = new Map<string, Map<string, ToolRow>>();
  readonly #groupRows = new Map<string, GroupRow>();
  readonly #entries = new WeakMap<ToolRow, ToolEntry>();
  readonly #searchedTexts = new WeakMap<Tool, string>();
  readonly #listed = new Map<string, { of: readonly ToolEntry[]; rows: readonly ToolRow[] }>();

  /**
   * `marksOf` gives the same object as long as nothing changed. Default: nothing is marked, and no
   * server starts when its row is opened.
   */
  constructor(
    registry: Pick<ServerRegistry, 'servers' | 'problems' | 'find'>,
    marksOf: MarksOf = () => noMarks,
    startsWhenOpened: () => boolean = () => false,
    resources: ResourceRows = new ResourceRows(noResourceLists),
  ) {
    this.#startsWhenOpened = startsWhenOpened;
    this.#registry = registry;
    this.origins = new Origins(registry);
    this.#marksOf = marksOf;
    this.resources = resources;
  }

  set filter(filter: ToolFilter) {
    this.#filter = filter;
    this.#words = wordsOf(filter);
    this.resources.setFilter(this.#words, isFiltering({ ...filter, text: '' }));
  }

  /** The words that the filter looks for, to mark them in the labels. */
  get words(): readonly string[] {
    return this.#words;
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

  /** In configuration order. */
  get servers(): readonly Server[] {
    return this.#registry.servers;
  }

  server(row: Row): Server | undefined {
    return row.serverId === undefined ? undefined : this.#registry.find(row.serverId);
  }

  entry(row: ToolRow): ToolEntry | undefined {
    return this.#entries.get(row);
  }

  marks(serverId: string): ToolMarks {
    return this.#marksOf(serverId);
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
    return pageBounds(row.index, this.children(row).length);
  }

  /** Snapshots are immutable, so a branch is good until there is another snapshot or filter. */
  #branch(serverId: string): Branch | undefined {
    const server = this.#registry.find(serverId);
    if (server === undefined) return undefined;
    const known = this.#branches.get(serverId);
    const marks = this.#marksOf(serverId);
    const resources = this.resources.listed(serverId);
    const isSame = known?.server === server && known.filter === this.#filter;
    const startsWhenOpened = this.#startsWhenOpened();
    const isAsOpened = known?.startsWhenOpened === startsWhenOpened;
    const isAsListed = known?.resources === resources;
    if (isSame && isAsOpened && isAsListed && known.marks === marks) return known;
    const shown = this.#shown(server);
    const children = [
      ...problemRows(server),
      ...(startsWhenOpened ? toStartRows(server) : []),
      ...this.#toolChildren(server, shown),
      ...goneRows(serverId, this.#shownGone(marks)),
      ...this.resources.branch(serverId),
    ];
    const about = { server, filter: this.#filter, marks, resources, startsWhenOpened };
    const branch = { ...about, shown, children };
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

  /** Of a tool that is gone the tree knows the name only. */
  #shownGone({ gone }: ToolMarks): readonly string[] {
    if (gone.length === 0 || isFiltering({ ...this.#filter, text: '' })) return [];
    const isFound = (name: string) => this.#words.every((word) => name.includes(word));
    return gone.filter((name) => isFound(name.toLowerCase()));
  }

  #toolChildren(server: Server, shown: readonly ToolRow[]): readonly Row[] {
    const serverId = server.config.id;
    if (shown.length === 0 && server.tools.length > 0) {
      return [{ kind: 'noMatch', key: keyOf('noMatch', serverId), serverId }];
    }
    return paged(shown, (index) => this.#groupRow(serverId, index));
  }

  /** One row per tool, in the server's order; a name keeps its row from list to list. */
  #rowsOf(server: Server): readonly ToolRow[] {
    const serverId = server.config.id;
    const listed = this.#listed.get(serverId);
    if (listed?.of === server.tools) return listed.rows;
    const before = this.#toolRows.get(serverId);
    const now = new Map<string, ToolRow>();
    const namesakes = new Namesakes();
    const rows = server.tools.map((entry) => {
      const { name } = entry.tool;
      const inKey = name.slice(0, maxNameInKeyChars);
      // A name that is listed twice has a row for each: the second one is a problem to show.
      const key = keyOf('tool', serverId, inKey, namesakes.next(inKey));
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
      this.resources.forget(serverId);
      for (const row of this.#groupRows.values()) {
        if (row.serverId === serverId) this.#groupRows.delete(row.key);
      }
    }
  }
}

/** Only below one that can be started. */
function toStartRows({ state, config, configProblems, isDisabled }: Server): readonly Row[] {
  if (isDisabled === true) return [];
  if (state.kind !== 'stopped' || configProblems.some(({ fatal }) => fatal)) return [];
  return [{ kind: 'toStart', key: keyOf('toStart', config.id), serverId: config.id }];
}
