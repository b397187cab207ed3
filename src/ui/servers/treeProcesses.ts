import type { ProcessUsage } from '../../core/stdio/processFacts';

/** What the tree needs to know about the processes behind its rows. */
export interface ServerTreeProcesses {
  /** True if a stopped server starts when its row is opened. */
  readonly startsWhenOpened: () => boolean;
  /** Is called while the user looks at the row. */
  readonly usageOf: (pid: number) => Promise<ProcessUsage | undefined>;
  readonly start: (serverId: string) => Promise<unknown>;
}
