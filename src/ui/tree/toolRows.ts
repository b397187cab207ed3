import type { ToolEntry } from '../../host/connections/snapshot';
import { Namesakes } from './pages';
import { keyOf, type ToolRow } from './treeRows';

/** Names have no bound of their own, and the key goes to the window with each row. */
const maxNameInKeyChars = 200;

/** The rows of the tools that servers list. */
export class ToolRows {
  /** By server, then by key. */
  readonly #rows = new Map<string, Map<string, ToolRow>>();
  readonly #entries = new WeakMap<ToolRow, ToolEntry>();
  readonly #listed = new Map<string, { of: readonly ToolEntry[]; rows: readonly ToolRow[] }>();

  /** One row per tool, in the server's order; a name keeps its row from list to list. */
  of(serverId: string, entries: readonly ToolEntry[]): readonly ToolRow[] {
    const listed = this.#listed.get(serverId);
    if (listed?.of === entries) return listed.rows;
    const before = this.#rows.get(serverId);
    const now = new Map<string, ToolRow>();
    const namesakes = new Namesakes();
    const rows = entries.map((entry) => {
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
    this.#rows.set(serverId, now);
    this.#listed.set(serverId, { of: entries, rows });
    return rows;
  }

  entry(row: ToolRow): ToolEntry | undefined {
    return this.#entries.get(row);
  }

  forget(serverId: string): void {
    this.#rows.delete(serverId);
    this.#listed.delete(serverId);
  }
}
