import type { ProcessUsage } from '../../core/stdio/processFacts';

/** What the tree asks about the processes behind its rows. */
export interface ServerTreeProcesses {
  /** Whether a stopped server starts when its row is opened. */
  readonly startsWhenOpened: () => boolean;
  /** Asked while somebody looks at the row. */
  readonly usageOf: (pid: number) => Promise<ProcessUsage | undefined>;
  readonly start: (serverId: string) => Promise<unknown>;
}
