import type { ToolEntry } from '../../host/connections/snapshot';
import { pageBounds, pageCount, pageIndexAt, pageOf } from './pages';
import type { ToolRows } from './toolRows';
import type { ToolRow } from './treeRows';

/** The tools of one server that are shown, in its own order; rows are made of those that are asked for. */
export class ShownTools {
  readonly #rows: ToolRows;
  readonly #serverId: string;
  readonly #entries: readonly ToolEntry[];
  /** In the list of the server. */
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

  /** 0: they stand below their server themselves. */
  get pageCount(): number {
    return pageCount(this.length);
  }

  /** As many of them as these from above. */
  first(rows: number): readonly ToolRow[] {
    return this.#rowsAt(this.#places.slice(0, rows));
  }

  /** As many of a page as these from above. */
  page(index: number, rows: number): readonly ToolRow[] {
    return this.#rowsAt(pageOf(this.#places, index).slice(0, rows));
  }

  /** Which ones are on a page, counted from 1, and the names of the first and the last. */
  pageFacts(index: number): { first: number; last: number; ends: readonly string[] } {
    const places = pageOf(this.#places, index);
    const ends = [places.at(0), places.at(-1)].flatMap((place) => {
      const entry = place === undefined ? undefined : this.#entries[place];
      return entry === undefined ? [] : [entry.tool.name];
    });
    return { ...pageBounds(index, places.length), ends };
  }

  /** `undefined` where there are no pages, and where it is on none of them. */
  pageIndexOf(row: ToolRow): number | undefined {
    if (this.pageCount === 0) return undefined;
    return pageIndexAt(this.#places.indexOf(this.#rows.placeOf(row) ?? -1));
  }

  #rowsAt(places: readonly number[]): readonly ToolRow[] {
    return places.flatMap((place) => this.#rows.at(this.#serverId, place) ?? []);
  }
}
