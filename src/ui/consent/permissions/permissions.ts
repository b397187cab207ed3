/**
 * A permission of the user, as text. The texts are plain and bounded, and contain server text only
 * through `quoted` or `visibleText`.
 */
export interface PermissionItem {
  /** Unique within its source. */
  readonly id: string;
  /** The calls, tools or server that it covers. */
  readonly label: string;
  /** Its duration, and whether it is suspended. */
  readonly description: string;
  /** The time and place where it was given, and the time of its last use. */
  readonly detail: string;
  /** All details, one per line. */
  readonly about: readonly string[];
}

/** A store of permissions of one kind. */
export interface PermissionSource {
  /** Heading of the group, such as “Calls without a question”. */
  readonly heading: string;
  /** The current permissions, as shared by all windows. */
  all(): Promise<readonly PermissionItem[]>;
  /** Unknown ids count as withdrawn. Rejects after trying all. */
  withdraw(ids: readonly string[]): Promise<void>;
  /**
   * Also withdraws unreadable permissions, which {@link all} does not list. Rejects after trying
   * all.
   */
  withdrawAll(): Promise<void>;
}

/** The permissions that were read from one source. */
export interface PermissionGroup {
  readonly source: PermissionSource;
  readonly items: readonly PermissionItem[];
}

/** Reads the permissions of every source. Empty sources are left out. */
export async function readPermissions(
  sources: readonly PermissionSource[],
): Promise<readonly PermissionGroup[]> {
  const groups = await Promise.all(
    sources.map(async (source) => ({ source, items: await source.all() })),
  );
  return groups.filter(({ items }) => items.length > 0);
}
