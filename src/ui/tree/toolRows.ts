import type { ToolEntry } from '../../host/connections/snapshot';
import { DuplicateTitles, pageBounds, pageCount, pageIndexAt, pageOf } from './listedRows';
import { rowKey, type ToolRow } from './treeRows';

/** Names have no limit of their own, and the key is sent to the window with each row. */
const maxNameInKeyChars = 200;

interface Listed {
  /** Sequence number of the list. */
  readonly count: number;
  readonly of: readonly ToolEntry[];
  /**
   * How many tools of the same name come before, by index. Only tools with such a duplicate are in
   * it. Created with the first row.
   */
  namesakes?: ReadonlyMap<number, number>;
  /** The requested rows, by index. */
  readonly rows: Map<number, ToolRow>;
  /** Index by key. Created when a row of an earlier list is looked up. */
  places?: ReadonlyMap<string, number>;
}

/**
 * The tool that a row stood for at its last lookup, and the number of its list. It does not hold
 * the list itself, so that an old list can be freed.
 */
interface Known {
  readonly list: number;
  readonly entry: ToolEntry;
}

/**
 * The rows of the tools that servers list. Each is created when it is requested: of 20,000 only few
 * ever are.
 */
export class ToolRows {
  readonly #listed = new Map<string, Listed>();
  /** Rows by server and key. A name keeps its row from list to list. */
  readonly #made = new Map<string, Map<string, ToolRow>>();
  readonly #known = new WeakMap<ToolRow, Known>();
  #lists = 0;

  /** Sets the tools that the server lists now. */
  list(serverId: string, entries: readonly ToolEntry[]): void {
    if (this.#listed.get(serverId)?.of === entries) return;
    this.#lists += 1;
    this.#listed.set(serverId, { count: this.#lists, of: entries, rows: new Map() });
  }

  /** Returns the row of the tool at this index; the server's own order is kept. */
  at(serverId: string, place: number): ToolRow | undefined {
    const listed = this.#listed.get(serverId);
    const entry = listed?.of[place];
    if (listed === undefined || entry === undefined) return undefined;
    return listed.rows.get(place) ?? this.#make(serverId, listed, place, entry);
  }

  /** Returns the index of the row in the current list. */
  placeOf(row: ToolRow): number | undefined {
    const listed = this.#listed.get(row.serverId);
    if (listed === undefined) return undefined;
    listed.places ??= new Map(
      listed.of.map((entry, place) => [this.#keyOf(row.serverId, listed, place, entry), place]),
    );
    return listed.places.get(row.key);
  }

  /** Returns the tool of the row as it is listed now, or as it was listed last. */
  entry(row: ToolRow): ToolEntry | undefined {
    const known = this.#known.get(row);
    const listed = this.#listed.get(row.serverId);
    if (known === undefined || listed === undefined) return known?.entry;
    if (known.list === listed.count) return known.entry;
    const entry = listed.of[this.placeOf(row) ?? -1];
    if (entry?.tool.name !== row.toolName) return known.entry;
    this.#known.set(row, { list: listed.count, entry });
    return entry;
  }

  forget(serverId: string): void {
    this.#listed.delete(serverId);
    this.#made.delete(serverId);
  }

  #make(serverId: string, listed: Listed, place: number, entry: ToolEntry): ToolRow {
    const { name } = entry.tool;
    const key = this.#keyOf(serverId, listed, place, entry);
    let made = this.#made.get(serverId);
    if (made === undefined) this.#made.set(serverId, (made = new Map()));
    const known = made.get(key);
    const row: ToolRow =
      known?.toolName === name ? known : { kind: 'tool', key, serverId, toolName: name };
    made.set(key, row);
    listed.rows.set(place, row);
    this.#known.set(row, { list: listed.count, entry });
    return row;
  }

  /** A name that is listed twice has two rows; the second one shows the problem. */
  #keyOf(serverId: string, listed: Listed, place: number, { tool }: ToolEntry): string {
    listed.namesakes ??= this.#compare(serverId, listed.of);
    return rowKey('tool', serverId, nameInKey(tool.name), listed.namesakes.get(place) ?? 0);
  }

  /** Counts the names of a new list and forgets the rows of names that are gone. */
  #compare(serverId: string, entries: readonly ToolEntry[]): ReadonlyMap<number, number> {
    const names = new DuplicateTitles();
    const namesakes = new Map<number, number>();
    for (const [place, { tool }] of entries.entries()) {
      const before = names.next(nameInKey(tool.name));
      if (before > 0) namesakes.set(place, before);
    }
    const made = this.#made.get(serverId);
    for (const [key, { toolName }] of made ?? []) {
      if (!names.has(nameInKey(toolName))) made?.delete(key);
    }
    return namesakes;
  }
}

function nameInKey(name: string): string {
  return name.slice(0, maxNameInKeyChars);
}

/**
 * The visible tools of one server, in the server's order. Rows are created only when they are
 * requested.
 */
export class ShownTools {
  readonly #rows: ToolRows;
  readonly #serverId: string;
  readonly #entries: readonly ToolEntry[];
  /** Indexes in the server's list. */
  readonly #places: readonly number[];

  constructor(
    rows: ToolRows,
    serverId: string,
    entries: readonly ToolEntry[],
    isShown: (entry: ToolEntry, place: number) => boolean,
  ) {
    rows.list(serverId, entries);
    this.#rows = rows;
    this.#serverId = serverId;
    this.#entries = entries;
    this.#places = entries.flatMap((entry, place) => (isShown(entry, place) ? [place] : []));
  }

  get length(): number {
    return this.#places.length;
  }

  /** Returns 0 if the tools are directly below their server. */
  get pageCount(): number {
    return pageCount(this.length);
  }

  /** Returns the first `rows` tools. */
  first(rows: number): readonly ToolRow[] {
    return this.#rowsAt(this.#places.slice(0, rows));
  }

  /** Returns the first `rows` tools of a page. */
  page(index: number, rows: number): readonly ToolRow[] {
    return this.#rowsAt(pageOf(this.#places, index).slice(0, rows));
  }

  /** Returns the positions on a page, counted from 1, and the names of its first and last tool. */
  pageFacts(index: number): { first: number; last: number; ends: readonly string[] } {
    const places = pageOf(this.#places, index);
    const ends = [places.at(0), places.at(-1)].flatMap((place) => {
      const entry = place === undefined ? undefined : this.#entries[place];
      return entry === undefined ? [] : [entry.tool.name];
    });
    return { ...pageBounds(index, places.length), ends };
  }

  /** Returns `undefined` if there are no pages or the tool is on none of them. */
  pageIndexOf(row: ToolRow): number | undefined {
    if (this.pageCount === 0) return undefined;
    return pageIndexAt(this.#places.indexOf(this.#rows.placeOf(row) ?? -1));
  }

  #rowsAt(places: readonly number[]): readonly ToolRow[] {
    return places.flatMap((place) => this.#rows.at(this.#serverId, place) ?? []);
  }
}
