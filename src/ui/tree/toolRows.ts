import type { ToolEntry } from '../../host/connections/snapshot';
import { DuplicateTitles } from './pages';
import { keyOf, type ToolRow } from './treeRows';

/** Names have no bound of their own, and the key goes to the window with each row. */
const maxNameInKeyChars = 200;

interface Listed {
  /** Which list of all it is. */
  readonly count: number;
  readonly of: readonly ToolEntry[];
  /** How many tools of the same name come before, by place; where there are any. Made with the first row. */
  namesakes?: ReadonlyMap<number, number>;
  /** Those that were asked for, by place. */
  readonly rows: Map<number, ToolRow>;
  /** By key; made when a row is looked for that an earlier list had. */
  places?: ReadonlyMap<string, number>;
}

/** What a row stood for when it was asked for last; of its list only which one, which goes with the next. */
interface Known {
  readonly list: number;
  readonly entry: ToolEntry;
}

/** The rows of the tools that servers list, each made when it is asked for: of 20,000 few ever are. */
export class ToolRows {
  readonly #listed = new Map<string, Listed>();
  /** By server, then by key: a name keeps its row from list to list. */
  readonly #made = new Map<string, Map<string, ToolRow>>();
  readonly #known = new WeakMap<ToolRow, Known>();
  #lists = 0;

  /** What the server lists now. */
  list(serverId: string, entries: readonly ToolEntry[]): void {
    if (this.#listed.get(serverId)?.of === entries) return;
    this.#lists += 1;
    this.#listed.set(serverId, { count: this.#lists, of: entries, rows: new Map() });
  }

  /** The row of the tool at this place of the server's own order. */
  at(serverId: string, place: number): ToolRow | undefined {
    const listed = this.#listed.get(serverId);
    const entry = listed?.of[place];
    if (listed === undefined || entry === undefined) return undefined;
    return listed.rows.get(place) ?? this.#make(serverId, listed, place, entry);
  }

  /** Where in its list the row stands now. */
  placeOf(row: ToolRow): number | undefined {
    const listed = this.#listed.get(row.serverId);
    if (listed === undefined) return undefined;
    listed.places ??= new Map(
      listed.of.map((entry, place) => [this.#keyOf(row.serverId, listed, place, entry), place]),
    );
    return listed.places.get(row.key);
  }

  /** The tool of the row: as it is listed now, or as it was when it was listed last. */
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

  /** A name that is listed twice has a row for each: the second one is a problem to show. */
  #keyOf(serverId: string, listed: Listed, place: number, { tool }: ToolEntry): string {
    listed.namesakes ??= this.#compare(serverId, listed.of);
    return keyOf('tool', serverId, nameInKey(tool.name), listed.namesakes.get(place) ?? 0);
  }

  /** Reads the names of a new list; the rows of those that are gone are forgotten. */
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
