import type { ClientInfo } from '../core/era';
import { connectStdio } from '../core/connectStdio';
import { McpError } from '../core/errors';
import type { InputHandler } from '../core/inputHandler';
import type { ConnectionLog } from '../core/log';
import type { LiveProcesses } from '../core/stdioProcess';
import type { Connect } from './connection';
import type { ServerConfig } from './serverConfig';

export interface ConnectServerOptions {
  readonly clientInfo: ClientInfo;
  /** Where every process is entered while it lives. */
  readonly processes: LiveProcesses;
  readonly logOf: (serverId: string) => ConnectionLog;
  /** Answers what this server asks the person or the host. */
  readonly inputOf: (config: ServerConfig) => InputHandler;
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
    const input = options.inputOf(config);
    const how = { clientInfo, processes, log, input, onGarbage, limits: options.limits() };
    return connectStdio({ ...reach, ...how }, token);
  };
}
