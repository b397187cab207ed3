import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { ToolMarks } from '../../host/consent/pins/pinFileFormat';
import {
  filterWordsOf,
  isFiltering,
  noFilter,
  SearchedTexts,
  type ToolFilter,
  toolMatcher,
} from '../picking/toolFilter';
import type { ListedRows } from './listedRows';
import { ToolRows, ShownTools } from './toolRows';
import { goneRows, type GroupRow, rowKey, problemRows, type Row, toStartRows } from './treeRows';
import type { LastTools } from '../../host/lastTools/lastTools';

/** A server and everything below its row. */
export interface Branch {
  readonly server: Server;
  /** Tools of the server, or the ones that it listed last. */
  readonly entries: readonly ToolEntry[];
  /** True if the server is not running and `entries` are the tools that it listed last. */
  readonly isLastKnown: boolean;
  readonly filter: ToolFilter;
  readonly rowsAtOnce: number;
  readonly marks: ToolMarks;
  readonly listings: readonly unknown[];
  readonly shown: ShownTools;
  readonly children: readonly Row[];
  readonly isToStart: boolean;
}

export interface BranchSources {
  readonly registry: Pick<ServerRegistry, 'find'>;
  /**
   * How a server's tools differ from the accepted ones. Returns the same object until something
   * changes.
   */
  readonly marksOf: (serverId: string) => ToolMarks;
  /** True if a server starts when its row is opened. */
  readonly startsWhenOpened: () => boolean;
  readonly listed: ListedRows;
  readonly lastKnown: LastKnown;
  /** True if the tool is in the tool set that the user has selected. */
  readonly isInSet: (entry: ToolEntry) => boolean;
}

/** The rows below each server. They are rebuilt only when something about the server changed. */
export class Branches {
  readonly #sources: BranchSources;
  readonly #branches = new Map<string, Branch>();
  readonly #groupRows = new Map<string, GroupRow>();
  readonly #searchedTexts = new WeakMap<readonly ToolEntry[], SearchedTexts>();
  readonly toolRows = new ToolRows();
  #filter: ToolFilter = noFilter;
  #words: readonly string[] = [];
  /** Maximum number of tools that one parent shows. */
  rowsAtOnce = Infinity;

  constructor(sources: BranchSources) {
    this.#sources = sources;
  }

  set filter(filter: ToolFilter) {
    this.#filter = filter;
    this.#words = filterWordsOf(filter);
  }

  /** The words of the filter, which labels highlight. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** Snapshots are immutable, so a branch stays valid until the snapshot or the filter changes. */
  of(serverId: string): Branch | undefined {
    const { registry, marksOf, startsWhenOpened, listed, lastKnown } = this.#sources;
    const server = registry.find(serverId);
    if (server === undefined) return undefined;
    const known = this.#branches.get(serverId);
    const marks = marksOf(serverId);
    const listings = listed.listings(serverId);
    const last = server.tools.length > 0 ? [] : lastKnown.of(server);
    const isLastKnown = last.length > 0;
    const entries = isLastKnown ? last : server.tools;
    const isSame = known?.server === server && known.filter === this.#filter;
    // The last known tools can be shown without starting the server.
    const isUnknown = last.length === 0 && lastKnown.isRead(server);
    const isToStart = isUnknown && startsWhenOpened();
    const isAsOpened = known?.isToStart === isToStart;
    const isAsListed = listings.every((listing, place) => known?.listings[place] === listing);
    const isAsMarked = known?.marks === marks && known.entries === entries;
    const isAsCut = known?.rowsAtOnce === this.rowsAtOnce;
    if (isSame && isAsOpened && isAsListed && isAsMarked && isAsCut) return known;
    const shown = this.#shown(serverId, entries);
    const children = [
      ...problemRows(server),
      ...(isToStart ? toStartRows(server) : []),
      ...this.#toolChildren(serverId, shown, entries),
      ...goneRows(serverId, this.#shownGone(marks)),
      ...listed.branches(serverId),
    ];
    const about = { server, entries, isLastKnown, marks, listings, isToStart, shown, children };
    const branch = { ...about, filter: this.#filter, rowsAtOnce: this.rowsAtOnce };
    this.#branches.set(serverId, branch);
    return branch;
  }

  groupRow(serverId: string, index: number): GroupRow {
    const key = rowKey('group', serverId, index);
    let row = this.#groupRows.get(key);
    if (row === undefined) {
      row = { kind: 'group', key, serverId, index };
      this.#groupRows.set(key, row);
    }
    return row;
  }

  forget(serverId: string): void {
    this.toolRows.forget(serverId);
    this.#branches.delete(serverId);
    for (const row of this.#groupRows.values()) {
      if (row.serverId === serverId) this.#groupRows.delete(row.key);
    }
  }

  #shown(serverId: string, entries: readonly ToolEntry[]): ShownTools {
    const known = this.#branches.get(serverId);
    const isAsFiltered = known?.filter === this.#filter && known.entries === entries;
    return isAsFiltered
      ? known.shown
      : new ShownTools(this.toolRows, serverId, entries, this.#matcher(entries));
  }

  #matcher(entries: readonly ToolEntry[]): (entry: ToolEntry, place: number) => boolean {
    const { isInSet } = this.#sources;
    if (!isFiltering(this.#filter)) return isInSet;
    let texts = this.#searchedTexts.get(entries);
    if (texts === undefined) this.#searchedTexts.set(entries, (texts = new SearchedTexts(entries)));
    const matches = toolMatcher(this.#filter, texts);
    return (entry, place) => isInSet(entry) && matches(entry, place);
  }

  /** Only the name of a removed tool is known, so the filter is applied to the name. */
  #shownGone({ gone }: ToolMarks): readonly string[] {
    if (gone.length === 0 || isFiltering({ ...this.#filter, text: '' })) return [];
    const isFound = (name: string) => this.#words.every((word) => name.includes(word));
    return gone.filter((name) => isFound(name.toLowerCase()));
  }

  #toolChildren(
    serverId: string,
    shown: ShownTools,
    entries: readonly ToolEntry[],
  ): readonly Row[] {
    if (shown.length === 0 && entries.length > 0) {
      const because = entries.some(this.#sources.isInSet) ? 'filter' : 'toolSet';
      return [{ kind: 'noMatch', key: rowKey('noMatch', serverId), serverId, because }];
    }
    const { pageCount: length } = shown;
    if (length === 0) return shown.first(this.rowsAtOnce);
    return Array.from({ length }, (_, index) => this.groupRow(serverId, index));
  }
}

/** Content of the tree for servers that are not running. */
export interface LastKnown extends Pick<LastTools, 'of' | 'isRead' | 'listedAt'> {
  /** True if the row of the server was open when the window was closed. */
  readonly wasOpen: (serverId: string) => boolean;
}
