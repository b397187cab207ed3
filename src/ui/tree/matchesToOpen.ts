import type { ServerRow } from './treeRows';

/** More rows than these nobody looks through; the first server with a match opens in any case. */
const maxFound = 100;
const maxServers = 20;

/** The servers that a filter opens: those with a match, from above, as long as they are not too much. */
export function matchesToOpen(
  servers: readonly ServerRow[],
  shownTools: (row: ServerRow) => number,
): readonly ServerRow[] {
  let found = 0;
  return servers
    .filter((row) => shownTools(row) > 0)
    .slice(0, maxServers)
    .filter((row, index) => {
      found += shownTools(row);
      return index === 0 || found <= maxFound;
    });
}
