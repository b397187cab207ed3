import type { ClientInfo } from '../core/era';
import { connectStdio } from '../core/connectStdio';
import { McpError } from '../core/errors';
import type { ConnectionLog } from '../core/log';
import type { LiveProcesses } from '../core/stdioProcess';
import type { Connect } from './connection';

export interface ConnectServerOptions {
  readonly clientInfo: ClientInfo;
  /** Where every process is entered while it lives. */
  readonly processes: LiveProcesses;
  readonly logOf: (serverId: string) => ConnectionLog;
  /** Asked at every start, so that a changed setting counts from the next one on. */
  readonly limits: () => {
    readonly startTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly callCeilingMs: number;
    readonly maxMessageBytes: number;
  };
}

/** How the product reaches a configured server: by the transport that its configuration names. */
export function connectServer(options: ConnectServerOptions): Connect {
  return (config, hooks, token) => {
    const { reach } = config;
    if (reach.kind !== 'stdio') {
      return Promise.reject(new McpError('unsupportedTransport', { detail: reach.kind }));
    }
    const { clientInfo, processes } = options;
    const log = options.logOf(config.id);
    const { onGarbage } = hooks;
    const how = { clientInfo, processes, log, onGarbage, limits: options.limits() };
    return connectStdio({ ...reach, ...how }, token);
  };
}
