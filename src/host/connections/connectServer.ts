import type { ClientInfo } from '../../core/eras/era';
import { defaultLimits } from '../../core/connect';
import { connectHttp } from '../../core/http/connectHttp';
import { connectStdio } from '../../core/stdio/connectStdio';
import type { KnownEra } from '../../core/eras/eraDetection';
import type { InputHandler } from '../../core/input/inputHandler';
import type { ConnectionLog } from '../../core/log';
import type { LiveProcesses } from '../../core/stdio/stdioProcess';
import type { Connect } from './connection';
import type { KnownEras } from './knownEras';
import type { ServerConfig } from '../configuration/serverConfig';

export interface ConnectServerOptions {
  readonly clientInfo: ClientInfo;
  /** Where every process is entered while it lives. */
  readonly processes: LiveProcesses;
  readonly logOf: (serverId: string) => ConnectionLog;
  /** Answers what this server asks the person or the host. */
  readonly inputOf: (config: ServerConfig) => InputHandler;
  readonly knownEras: Pick<KnownEras, 'of' | 'learn'>;
  /** Asked at every start, so that a changed setting counts from the next one on. */
  readonly limits: () => {
    readonly startTimeoutMs: number;
    readonly callTimeoutMs: number;
    readonly maxMessageBytes: number;
  };
}

/** From this level on servers are asked for log messages; what is below is for their authors. */
const logLevel = 'info';

/** How the product reaches a configured server: by the transport that its configuration names. */
export function connectServer(options: ConnectServerOptions): Connect {
  return (config, hooks, token) => {
    const { reach } = config;
    const { clientInfo, processes, knownEras } = options;
    const rememberedEra = knownEras.of(config);
    const { startTimeoutMs, callTimeoutMs, maxMessageBytes } = options.limits();
    const how = {
      clientInfo,
      log: options.logOf(config.id),
      input: options.inputOf(config),
      onGarbage: hooks.onGarbage,
      limits: {
        startTimeoutMs,
        maxMessageBytes,
        requestTimeoutMs: callTimeoutMs,
        // Progress may extend a call, but never end it earlier than its own time limit.
        callCeilingMs: Math.max(defaultLimits.callCeilingMs, callTimeoutMs),
      },
      logLevel,
      ...(rememberedEra === undefined ? {} : { rememberedEra }),
      onDidLearnEra: (era: KnownEra) => knownEras.learn(config, era),
    } as const;
    if (reach.kind === 'stdio') return connectStdio({ ...reach, ...how, processes }, token);
    const { kind, ...rest } = reach;
    return connectHttp({ ...rest, ...how, ...(kind === 'sse' ? { transport: kind } : {}) }, token);
  };
}
