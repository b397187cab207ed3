import type { ServerRegistry } from '../../host/connections/registry';
import { type OriginRow, toOriginRow } from './treeRows';

/** Where servers are configured, as rows above them: only if that is more than one place. */
export class Origins {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'find'>;
  /** Equal places keep their row. */
  readonly #rows = new Map<string, OriginRow>();
  isGrouping = false;

  constructor(registry: Pick<ServerRegistry, 'servers' | 'find'>) {
    this.#registry = registry;
  }

  /** In the order of their first servers; none where servers are not grouped. */
  rows(): readonly OriginRow[] {
    if (!this.isGrouping) return [];
    const origins = new Map<string, OriginRow>();
    for (const { config } of this.#registry.servers) {
      const row = toOriginRow(config.source);
      const kept = this.#rows.get(row.key) ?? row;
      this.#rows.set(row.key, kept);
      origins.set(row.key, kept);
    }
    return origins.size > 1 ? [...origins.values()] : [];
  }

  serverIdsOf({ key }: OriginRow): readonly string[] {
    return this.#registry.servers
      .filter(({ config }) => toOriginRow(config.source).key === key)
      .map(({ config }) => config.id);
  }

  of(serverId: string): OriginRow | undefined {
    const source = this.#registry.find(serverId)?.config.source;
    const key = source && toOriginRow(source).key;
    return this.rows().find((row) => row.key === key);
  }
}
