import type { LastTools } from '../../host/lastTools/lastTools';

/** What is known of servers that do not run, as far as the tree shows it. */
export interface LastKnown extends Pick<LastTools, 'of' | 'isRead' | 'listedAt'> {
  /** Whether the row of the server was open when the window was closed. */
  readonly wasOpen: (serverId: string) => boolean;
}
