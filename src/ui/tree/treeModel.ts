import { hidesCharacters } from '../../core/toolProblems';
import type { Tool } from '../../core/types';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { noMarks } from '../../host/consent/pins/pinMarks';
import { isResourceRow, type ResourceRows } from './resourceRows';
import { isFiltering, type ToolFilter } from '../picking/toolFilter';
import { type Branch, Branches, type BranchSources } from './branches';
import type { LastKnown } from './lastKnown';
import { Origins } from './origins';
import { firstOpening, type Opening, openingOf } from './serverRowState';
import {
  shownMarkOf,
  type ServerRowFacts,
  type ToolPageFacts,
  type ToolRowFacts,
} from './treeRowFacts';
import {
  type GroupRow,
  keyOf,
  type Row,
  type ServerRow,
  toProblemRow,
  type ToolRow,
} from './treeRows';

export interface TreeModelSources extends BranchSources {
  readonly registry: Pick<ServerRegistry, 'servers' | 'problems' | 'find'>;
}

/**
 * The tree as data: which rows there are, in which order, under which parent. Reads the registry's
 * snapshots and waits for nothing.
 */
export class TreeModel {
  readonly #registry: TreeModelSources['registry'];
  readonly #lastKnown: LastKnown;
  readonly resources: ResourceRows;
  readonly origins: Origins;
  readonly #branches: Branches;
  /** What was found out: rows are drawn again with each letter of the filter. */
  readonly #hiding = new WeakMap<Tool, boolean>();
  readonly #serverRows = new Map<string, ServerRow>();

  constructor(sources: TreeModelSources) {
    const { registry, lastKnown, resources } = sources;
    this.#lastKnown = lastKnown;
    this.#registry = registry;
    this.origins = new Origins(registry);
    this.resources = resources;
    this.#branches = new Branches(sources);
  }

  /** Another object, also an equal one: what stands below servers is made anew. */
  set filter(filter: ToolFilter) {
    this.#branches.filter = filter;
    this.resources.setFilter(this.#branches.words, isFiltering({ ...filter, text: '' }));
  }

  /** A parent shows no more tools than these, for as long as letters of the filter come. */
  set rowsAtOnce(rows: number) {
    this.#branches.rowsAtOnce = rows;
  }

  /** What the filter looks for, to be marked in labels. */
  get words(): readonly string[] {
    return this.#branches.words;
  }

  labelOf(serverId: string): string {
    return this.#registry.find(serverId)?.config.label ?? serverId;
  }

  /** Problems of no server first, then the servers, or their origins, in configuration order. */
  roots(): Row[] {
    this.#forgetRemoved();
    const problems = this.#registry.problems.flatMap((problem, index) =>
      // Nothing is wrong with a file of agents; it says itself what of it does not count here.
      problem.code === 'ownBridge'
        ? []
        : [toProblemRow(undefined, `config/${index}`, { kind: 'config', problem })],
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
    if (row.kind === 'server') return this.#branches.of(row.serverId)?.children ?? [];
    if (isResourceRow(row)) return this.resources.children(row);
    if (row.kind !== 'group') return [];
    const { rowsAtOnce } = this.#branches;
    return this.#branches.of(row.serverId)?.shown.page(row.index, rowsAtOnce) ?? [];
  }

  parent(row: Row): Row | undefined {
    if (row.serverId === undefined) return undefined;
    if (row.kind === 'server') return this.origins.of(row.serverId);
    const server = this.serverRow(row.serverId);
    if (isResourceRow(row)) return this.resources.parent(row) ?? server;
    if (row.kind !== 'tool') return server;
    const page = this.#branches.of(row.serverId)?.shown.pageIndexOf(row);
    return page === undefined ? server : this.#branches.groupRow(row.serverId, page);
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

  /** What is shown of a server without pointing at it; the server is looked at once. */
  serverFacts(row: ServerRow): ServerRowFacts {
    const branch = this.#branches.of(row.serverId);
    const { server, marks = noMarks, shown } = branch ?? {};
    const opening = branch === undefined ? 'None' : this.#firstOpening(branch);
    return { server, marks, shownTools: shown?.length ?? 0, opening };
  }

  /** The same of a page of tools. One that there is no more counts from 0; the next refresh takes it away. */
  pageFacts({ serverId, index }: GroupRow): ToolPageFacts {
    return this.#branches.of(serverId)?.shown.pageFacts(index) ?? { first: 0, last: 0, ends: [] };
  }

  /** The same of a tool. */
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

  /** Whether there is something below the row of a server, and whether that is to be open. */
  opening({ serverId }: ServerRow): Opening {
    const branch = this.#branches.of(serverId);
    return branch === undefined ? 'None' : openingOfBranch(branch);
  }

  /** The same when the row is drawn for the first time. */
  #firstOpening(branch: Branch): Opening {
    const isAsBefore = branch.isLastKnown && this.#lastKnown.wasOpen(branch.server.config.id);
    return isAsBefore ? 'Expanded' : firstOpening(openingOfBranch(branch), this.#registry.servers);
  }

  /** Whether the tools below the server are those that it listed last: it does not run. */
  isLastKnown(serverId: string): boolean {
    return this.#branches.of(serverId)?.isLastKnown === true;
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
    return this.#branches.toolRows.entry(row);
  }

  /** How the tool differs from what was accepted, if it does. */
  mark(row: ToolRow): 'new' | 'changed' | undefined {
    return shownMarkOf(this.entry(row), this.#branches.of(row.serverId)?.marks);
  }

  /** How many of a server's tools the filter lets through. */
  shownTools(serverId: string): number {
    return this.#branches.of(serverId)?.shown.length ?? 0;
  }

  /** How many tools there are below a server without the filter. */
  allTools(serverId: string): number {
    return this.#branches.of(serverId)?.entries.length ?? 0;
  }

  /** The same over all servers, and how many there are without the filter. */
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
      this.resources.forget(serverId);
    }
  }
}

function openingOfBranch({ children, shown, isLastKnown }: Branch): Opening {
  const isTold = children.some(({ kind }) => kind === 'problem');
  return openingOf(children, shown.length, isLastKnown && !isTold);
}
