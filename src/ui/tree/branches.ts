import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { ToolMarks } from '../../host/consent/pins/pinMarks';
import type { ServerResources } from '../../host/resources/resourceLists';
import {
  filterWordsOf,
  isFiltering,
  noFilter,
  SearchedTexts,
  type ToolFilter,
  toolMatcher,
} from '../picking/toolFilter';
import type { LastKnown } from './lastKnown';
import type { ResourceRows } from './resourceRows';
import { ShownTools } from './shownTools';
import { ToolRows } from './toolRows';
import { goneRows, type GroupRow, keyOf, problemRows, type Row, toStartRows } from './treeRows';

/** A server and all that stands below its row, as it is now. */
export interface Branch {
  readonly server: Server;
  /** Its tools, or those that it listed last. */
  readonly entries: readonly ToolEntry[];
  /** Whether it is those that it listed last: it does not run. */
  readonly isLastKnown: boolean;
  readonly filter: ToolFilter;
  readonly rowsAtOnce: number;
  readonly marks: ToolMarks;
  readonly resources: ServerResources;
  readonly shown: ShownTools;
  readonly children: readonly Row[];
  readonly isToStart: boolean;
}

export interface BranchSources {
  readonly registry: Pick<ServerRegistry, 'find'>;
  /** How a server's tools differ from what was accepted; the same object as long as nothing changed. */
  readonly marksOf: (serverId: string) => ToolMarks;
  /** Whether a server starts when its row is opened. */
  readonly startsWhenOpened: () => boolean;
  readonly resources: ResourceRows;
  readonly lastKnown: LastKnown;
  /** Whether the tool is in the set that the person has chosen. */
  readonly isInSet: (entry: ToolEntry) => boolean;
}

/** What is below each server; made anew only when something about it changed. */
export class Branches {
  readonly #sources: BranchSources;
  readonly #branches = new Map<string, Branch>();
  readonly #groupRows = new Map<string, GroupRow>();
  readonly #searchedTexts = new WeakMap<readonly ToolEntry[], SearchedTexts>();
  readonly toolRows = new ToolRows();
  #filter: ToolFilter = noFilter;
  #words: readonly string[] = [];
  /** How many tools one parent shows at most; those in front. */
  rowsAtOnce = Infinity;

  constructor(sources: BranchSources) {
    this.#sources = sources;
  }

  set filter(filter: ToolFilter) {
    this.#filter = filter;
    this.#words = filterWordsOf(filter);
  }

  /** What the filter looks for, to be marked in labels. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** Snapshots are immutable, so a branch is good until there is another snapshot or filter. */
  of(serverId: string): Branch | undefined {
    const {
      registry,
      marksOf,
      startsWhenOpened,
      resources: ofResources,
      lastKnown,
    } = this.#sources;
    const server = registry.find(serverId);
    if (server === undefined) return undefined;
    const known = this.#branches.get(serverId);
    const marks = marksOf(serverId);
    const resources = ofResources.listed(serverId);
    const last = server.tools.length > 0 ? [] : lastKnown.of(server);
    const isLastKnown = last.length > 0;
    const entries = isLastKnown ? last : server.tools;
    const isSame = known?.server === server && known.filter === this.#filter;
    // What it listed is there to see without starting it.
    const isUnknown = last.length === 0 && lastKnown.isRead(server);
    const isToStart = isUnknown && startsWhenOpened();
    const isAsOpened = known?.isToStart === isToStart;
    const isAsListed = known?.resources === resources;
    const isAsMarked = known?.marks === marks && known.entries === entries;
    const isAsCut = known?.rowsAtOnce === this.rowsAtOnce;
    if (isSame && isAsOpened && isAsListed && isAsMarked && isAsCut) return known;
    const shown = this.#shown(serverId, entries);
    const children = [
      ...problemRows(server),
      ...(isToStart ? toStartRows(server) : []),
      ...this.#toolChildren(serverId, shown, entries),
      ...goneRows(serverId, this.#shownGone(marks)),
      ...ofResources.branch(serverId),
    ];
    const about = { server, entries, isLastKnown, marks, resources, isToStart, shown, children };
    const branch = { ...about, filter: this.#filter, rowsAtOnce: this.rowsAtOnce };
    this.#branches.set(serverId, branch);
    return branch;
  }

  groupRow(serverId: string, index: number): GroupRow {
    const key = keyOf('group', serverId, index);
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

  /** Of a tool that is gone the tree knows the name only. */
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
      return [{ kind: 'noMatch', key: keyOf('noMatch', serverId), serverId, because }];
    }
    const { pageCount: length } = shown;
    if (length === 0) return shown.first(this.rowsAtOnce);
    return Array.from({ length }, (_, index) => this.groupRow(serverId, index));
  }
}
