/**
 * One thing that a person has permitted, in words; they are plain text, bounded, and hold nothing
 * of a server but through `quoted` or `visibleText`.
 */
export interface PermissionItem {
  /** Unique within its source. */
  readonly id: string;
  /** What it covers. */
  readonly label: string;
  /** How long it counts, and whether it is suspended. */
  readonly description: string;
  /** When it was given, from where, and when it was used last. */
  readonly detail: string;
  /** Everything about it, in lines of their own. */
  readonly about: readonly string[];
}

/** Something that keeps permissions of one kind. */
export interface PermissionSource {
  /** What they are called together, as a heading: “Calls without a question”. */
  readonly heading: string;
  /** As all windows know them now. */
  all(): Promise<readonly PermissionItem[]>;
  /** Ids that are not there (any more) count as withdrawn. Rejects after trying all. */
  withdraw(ids: readonly string[]): Promise<void>;
  /** Also what cannot be read, and therefore is not among {@link all}. Rejects after trying all. */
  withdrawAll(): Promise<void>;
}

/** The permissions of one source as they were read. */
export interface PermissionGroup {
  readonly source: PermissionSource;
  readonly items: readonly PermissionItem[];
}

/** What every source holds now; those that hold nothing are left out. */
export async function readPermissions(
  sources: readonly PermissionSource[],
): Promise<readonly PermissionGroup[]> {
  const groups = await Promise.all(
    sources.map(async (source) => ({ source, items: await source.all() })),
  );
  return groups.filter(({ items }) => items.length > 0);
}
